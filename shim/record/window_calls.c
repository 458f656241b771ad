/* Making and freeing windows, their memory and attributes (MPI 3.1, sections 11.2 and 6.7). */
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "requests.h"
#include "windows.h"
#include "wrapper.h"

/* --- the program's memory --------------------------------------------------------------------- */

static void in_making(struct record_call *call, int64_t size, int64_t unit, MPI_Info info,
                      MPI_Comm comm)
{
	record_place(RECORDING_NOTHING, RECORDING_NOTHING, comm);
	record_in(call, "size", size);
	record_in(call, "disp_unit", unit);
	record_in_handle(call, "info", RECORD_INFO, (uint32_t)info);
	record_in_handle(call, "comm", RECORD_COMM, (uint32_t)comm);
}

#define CREATE(name, number)                                                                \
	WRAPPER(int, name,                                                                  \
	        (void *base, MPI_Aint size, number disp_unit, MPI_Info info, MPI_Comm comm, \
	         MPI_Win *win))                                                             \
	{                                                                                   \
		struct record_call call;                                                    \
                                                                                            \
		ENTER_OR_PASS(&call, name, (base, size, disp_unit, info, comm, win));       \
		in_making(&call, size, disp_unit, info, comm);                              \
		RUN(&call, name, (base, size, disp_unit, info, comm, win));                 \
		record_out_handle(RECORD_WIN, win);                                         \
		if (call.result == MPI_SUCCESS)                                             \
			windows_attach(windows_add(*win, comm), base, size);                \
		record_leave(&call);                                                        \
		return call.result;                                                         \
	}

CREATE(Win_create, int)
CREATE(Win_create_c, MPI_Aint)

WRAPPER(int, Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win *win))
{
	struct record_call call;

	ENTER_OR_PASS(&call, Win_create_dynamic, (info, comm, win));
	in_making(&call, 0, 1, info, comm);
	RUN(&call, Win_create_dynamic, (info, comm, win));
	record_out_handle(RECORD_WIN, win);
	if (call.result == MPI_SUCCESS)
		windows_add(*win, comm);
	record_leave(&call);
	return call.result;
}

WRAPPER(int, Win_attach, (MPI_Win win, void *base, MPI_Aint size))
{
	struct record_call call;

	ENTER_OR_PASS(&call, Win_attach, (win, base, size));
	record_in_handle(&call, "win", RECORD_WIN, (uint32_t)win);
	record_in(&call, "size", size);
	RUN(&call, Win_attach, (win, base, size));
	if (call.result == MPI_SUCCESS)
		windows_attach(windows_find(win), base, size);
	record_leave(&call);
	return call.result;
}

WRAPPER(int, Win_detach, (MPI_Win win, const void *base))
{
	struct record_call call;

	ENTER_OR_PASS(&call, Win_detach, (win, base));
	record_in_handle(&call, "win", RECORD_WIN, (uint32_t)win);
	windows_synchronise(&call, win, WINDOWS_SHOW_ALWAYS, WINDOWS_ALL);
	RUN(&call, Win_detach, (win, base));
	if (call.result == MPI_SUCCESS)
		windows_detach(windows_find(win), base);
	record_leave(&call);
	return call.result;
}

/* --- memory of MPI's -------------------------------------------------------------------------- */

/* At replay, the memory is mapped where it was. That cannot be done where MPI has taken it from its
 * own heap, as it does for processes that share no memory with others: the replayer uses the same
 * addresses. All members agree then to use memory of the program's. */
static bool needs_own(MPI_Comm comm, void *const *base, MPI_Aint size)
{
	int needs = size > 0 && memory_is_of_mpis_heap(*base), any = 0;

	/* The shim counts calls: a window that is made twice would shift the numbers in paths. */
	if (needs && below_shim())
		record_refuse("under control, memory that MPI_Win_allocate takes from MPI's heap "
		              "cannot be recorded");
	if (below_shim())
		return false;
	real_mpi()->Allreduce(&needs, &any, 1, MPI_INT, MPI_MAX, comm);
	return any;
}

/* The wrapper has made a window with `base`, of which only the program's memory is to be used. */
static void *replace_memory(MPI_Win *win, void **base, MPI_Aint size)
{
	void *own = memory_of_program((size_t)(size > 0 ? size : 1));

	if (!own)
		record_refuse("out of memory for a window of %lld bytes", (long long)size);
	real_mpi()->Win_free(win);
	*base = own;
	return own;
}

/* `base`: what the program gets. */
static void out_allocated(struct record_call *call, void **base, MPI_Aint size, MPI_Win *win,
                          MPI_Comm comm, void *own)
{
	const bool is_own = record_known(own != NULL) != 0;

	record_out_raw(base, sizeof(*base));
	record_out_handle(RECORD_WIN, win);
	if (call->result != MPI_SUCCESS)
		return;
	if (log_replaying && is_own)
		own = *base = memory_of_program((size_t)(size > 0 ? size : 1));
	windows_attach_allocated(windows_add(*win, comm), *base, size, own);
}

#define ALLOCATE(name, create, number)                                                         \
	WRAPPER(int, name,                                                                     \
	        (MPI_Aint size, number disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, \
	         MPI_Win *win))                                                                \
	{                                                                                      \
		struct record_call call;                                                       \
		void *base = NULL, *own = NULL;                                                \
		int result = MPI_SUCCESS;                                                      \
                                                                                               \
		ENTER_OR_PASS(&call, name, (size, disp_unit, info, comm, baseptr, win));       \
		in_making(&call, size, disp_unit, info, comm);                                 \
		if (record_run(&call)) {                                                       \
			result = below_mpi()->name(size, disp_unit, info, comm, &base, win);   \
			if (result == MPI_SUCCESS && needs_own(comm, &base, size)) {           \
				own = replace_memory(win, &base, size);                        \
				result = real_mpi()->create(base, size, disp_unit, info, comm, \
				                            win);                              \
			}                                                                      \
		}                                                                              \
		record_result(&call, result);                                                  \
		out_allocated(&call, &base, size, win, comm, own);                             \
		memcpy(baseptr, &base, sizeof(base));                                          \
		record_leave(&call);                                                           \
		return call.result;                                                            \
	}

ALLOCATE(Win_allocate, Win_create, int)
ALLOCATE(Win_allocate_c, Win_create_c, MPI_Aint)

WRAPPER(int, Win_free, (MPI_Win * win))
{
	struct record_call call;
	struct window *window;

	ENTER_OR_PASS(&call, Win_free, (win));
	window = windows_find(*win);
	record_in_handle(&call, "win", RECORD_WIN, (uint32_t)*win);
	windows_synchronise(&call, *win, WINDOWS_SHOW_ALWAYS, WINDOWS_ALL);
	windows_end(window);
	requests_settle(&call, (uint32_t)*win, REQUESTS_ALL);
	RUN(&call, Win_free, (win));
	record_out_handle(RECORD_WIN, win);
	windows_ended(window, call.result == MPI_SUCCESS);
	record_leave(&call);
	return call.result;
}

/* --- synchronisation that may be repeated ----------------------------------------------------- */

WRAPPER(int, Win_test, (MPI_Win win, int *flag))
{
	struct record_call call;

	ENTER_OR_PASS(&call, Win_test, (win, flag));
	record_in_handle(&call, "win", RECORD_WIN, (uint32_t)win);
	windows_synchronise(&call, win, WINDOWS_SHOW_ALWAYS, WINDOWS_ALL);
	record_result(&call, record_ask(&call) ? below_mpi()->Win_test(win, flag) : MPI_SUCCESS);
	record_answer(&call, flag);
	record_leave(&call);
	return call.result;
}

/* A program may repeat it until something has come. So it counts as a poll, whose answer is whether
 * anything has. */
WRAPPER(int, Win_sync, (MPI_Win win))
{
	struct record_call call;
	int flag;

	ENTER_OR_PASS(&call, Win_sync, (win));
	record_in_handle(&call, "win", RECORD_WIN, (uint32_t)win);
	windows_synchronise(&call, win, WINDOWS_SHOW_ALWAYS, WINDOWS_ALL);
	record_result(&call, record_ask(&call) ? below_mpi()->Win_sync(win) : MPI_SUCCESS);
	flag = call.was_shown;
	record_answer(&call, &flag);
	record_leave(&call);
	return call.result;
}

/* --- attributes ------------------------------------------------------------------------------- */

/* The base is an address, the others are numbers of MPI's (MPI 3.1, section 11.2.6). */
static void out_predefined(struct window *window, int keyval, void *value)
{
	const bool is_size = keyval == MPI_WIN_SIZE;
	MPI_Aint *number = windows_attribute(window, keyval);
	void *pointer;

	memcpy(&pointer, value, sizeof(pointer));
	if (!log_replaying && is_size)
		*number = *(MPI_Aint *)pointer;
	else if (!log_replaying)
		*(int *)number = keyval == MPI_WIN_CREATE_FLAVOR && windows_is_own(window)
		                         ? MPI_WIN_FLAVOR_ALLOCATE
		                         : *(int *)pointer;
	record_out_number(number, is_size ? sizeof(*number) : sizeof(int));
	memcpy(value, &number, sizeof(number));
}

WRAPPER(int, Win_get_attr, (MPI_Win win, int keyval, void *value, int *flag))
{
	struct record_call call;
	struct window *window;
	bool is_number;

	ENTER_OR_PASS(&call, Win_get_attr, (win, keyval, value, flag));
	window = windows_find(win);
	is_number = window
	            && (keyval == MPI_WIN_SIZE || keyval == MPI_WIN_DISP_UNIT
	                || keyval == MPI_WIN_CREATE_FLAVOR || keyval == MPI_WIN_MODEL);
	record_in_handle(&call, "win", RECORD_WIN, (uint32_t)win);
	record_in(&call, "the keyval", keyval);
	RUN(&call, Win_get_attr, (win, keyval, value, flag));
	record_out_number(flag, sizeof(*flag));
	if (call.result == MPI_SUCCESS && *flag && is_number)
		out_predefined(window, keyval, value);
	else if (call.result == MPI_SUCCESS && *flag)
		record_out_raw(value, sizeof(void *));
	record_leave(&call);
	return call.result;
}
