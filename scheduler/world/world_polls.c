/* How often polls are answered "not yet" although another answer is possible, and whether that
 * makes a difference.
 *
 * A rank may ask the same again, with nothing but polls answered "no" in between. It is then back
 * in the state it was in, except for what it counts. So the "no" answers in the first round of such
 * a loop need no alternatives: whatever could have been answered there can be answered in the
 * second round (EVENT_REPEAT). In the second round, the last poll of the round is not answered "no"
 * again. */
#include "common/mix.h"
#include "world_internal.h"

bool world_is_probe_poll(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];
	const struct live *live;

	if (!world_is_poll(rank->line->wait) || rank->line->waited->len != 1)
		return false;
	live = world_find_live(world, number,
	                       g_array_index(rank->line->waited, struct wire_name, 0));
	return live && (live->kind == WIRE_PROBE || live->kind == WIRE_MPROBE);
}

/* One key for each place in the program, and for MPI_Test for each request. The count starts anew
 * after a "yes". */
static guint64 livelock_policy_key(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];
	const struct world_call *info = world_call_info(world, number, rank->line->call);
	struct op_id site = {number, (guint32)(info->site >> 32), (guint32)info->site};
	struct op_id request = {number, 0, 0};

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

	if (world_is_probe_poll(world, number)) {
		const struct live *probe = world_find_live(
			world, number, g_array_index(rank->line->waited, struct wire_name, 0));

		return mix(mix(mix(hash, probe->comm), (guint32)probe->peer), (guint32)probe->tag);
	}
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

static void end_streak(struct rank *rank)
{
	g_array_set_size(rank->streak.polls, 0);
	rank->streak.rounds = 0;
}

bool world_says_no_first(const struct world *world, int number)
{
	return !world->ranks[number].threads && world->ranks[number].streak.rounds == 0;
}

bool world_may_say_no(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];
	guint rounds = rank->streak.rounds;

	if (rank->line->phase != PHASE_BLOCKED || !world_is_poll(rank->line->wait)
	    || (rank->line->question == QUESTION_NONE && !world_is_probe_poll(world, number)))
		return false;
	if (rounds > 1 || (rounds == 1 && identity_of(world, number) == rank->streak.last))
		return false;
	return impatience(world, livelock_policy_key(world, number)) < world->options.not_yet;
}

void world_note_answer(struct world *world, int number, bool yes)
{
	struct rank *rank = &world->ranks[number];
	guint64 key = livelock_policy_key(world, number);
	const GArray *others = g_ptr_array_index(world->alternatives, world->alternatives->len - 1);

	if (yes) {
		set_impatience(world, key, 0);
		end_streak(rank);
		return;
	}
	if (rank->streak.polls->len > 0)
		g_array_index(rank->streak.polls, struct poll, rank->streak.polls->len - 1).chosen =
			true;
	if (rank->streak.rounds == 0 || others->len > 0)
		set_impatience(world, key, impatience(world, key) + 1);
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
	for (guint i = first; rank->streak.rounds == 0 && i < polls->len; i++) {
		const struct poll *poll = &g_array_index(polls, struct poll, i);
		struct event event = {.kind = EVENT_REPEAT,
		                      .op.id = poll->point,
		                      .chosen = is_new(rank->streak.known, poll->site)};

		world_append_event(world, &event);
		set_impatience(world, poll->key, impatience(world, poll->key) - 1);
		rank->streak.last = poll->identity;
	}
	rank->streak.rounds++;
	g_array_set_size(polls, 0);
}

void world_note_poll(struct world *world, int number, const struct wire_call *call)
{
	struct rank *rank = &world->ranks[number];
	GArray *polls = rank->streak.polls;
	struct poll poll = {0};

	if (world_is_poll(call->wait) && call->waited_count == 0)
		return; /* asks about nothing */
	if (rank->threads || !world_is_poll(call->wait)
	    || (rank->line->question == QUESTION_NONE && !world_is_probe_poll(world, number))) {
		end_streak(rank);
		return;
	}
	poll.identity = identity_of(world, number);
	poll.site = call->site;
	poll.key = livelock_policy_key(world, number);
	poll.point = rank->line->question == QUESTION_NONE ? world_op_id(
			     number, g_array_index(rank->line->waited, struct wire_name, 0))
	                                                   : world_question_id(world, number);
	for (guint i = 0; i < polls->len; i++)
		if (g_array_index(polls, struct poll, i).identity == poll.identity)
			close_round(world, rank, i);
	g_array_append_val(polls, poll);
}
