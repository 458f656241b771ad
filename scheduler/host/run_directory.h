/* The directory on tmpfs that holds an exploration's sockets and a directory for every world: its
 * shared memory, and the captured output of its ranks.
 *
 * It is made in the first of $MATCHPOINT_RUNDIR, /dev/shm, $XDG_RUNTIME_DIR, the temporary
 * directory that is writable and has room enough ($MATCHPOINT_RUNDIR, when set, is the only one
 * tried), is called matchpoint-<pid>-XXXXXX, and belongs to the user alone. A lock in it tells
 * whether its owner still lives. One whose owner was killed is removed by its janitor (janitor.h),
 * or, if that is gone too, by the user's next start, when it begins or ends. */
#ifndef MATCHPOINT_SCHEDULER_HOST_RUN_DIRECTORY_H
#define MATCHPOINT_SCHEDULER_HOST_RUN_DIRECTORY_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

#define RUN_DIRECTORY_SOCKET "socket" /* ranks connect here */
#define RUN_DIRECTORY_PMI "pmi"       /* and here for PMI */
/* A link to the journal of the program's files (ckpt/journal.h), if there is one. */
#define RUN_DIRECTORY_JOURNAL "journal"
/* What links to files in /dev/shm begin with, which MPICH makes while it starts and whose names it
 * takes away a moment later (shim/libc/file_calls.c): they are removed with the link. */
#define RUN_DIRECTORY_SHARED "shared-"

struct run_directory;

/* For worlds of that many ranks. NULL with `error` set: G_FILE_ERROR, and what to do about it. */
struct run_directory *run_directory_new(int ranks, GError **error);

/* Removes it with all that is in it, and those beside it that are abandoned by now. NULL is
 * legal. */
void run_directory_free(struct run_directory *directory);

/* Those of a process that is dead (0: of all that are): paths, NULL-terminated; free with
 * g_strfreev. `*ret_held`: whether any that fits is still held by somebody. */
char **run_directory_left_by(pid_t owner, bool *ret_held);
/* Removes one of them with all that is in it; follows no other symbolic link. */
void run_directory_remove(const char *path);

/* Absolute, without a slash at the end; short enough for the path of a socket in it. */
const char *run_directory_path(const struct run_directory *directory);

/* The descriptor that holds its lock: it counts as owned as long as any process has a copy. */
int run_directory_lock(const struct run_directory *directory);

/* The path of a file in it; free with g_free. */
char *run_directory_file(const struct run_directory *directory, const char *name);

/* Makes the directory w<world>. Its path, to be freed with g_free; NULL with `error` set. */
char *run_directory_add_world(struct run_directory *directory, guint32 world, GError **error);

/* Gives it the name of another. Its new path, as above. */
char *run_directory_rename_world(struct run_directory *directory, guint32 from, guint32 to,
                                 GError **error);

/* Removes it; nothing happens if it is gone. */
void run_directory_remove_world(struct run_directory *directory, guint32 world);

#endif
