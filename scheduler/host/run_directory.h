/* The directory on tmpfs that holds an exploration's sockets and a directory for every world: its
 * shared memory, and the captured output of its ranks.
 *
 * It is made in the first of $MATCHPOINT_RUNDIR, /dev/shm, $XDG_RUNTIME_DIR and the temporary
 * directory that is writable and has enough room. If $MATCHPOINT_RUNDIR is set, no other place is
 * tried. The directory is called matchpoint-<pid>-XXXXXX and belongs to the user alone. Its owner
 * holds a lock in it while it lives. If the owner was killed, its janitor removes the directory
 * (janitor.h); if the janitor is gone too, the user's next start does, at its beginning or end. */
#ifndef MATCHPOINT_SCHEDULER_HOST_RUN_DIRECTORY_H
#define MATCHPOINT_SCHEDULER_HOST_RUN_DIRECTORY_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

#define RUN_DIRECTORY_SOCKET "socket"   /* ranks connect here */
#define RUN_DIRECTORY_PMI "pmi"         /* ranks connect here for PMI */
#define RUN_DIRECTORY_CONTROL "control" /* requests from outside (control.h) */
/* A link to the journal of the program's files (ckpt/journal.h), if there is one. */
#define RUN_DIRECTORY_JOURNAL "journal"
/* Prefix of links to files in /dev/shm that MPICH makes while it starts and unlinks a moment
 * later (shim/libc/file_calls.c). If such a link is left, its file is removed with it. */
#define RUN_DIRECTORY_SHARED "shared-"

struct run_directory;

/* Makes the directory, with room for worlds of that many ranks. `parent`: the place, as from
 * run_directory_elsewhere; NULL: see above. Returns NULL with `error` set: G_FILE_ERROR, with what
 * to do about it. */
struct run_directory *run_directory_new(int ranks, const char *parent, GError **error);

/* Returns a place for another try, if there was no room in this one: a temporary directory on
 * another file system, with more room than all of this one's has. NULL: there is none, or
 * $MATCHPOINT_RUNDIR is set. Free with g_free. */
char *run_directory_elsewhere(const struct run_directory *directory);

/* Makes a second directory of the same kind, at this path: for what is too large for the first.
 * Its name is that of a run directory, so that it is cleaned up as one. Returns NULL with `error`
 * set, as above. */
struct run_directory *run_directory_at(const char *path, GError **error);

/* Removes abandoned directories in `parent`. */
void run_directory_remove_abandoned(const char *parent);

/* Removes the directory with everything in it, and abandoned ones beside it. NULL is legal. */
void run_directory_free(struct run_directory *directory);

/* Returns the paths of directories that dead processes have left, NULL-terminated; free with
 * g_strfreev. `owner`: only those of this process; 0: all. `place`: where there may be some besides
 * the usual places; NULL: nowhere. `*ret_held`: whether another one matches but is still locked. */
char **run_directory_left_by(pid_t owner, const char *place, bool *ret_held);
/* Removes such a directory with everything in it. Follows no symbolic links except
 * RUN_DIRECTORY_SHARED. */
void run_directory_remove(const char *path);

/* Returns the absolute path, without a slash at the end. It is short enough for the path of a
 * socket in it. */
const char *run_directory_path(const struct run_directory *directory);

/* Returns the bytes that are free on its file system. */
guint64 run_directory_room(const struct run_directory *directory);

/* Returns the descriptor that holds the lock. The directory has an owner as long as any process
 * has a copy of it. */
int run_directory_lock(const struct run_directory *directory);

/* Returns the path of a file in it; free with g_free. */
char *run_directory_file(const struct run_directory *directory, const char *name);

/* Makes the directory w<world>. Returns its path (free with g_free), or NULL with `error` set. */
char *run_directory_add_world(struct run_directory *directory, guint32 world, GError **error);

/* Returns the world whose directory has this path. */
guint32 run_directory_world_of(const char *path);

/* Renames the directory of a world to that of another. Returns the new path, as above. */
char *run_directory_rename_world(struct run_directory *directory, guint32 from, guint32 to,
                                 GError **error);

/* Removes the directory of a world. Does nothing if it is gone. */
void run_directory_remove_world(struct run_directory *directory, guint32 world);

#endif
