/* Random programs that poll in loops (random_program.h). A rank starts some sends, receives and
 * barriers that do not block. Then it goes through a few loops. Each polls up to three things: a
 * request, all of them, any of them, some of them, or a message. Between loops it may start
 * more. */
#include "draw.h"
#include "random_program.h"

enum { MOST_STARTED = 8 };

struct draft {
	GRand *random;
	struct random_program *program;
	int started[MOST_STARTED], started_count; /* by the current rank */
	int received;                             /* messages that the current rank will receive */
	bool named;                               /* receives name their sources */
};

static void start(struct draft *draft, int rank, enum instruction_kind kind, int peer)
{
	struct instruction *own = random_program_add(draft->program, rank, kind);

	own->nonblocking = true;
	own->peer = peer;
	own->tag = kind == INSTRUCTION_SEND || !draw_one_in(draft->random, 3)
	                   ? draw_below(draft->random, 2)
	                   : -1;
	own->synchronous = kind == INSTRUCTION_SEND && draw_one_in(draft->random, 2);
	if (draft->started_count < MOST_STARTED)
		draft->started[draft->started_count++] = draft->program->count - 1;
}

static int draw_peer(struct draft *draft, int rank)
{
	int other = draw_below(draft->random, draft->program->ranks - 1);

	return other + (other >= rank);
}

static void start_some(struct draft *draft, int rank)
{
	for (int some = draw_below(draft->random, 3); some > 0; some--) {
		if (draw_one_in(draft->random, 2))
			start(draft, rank, INSTRUCTION_SEND, draw_peer(draft, rank));
		else
			start(draft, rank, INSTRUCTION_RECEIVE,
			      draw_one_in(draft->random, 3) || draft->named ? draw_peer(draft, rank)
			                                                    : -1);
	}
}

static void add_poll(struct draft *draft, int rank)
{
	static const enum instruction_kind kinds[] = {
		INSTRUCTION_TEST,    INSTRUCTION_TEST,    INSTRUCTION_IPROBE,
		INSTRUCTION_TESTALL, INSTRUCTION_TESTANY, INSTRUCTION_TESTSOME,
	};
	enum instruction_kind kind = kinds[draw_below(draft->random, G_N_ELEMENTS(kinds))];
	struct instruction *poll;

	if (draft->started_count == 0)
		kind = INSTRUCTION_IPROBE;
	poll = random_program_add(draft->program, rank, kind);
	if (kind == INSTRUCTION_TEST)
		poll->of = draft->started[draw_below(draft->random, draft->started_count)];
	if (kind != INSTRUCTION_IPROBE)
		return;
	poll->peer = draw_one_in(draft->random, 2) ? draw_peer(draft, rank) : -1;
	poll->tag = draw_below(draft->random, 3) - 1;
}

static void add_loop(struct draft *draft, int rank)
{
	int first = draft->program->count, polls = 1 + draw_below(draft->random, 3);
	struct instruction *loop;

	for (int i = 0; i < polls; i++)
		add_poll(draft, rank);
	loop = random_program_add(draft->program, rank, INSTRUCTION_LOOP);
	loop->of = first;
	loop->flushed = draw_one_in(draft->random, 4);
}

/* A barrier of all ranks; blocking or not. */
static void add_barrier(struct draft *draft, int rank, int instance, bool nonblocking)
{
	struct instruction *barrier = random_program_add(draft->program, rank,
	                                                 INSTRUCTION_COLLECTIVE);

	barrier->collective = COLLECTIVE_BARRIER;
	barrier->instance = instance;
	barrier->nonblocking = nonblocking;
	if (nonblocking && draft->started_count < MOST_STARTED)
		draft->started[draft->started_count++] = draft->program->count - 1;
}

static void draw_rank(struct draft *draft, int rank, int barriers, bool nonblocking)
{
	int loops = 1 + draw_below(draft->random, 3), before = draw_below(draft->random, loops + 1);

	draft->started_count = 0;
	start_some(draft, rank);
	start_some(draft, rank);
	for (int i = 0; i < loops; i++) {
		if (i == before && barriers > 0)
			add_barrier(draft, rank, 0, nonblocking);
		if (i > 0)
			start_some(draft, rank);
		add_loop(draft, rank);
	}
	if (before == loops && barriers > 0)
		add_barrier(draft, rank, 0, nonblocking);
	if (draw_one_in(draft->random, 3))
		random_program_add(draft->program, rank, INSTRUCTION_WAITALL);
}

/* Rounds of all ranks. A rank may have nothing to poll. */
static void add_rounds(struct draft *draft, int rank)
{
	int first = draft->program->count;
	struct instruction *loop;

	for (int polls = draw_below(draft->random, 3); polls > 0; polls--)
		add_poll(draft, rank);
	loop = random_program_add(draft->program, rank, INSTRUCTION_LOOP);
	loop->of = first;
	loop->shared = true;
}

struct random_program *random_program_rounds(guint64 seed)
{
	guint32 words[2] = {(guint32)seed, (guint32)(seed >> 32) + 1};
	struct draft draft = {.random = g_rand_new_with_seed_array(words, 2)};
	int ranks = 2 + draw_one_in(draft.random, 3);

	draft.program = random_program_empty(ranks);
	draft.program->seed = seed;
	draft.program->loops = true;
	for (int rank = 0; rank < ranks; rank++) {
		draft.started_count = 0;
		/* what a request has taken while its rank polls is no state to come back to */
		draft.named = true;
		start_some(&draft, rank);
		start_some(&draft, rank);
		add_rounds(&draft, rank);
		draft.named = false;
		if (draw_one_in(draft.random, 2))
			start_some(&draft, rank);
		if (draw_one_in(draft.random, 2))
			add_loop(&draft, rank);
	}
	g_rand_free(draft.random);
	return draft.program;
}

struct random_program *random_program_polls(guint64 seed)
{
	guint32 words[2] = {(guint32)seed, (guint32)(seed >> 32) + 1};
	struct draft draft = {.random = g_rand_new_with_seed_array(words, 2)};
	int ranks = 2 + draw_one_in(draft.random, 3);
	int barriers = draw_below(draft.random, 2);
	bool nonblocking = !draw_one_in(draft.random, 3);

	draft.program = random_program_empty(ranks);
	draft.program->seed = seed;
	draft.program->loops = true;
	draft.program->instances = barriers;
	for (int rank = 0; rank < ranks; rank++)
		draw_rank(&draft, rank, barriers, nonblocking);
	g_rand_free(draft.random);
	return draft.program;
}
