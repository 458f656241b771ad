/* Why a copy of a rank ended before it stood in its world: the exit status of its process. Its
 * keeper reports the status (WIRE_CHILD). The copy may have no connection then, so it cannot send a
 * reason. A program may end with these statuses, too: they are reasons only of a copy that is being
 * set up. */
#ifndef MATCHPOINT_CKPT_AGENT_FAILURE_H
#define MATCHPOINT_CKPT_AGENT_FAILURE_H

enum agent_failure {
	AGENT_FAILURE_FORK = 110, /* there is no process: its keeper reports this */
	AGENT_FAILURE_KEEPER,     /* the process that it was forked from is gone */
	AGENT_FAILURE_DIRECTORY,
	AGENT_FAILURE_SHARED_MEMORY,
	AGENT_FAILURE_FILES,
	AGENT_FAILURE_CONNECTION,
	AGENT_FAILURE_REWIND, /* of a rank that stayed to be rewound; it has sent HELD before */
	AGENT_FAILURE_START,  /* of a rank of the launcher: it never reached the scheduler */
	AGENT_FAILURE_SCHEDULER_GONE, /* of any rank: its connection to the scheduler is lost */
	AGENT_FAILURE_DISK,      /* it could not be written to disk, or put into a process again */
	AGENT_FAILURE_UNSAVABLE, /* it has something that cannot be on disk */
};

#endif
