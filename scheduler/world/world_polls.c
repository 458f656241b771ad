/* How often polls are answered "not yet" although another answer is possible, and whether that
 * makes a difference.
 *
 * A rank may ask the same again, with nothing but polls answered "no" in between. It is then back
 * in the state it was in, except for what it counts. So the "no" answers in the first round of such
 * a loop need no alternatives: whatever could have been answered there can be answered in the
 * second round (EVENT_REPEAT). In the second round, the last poll of the round is not answered "no"
 * again. */
#include "common/mix.h"
#include "known_sends.h"
#include "mpi_calls.h"
#include "world_internal.h"
#include "world_looks.h"
#include "world_loops.h"
#include "world_rounds.h"

/* NULL: the pending call is no Iprobe or Improbe. */
static const struct live *probe_in_poll(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];
	const struct live *live;

	if (!world_is_poll(rank->line->wait) || rank->line->waited->len != 1)
		return NULL;
	live = world_find_live(world, number,
	                       g_array_index(rank->line->waited, struct wire_name, 0));
	return live && (live->kind == WIRE_PROBE || live->kind == WIRE_MPROBE) ? live : NULL;
}

bool world_is_probe_poll(const struct world *world, int number)
{
	return probe_in_poll(world, number) != NULL;
}

/* The same, if it may be answered "not yet". */
static bool looks_by_choice(const struct world *world, int number)
{
	const struct live *live = probe_in_poll(world, number);

	return live && live->by_choice;
}

/* What the pending probe looks for, as a hash. */
static guint64 hash_of_probe(const struct world *world, int number)
{
	const struct live *probe = world_find_live(
		world, number,
		g_array_index(world->ranks[number].line->waited, struct wire_name, 0));

	return mix(mix(mix(0, probe->comm), (guint32)probe->peer), (guint32)probe->tag);
}

/* One key for each place in the program and what is looked for: a message, or for MPI_Test the
 * request. The count starts anew after a "yes". */
static guint64 livelock_policy_key(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];
	const struct world_call *info = world_call_info(world, number, rank->line->call);
	struct op_id site = {number, (guint32)(info->site >> 32), (guint32)info->site};
	struct op_id request = {number, 0, 0};

	if (world_is_probe_poll(world, number))
		return mix(op_id_hash(site), hash_of_probe(world, number));
	if (rank->line->question == QUESTION_ALL)
		request = world_op_id(number,
		                      g_array_index(rank->line->waited, struct wire_name, 0));
	return (guint64)op_id_hash(site) << 32 | op_id_hash(request);
}

/* What is asked, and where. */
static guint64 identity_of(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];
	const struct world_call *info = world_call_info(world, number, rank->line->call);
	guint64 hash = mix(mix(info->site, rank->line->function), rank->line->wait);

	if (world_is_probe_poll(world, number))
		return mix(hash, hash_of_probe(world, number));
	for (guint i = 0; i < rank->line->waited->len; i++) {
		struct wire_name name = g_array_index(rank->line->waited, struct wire_name, i);

		hash = mix(mix(hash, name.call), name.sub);
	}
	return hash;
}

static guint impatience(const struct world *world, guint64 key)
{
	return GPOINTER_TO_UINT(g_hash_table_lookup(world->impatience, &key));
}

static void set_impatience(struct world *world, guint64 key, guint times)
{
	if (times == 0)
		g_hash_table_remove(world->impatience, &key);
	else
		g_hash_table_replace(world->impatience, g_memdup2(&key, sizeof(key)),
		                     GUINT_TO_POINTER(times));
}

/* How often a rank is answered "no" in a row if its state is another one each time: a few times
 * more than in one state. */
#define NOT_YET_IN_OTHERS 3u

/* The count for the state in which the rank polls. */
static guint64 key_in_state(guint64 key, const struct poll *poll)
{
	return mix(mix(key, poll->digest[0]), poll->digest[1]);
}

/* The pending poll, if it is in the streak. */
static const struct poll *pending_poll(const struct rank *rank)
{
	const GArray *polls = rank->streak.polls;
	const struct poll *last = polls->len > 0
	                                  ? &g_array_index(polls, struct poll, polls->len - 1)
	                                  : NULL;

	return last && last->call == rank->line->call ? last : NULL;
}

/* Whether the pending poll was made before in this streak: then another state is no progress. */
static bool is_repeated(const struct streak *streak, guint64 key)
{
	for (guint i = 0; i + 1 < streak->polls->len; i++)
		if (g_array_index(streak->polls, struct poll, i).key == key)
			return true;
	return streak->rounds > 0;
}

/* Whether the pending poll may be answered "no" once more. */
static bool is_patient(const struct world *world, int number)
{
	const struct streak *streak = &world->ranks[number].streak;
	const struct poll *poll = pending_poll(&world->ranks[number]);
	guint64 key = livelock_policy_key(world, number);
	guint most = world->options.not_yet;
	bool second = streak->rounds == 0 && streak->most > 0;

	if (!poll || !poll_has_state(poll))
		return impatience(world, key) < most;
	if (is_repeated(streak, key)) /* "no" before this streak may have been another loop's */
		return impatience(world, key) < (second ? NOT_YET_IN_OTHERS : 1) * most;
	return impatience(world, key) < NOT_YET_IN_OTHERS * most
	       && impatience(world, key_in_state(key, poll)) < most;
}

/* The keys in world->impatience for which an answer "no" to the poll counts: its own, and one for
 * the state. Returns their number. */
static guint keys_of(const struct poll *poll, guint64 key, guint64 ret_keys[2])
{
	ret_keys[0] = key;
	ret_keys[1] = poll && poll_has_state(poll) ? key_in_state(key, poll) : key;
	return ret_keys[1] == key ? 1 : 2;
}

enum { EARLIER_MOST = 1000 }; /* answers "no" of a rank that may be excused */

static void end_streak(struct rank *rank)
{
	if (rank->streak.earlier && rank->streak.earlier->len > EARLIER_MOST)
		g_clear_pointer(&rank->streak.earlier, g_array_unref);
	for (guint i = 0; i < rank->streak.polls->len; i++) {
		const struct poll *poll = &g_array_index(rank->streak.polls, struct poll, i);
		guint64 keys[2];

		if (!poll->chosen || poll->is_forgiven)
			continue;
		if (!rank->streak.earlier)
			rank->streak.earlier = g_array_new(false, false, sizeof(guint64));
		g_array_append_vals(rank->streak.earlier, keys, keys_of(poll, poll->key, keys));
	}
	g_array_set_size(rank->streak.polls, 0);
	rank->streak.rounds = 0;
	rank->streak.most = 0;
	rank->streak.timed = false;
	rank->streak.own = false;
}

static void count_no(struct world *world, guint64 key, int times)
{
	set_impatience(world, key, (guint)MAX((int)impatience(world, key) + times, 0));
}

static void add_impatience(struct world *world, const struct poll *poll, guint64 key, int times)
{
	guint64 keys[2];
	const guint count = keys_of(poll, key, keys);

	for (guint i = 0; i < count; i++)
		count_no(world, keys[i], times);
}

void world_excuse_polls(struct world *world, bool excused)
{
	for (int number = 0; number < world->options.ranks; number++) {
		struct streak *streak = &world->ranks[number].streak;

		for (guint i = 0; excused && streak->earlier && i < streak->earlier->len; i++)
			count_no(world, g_array_index(streak->earlier, guint64, i), -1);
		g_clear_pointer(&streak->earlier, g_array_unref);
	}
}

/* These "no" answers do not count any more: the rank has come back. */
static void forgive(struct world *world, struct rank *rank, guint first)
{
	for (guint i = first; i < rank->streak.polls->len; i++) {
		struct poll *poll = &g_array_index(rank->streak.polls, struct poll, i);

		if (poll->is_forgiven || !poll->chosen)
			continue;
		poll->is_forgiven = true;
		add_impatience(world, poll, poll->key, -1);
	}
}

bool world_says_no_first(const struct world *world, int number)
{
	return !world->ranks[number].threads && world->ranks[number].streak.rounds == 0;
}

bool world_may_say_no(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];
	guint rounds = rank->streak.rounds;

	if (world_in_loop(world, number) || world_must_say_yes(world, number))
		return false;
	if (rank->line->phase != PHASE_BLOCKED || !world_is_poll(rank->line->wait)
	    || (rank->line->question == QUESTION_NONE && !world_is_probe_poll(world, number)))
		return false;
	if (rounds > 1 || (rounds == 1 && identity_of(world, number) == rank->streak.last))
		return false;
	return is_patient(world, number);
}

/* `other`: it could have been answered otherwise at once. */
static void note_no(struct poll *poll, bool other)
{
	poll->chosen = true;
	poll->had_others = other;
}

void world_note_yes(struct world *world, int number)
{
	set_impatience(world, livelock_policy_key(world, number), 0);
	end_streak(&world->ranks[number]);
	world_rounds_note_yes(world);
	world_loop_end(world, number);
	world_end_immediate(world, number);
}

static bool is_known_complete(const struct world *world, int number, guint index)
{
	struct wire_name name = world_names(&world->ranks[number])[index];

	return name.call != WIRE_NEVER && !world_find_live(world, number, name);
}

/* Whether it asks about requests, and not about windows or partitions. */
static bool is_of_requests(guint16 function)
{
	return function == MPI_CALL_Request_get_status
	       || mpi_call_completes(function) != MPI_CALL_COMPLETES_NONE;
}

/* MPI_Request_get_status leaves a complete request as it is (MPI 3.1, section 3.7.6). What one
 * thread knows, another one may not know. */
bool world_knows_all(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];
	const struct line *line = rank->line;

	if (rank->threads || line->waited->len == 0 || !world_is_poll(line->wait)
	    || !is_of_requests(line->function))
		return false;
	for (guint i = 0; i < line->waited->len; i++)
		if (!is_known_complete(world, number, i))
			return false;
	return true;
}

static bool knows_one(const struct world *world, int number)
{
	for (guint i = 0; i < world->ranks[number].line->waited->len; i++)
		if (is_of_requests(world->ranks[number].line->function)
		    && is_known_complete(world, number, i))
			return true;
	return false;
}

enum { FOUND_MOST = 100 }; /* messages known to be found, for each rank */

static struct loop_found found_by_pending(const struct world *world, int number, struct op_id send)
{
	const struct poll *poll = pending_poll(&world->ranks[number]);
	struct loop_found found = {.identity = identity_of(world, number), .send = send};

	if (poll)
		memcpy(found.digest, poll->digest, sizeof(found.digest));
	return found;
}

/* Whether the pending poll has reported this message before, in the same state. Then it may be
 * part of a loop, which would have no end if it was always answered "yes". */
static bool has_reported(const struct world *world, int number, struct op_id send)
{
	const GArray *found = world->ranks[number].loop.found;
	const struct loop_found pending = found_by_pending(world, number, send);

	for (guint i = 0; i < found->len; i++) {
		const struct loop_found *one = &g_array_index(found, struct loop_found, i);

		if (!one->in_loop && one->identity == pending.identity
		    && op_id_equal(one->send, send)
		    && memcmp(one->digest, pending.digest, sizeof(one->digest)) == 0)
			return true;
	}
	return found->len >= FOUND_MOST;
}

/* A probe reports a message that can be received (MPI 3.1, section 3.8.1). So one that was reported
 * must be found until it is received. `anew`: messages are left out that the pending poll has
 * reported in this state. */
static bool sees(const struct world *world, struct op_id probe, bool anew)
{
	GArray *open = matcher_open_choice(world->matcher, probe);
	bool seen = false;

	for (guint i = 0; i < open->len; i++) {
		const GArray *messages = g_array_index(open, struct open_choice, i).alternatives;

		for (guint j = 0; j < messages->len; j++) {
			struct op_id send = g_array_index(messages, struct taken, j).send;
			const struct message *message = g_hash_table_lookup(world->messages, &send);

			seen = seen
			       || (message && message->seen
			           && !(anew && has_reported(world, probe.rank, send)));
		}
	}
	open_choices_free(open);
	return seen;
}

/* MPI_Lookup_name finds what its rank knows to be told of the name (MPI 3.1, section 10.4.4). A
 * probe, however, need not see a message at once. */
static bool looks_for_known_name(const struct world *world, int number, const struct live *probe)
{
	g_autoptr(GArray) told = NULL;
	GArray *open;

	if (world->ranks[number].line->function != MPI_CALL_Lookup_name)
		return false;
	told = g_array_new(false, false, sizeof(struct op_id));
	open = matcher_open_choice(world->matcher, world_op_id(number, probe->name));
	for (guint i = 0; i < open->len; i++) {
		const GArray *messages = g_array_index(open, struct open_choice, i).alternatives;

		for (guint j = 0; j < messages->len; j++)
			g_array_append_val(told, g_array_index(messages, struct taken, j).send);
	}
	open_choices_free(open);
	return told->len > 0 && known_sends_any(&world->trace, world->options.ranks, told, number);
}

bool world_looks_for_seen(const struct world *world, struct op_id probe)
{
	return sees(world, probe, false);
}

bool world_must_say_yes(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];
	const struct live *probe = probe_in_poll(world, number);

	if (rank->line->phase != PHASE_BLOCKED || rank->threads)
		return false;
	if (probe)
		return !probe->by_choice || looks_for_known_name(world, number, probe)
		       || (!world_in_loop(world, number)
		           && sees(world, world_op_id(number, probe->name), true));
	return (rank->line->question == QUESTION_ANY || rank->line->question == QUESTION_SOME)
	       && knows_one(world, number);
}

void world_note_found(struct world *world, int number, struct op_id send)
{
	struct loop_found found = found_by_pending(world, number, send);

	world_note_answer(world, number, true);
	if (world->ranks[number].loop.found->len < FOUND_MOST)
		g_array_append_val(world->ranks[number].loop.found, found);
}

void world_note_answer(struct world *world, int number, bool yes)
{
	struct rank *rank = &world->ranks[number];
	guint64 key = livelock_policy_key(world, number);
	const GArray *others = g_ptr_array_index(world->alternatives, world->alternatives->len - 1);

	if (yes) {
		if (world_is_poll(rank->line->wait) && !world_in_loop(world, number)
		    && !world_may_say_no(world, number) && !world_must_say_yes(world, number))
			world_limit(world, LIMIT_POLLS);
		world_note_yes(world, number);
		return;
	}
	if (world_in_loop(world, number))
		return;
	if (rank->streak.polls->len > 0)
		note_no(&g_array_index(rank->streak.polls, struct poll,
		                       rank->streak.polls->len - 1),
		        others->len > 0);
	if (rank->streak.rounds == 0 || others->len > 0)
		add_impatience(world, pending_poll(rank), key, 1);
}

/* Whether this place is new; adds it. */
static bool is_new(GArray *known, guint64 site)
{
	for (guint i = 0; i < known->len; i++)
		if (g_array_index(known, guint64, i) == site)
			return false;
	g_array_append_val(known, site);
	return true;
}

/* The rank is back where it was at poll `first` of the streak. */
static void close_round(struct world *world, struct rank *rank, guint first)
{
	GArray *polls = rank->streak.polls;
	bool chosen = true;

	for (guint i = first; i < polls->len; i++)
		chosen = chosen && g_array_index(polls, struct poll, i).chosen;
	if (rank->streak.rounds == 0 && !chosen) {
		g_array_set_size(polls, first);
		return;
	}
	if (rank->streak.rounds == 0)
		forgive(world, rank, first);
	for (guint i = first; rank->streak.rounds == 0 && i < polls->len; i++) {
		const struct poll *poll = &g_array_index(polls, struct poll, i);
		struct event event = {.kind = EVENT_REPEAT,
		                      .op.id = poll->point,
		                      .chosen = is_new(rank->streak.known, poll->site)};

		if (poll->had_others && !event.chosen)
			world_limit(world, LIMIT_POLLS);

		world_append_event(world, &event);
		rank->streak.last = poll->identity;
	}
	rank->streak.rounds++;
	g_array_set_size(polls, 0);
}

/* What the pending probe looks for. */
static struct operation probe_of(const struct world *world, int number, const struct live *live)
{
	struct operation probe = {.id = world_op_id(number, live->name),
	                          .kind = live->kind == WIRE_MPROBE ? OPERATION_MPROBE
	                                                            : OPERATION_PROBE,
	                          .peer = OPERATION_ANY,
	                          .tag = live->tag == WIRE_ANY ? OPERATION_ANY : live->tag,
	                          .comm = live->comm};

	if (live->peer != WIRE_ANY)
		probe.peer = communicators_to_world(world->comms, live->comm, number, live->peer);
	probe.by_choice = probe.peer != OPERATION_ANY;
	return probe;
}

static struct poll poll_of(const struct world *world, int number, const struct wire_call *call)
{
	const struct line *line = world->ranks[number].line;
	struct poll poll = {
		.identity = identity_of(world, number),
		.site = call->site,
		.key = livelock_policy_key(world, number),
		.call = call->call,
		.timed = call->timed,
		.question = line->question,
		.point = world_question_id(world, number),
	};
	struct wire_name first = g_array_index(line->waited, struct wire_name, 0);

	if (line->question != QUESTION_NONE) {
		poll.names = g_bytes_new(line->waited->data,
		                         line->waited->len * sizeof(struct wire_name));
		return poll;
	}
	poll.point = world_op_id(number, first);
	poll.probe = probe_of(world, number, world_find_live(world, number, first));
	return poll;
}

static bool is_same_state(const struct poll *one, const struct poll *other)
{
	return poll_has_state(one) && one->digest[0] == other->digest[0]
	       && one->digest[1] == other->digest[1];
}

/* The last poll of the streak that asked the same; none: the number of polls. */
static guint find_same(const GArray *polls, const struct poll *poll)
{
	for (guint i = polls->len; i-- > 0;)
		if (g_array_index(polls, struct poll, i).identity == poll->identity)
			return i;
	return polls->len;
}

/* Whether a message of the rank to itself is under way. The rank may receive it between polls, and
 * then another one: the rank's memory does not show what waits for it. */
static bool sends_to_itself(const struct world *world, int number)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, world->messages);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct message *message = value;

		if (message->id.rank == number
		    && communicators_to_world(world->comms, message->comm, number, message->peer)
		               == number)
			return true;
	}
	return false;
}

/* The rank has come back in the same state: the polls since then wait for each other. What could
 * have been answered there can be answered in the loop, and is not explored twice. */
static bool begin_loop(struct world *world, int number, const struct poll *poll, guint first)
{
	struct rank *rank = &world->ranks[number];

	if (rank->streak.own && sends_to_itself(world, number))
		return false;
	rank->loop.digest[0] = poll->digest[0];
	rank->loop.digest[1] = poll->digest[1];
	if (!world_loop_begin(world, number, poll, first))
		return false;
	forgive(world, rank, 0);
	for (guint i = first; i < rank->streak.polls->len; i++) {
		const struct poll *one = &g_array_index(rank->streak.polls, struct poll, i);
		struct event event = {.kind = EVENT_REPEAT, .op.id = one->point};

		if (one->chosen)
			world_append_event(world, &event);
	}
	end_streak(rank);
	return true;
}

/* The rank comes back to a poll, but has changed, or its state was not known before. That may be so
 * for the first round only: then the second one shows it. */
static bool waits_for_second_round(struct world *world, struct rank *rank, const struct poll *poll,
                                   guint first)
{
	guint count = rank->streak.polls->len;

	if (rank->streak.most == 0 && poll_has_state(poll)) {
		forgive(world, rank, first);
		rank->streak.most = count + (count - first);
	}
	return count < rank->streak.most;
}

void world_add_poll(struct world *world, int number, struct poll *poll)
{
	struct rank *rank = &world->ranks[number];
	GArray *polls = rank->streak.polls;
	guint same = find_same(polls, poll);

	if (same < polls->len && is_same_state(&g_array_index(polls, struct poll, same), poll)
	    && begin_loop(world, number, poll, same)) {
		g_clear_pointer(&poll->names, g_bytes_unref);
		return;
	}
	if (same < polls->len
	    && (rank->streak.rounds > 0 || !waits_for_second_round(world, rank, poll, same)))
		close_round(world, rank, same);
	g_array_append_vals(polls, poll, 1);
}

/* A poll that returns at once: of inactive requests, for example. */
static bool asks_about_nothing(const struct wire_call *call)
{
	return call->waited_count == 0 && call->op_count == 0
	       && (world_is_poll(call->wait)
	           || (call->wait == WIRE_WAIT_NONE && mpi_call_asks(call->function)));
}

bool world_asks(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];

	return !rank->threads && world_is_poll(rank->line->wait)
	       && (rank->line->question != QUESTION_NONE || looks_by_choice(world, number));
}

void world_end_polls(struct world *world, int number)
{
	end_streak(&world->ranks[number]);
	world_loop_end(world, number);
	g_array_set_size(world->ranks[number].loop.found, 0);
}

void world_note_poll(struct world *world, int number, const struct wire_call *call)
{
	struct rank *rank = &world->ranks[number];
	struct poll poll;

	if (asks_about_nothing(call))
		return;
	world_rounds_note_call(world, number, call);
	if (!world_is_poll(call->wait) || !world_asks(world, number)) {
		if (!rank->immediate.is_own || rank->threads)
			world_end_polls(world, number);
		rank->streak.own = true;
		return; /* else see world_note_immediate */
	}
	poll = poll_of(world, number, call);
	if (world_in_loop(world, number)) {
		if (world_loop_goes_on(world, number, &poll)) {
			g_clear_pointer(&poll.names, g_bytes_unref);
			return;
		}
		world_loop_end(world, number);
	}
	rank->streak.timed |= call->timed && rank->streak.polls->len > 0;
	if (!world_look(world, number, &poll, call->has_digest))
		world_add_poll(world, number, &poll);
}
