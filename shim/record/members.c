#include "members.h"

#include <stdlib.h>

#include "matches.h"
#include "shim/mpi/real.h"

/* Ranks in MPI_COMM_WORLD, in the order of the communicator. */
struct group {
	int *ranks; /* owned */
	int count;
};

/* Recording: MPI is asked. */
static struct group ask(MPI_Comm comm, bool remote)
{
	const struct real_mpi *mpi = real_mpi();
	MPI_Group world, own;
	struct group group;
	int *numbers;

	mpi->Comm_group(MPI_COMM_WORLD, &world);
	if (remote)
		mpi->Comm_remote_group(comm, &own);
	else
		mpi->Comm_group(comm, &own);
	mpi->Group_size(own, &group.count);
	numbers = malloc(sizeof(int) * (size_t)group.count + 1);
	group.ranks = malloc(sizeof(int) * (size_t)group.count + 1);
	if (!numbers || !group.ranks)
		record_refuse("out of memory");
	for (int i = 0; i < group.count; i++)
		numbers[i] = i;
	mpi->Group_translate_ranks(own, group.count, numbers, world, group.ranks);
	free(numbers);
	mpi->Group_free(&own);
	mpi->Group_free(&world);
	return group;
}

/* How many of the ranks from `at` on have equal distances. */
static int run_length(const struct group *group, int at)
{
	int length = group->count - at < 2 ? group->count - at : 2;

	while (at + length < group->count
	       && group->ranks[at + length] - group->ranks[at + length - 1]
	                  == group->ranks[at + 1] - group->ranks[at])
		length++;
	return length;
}

static void log_group(MPI_Comm comm, bool remote)
{
	struct group group = {0};
	int count;

	if (!log_replaying)
		group = ask(comm, remote);
	count = (int)record_known(group.count);
	for (int at = 0; at < count;) {
		const int recorded = log_replaying ? 0 : run_length(&group, at);
		const int length = (int)record_known(recorded),
			  first = (int)record_known(log_replaying ? 0 : group.ranks[at]),
			  distance = (int)record_known(
				  recorded > 1 ? group.ranks[at + 1] - group.ranks[at] : 0);

		if (length <= 0)
			break; /* a damaged log */
		if (log_replaying)
			matches_members(remote, first, distance, length);
		at += length;
	}
	free(group.ranks);
}

void record_members(const struct record_call *call, const MPI_Comm *comm)
{
	int is_inter = 0;

	if (call->result != MPI_SUCCESS || *comm == MPI_COMM_NULL)
		return;
	if (!log_replaying)
		real_mpi()->Comm_test_inter(*comm, &is_inter);
	is_inter = (int)record_known(is_inter);
	if (log_replaying)
		matches_makes(*comm);
	log_group(*comm, false);
	if (is_inter)
		log_group(*comm, true);
}
