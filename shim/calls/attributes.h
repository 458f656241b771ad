/* Attributes of MPI_COMM_SELF. Their delete callbacks run first in MPI_Finalize, and the shim calls
 * them itself (MPI 3.1, section 8.7.1). */
#ifndef MATCHPOINT_SHIM_CALLS_ATTRIBUTES_H
#define MATCHPOINT_SHIM_CALLS_ATTRIBUTES_H

#include <stdbool.h>

/* Deletes the program's attributes of MPI_COMM_SELF, last set first. MPI's code. */
int attributes_delete_all(void);

/* In a job some of whose processes wait to be spawned: what the program is told of it (MPI 3.1,
 * section 10.5.3), where MPI would tell of the whole job. */
extern struct attributes_of_job {
	bool divided; /* the job is such a one */
	int command;  /* MPI_APPNUM of this process */
} attributes_of_job;

#endif
