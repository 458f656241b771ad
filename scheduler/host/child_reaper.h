/* The processes below this one: launchers and their ranks, and whatever programs have started
 * besides. Ranks and launchers are ended by those who know them; what programs leave behind (a
 * forked child, a daemon) becomes a child of its job's supervisor when its parent ends, or of this
 * process, for both are subreapers, and is ended here. */
#ifndef MATCHPOINT_SCHEDULER_HOST_CHILD_REAPER_H
#define MATCHPOINT_SCHEDULER_HOST_CHILD_REAPER_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/* From here on this process is the subreaper of all that it starts. Children that it has already
 * (those of a shell that has become this process) are left alone, always. */
void child_reaper_adopt(void);

/* A child that is waited for elsewhere: not to be ended here, until it is told otherwise. */
void child_reaper_spare(pid_t pid, bool spare);

/* Below this child of ours, the subreaper of its job, the command is to be spared; what is left
 * behind there is found as well. 0: of it no more is known. */
void child_reaper_supervised(pid_t supervisor, pid_t command);

/* What has been left behind by now was there before the first interleaving, and serves them all: it
 * is ended with everything else. */
void child_reaper_keep(void);

/* Kills and reaps what has been left behind by the ranks of a world: what has something open in
 * `world_directory` and, with `all`, what has nothing open in any world of the run directory that
 * holds it, of which nobody can say whose it was. */
void child_reaper_end(const char *world_directory, bool all);

/* Kills and reaps all that is not spared, and what is below it; gives up after some seconds. */
void child_reaper_end_all(void);

/* Whether any process has a file of that directory, or below it, open for writing, as all have that
 * come from a rank. Who only reads there is somebody who looks: another start that asks whether the
 * directory's owner lives, a person. */
bool child_reaper_writes(pid_t pid, const char *directory);

/* The process that has started another, or that it was left to when that one ended; 0: it is not
 * there, or there is no /proc. */
pid_t child_reaper_parent(pid_t pid);

/* Whether a process is gone, or dead and only not yet waited for. */
bool child_reaper_is_dead(pid_t pid);

/* The debugger that holds it, for somebody to look at it; 0: none does. */
pid_t child_reaper_debugger(pid_t pid);

#endif
