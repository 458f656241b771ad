/* Attributes of MPI_COMM_SELF. Their delete callbacks run first in MPI_Finalize, and the shim calls
 * them itself (MPI 3.1, section 8.7.1). */
#ifndef MATCHPOINT_SHIM_CALLS_ATTRIBUTES_H
#define MATCHPOINT_SHIM_CALLS_ATTRIBUTES_H

/* Deletes the program's attributes of MPI_COMM_SELF, last set first. MPI's code. */
int attributes_delete_all(void);

#endif
