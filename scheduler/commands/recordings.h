/* What replay and report do with a recording (scheduler/recording/). */
#ifndef MATCHPOINT_SCHEDULER_COMMANDS_RECORDINGS_H
#define MATCHPOINT_SCHEDULER_COMMANDS_RECORDINGS_H

#include "command.h"

/* `--record DIR`: makes the folder, and sets session->wrapper to `wrapper`, so that each rank that
 * the session starts writes its log there. Clear the wrapper with wrapper_clear after the session.
 * False after printing an error. */
bool recordings_begin(const char *directory, struct wrapper *wrapper,
                      struct session_options *session);
/* Whether each rank has left a log that was written to its end, and no call was refused. False
 * after printing what is missing. */
bool recordings_are_whole(const char *directory);

/* `matchpoint replay DIR --rank RANKS`: "3" or "0,3". Returns the exit status. */
int recordings_replay(const char *directory, const char *ranks);

/* `matchpoint replay DIR --in-step [--rank RANKS]`: `ranks` may be NULL, for all. Returns the exit
 * status. */
int recordings_replay_in_step(const char *directory, const char *ranks);

/* `matchpoint replay DIR --rank RANK --gdb [-- ARG...]`: the arguments are gdb's. `listen` as in
 * replay_gdb.h. Returns the exit status. */
int recordings_debug(const char *directory, const char *rank, const char *listen, char **arguments);

/* `matchpoint report DIR`: tells where each rank stands. Returns the exit status. */
int recordings_report(const char *directory);

/* Whether the reports that are asked for show recordings. False after printing what does. */
bool recordings_can_report(const struct command_options *options);
/* Makes a store of the recording in this folder, for reports. Returns the exit status: EXIT_CANNOT
 * also if a log is missing or damaged; *ret_made tells whether there is a store. */
int recordings_make_store(const char *directory, const char *store, bool *ret_made);

#endif
