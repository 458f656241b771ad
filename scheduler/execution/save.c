#include "save.h"

#include "execution_internal.h"
#include "restart.h"
#include "runs_internal.h"
#include "scheduler/snapshot/disk_save.h"
#include "scheduler/world/matcher.h"

#define PARKING_S 60.0 /* limit for ranks to become keepers, and to be restored */

G_DEFINE_QUARK(matchpoint_save_error, save_error)

static bool refuse(GError **error, enum save_error code, const char *why)
{
	g_set_error_literal(error, SAVE_ERROR, (int)code, why);
	return false;
}

char *execution_place(const struct execution *execution)
{
	return restart_place(execution->world);
}

/* Whether the execution waits again, or never will. */
static bool has_come_back(void *data)
{
	const struct run_result *result = &((const struct execution *)data)->result;

	return result->discard >= DISCARD_CUT_SHORT || result->phase >= EXECUTION_ENDING
	       || result->phase == EXECUTION_UNDECIDED;
}

/* Whether it stands where its keepers were parked. */
static bool is_at_keepers(const struct execution *execution)
{
	const struct snapshot *from = execution->placement.from;

	return from && !from->images && !execution->placement.image && !execution->moved;
}

static const char *why_no_parking(const struct execution *execution)
{
	return execution->hazard ? execution->hazard : "no snapshot of the ranks is safe here";
}

static bool park(struct execution *execution, GError **error)
{
	struct runs *runs = execution->runs;

	if (!runs_take_snapshots(runs))
		return refuse(error, SAVE_IMPOSSIBLE, "there are no snapshots in this session");
	if (world_has_threads(execution->world))
		return refuse(error, SAVE_IMPOSSIBLE, "ranks have threads that call MPI");
	if (execution->no_parking)
		return refuse(error, SAVE_IMPOSSIBLE, why_no_parking(execution));
	for (int rank = 0; rank < runs->ranks; rank++)
		if (!world_waits(execution->world, rank))
			return refuse(error, SAVE_FAILED, "a rank does not wait in a call");
	execution_wait(execution, false);
	execution_park(execution);
	if (!host_wait(runs->host, has_come_back, execution, PARKING_S))
		return refuse(error, SAVE_FAILED, "the ranks have not become keepers in time");
	return true;
}

/* Has it stand at keepers of its own. */
static bool come_to_keepers(struct execution *execution, GError **error)
{
	if (execution->result.phase != EXECUTION_UNDECIDED)
		return refuse(error, SAVE_FAILED, "the ranks are not at rest before a choice");
	if (!is_at_keepers(execution) && !park(execution, error))
		return false;
	if (execution->no_parking)
		return refuse(error, SAVE_IMPOSSIBLE, why_no_parking(execution));
	if (execution->result.phase != EXECUTION_UNDECIDED || !is_at_keepers(execution))
		return refuse(error, SAVE_FAILED, "the ranks were lost meanwhile");
	return true;
}

struct disk_saving *execution_save(struct execution *execution, struct disk_draft *draft,
                                   char **program, guint32 *ret_number, GError **error)
{
	const struct snapshot *snapshot;

	if (!come_to_keepers(execution, error))
		return NULL;
	snapshot = execution->placement.from;
	*ret_number = snapshot->number;
	restart_describe(disk_draft_manifest(draft), snapshot);
	return disk_save_begin(snapshot, draft, program, error);
}
