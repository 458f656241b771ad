/* What replay and report do with a recording (scheduler/recording/). */
#ifndef MATCHPOINT_SCHEDULER_COMMANDS_RECORDINGS_H
#define MATCHPOINT_SCHEDULER_COMMANDS_RECORDINGS_H

/* `matchpoint replay DIR --rank RANKS`: "3" or "0,3". Returns the exit status. */
int recordings_replay(const char *directory, const char *ranks);

/* `matchpoint replay DIR --rank RANK --gdb [-- ARG...]`: the arguments are gdb's. `listen` as in
 * replay_gdb.h. Returns the exit status. */
int recordings_debug(const char *directory, const char *rank, const char *listen, char **arguments);

/* `matchpoint report DIR`: tells where each rank stands. Returns the exit status. */
int recordings_report(const char *directory);

#endif
