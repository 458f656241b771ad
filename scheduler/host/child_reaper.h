/* The processes below this one: launchers, their ranks, and whatever else programs have started.
 *
 * Ranks and launchers are ended by the modules that manage them. What a program leaves behind (a
 * forked child, a daemon) is ended here. When its parent ends, it becomes a child of its job's
 * supervisor or of this process, because both are subreapers. */
#ifndef MATCHPOINT_SCHEDULER_HOST_CHILD_REAPER_H
#define MATCHPOINT_SCHEDULER_HOST_CHILD_REAPER_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/* Makes this process the subreaper of everything that it starts. Children that it has already are
 * never touched: they belong to a shell that has become this process by exec. */
void child_reaper_adopt(void);

/* Marks a child that another module waits for: it is not ended here. `spare` false removes the
 * mark. */
void child_reaper_spare(pid_t pid, bool spare);

/* Registers the supervisor of a job, a child of this process. Its command is spared; processes
 * left behind below the supervisor are found as well. `command` 0 removes the registration. */
void child_reaper_supervised(pid_t supervisor, pid_t command);

/* Marks what has been left behind so far. It existed before the first interleaving and serves all
 * of them, so it is ended only at the end of the run. */
void child_reaper_keep(void);

/* Kills and reaps what the ranks of a world have left behind: processes that have a file open in
 * one of its directories (NULL-terminated), each beside those of other worlds. `all`: also
 * processes that have no file open in any world, so their world is unknown. */
void child_reaper_end(const char *const *world_directories, bool all);

/* Kills and reaps everything that is not spared, and all processes below it. Gives up after some
 * seconds. */
void child_reaper_end_all(void);

/* Whether a process has a file in or below that directory open for writing, as all processes have
 * that come from a rank. A process that only reads there is an observer: another start of
 * matchpoint that checks whether the directory's owner lives, or a user's tool. */
bool child_reaper_writes(pid_t pid, const char *directory);

/* Returns the parent of a process, or its subreaper if the parent has ended. 0: the process is
 * gone, or there is no /proc. */
pid_t child_reaper_parent(pid_t pid);

/* Whether a process is gone, or is a zombie. */
bool child_reaper_is_dead(pid_t pid);

/* Returns the process that traces this one; 0: none. `*ret_stopped`: whether it has stopped it. */
pid_t child_reaper_tracer(pid_t pid, bool *ret_stopped);

/* Returns the debugger that has stopped the process; 0: none. */
pid_t child_reaper_debugger(pid_t pid);

#endif
