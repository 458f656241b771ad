/* The ranks of one job that wait before main() (common/start_line.h) until a debugger has seen
 * them: MPIR Process Acquisition Interface, version 1.0, section 6. When all of them are there,
 * they are shown in the process table (process_table.h), and let go when the debugger has been
 * told.
 *
 * A rank that is not known before MPI_Init may never be there. Whoever learns that from such a rank
 * calls lined_up_let_go. */
#ifndef MATCHPOINT_SCHEDULER_HOST_LINED_UP_H
#define MATCHPOINT_SCHEDULER_HOST_LINED_UP_H

#include <glib.h>
#include <stdbool.h>
#include <uv.h>

struct lined_up;

/* Listens at `path`, which must not exist and be short enough for a socket. Ranks of another user
 * are not counted. `waits`: false if they need not wait for each other: nobody has asked for them.
 * Returns NULL with `error` set. */
struct lined_up *lined_up_new(uv_loop_t *loop, const char *path, guint32 world, int ranks,
                              bool waits, GError **error);

/* Lets all go, and removes the socket: nobody waits any more. */
void lined_up_let_go(struct lined_up *lined);

/* The same, and frees it in a later turn of the loop. NULL is legal. */
void lined_up_free(struct lined_up *lined);

#endif
