/* A generalised request that is never completed: a rank that waits for it stalls inside MPI. After
 * ../check.h. */
#ifndef NEVER_COMPLETED_H
#define NEVER_COMPLETED_H

static int query(void *state, MPI_Status *status)
{
	(void)state;
	MPI_Status_set_elements(status, MPI_INT, 0);
	return MPI_SUCCESS;
}

static int discard(void *state)
{
	(void)state;
	return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
	(void)state;
	(void)complete;
	return MPI_SUCCESS;
}

static MPI_Request never_completed(void)
{
	MPI_Request request;

	MPI_Grequest_start(query, discard, cancel, NULL, &request);
	return request;
}

#endif
