/* `matchpoint checkpoint take`: asks a session at its prompt for a checkpoint. */
#ifndef MATCHPOINT_SCHEDULER_COMMANDS_CHECKPOINT_TAKE_H
#define MATCHPOINT_SCHEDULER_COMMANDS_CHECKPOINT_TAKE_H

struct checkpoint_take {
	char *name, *folder; /* NULL: not given */
	int seconds;         /* limit for the session to come to a choice; 0: not given */
};

/* `session`: its process number, as text. Returns the exit status, after printing. */
int checkpoint_take(const char *session, const struct checkpoint_take *asked);

#endif
