/* The processes of the ranks, for debuggers that know the MPIR Process Acquisition Interface
 * (version 1.0; MPI Forum, working group on tools; section numbers below are of that document).
 * matchpoint is the starter process (3.2). A debugger finds the symbols MPIR_* in its executable,
 * stripped or not, sets MPIR_being_debugged, and stops at MPIR_Breakpoint. There it reads the
 * table, and attaches to the ranks that it wants. It may also attach to matchpoint later, and read
 * the table (6.1).
 *
 * If ranks are linked with MPI, they wait before main() (lined_up.h). A process that loads MPI
 * later is known as a rank when it has sent HELLO, in MPI_Init, and so is a copy from a snapshot.
 * Therefore MPIR_acquired_pre_main is not defined (9.11), and MPIR_force_to_main is (9.12).
 *
 * The table has the processes of one world: the one that began last. It changes, and is reported
 * again, when an execution begins in other processes: a new job, or copies from a snapshot. Ranks
 * that were rewound in place are the same processes.
 *
 * Processes that a program spawns are ranks of the job from its beginning (common/prelaunched.h).
 * So they are in the table then, and a debugger has them before their main(). A spawn, a connection
 * and a disconnection change no row, and are not reported. A job that turns out to be too small is
 * replaced by a larger one, which is. */
#ifndef MATCHPOINT_SCHEDULER_HOST_PROCESS_TABLE_H
#define MATCHPOINT_SCHEDULER_HOST_PROCESS_TABLE_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/* Whether a debugger has asked to be told (MPIR_being_debugged, 9.3). Ranks then wait until
 * process_table_show has returned. */
bool process_table_is_watched(void);
/* All ranks of the world are there: processes[rank]. If they are not those of the table, fills the
 * table, sets MPIR_debug_state to MPIR_DEBUG_SPAWNED, and calls MPIR_Breakpoint if the table is
 * watched. This returns when the debugger lets this process go on. */
void process_table_show(guint32 world, const pid_t *processes, int ranks);
/* The world of the table has failed: MPIR_DEBUG_ABORTING, with the reason, and MPIR_Breakpoint as
 * above. Another world: no effect. */
void process_table_abort(guint32 world, const char *why);
/* The processes of the world are gone. If the table has them, it becomes empty. */
void process_table_forget(guint32 world);

/* A line "PREFIX HOST:PID" for each rank of the table, in order. Free with g_free. */
char *process_table_lines(const char *prefix);
/* From now on, these lines are printed to standard error whenever the table has other processes,
 * for debuggers that read there. */
void process_table_print(const char *prefix);
bool process_table_is_printed(void);

#endif
