/* Start and end of MPI, clocks, memory (MPI 3.1, chapter 8), and what the recorder computes
 * itself. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "replay.h"
#include "start.h"
#include "threads.h"
#include "wrapper.h"

/* MPICH makes standard output unbuffered. Then printf allocates nothing, and what is printed comes
 * at once. */
static void out_buffering(void)
{
	enum { UNBUFFERED = 2 }; /* glibc: _IO_UNBUFFERED */
	const int64_t is_unbuffered = record_known((stdout->_flags & UNBUFFERED) != 0);

	if (log_replaying && is_unbuffered)
		setvbuf(stdout, NULL, _IONBF, 0);
}

WRAPPER(int, Init, (int *argc, char ***argv))
{
	struct record_call call;

	ENTER_OR_PASS(&call, Init, (argc, argv));
	memory_know_libraries();
	start_init();
	RUN(&call, Init, (argc, argv));
	out_buffering();
	memory_know_libraries();
	record_leave(&call);
	return call.result;
}

WRAPPER(int, Init_thread, (int *argc, char ***argv, int required, int *provided))
{
	struct record_call call;

	ENTER_OR_PASS(&call, Init_thread, (argc, argv, required, provided));
	record_in(&call, "required", required);
	memory_know_libraries();
	start_init();
	RUN(&call, Init_thread, (argc, argv, threads_granted(required), provided));
	record_out_number(provided, sizeof(*provided));
	out_buffering();
	memory_know_libraries();
	record_leave(&call);
	return call.result;
}

WRAPPER(int, Finalize, (void))
{
	struct record_call call;

	ENTER_OR_PASS(&call, Finalize, ());
	RUN(&call, Finalize, ());
	record_leave(&call);
	return call.result;
}

WRAPPER(int, Abort, (MPI_Comm comm, int errorcode))
{
	struct record_call call;

	ENTER_OR_PASS(&call, Abort, (comm, errorcode));
	record_in_handle(&call, "comm", RECORD_COMM, (uint32_t)comm);
	record_in(&call, "errorcode", errorcode);
	if (record_run(&call))
		return below_mpi()->Abort(comm, errorcode);
	fflush(NULL);
	replay_tell(REPLAY_WHOLE, "the program ends itself with MPI_Abort, as it did");
	_exit(errorcode);
}

WRAPPER(double, Wtime, (void))
{
	struct record_call call;
	double time = 0;

	ENTER_OR_PASS(&call, Wtime, ());
	if (record_run(&call))
		time = below_mpi()->Wtime();
	record_out_raw(&time, sizeof(time));
	record_leave(&call);
	return time;
}

WRAPPER(double, Wtick, (void))
{
	struct record_call call;
	double tick = 0;

	ENTER_OR_PASS(&call, Wtick, ());
	if (record_run(&call))
		tick = below_mpi()->Wtick();
	record_out_raw(&tick, sizeof(tick));
	record_leave(&call);
	return tick;
}

/* --- not in the log: the same in both --------------------------------------------------------- */

WRAPPER(int, Pcontrol, (const int level, ...))
{
	return log_replaying ? MPI_SUCCESS : below_pcontrol(level);
}

WRAPPER(int, Get_address, (const void *location, MPI_Aint *address))
{
	*address = (MPI_Aint)location;
	return MPI_SUCCESS;
}

WRAPPER(int, Address, (void *location, MPI_Aint *address))
{
	*address = (MPI_Aint)location;
	return MPI_SUCCESS;
}

WRAPPER(MPI_Aint, Aint_add, (MPI_Aint base, MPI_Aint displacement))
{
	return base + displacement;
}

WRAPPER(MPI_Aint, Aint_diff, (MPI_Aint one, MPI_Aint other))
{
	return one - other;
}

/* In MPICH, a status is the same in both languages. */
WRAPPER(int, Status_c2f, (const MPI_Status *c_status, MPI_Fint *f_status))
{
	memcpy(f_status, c_status, sizeof(*c_status));
	return MPI_SUCCESS;
}

WRAPPER(int, Status_f2c, (const MPI_Fint *f_status, MPI_Status *c_status))
{
	memcpy(c_status, f_status, sizeof(*c_status));
	return MPI_SUCCESS;
}

/* Memory of the program's own, at equal addresses. */
WRAPPER(int, Alloc_mem, (MPI_Aint size, MPI_Info info, void *baseptr))
{
	void *memory = memory_of_program((size_t)(size > 0 ? size : 1));

	(void)info;
	memcpy(baseptr, &memory, sizeof(memory));
	return memory ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

WRAPPER(int, Free_mem, (void *base))
{
	memory_of_program_free(base);
	return MPI_SUCCESS;
}

/* --- the buffer of buffered sends ------------------------------------------------------------- */

#define DETACH(name, number)                                     \
	WRAPPER(int, name, (void *buffer_addr, number *size))    \
	{                                                        \
		struct record_call call;                         \
                                                                 \
		ENTER_OR_PASS(&call, name, (buffer_addr, size)); \
		RUN(&call, name, (buffer_addr, size));           \
		record_out_raw(buffer_addr, sizeof(void *));     \
		record_out_number(size, sizeof(*size));          \
		record_leave(&call);                             \
		return call.result;                              \
	}

DETACH(Buffer_detach, int)
DETACH(Buffer_detach_c, MPI_Count)
