/* The process between us and the job launcher. It is the subreaper of the launcher, of the ranks
 * and of all that these start, so that nothing of a job can leave it, and it ends all of that when
 * we are done with the job, or gone ourselves.
 *
 * Its owner talks to it through a pipe (descriptor SUPERVISOR_PIPE), by closing it. It tells there
 * first the pid of its command (a pid_t), then, when the command has ended, with what (an int, as
 * waitpid gives it). What is handed down as SUPERVISOR_LOCK stays open until nothing is left. */
#ifndef MATCHPOINT_SCHEDULER_HOST_SUPERVISOR_H
#define MATCHPOINT_SCHEDULER_HOST_SUPERVISOR_H

#define SUPERVISOR_PIPE 3
#define SUPERVISOR_LOCK 4

/* Runs the command, NULL-terminated, in a session of its own and without address randomisation
 * (where that may be turned off). Returns an exit status when all has ended. */
int supervisor_become(char **command);

#endif
