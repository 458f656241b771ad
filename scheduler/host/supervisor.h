/* The process between the scheduler and the job launcher. It is the subreaper of the launcher,
 * the ranks and everything that they start, so no process can leave the job. It ends all of them
 * when the scheduler is done with the job, or is gone.
 *
 * Its owner ends it by closing a pipe (descriptor SUPERVISOR_PIPE). The supervisor writes to the
 * pipe: first the pid of its command (a pid_t), then, when the command has ended, its status (an
 * int, as from waitpid). The descriptor SUPERVISOR_LOCK stays open until nothing of the job is
 * left. */
#ifndef MATCHPOINT_SCHEDULER_HOST_SUPERVISOR_H
#define MATCHPOINT_SCHEDULER_HOST_SUPERVISOR_H

#define SUPERVISOR_PIPE 3
#define SUPERVISOR_LOCK 4

/* Variables that the dynamic linker heeds are meant for the command. For the supervisor, their
 * names begin with this. */
#define SUPERVISOR_KEEPS "MATCHPOINT_FOR_COMMAND_"
#define SUPERVISOR_KEPT                     \
	{                                   \
		"LD_PRELOAD", "LD_BIND_NOW" \
	}

/* Runs the command, NULL-terminated, in a session of its own and without address randomisation
 * (if that may be turned off). Returns an exit status when everything has ended. */
int supervisor_become(char **command);

#endif
