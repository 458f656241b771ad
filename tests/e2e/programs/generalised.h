/* Functions of a generalised request (MPI 3.1, section 12.2) that has nothing to free and nothing
 * to cancel. After check.h. */
#ifndef GENERALISED_H
#define GENERALISED_H

static int free_nothing(void *state)
{
	(void)state;
	return MPI_SUCCESS;
}

static int cancel_nothing(void *state, int complete)
{
	(void)state;
	(void)complete;
	return MPI_SUCCESS;
}

#endif
