/* A generalised request that is never completed: a rank that waits for it stalls inside MPI. After
 * ../check.h. */
#ifndef NEVER_COMPLETED_H
#define NEVER_COMPLETED_H

#include "../generalised.h"

static int query(void *state, MPI_Status *status)
{
	(void)state;
	MPI_Status_set_elements(status, MPI_INT, 0);
	return MPI_SUCCESS;
}

static MPI_Request never_completed(void)
{
	MPI_Request request;

	MPI_Grequest_start(query, free_nothing, cancel_nothing, NULL, &request);
	return request;
}

#endif
