/* Ranks that do not come back from what MPI calls, and so do not answer when told to park. */
#include "runs_context.h"

bool execution_look_at_parking(struct execution *execution)
{
	int caught = -1;

	if (!execution->parking || runs_wrapper(execution->runs))
		return false;
	stall_look(execution->stall, execution->world, execution_now(execution));
	for (int rank = 0; rank < runs_ranks(execution->runs); rank++) {
		const struct wire_inside *inside = stall_inside(execution->stall, rank);

		if (inside && inside->driven)
			caught = rank;
	}
	if (caught >= 0)
		runs_fall_back(execution->runs,
		               g_strdup_printf("rank %d does not come back from what MPI calls, "
		                               "where a snapshot was to be taken",
		                               caught));
	return true;
}
