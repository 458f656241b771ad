/* Sends orders to ranks. */
#include "execution_internal.h"
#include "run_ahead.h"
#include "runs_internal.h"
#include "scheduler/snapshot/process_group.h"
#include "scheduler/snapshot/state_fingerprint.h"

void execution_order(struct execution *execution, int rank, const struct wire_message *order)
{
	placement_order(&execution->placement, rank, order);
}

void execution_drive_all(struct execution *execution)
{
	for (int rank = 0; rank < execution->runs->ranks; rank++)
		if (execution->placement.slots[rank].link
		    && process_group_is_idle(execution->placement.group, rank))
			execution_order(execution, rank,
			                &(struct wire_message){.type = WIRE_DRIVE});
}

static void give_bind(void *user, int rank, const struct wire_bind *bind)
{
	struct execution *execution = user;

	state_fingerprint_moves(&execution->fingerprint, rank);
	if (!run_ahead_is_in(execution->run_ahead, rank, bind->name.call))
		execution_order(execution, rank,
		                &(struct wire_message){.type = WIRE_BIND, .bind = *bind});
}

static void give_go(void *user, int rank, const struct wire_go *go)
{
	struct execution *execution = user;
	struct strategy *strategy = execution->strategy;

	state_fingerprint_moves(&execution->fingerprint, rank);
	if (strategy->answered)
		strategy->answered(strategy, rank, go);
	if (run_ahead_is_in(execution->run_ahead, rank, go->call))
		run_ahead_let_go(execution->run_ahead, rank);
	else
		execution_order(execution, rank,
		                &(struct wire_message){.type = WIRE_GO, .go = *go});
}

static void give_admission(void *user, int rank, guint32 thread)
{
	struct execution *execution = user;

	state_fingerprint_moves(&execution->fingerprint, rank);
	execution_order(execution, rank,
	                &(struct wire_message){.type = WIRE_ADMIT, .admitted = thread});
}

static void look(void *user, int rank)
{
	execution_order(user, rank, &(struct wire_message){.type = WIRE_LOOK});
}

const struct world_orders execution_orders = {give_bind, give_go, give_admission, look};
