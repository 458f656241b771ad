/* Random programs whose ranks call MPI in several threads. Each thread sends and receives, so the
 * order of two threads matters where both receive the same message, or where one receive can take
 * sends of both. Some threads poll. All ranks join collectives, each with one of its threads (MPI
 * 3.1, section 12.4.1: no two at the same time on one communicator). */
#include "draw.h"
#include "random_program.h"

enum { THREADS_MOST = 3 };

G_STATIC_ASSERT(THREADS_MOST *THREADS_MOST <= PROGRAM_TAGS);

struct draft {
	GRand *random;
	int ranks;
	int threads[PROGRAM_MAX_RANKS];
	int named;                    /* how many of 6 receives name their source */
	int blocking;                 /* how many of 6 receives and sends block */
	int asking;                   /* how many of 6 nonblocking operations are asked about */
	int meets[PROGRAM_MAX_RANKS]; /* the thread that enters collectives */
	int instances;
	bool apart; /* no two threads of a rank compete: neither receives what the other could, nor
	             * do both send what one receive could take */
	/* A hint: what one thread of rank `hint_of` received before another one gets here. -1:
	 * none. */
	int hint_of, hint_of_line, hint_at, hint_at_line;
	GArray *lines[PROGRAM_MAX_RANKS][THREADS_MOST]; /* struct instruction; `of` counts in the
	                                                 * line */
};

static struct instruction *add(struct draft *draft, int rank, int thread,
                               enum instruction_kind kind, int peer)
{
	const struct instruction instruction = {
		.kind = kind, .peer = peer, .of = -1, .request = -1};
	GArray *line = draft->lines[rank][thread];

	g_array_append_val(line, instruction);
	return &g_array_index(line, struct instruction, line->len - 1);
}

/* Asks about the last operation started in this line, or about all active ones there. */
static void add_question(struct draft *draft, int rank, int thread)
{
	int of = (int)draft->lines[rank][thread]->len - 1;
	int kind = INSTRUCTION_TEST
	           + draw_below(draft->random, INSTRUCTION_WAITSOME - INSTRUCTION_TEST + 1);

	add(draft, rank, thread, (enum instruction_kind)kind, 0)->of = of;
}

/* Adds an operation; a nonblocking one is in some cases waited for at once. */
static void add_to(struct draft *draft, int rank, int thread, enum instruction_kind kind, int peer,
                   int tag)
{
	struct instruction *own = add(draft, rank, thread, kind, peer);

	own->tag = tag;
	own->nonblocking = draw_below(draft->random, 6) >= draft->blocking;
	if (kind == INSTRUCTION_RECEIVE && draw_below(draft->random, 6) >= draft->named)
		own->peer = -1;
	if (kind == INSTRUCTION_RECEIVE && !draft->apart && draw_below(draft->random, 4) == 0)
		own->tag = -1;
	if (own->nonblocking && draw_below(draft->random, 6) < draft->asking) {
		add_question(draft, rank, thread);
	} else if (own->nonblocking && draw_below(draft->random, 2) == 0) {
		int of = (int)draft->lines[rank][thread]->len - 1;

		add(draft, rank, thread, INSTRUCTION_WAIT, 0)->of = of;
	}
}

static void add_one(struct draft *draft, int rank, enum instruction_kind kind, int peer, int tag)
{
	add_to(draft, rank, draw_below(draft->random, draft->threads[rank]), kind, peer, tag);
}

/* Probes for a message that may exist. */
static void add_probe(struct draft *draft)
{
	int rank = draw_below(draft->random, draft->ranks),
	    thread = draw_below(draft->random, draft->threads[rank]);
	struct instruction *probe = add(draft, rank, thread, INSTRUCTION_IPROBE, -1);

	probe->tag = draw_below(draft->random, 2) - 1;
	if (draw_below(draft->random, 6) < draft->named)
		probe->peer = (rank + 1) % draft->ranks;
}

static void add_collective(struct draft *draft)
{
	enum collective_kind kind = (enum collective_kind)draw_below(draft->random,
	                                                             COLLECTIVE_FENCE);
	int root = draw_below(draft->random, draft->ranks);
	bool nonblocking = draw_below(draft->random, 6) >= draft->blocking;

	for (int rank = 0; rank < draft->ranks; rank++) {
		struct instruction *own = add(draft, rank, draft->meets[rank],
		                              INSTRUCTION_COLLECTIVE, 0);

		own->collective = kind;
		own->instance = draft->instances;
		own->root = root;
		own->nonblocking = nonblocking;
	}
	draft->instances++;
}

static void draw_message(struct draft *draft)
{
	int to = draw_below(draft->random, 2) ? 0 : draw_below(draft->random, draft->ranks);
	int from = (to + 1 + draw_below(draft->random, draft->ranks - 1)) % draft->ranks;
	int tag = draw_below(draft->random, 2);

	if (draw_below(draft->random, 20) > 0)
		add_one(draft, from, INSTRUCTION_SEND, to, tag);
	if (draw_below(draft->random, 20) > 0)
		add_one(draft, to, INSTRUCTION_RECEIVE, from, tag);
}

/* The tag of a message from one thread to another. */
static int draw_tag(struct draft *draft, int from, int to)
{
	return draft->apart ? THREADS_MOST * to + from : draw_below(draft->random, 2);
}

static void add_send(struct draft *draft, int rank, int thread, int to, int to_thread)
{
	add_to(draft, rank, thread, INSTRUCTION_SEND, to, draw_tag(draft, thread, to_thread));
}

static void add_receive(struct draft *draft, int rank, int thread, int from, int from_thread)
{
	add_to(draft, rank, thread, INSTRUCTION_RECEIVE, from,
	       draw_tag(draft, from_thread, thread));
}

static int draw_other(struct draft *draft, int rank)
{
	return (rank + 1 + draw_below(draft->random, draft->ranks - 1)) % draft->ranks;
}

static int draw_thread(struct draft *draft, int rank)
{
	return draw_below(draft->random, draft->threads[rank]);
}

static void draw_between(struct draft *draft)
{
	int to = draw_below(draft->random, 2) ? 0 : draw_below(draft->random, draft->ranks);
	int from = draw_other(draft, to);
	int from_thread = draw_thread(draft, from), to_thread = draw_thread(draft, to);

	add_send(draft, from, from_thread, to, to_thread);
	add_receive(draft, to, to_thread, from, from_thread);
}

/* A thread passes on what it received, and may get an answer in another thread. */
static void draw_relay(struct draft *draft)
{
	int hub = draw_below(draft->random, 3) > 0 ? 0 : draw_below(draft->random, draft->ranks);
	int from = draw_other(draft, hub), to = draw_other(draft, hub);
	int gives = draw_thread(draft, from), answers = draw_thread(draft, to);
	int relays = draw_thread(draft, hub), gets = draw_thread(draft, hub);

	add_send(draft, from, gives, hub, relays);
	add_receive(draft, hub, relays, from, gives);
	add_send(draft, hub, relays, to, answers);
	add_receive(draft, to, answers, hub, relays);
	add_send(draft, to, answers, hub, gets);
	if (draw_below(draft->random, 4) > 0)
		add_receive(draft, hub, gets, to, answers);
}

static int add_blocking(struct draft *draft, int rank, int thread, enum instruction_kind kind,
                        int peer, int tag)
{
	struct instruction *own = add(draft, rank, thread, kind, peer);

	own->tag = tag;
	return (int)draft->lines[rank][thread]->len - 1;
}

/* A thread passes on what it received only if another thread of its rank has received before, which
 * MPI does not see. That thread may get an answer. */
static void draw_hint(struct draft *draft)
{
	int from = draw_other(draft, 0), to = draw_other(draft, 0);
	int gets = draw_thread(draft, 0), hands = (gets + 1) % draft->threads[0];
	int data = draw_tag(draft, 0, gets), ask = draw_tag(draft, 0, hands),
	    work = draw_tag(draft, hands, 0);
	struct instruction *sent = add(draft, from, 0, INSTRUCTION_SEND, 0), *branch;

	sent->tag = data;
	sent->nonblocking = true;
	add_blocking(draft, from, 0, INSTRUCTION_SEND, 0, ask);
	draft->hint_of = add_blocking(draft, 0, gets, INSTRUCTION_RECEIVE, -1, data);
	draft->hint_of_line = gets;
	add_blocking(draft, 0, hands, INSTRUCTION_RECEIVE, -1, ask);
	branch = add(draft, 0, hands, INSTRUCTION_BRANCH, 0);
	branch->source = branch->tag = -1;
	branch->skip = 1;
	draft->hint_at = (int)draft->lines[0][hands]->len - 1;
	draft->hint_at_line = hands;
	add_blocking(draft, 0, hands, INSTRUCTION_SEND, to, work);
	add_blocking(draft, to, 0, INSTRUCTION_RECEIVE, 0, work);
	add_blocking(draft, to, 0, INSTRUCTION_SEND, 0, data);
	if (draw_below(draft->random, 4) > 0)
		add_blocking(draft, 0, gets, INSTRUCTION_RECEIVE, -1, data);
}

static void add_line(struct random_program *program, int rank, const GArray *line)
{
	int first = program->count;

	for (guint i = 0; i < line->len; i++) {
		struct instruction *to = random_program_add(program, rank, INSTRUCTION_SEND);

		*to = g_array_index(line, struct instruction, i);
		to->rank = rank;
		if (to->of >= 0)
			to->of += first;
	}
}

static struct random_program *finish(struct draft *draft)
{
	struct random_program *program = random_program_empty(draft->ranks);
	int lines = 0, firsts[PROGRAM_MAX_LINES];

	for (int rank = 0; rank < draft->ranks; rank++) {
		for (int thread = 0; thread < draft->threads[rank]; thread++) {
			add(draft, rank, thread, INSTRUCTION_WAITALL, 0);
			if (thread == 0 && draft->threads[rank] > 1)
				add(draft, rank, thread, INSTRUCTION_JOIN, 0);
			program->line_rank[lines] = rank;
			firsts[lines++] = program->count;
			add_line(program, rank, draft->lines[rank][thread]);
			g_array_unref(draft->lines[rank][thread]);
		}
	}
	program->lines = lines;
	for (int line = 0; line < lines; line++)
		program->line_first[line] = firsts[line];
	program->line_first[lines] = program->count;
	program->threads = true;
	program->hints = draft->hint_of >= 0;
	if (program->hints)
		program->instructions[firsts[draft->hint_at_line] + draft->hint_at].of =
			firsts[draft->hint_of_line] + draft->hint_of;
	program->instances = draft->instances;
	return program;
}

enum subject { AT_RANDOM, RELAYS, HINTS };

static struct random_program *draw(guint64 seed, enum subject subject)
{
	static const guint32 salts[] = {
		[AT_RANDOM] = 0x746872, [RELAYS] = 0x726c79, [HINTS] = 0x68696e};
	guint32 words[] = {(guint32)seed, (guint32)(seed >> 32), salts[subject]};
	bool relays = subject != AT_RANDOM;
	struct draft draft = {.random = g_rand_new_with_seed_array(words, G_N_ELEMENTS(words))};
	struct random_program *program;
	int messages = relays ? 2 + draw_below(draft.random, 2) : 2 + draw_below(draft.random, 4);

	draft.apart = relays && seed % 2;
	draft.ranks = 2 + draw_below(draft.random, 2);
	draft.named = draw_below(draft.random, 7);
	draft.blocking = 3 + draw_below(draft.random, 4);
	draft.asking = draw_below(draft.random, 5);
	for (int rank = 0; rank < draft.ranks; rank++) {
		draft.threads[rank] = rank == 0 ? 2 + (draw_below(draft.random, 4) == 0)
		                                : 1 + (draw_below(draft.random, 3) == 0);
		draft.meets[rank] = draw_below(draft.random, draft.threads[rank]);
		for (int thread = 0; thread < draft.threads[rank]; thread++)
			draft.lines[rank][thread] = g_array_new(false, false,
			                                        sizeof(struct instruction));
	}
	for (int rank = 0; rank < draft.ranks; rank++)
		for (int thread = 1; thread < draft.threads[rank]; thread++)
			add(&draft, rank, 0, INSTRUCTION_SPAWN, thread);
	draft.hint_of = -1;
	if (subject == HINTS)
		draw_hint(&draft);
	for (int i = subject == HINTS ? 2 : 0; i < messages; i++) {
		if (relays && draw_below(draft.random, 2) == 0)
			draw_relay(&draft);
		else if (relays)
			draw_between(&draft);
		else
			draw_message(&draft);
		if (!draft.apart && draft.asking > 0 && draw_below(draft.random, 8) == 0)
			add_probe(&draft);
		if (draft.instances < 2 && draw_below(draft.random, 8) == 0)
			add_collective(&draft);
	}
	program = finish(&draft);
	program->seed = seed;
	g_rand_free(draft.random);
	return program;
}

struct random_program *random_program_threads(guint64 seed)
{
	return draw(seed, AT_RANDOM);
}

struct random_program *random_program_relays(guint64 seed)
{
	return draw(seed, RELAYS);
}

struct random_program *random_program_hints(guint64 seed)
{
	return draw(seed, HINTS);
}
