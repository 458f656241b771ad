/* Sends orders to ranks. */
#include "run_ahead.h"
#include "runs_context.h"
#include "scheduler/snapshot/process_group.h"
#include "scheduler/snapshot/state_fingerprint.h"

void execution_order(struct execution *execution, int rank, const struct wire_message *order)
{
	placement_order(execution_placement(execution), rank, order);
}

void execution_drive_all(struct execution *execution)
{
	for (int rank = 0; rank < runs_ranks(execution_runs(execution)); rank++)
		if (execution_link(execution, rank)
		    && process_group_is_idle(execution_placement(execution)->group, rank))
			execution_order(execution, rank,
			                &(struct wire_message){.type = WIRE_DRIVE});
}

static void give_bind(void *user, int rank, const struct wire_bind *bind)
{
	struct execution *execution = user;

	state_fingerprint_moves(execution_fingerprint(execution), rank);
	if (!run_ahead_is_in(execution_run_ahead(execution), rank, bind->name.call))
		execution_order(execution, rank,
		                &(struct wire_message){.type = WIRE_BIND, .bind = *bind});
}

static void give_go(void *user, int rank, const struct wire_go *go)
{
	struct execution *execution = user;
	struct strategy *strategy = execution_strategy(execution);

	state_fingerprint_moves(execution_fingerprint(execution), rank);
	if (strategy->answered)
		strategy->answered(strategy, rank, go);
	if (run_ahead_is_in(execution_run_ahead(execution), rank, go->call))
		run_ahead_let_go(execution_run_ahead(execution), rank);
	else
		execution_order(execution, rank,
		                &(struct wire_message){.type = WIRE_GO, .go = *go});
}

static void give_admission(void *user, int rank, guint32 thread)
{
	struct execution *execution = user;

	state_fingerprint_moves(execution_fingerprint(execution), rank);
	execution_order(execution, rank,
	                &(struct wire_message){.type = WIRE_ADMIT, .admitted = thread});
}

static void look(void *user, int rank)
{
	execution_order(user, rank, &(struct wire_message){.type = WIRE_LOOK});
}

const struct world_orders execution_orders = {give_bind, give_go, give_admission, look};
