#include "live_stack.h"

#include <elfutils/libdwfl.h>

#include "mpi_calls.h"
#include "scheduler/store/record.h"

enum { FRAMES_MAX = 64 };

/* Unwinding needs only what is loaded with the program. Reading debugging information would take
 * long. */
static int find_no_debuginfo(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
                             const char *file, const char *link, GElf_Word checksum,
                             char **ret_name)
{
	(void)module;
	(void)user;
	(void)name;
	(void)base;
	(void)file;
	(void)link;
	(void)checksum;
	(void)ret_name;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = find_no_debuginfo,
};

static int take_frame(Dwfl_Frame *frame, void *user)
{
	GArray *addresses = user;
	Dwarf_Addr pc;
	bool exact; /* the interrupted instruction, not a return address */

	if (!dwfl_frame_pc(frame, &pc, &exact))
		return DWARF_CB_ABORT;
	uint64_t address = exact ? pc + 1 : pc;
	g_array_append_val(addresses, address);
	return addresses->len < FRAMES_MAX ? DWARF_CB_OK : DWARF_CB_ABORT;
}

GArray *live_stack(pid_t pid, pid_t thread)
{
	g_autoptr(GArray) addresses = g_array_new(false, false, sizeof(uint64_t));
	Dwfl *dwfl = dwfl_begin(&callbacks);

	/* If something fails, there are fewer frames or none; some are better than none. */
	if (dwfl && dwfl_linux_proc_report(dwfl, pid) == 0 && dwfl_report_end(dwfl, NULL, NULL) == 0
	    && dwfl_linux_proc_attach(dwfl, pid, false) == 0)
		dwfl_getthread_frames(dwfl, thread, take_frame, addresses);
	dwfl_end(dwfl);
	return addresses->len > 0 ? g_steal_pointer(&addresses) : NULL;
}

guint live_stack_outside_mpi(const GArray *frames, const char **ret_call)
{
	for (guint i = frames->len; i-- > 0;) {
		const char *function = g_array_index(frames, struct record_frame, i).function;

		if (!function || mpi_call_by_name(function) == MPI_CALL_NONE)
			continue;
		*ret_call = function;
		return i + 1;
	}
	return 0;
}
