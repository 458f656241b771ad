/* Locks of windows. Requests, grants and releases are messages to and from the places that a lock
 * takes (explorer/lock.h), so matcher, trace and search know nothing of locks. */
#include "communicators.h"
#include "matcher.h"
#include "windows.h"
#include "word_spins.h"
#include "world_context.h"

enum { WORDS_MOST = 128 };         /* of one atomic operation */
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

/* What a request asks for, except words. */
static struct lock_wish wish_of(const struct world *world, int rank, const struct wire_op *op)
{
	struct lock_wish wish = {.rank = rank, .comm = op->comm};

	wish.members = communicators_members(world_comms(world), op->comm, rank, &wish.count);
	wish.target = target_of(world, rank, op);
	wish.shared = op->mode == WIRE_LOCK_SHARED || op->mode == WIRE_LOCK_SHARE
	              || op->peer == WIRE_ANY;
	communicators_window(world_comms(world), op->comm, &wish.window);
	return wish;
}

/* --- atomic operations ------------------------------------------------------------------------ */

/* false: the words have no names, or are too many. */
static bool find_words(const struct world *world, const struct wire_op *op, struct lock_wish *wish)
{
	const gint64 displacement = (gint64)op->counts;
	guint32 unit = communicators_unit(world_comms(world), op->comm, op->peer);
	struct lock_place highest;
	gint64 first, last;

	if (unit == 0 || displacement < 0 || displacement > G_MAXINT32 || op->bytes == 0
	    || op->bytes > WORDS_MOST * LOCK_WORD_BYTES)
		return false;
	first = displacement * unit + op->tag;
	last = (first + (gint64)op->bytes - 1) / LOCK_WORD_BYTES + 1;
	if (first < 0 || last > G_MAXINT32)
		return false;
	wish->first_word = (gint32)(first / LOCK_WORD_BYTES) + 1;
	wish->last_word = (gint32)last;
	wish->element = MAX(op->reduction / LOCK_WORD_BYTES, 1);
	highest = wish->window;
	highest.target = wish->target;
	highest.reader = world_options(world)->ranks - 1;
	highest.word = wish->last_word;
	return wish->last_word - wish->first_word < WORDS_MOST
	       && lock_number(world_options(world)->ranks, &highest) >= 0;
}

static void ask_for_words(struct world *world, const struct lock_wish *wish,
                          const struct wire_op *op)
{
	windows_ask(world_locks(world), wish);
	claim_place(world, wish->rank, op->name.call, op->comm);
}

/* The rank learns that another one, in the call `by`, has changed a word for which it has slept. */
static void wake(struct world *world, int rank, struct op_id by)
{
	const struct wire_op op = *word_spins_sleeper(world_spins(world), rank);
	struct lock_wish wish = wish_of(world, rank, &op);
	struct event event = {.kind = EVENT_SEND};
	struct op_id learns = {rank, op.name.call, 0};

	world_limit(world, LIMIT_POLLS);
	event.op = (struct operation){.id = by,
	                              .kind = OPERATION_SEND,
	                              .comm = op.comm,
	                              .peer = rank,
	                              .tag = LOCK_TAG_CHANGED};
	world_append_event(world, &event);
	event.kind = EVENT_RECEIVE;
	event.op = (struct operation){.id = learns,
	                              .kind = OPERATION_RECEIVE,
	                              .comm = op.comm,
	                              .peer = by.rank,
	                              .tag = LOCK_TAG_CHANGED};
	world_append_event(world, &event);
	event = (struct event){.kind = EVENT_MATCH, .op.id = learns, .other = by};
	world_append_event(world, &event);
	append_event(world, EVENT_COMPLETE, learns);
	word_spins_wake(world_spins(world), rank);
	find_words(world, &op, &wish);
	wish.sub = 1; /* behind the one that it slept for */
	ask_for_words(world, &wish, &op);
}

/* Returns whether the rank may go on at once. */
static bool begin_atomic(struct world *world, int rank, const struct wire_op *op, guint64 site)
{
	struct lock_wish wish = wish_of(world, rank, op);
	struct word_use use = {.site = site, .comm = op->comm, .target = wish.target};

	if (!find_words(world, op, &wish)) {
		world_limit(world, LIMIT_ATOMICS);
		word_spins_end(world_spins(world), rank);
		windows_ask_again(world_locks(world), rank);
		return true;
	}
	use.first = wish.first_word;
	use.last = wish.last_word;
	if (word_spins_ask(world_spins(world), rank, &use, MAX(world_options(world)->not_yet, 1)))
		word_spins_sleep(world_spins(world), rank, op);
	else
		ask_for_words(world, &wish, op);
	return false;
}

int world_pass_spin(struct world *world)
{
	int rank = word_spins_next(world_spins(world));

	if (rank >= 0)
		windows_ask_again(world_locks(world), rank);
	return rank;
}

/* --- locks --------------------------------------------------------------------------------- */

bool world_lock(struct world *world, int rank, const struct wire_op *op, guint64 site,
                bool *ret_held)
{
	struct lock_wish wish;

	if (world_is_of_words(op)) {
		*ret_held = begin_atomic(world, rank, op, site);
		return true;
	}
	wish = wish_of(world, rank, op);
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

/* --- unlock ----------------------------------------------------------------------------------- */

/* Gives places back; returns the first `sub` that is free. */
static guint32 release_places(struct world *world, int rank, const struct wire_op *op,
                              const GArray *grants)
{
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
	return op->name.sub + grants->len;
}

static guint end_atomic(struct world *world, int rank, const struct wire_op *op, GArray *grants)
{
	g_autoptr(GArray) woken = g_array_new(false, false, sizeof(int));
	guint32 sub;

	if (word_spins_done(world_spins(world), rank, op->counts, op->tag != 0, woken))
		world_limit(world, LIMIT_ATOMICS);
	if (!windows_was_again(world_locks(world), rank))
		windows_release_words(world_locks(world), rank, grants);
	sub = release_places(world, rank, op, grants);
	for (guint i = 0; i < woken->len; i++)
		wake(world, g_array_index(woken, int, i),
		     (struct op_id){rank, op->name.call, sub++});
	return sub - op->name.sub;
}

guint world_unlock(struct world *world, int rank, const struct wire_op *op)
{
	g_autoptr(GArray) grants = g_array_new(false, false, sizeof(struct lock_grant));

	if (world_is_of_words(op))
		return end_atomic(world, rank, op, grants);
	world_note_unordered(world, op->tag);
	if (op->name.sub == WIRE_LOCK_REFUSED && windows_was_again(world_locks(world), rank))
		return 0;
	windows_release(world_locks(world), rank, op->comm, target_of(world, rank, op), grants);
	release_places(world, rank, op, grants);
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
