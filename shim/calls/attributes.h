/* Attributes of MPI_COMM_SELF. Their delete callbacks run first in MPI_Finalize, and the shim calls
 * them itself (MPI 3.1, section 8.7.1). */
#ifndef MATCHPOINT_SHIM_CALLS_ATTRIBUTES_H
#define MATCHPOINT_SHIM_CALLS_ATTRIBUTES_H

#include <stdbool.h>

/* Deletes the program's attributes of MPI_COMM_SELF, last set first. MPI's code. */
int attributes_delete_all(void);

/* In a job some of whose processes wait to be spawned: what the program is told of it (MPI 3.1,
 * sections 10.5.1 and 10.5.3), where MPI would tell of all processes. */
extern struct attributes_of_job {
	bool divided; /* the job is such a one */
	int ranks;    /* MPI_UNIVERSE_SIZE: those that run at once */
	int command;  /* MPI_APPNUM of this process */
} attributes_of_job;

#endif
