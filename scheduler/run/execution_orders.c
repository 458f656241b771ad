/* What ranks are told. */
#include "ahead.h"
#include "body.h"
#include "naming.h"
#include "runs_context.h"

void execution_order(struct execution *execution, int rank, const struct wire_message *order)
{
	struct host_link *link = execution_link(execution, rank);
	struct body *body = execution_body(execution);

	if (body_settle(body, rank))
		execution_welcome(execution, rank, link);
	if (!wire_moves_nothing(order->type))
		body_moves(body, rank);
	host_send(link, order);
}

void execution_drive_all(struct execution *execution)
{
	for (int rank = 0; rank < runs_ranks(execution_runs(execution)); rank++)
		if (execution_link(execution, rank)
		    && body_is_still(execution_body(execution), rank))
			execution_order(execution, rank,
			                &(struct wire_message){.type = WIRE_DRIVE});
}

static void give_bind(void *user, int rank, const struct wire_bind *bind)
{
	struct execution *execution = user;

	naming_moves(execution_naming(execution), rank);
	if (!ahead_is_in(execution_ahead(execution), rank, bind->name.call))
		execution_order(execution, rank,
		                &(struct wire_message){.type = WIRE_BIND, .bind = *bind});
}

static void give_go(void *user, int rank, const struct wire_go *go)
{
	struct execution *execution = user;

	naming_moves(execution_naming(execution), rank);
	if (ahead_is_in(execution_ahead(execution), rank, go->call))
		ahead_let_go(execution_ahead(execution), rank);
	else
		execution_order(execution, rank,
		                &(struct wire_message){.type = WIRE_GO, .go = *go});
}

static void give_admission(void *user, int rank, guint32 thread)
{
	struct execution *execution = user;

	naming_moves(execution_naming(execution), rank);
	execution_order(execution, rank,
	                &(struct wire_message){.type = WIRE_ADMIT, .admitted = thread});
}

const struct world_orders execution_orders = {give_bind, give_go, give_admission};
