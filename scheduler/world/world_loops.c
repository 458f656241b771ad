#include "world_loops.h"

/* --- polls ------------------------------------------------------------------------------------ */

static void poll_clear(void *poll)
{
	g_clear_pointer(&((struct poll *)poll)->names, g_bytes_unref);
}

static GArray *polls_new(void)
{
	GArray *polls = g_array_new(false, false, sizeof(struct poll));

	g_array_set_clear_func(polls, poll_clear);
	return polls;
}

static void add_copy(GArray *polls, const struct poll *poll)
{
	g_array_append_vals(polls, poll, 1);
	if (poll->names)
		g_bytes_ref(poll->names);
}

static GArray *polls_copy(const GArray *polls)
{
	GArray *copy = polls_new();

	for (guint i = 0; i < polls->len; i++)
		add_copy(copy, &g_array_index(polls, struct poll, i));
	return copy;
}

void world_polls_init(struct rank *rank)
{
	rank->streak.polls = polls_new();
	rank->streak.known = g_array_new(false, false, sizeof(guint64));
	rank->loop.polls = polls_new();
	rank->loop.found = g_array_new(false, false, sizeof(struct loop_found));
}

void world_polls_copy(struct rank *rank)
{
	rank->streak.polls = polls_copy(rank->streak.polls);
	rank->streak.known = g_array_copy(rank->streak.known);
	rank->streak.earlier = rank->streak.earlier ? g_array_copy(rank->streak.earlier) : NULL;
	rank->loop.polls = polls_copy(rank->loop.polls);
	rank->loop.found = g_array_copy(rank->loop.found);
}

void world_polls_release(struct rank *rank)
{
	g_array_unref(rank->streak.polls);
	g_array_unref(rank->streak.known);
	g_clear_pointer(&rank->streak.earlier, g_array_unref);
	g_array_unref(rank->loop.polls);
	g_array_unref(rank->loop.found);
	if (rank->is_looked_at)
		g_clear_pointer(&rank->looked_at.names, g_bytes_unref);
}

static struct poll *poll_at(const GArray *polls, guint index)
{
	return &g_array_index(polls, struct poll, index);
}

static const struct wire_name *names_of(const struct poll *poll, guint *ret_count)
{
	gsize size;
	const struct wire_name *names = g_bytes_get_data(poll->names, &size);

	*ret_count = (guint)(size / sizeof(*names));
	return names;
}

/* --- beginning and end ------------------------------------------------------------------------ */

bool world_in_loop(const struct world *world, int number)
{
	return world->ranks[number].loop.polls->len > 0;
}

bool world_loop_is_open(const struct world *world, int number)
{
	return world->ranks[number].loop.is_open;
}

static guint32 ahead_of(const struct loop *loop, const struct poll *poll)
{
	return poll->call - poll_at(loop->polls, 0)->call;
}

/* The operation by which the matcher and the trace know what a poll will look for. */
static struct op_id later_id(int number, const struct loop *loop, const struct poll *poll)
{
	guint32 ahead = ahead_of(loop, poll), call = poll_at(loop->polls, 0)->call;

	return (struct op_id){number, call, ahead > 0 ? OPERATION_LATER + ahead : 0};
}

static void note_later(struct world *world, int number, const struct poll *poll)
{
	struct loop *loop = &world->ranks[number].loop;
	struct event event = {.kind = EVENT_LATER, .op = poll->probe};
	g_autoptr(GArray) asked = NULL;
	const struct wire_name *names;
	guint count;

	event.op.id = later_id(number, loop, poll);
	if (poll->question == QUESTION_NONE) {
		event.op.kind = OPERATION_PROBE; /* looking ahead keeps no message back */
		world_append_event(world, &event);
		matcher_post(world->matcher, &event.op);
		return;
	}
	names = names_of(poll, &count);
	asked = world_asked(world, number, names, count);
	trace_append_later(&world->trace, event.op.id,
	                   (const struct asked *)(const void *)asked->data, asked->len);
}

/* A matched probe keeps messages back from what is posted after it. This one may not take any. */
static void post_again(struct world *world, const struct poll *poll, enum operation_kind kind)
{
	struct operation probe = poll->probe;

	if (poll->question != QUESTION_NONE || probe.kind != OPERATION_MPROBE)
		return;
	probe.kind = kind;
	if (matcher_withdraw(world->matcher, probe.id))
		matcher_post(world->matcher, &probe);
}

/* The rank is where the next answer is chosen. */
static void open_loop(struct world *world, int number)
{
	struct loop *loop = &world->ranks[number].loop;

	loop->is_open = true;
	post_again(world, poll_at(loop->polls, 0), OPERATION_PROBE);
	for (guint i = 1; i < loop->polls->len; i++)
		note_later(world, number, poll_at(loop->polls, i));
}

void world_loop_leave(struct world *world, int number)
{
	struct loop *loop = &world->ranks[number].loop;

	if (!loop->is_open)
		return;
	loop->is_open = false;
	for (guint i = 1; i < loop->polls->len; i++)
		if (poll_at(loop->polls, i)->question == QUESTION_NONE)
			matcher_withdraw(world->matcher,
			                 later_id(number, loop, poll_at(loop->polls, i)));
	post_again(world, poll_at(loop->polls, 0), OPERATION_MPROBE);
}

void world_loop_end(struct world *world, int number)
{
	struct loop *loop = &world->ranks[number].loop;

	world_loop_leave(world, number);
	g_array_set_size(loop->polls, 0);
	loop->given_at = 0;
}

bool world_loop_begin(struct world *world, int number, const struct poll *poll, guint first)
{
	struct rank *rank = &world->ranks[number];
	const GArray *streak = rank->streak.polls;
	struct loop *loop = &rank->loop;
	guint32 since = poll_at(streak, first)->call;

	if (poll->call - since > TAKEN_AHEAD)
		return false;
	loop->period = poll->call - since;
	add_copy(loop->polls, poll);
	for (guint i = first + 1; i < streak->len; i++) {
		struct poll later = *poll_at(streak, i);

		later.call += loop->period;
		add_copy(loop->polls, &later);
	}
	open_loop(world, number);
	return true;
}

bool world_loop_goes_on(struct world *world, int number, const struct poll *poll)
{
	struct loop *loop = &world->ranks[number].loop;
	struct poll before = *poll_at(loop->polls, 0);
	const struct poll *next = poll_at(loop->polls, loop->polls->len > 1);
	guint32 call = loop->polls->len > 1 ? next->call : before.call + loop->period;

	if (poll->call != call || poll->identity != next->identity || poll->timed)
		return false;
	before.call += loop->period;
	add_copy(loop->polls, &before);
	g_array_remove_index(loop->polls, 0);
	poll_at(loop->polls, 0)->probe.id = poll->probe.id;
	if (loop->given_at == 0)
		open_loop(world, number);
	return true;
}

/* --- what is possible ------------------------------------------------------------------------- */

static GArray *messages_at(const struct world *world, int number, const struct poll *poll)
{
	const struct loop *loop = &world->ranks[number].loop;
	GArray *open = matcher_open_choice(world->matcher, later_id(number, loop, poll));
	GArray *found = open->len > 0 ? g_array_copy(
				g_array_index(open, struct open_choice, 0).alternatives)
	                              : g_array_new(false, false, sizeof(struct taken));

	open_choices_free(open);
	return found;
}

/* A message that stays where it is, found again in the same state, changes nothing. */
static bool was_found(const struct rank *rank, const struct poll *poll, struct op_id send)
{
	for (guint i = 0; i < rank->loop.found->len; i++) {
		const struct loop_found *one = &g_array_index(rank->loop.found, struct loop_found,
		                                              i);

		if (one->in_loop && one->identity == poll->identity
		    && one->digest[0] == rank->loop.digest[0]
		    && one->digest[1] == rank->loop.digest[1] && op_id_equal(one->send, send))
			return true;
	}
	return false;
}

static void note_found(struct rank *rank, const struct poll *poll, struct op_id send)
{
	struct loop_found found = {
		poll->identity, {rank->loop.digest[0], rank->loop.digest[1]}, send, true};

	if (poll->question == QUESTION_NONE && poll->probe.kind == OPERATION_PROBE)
		g_array_append_val(rank->loop.found, found);
}

static void add_messages(const struct world *world, int number, const struct poll *poll,
                         GArray *alternatives)
{
	const struct rank *rank = &world->ranks[number];
	g_autoptr(GArray) messages = messages_at(world, number, poll);

	for (guint i = 0; i < messages->len; i++) {
		struct taken taken = g_array_index(messages, struct taken, i);

		taken.ahead = (guint16)ahead_of(&rank->loop, poll);
		if (!was_found(rank, poll, taken.send))
			g_array_append_val(alternatives, taken);
	}
}

static void add_poll(const struct world *world, int number, const struct poll *poll,
                     struct open_choice *choice)
{
	guint32 ahead = ahead_of(&world->ranks[number].loop, poll);
	struct open_later later = {.ahead = ahead, .question = poll->question};
	const struct wire_name *names;

	if (poll->question == QUESTION_NONE) {
		add_messages(world, number, poll, choice->alternatives);
	} else {
		names = names_of(poll, &later.requests);
		world_add_answers(world, number, poll->question, names, later.requests, ahead,
		                  choice);
	}
	if (ahead > 0) {
		g_array_append_val(choice->later, later);
	} else {
		choice->question = later.question;
		choice->requests = later.requests;
	}
}

struct open_choice world_loop_choice(const struct world *world, int number)
{
	const struct loop *loop = &world->ranks[number].loop;
	struct open_choice choice = {
		.point = point_call(number, poll_at(loop->polls, 0)->call, 0),
		.alternatives = g_array_new(false, false, sizeof(struct taken)),
		.later = g_array_new(false, false, sizeof(struct open_later)),
	};

	for (guint i = 0; i < loop->polls->len; i++)
		add_poll(world, number, poll_at(loop->polls, i), &choice);
	return choice;
}

/* --- choosing --------------------------------------------------------------------------------- */

static const struct poll *find_poll(const struct loop *loop, guint32 ahead)
{
	for (guint i = 0; i < loop->polls->len; i++)
		if (ahead_of(loop, poll_at(loop->polls, i)) == ahead)
			return poll_at(loop->polls, i);
	return NULL;
}

static bool can_answer(const struct world *world, int number, const struct poll *poll,
                       const struct taken *answer)
{
	guint count;
	const struct wire_name *names = names_of(poll, &count);
	guint32 first = taken_next(answer, 0, count);

	if (first == count || (poll->question == QUESTION_ALL) != (answer->kind == TAKEN_YES)
	    || (answer->kind == TAKEN_SOME && poll->question != QUESTION_SOME))
		return false;
	for (guint32 i = first; i < count; i = taken_next(answer, i + 1, count))
		if (!world_can_complete(world, number, names[i]))
			return false;
	return true;
}

bool world_loop_allows(const struct world *world, const struct choice *choice,
                       struct op_id *ret_send)
{
	int number = choice->point.rank;
	const struct loop *loop = &world->ranks[number].loop;
	const struct poll *poll = loop->is_open ? find_poll(loop, choice->taken.ahead) : NULL;

	if (!poll || choice->point.call != poll_at(loop->polls, 0)->call || choice->point.sub != 0)
		return false;
	if (poll->question != QUESTION_NONE)
		return can_answer(world, number, poll, &choice->taken);
	*ret_send = choice->taken.send;
	return choice->taken.kind == TAKEN_MESSAGE
	       && matcher_allows(world->matcher, later_id(number, loop, poll), ret_send);
}

void world_loop_choose(struct world *world, const struct choice *choice)
{
	int number = choice->point.rank;
	struct loop *loop = &world->ranks[number].loop;
	const struct poll *poll = find_poll(loop, choice->taken.ahead);

	if (choice->taken.kind == TAKEN_MESSAGE)
		note_found(&world->ranks[number], poll, choice->taken.send);
	loop->given = taken_ahead(choice->taken, 0);
	loop->given_at = poll->call;
	world_withdraw_probes(world, number, false);
	world_release(world, number, &(guint32){0}, 0);
}

void world_loop_note_found(struct world *world, int number, struct op_id send)
{
	note_found(&world->ranks[number], poll_at(world->ranks[number].loop.polls, 0), send);
}

/* The poll for which an answer was chosen has come. */
static void give(struct world *world, int number)
{
	struct rank *rank = &world->ranks[number];
	struct taken given = rank->loop.given;
	struct match match = {{number, rank->line->call, 0}, given.send};

	world_loop_end(world, number);
	if (given.kind != TAKEN_MESSAGE) {
		world_give_answer(world, number, &given);
		return;
	}
	world_note_yes(world, number);
	if (!matcher_allows(world->matcher, match.receive, &match.send))
		return; /* not reproducible: the poll is open again */
	matcher_match(world->matcher, match.receive, match.send);
	world_on_match(world, &match, false);
	world_settle(world);
}

void world_loop_answer(struct world *world, int number)
{
	struct rank *rank = &world->ranks[number];

	if (rank->loop.given_at == rank->line->call) {
		give(world, number);
		return;
	}
	world_withdraw_probes(world, number, true);
	world_release(world, number, &(guint32){0}, 0);
}
