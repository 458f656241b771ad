/* Locks of windows. Requests, grants and releases are messages to and from the places that a lock
 * takes (explorer/lock.h), so matcher, trace and search know nothing of locks. */
#include "communicators.h"
#include "matcher.h"
#include "windows.h"
#include "world_context.h"

enum { TAG_REQUEST, TAG_RELEASE }; /* used only by places, with which no rank communicates */

static void append_event(struct world *world, enum event_kind kind, struct op_id id)
{
	struct event event = {.kind = kind, .op.id = id};

	world_append_event(world, &event);
}

/* A message to a place, or its receive. */
static struct event message_event(enum event_kind kind, struct op_id id, guint64 comm, gint32 peer,
                                  gint32 tag)
{
	struct event event = {.kind = kind};

	event.op = (struct operation){.id = id, .comm = comm, .peer = peer, .tag = tag};
	event.op.kind = kind == EVENT_SEND ? OPERATION_SEND : OPERATION_RECEIVE;
	event.op.waits_for_match = kind == EVENT_SEND && tag == TAG_REQUEST;
	return event;
}

static void offer_place(struct world *world, guint64 comm, gint32 place)
{
	guint32 grant = windows_offer(world_locks(world), place);
	struct event event = message_event(EVENT_RECEIVE, (struct op_id){place, grant, 0}, comm,
	                                   OPERATION_ANY, TAG_REQUEST);

	if (grant == 0)
		return;
	world_append_event(world, &event);
	matcher_post(world_matcher(world), &event.op);
}

static void claim_place(struct world *world, int rank, guint32 call, guint64 comm)
{
	const GArray *claims = windows_claims(world_locks(world), rank);

	for (guint i = 0; i < claims->len; i++) {
		struct lock_claim one = g_array_index(claims, struct lock_claim, i);
		struct event event = message_event(EVENT_SEND, (struct op_id){rank, call, one.sub},
		                                   comm, one.place, TAG_REQUEST);

		offer_place(world, comm, one.place);
		world_append_event(world, &event);
		matcher_post(world_matcher(world), &event.op);
	}
}

static int target_of(const struct world *world, int rank, const struct wire_op *op)
{
	if (op->peer == WIRE_ANY)
		return WINDOWS_ALL;
	return communicators_to_world(world_comms(world), op->comm, rank, op->peer);
}

bool world_lock(struct world *world, int rank, const struct wire_op *op, bool *ret_held)
{
	struct lock_wish wish = {.rank = rank, .comm = op->comm};

	wish.members = communicators_members(world_comms(world), op->comm, rank, &wish.count);
	wish.target = target_of(world, rank, op);
	wish.shared = op->mode == WIRE_LOCK_SHARED || op->peer == WIRE_ANY;
	communicators_window(world_comms(world), op->comm, &wish.window);
	/* An error that MPI will report. */
	*ret_held = windows_holds(world_locks(world), rank, op->comm, wish.target);
	if (*ret_held) {
		windows_ask_again(world_locks(world), rank);
		return true;
	}
	if (!windows_ask(world_locks(world), &wish))
		return false;
	claim_place(world, rank, op->name.call, op->comm);
	return true;
}

guint world_unlock(struct world *world, int rank, const struct wire_op *op)
{
	g_autoptr(GArray) grants = g_array_new(false, false, sizeof(struct lock_grant));

	if (op->tag != 0)
		world_limit(world, LIMIT_ATOMICS);
	if (op->name.sub == WIRE_LOCK_REFUSED && windows_was_again(world_locks(world), rank))
		return 0;
	windows_release(world_locks(world), rank, op->comm, target_of(world, rank, op), grants);
	for (guint i = 0; i < grants->len; i++) {
		struct lock_grant grant = g_array_index(grants, struct lock_grant, i);
		struct op_id release = {rank, op->name.call, op->name.sub + i};
		struct op_id place = {grant.place, grant.grant, 1};
		struct event match = {.kind = EVENT_MATCH, .op.id = place, .other = release};
		struct event event = message_event(EVENT_SEND, release, op->comm, grant.place,
		                                   TAG_RELEASE);

		/* No other rank can send or take this message: the matcher is not needed. */
		world_append_event(world, &event);
		event = message_event(EVENT_RECEIVE, place, op->comm, rank, TAG_RELEASE);
		world_append_event(world, &event);
		world_append_event(world, &match);
		append_event(world, EVENT_COMPLETE, place);
		offer_place(world, op->comm, grant.place);
	}
	return grants->len;
}

bool world_grant_place(struct world *world, const struct match *match, guint64 comm)
{
	struct event event = {
		.kind = EVENT_MATCH, .op.id = match->receive, .other = match->send, .chosen = true};
	int rank = match->send.rank;
	enum lock_progress progress;

	world_append_event(world, &event);
	world_tell(world, &(struct world_step){.kind = WORLD_STEP_MATCHED,
	                                       .receive = match->receive,
	                                       .send = match->send,
	                                       .yes = true});
	append_event(world, EVENT_COMPLETE, match->send);
	progress = windows_grant(world_locks(world), match->receive.rank, rank);
	if (progress == LOCK_CLAIMS)
		claim_place(world, rank, match->send.call, comm);
	return progress == LOCK_GRANTED;
}

bool world_holds_lock(const struct world *world, int rank, guint64 comm, int target)
{
	return windows_holds(world_locks(world), rank, comm, target);
}
