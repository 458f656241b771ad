/* Threads of a fake rank: the messages of shim/gate/threading.c. Threads are numbered by the
 * kernel's numbers, + 1. */
#include "fake_internal.h"

bool fake_has_threads(const struct fake_rank *rank)
{
	for (int thread = 1; thread < FAKE_LINES_MOST; thread++)
		if (rank->lines[thread].is_there)
			return true;
	return false;
}

static bool receives(const struct instruction *own)
{
	return own->kind == INSTRUCTION_RECEIVE || own->kind == INSTRUCTION_PROBE
	       || own->kind == INSTRUCTION_MPROBE;
}

/* What the call will send or receive. */
static struct wire_enter envelope_of(const struct instruction *own)
{
	struct wire_enter enter = {.sends = own->kind == INSTRUCTION_SEND,
	                           .receives = receives(own)};

	if (!enter.sends && !enter.receives)
		return enter;
	enter.comm = own->comm == 0 ? WIRE_COMM_WORLD : FAKE_COMM;
	enter.dest = enter.source = own->peer < 0 ? WIRE_ANY : own->peer;
	enter.send_tag = enter.receive_tag = own->tag < 0 ? WIRE_ANY : own->tag;
	return enter;
}

static bool are_many(const struct fake_rank *rank)
{
	for (int thread = 1; thread < FAKE_LINES_MOST; thread++)
		if (rank->lines[thread].counts)
			return true;
	return false;
}

bool fake_enters(struct speech *speech, const struct instruction *own)
{
	struct fake_rank *rank = speech->rank;
	struct fake_line *line = fake_line(rank);
	struct wire_message message = {.type = WIRE_ENTER, .enter = envelope_of(own)};

	if (line->may_go || !are_many(rank) || !needs_turn(own->kind)) {
		line->may_go = false;
		return false;
	}
	message.enter.thread = rank->thread;
	line->enters = true;
	speech->say(speech->user, &message);
	return true;
}

static void say_thread(struct speech *speech, guint32 thread, bool ended)
{
	const struct wire_message message = {
		.type = WIRE_THREAD,
		.thread = {.thread = thread, .id = (int)thread + 1, .ended = ended}};

	speech->say(speech->user, &message);
}

void fake_spawn(struct speech *speech, const struct instruction *own)
{
	struct fake_rank *rank = speech->rank;
	int line = line_of_thread(rank->program, rank->rank, own->peer);

	rank->lines[own->peer].is_there = rank->lines[own->peer].counts = true;
	rank->lines[own->peer].place = (guint8)(rank->program->line_first[line]
	                                        - rank->program->first[rank->rank]);
	say_thread(speech, (guint32)own->peer, false);
}

void fake_end_thread(struct speech *speech)
{
	fake_line(speech->rank)->is_there = false;
	say_thread(speech, speech->rank->thread, true);
}

void fake_admit(struct fake_rank *rank, guint32 thread)
{
	g_assert_true(rank->lines[thread].enters);
	rank->lines[thread].enters = false;
	rank->lines[thread].may_go = true;
	for (int other = 1; other < FAKE_LINES_MOST; other++)
		rank->lines[other].counts = rank->lines[other].is_there;
}

bool fake_rank_waits(const struct fake_rank *rank)
{
	for (int thread = 0; thread < FAKE_LINES_MOST; thread++)
		if (rank->lines[thread].waits || rank->lines[thread].enters)
			return true;
	return false;
}

bool fake_rank_sleeps(const struct fake_rank *rank, gint64 id)
{
	const struct fake_line *line = &rank->lines[id == 0 ? 0 : id - 1];

	return id == 0 && !line->waits && !line->enters && !line->may_go && rank->stage == FAKE_RUNS
	       && fake_has_threads(rank)
	       && fake_instruction(rank, line->place)->kind == INSTRUCTION_JOIN;
}
