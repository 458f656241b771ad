#include "random_program.h"
#include "draw.h"

/* State while a program is drawn. A rank's instructions of the current stretch form units that stay
 * together; the units are then shuffled. */
struct unit {
	struct instruction instructions[32];
	int count;
};

struct draft {
	GRand *random;
	struct random_program *program;
	bool cancels;  /* some receives may be cancelled */
	int named;     /* how many of 6 receives name their source */
	int blocking;  /* how many of 6 receives and sends block */
	int hub;       /* how many of 6 messages go to rank 0 */
	int questions; /* the most tests, waits for some, polls and cancellations */
	bool probes;   /* many receives are matched probes, their Mrecv somewhere behind */
	bool shuffled; /* each rank has its own order; else messages follow one another */
	GArray *units[PROGRAM_MAX_RANKS]; /* of struct unit */
	/* of int: matched probes without an Mrecv yet; an index counts from the rank's first */
	GArray *probed[PROGRAM_MAX_RANKS];
	GArray *done
		[PROGRAM_MAX_RANKS]; /* of struct instruction; `of` counts from the rank's first */
};

static struct instruction *unit_add(struct unit *unit, enum instruction_kind kind)
{
	struct instruction *instruction = &unit->instructions[unit->count++];

	*instruction = (struct instruction){.kind = kind, .of = -1, .request = -1};
	return instruction;
}

struct message {
	int from;
	int to;
	int tag;
	int comm;
};

static struct message draw_message(struct draft *draft, int to)
{
	struct message message = {0};

	do {
		message.comm = draw_one_in(draft->random, 4) ? 1 : 0;
		message.from = draw_below(draft->random, draft->program->ranks);
		message.to = to >= 0 ? to : draw_below(draft->random, draft->program->ranks);
		if (to < 0 && draw_of_six(draft->random, draft->hub))
			message.to = 0;
		message.tag = draw_below(draft->random, 2);
	} while (message.from == message.to || !draft->program->member[message.comm][message.from]
	         || !draft->program->member[message.comm][message.to]);
	return message;
}

static void add_send(struct draft *draft, struct unit *unit, const struct message *message)
{
	int at = unit->count;
	struct instruction *send = unit_add(unit, INSTRUCTION_SEND);

	send->peer = message->to;
	send->tag = message->tag;
	send->comm = message->comm;
	send->nonblocking = !draw_of_six(draft->random, draft->blocking);
	send->synchronous = draw_one_in(draft->random, 6);
	if (send->nonblocking && draw_one_in(draft->random, 3))
		unit_add(unit, INSTRUCTION_WAIT)->of = at;
}

static void set_envelope(struct draft *draft, struct instruction *receive,
                         const struct message *message)
{
	receive->peer = draw_of_six(draft->random, draft->named) ? message->from : -1;
	receive->tag = draw_one_in(draft->random, 3) ? -1 : message->tag;
	receive->comm = message->comm;
}

/* Returns the index in the unit of the instruction that knows the source. */
static int add_receive(struct draft *draft, struct unit *unit, const struct message *message)
{
	int at = unit->count;
	int kind = draw_below(draft->random, 12);
	struct instruction *receive;

	if (kind < 2) {
		set_envelope(draft, unit_add(unit, INSTRUCTION_PROBE), message);
		receive = unit_add(unit,
		                   kind == 0 ? INSTRUCTION_RECEIVE : INSTRUCTION_RECEIVE_PROBED);
		if (kind == 0)
			set_envelope(draft, receive, message);
		receive->comm = message->comm;
		receive->of = kind == 0 ? -1 : at;
		return at;
	}
	if (kind == 3 && draft->questions > 0) {
		draft->questions--;
		set_envelope(draft, unit_add(unit, INSTRUCTION_IPROBE), message);
		receive = unit_add(unit, INSTRUCTION_BRANCH);
		receive->of = at;
		receive->source = -1;
		receive->tag = -1;
		receive->skip = 1;
		receive = unit_add(unit, INSTRUCTION_RECEIVE_PROBED);
		receive->comm = message->comm;
		receive->of = at;
		return at;
	}
	if (kind == 2 || (draft->probes && kind > 5)) {
		set_envelope(draft, unit_add(unit, INSTRUCTION_MPROBE), message);
		if (!draft->probes || draw_one_in(draft->random, 4))
			unit_add(unit, INSTRUCTION_MRECV)->of = at;
		return at;
	}
	receive = unit_add(unit, INSTRUCTION_RECEIVE);
	set_envelope(draft, receive, message);
	receive->nonblocking = !draw_of_six(draft->random, draft->blocking);
	if (receive->nonblocking && draft->cancels && draft->questions > 0
	    && draw_one_in(draft->random, 3)) {
		draft->questions--;
		unit_add(unit, INSTRUCTION_CANCEL)->of = at;
	}
	return at;
}

static struct unit *new_unit(struct draft *draft, int rank)
{
	GArray *units = draft->units[rank];

	g_array_set_size(units, units->len + 1);
	return &g_array_index(units, struct unit, units->len - 1);
}

/* If the source was this one, adds another operation, whose other side may exist or not. */
static void add_branch(struct draft *draft, int rank, int of, const struct message *first)
{
	struct unit *unit = &g_array_index(draft->units[rank], struct unit,
	                                   draft->units[rank]->len - 1);
	struct instruction *branch;
	struct message more;
	int at = unit->count;

	if (unit->instructions[of].nonblocking)
		unit_add(unit, INSTRUCTION_WAIT)->of = of;
	at = unit->count;
	branch = unit_add(unit, INSTRUCTION_BRANCH);
	branch->of = of;
	branch->tag = draw_one_in(draft->random, 4) ? first->tag : -1;
	branch->source = draw_one_in(draft->random, 2)
	                         ? first->from
	                         : draw_below(draft->random, draft->program->ranks);
	more = draw_message(draft, rank);
	if (draw_one_in(draft->random, 2)) {
		add_receive(draft, unit, &more);
	} else {
		int other = more.from;

		more.from = more.to;
		more.to = other;
		add_send(draft, unit, &more);
	}
	unit->instructions[at].skip = unit->count - at - 1;
	if (draw_one_in(draft->random, 4))
		return;
	unit = new_unit(draft, more.from == rank ? more.to : more.from);
	if (more.from == rank)
		add_receive(draft, unit, &more);
	else
		add_send(draft, unit, &more);
}

static void draw_pair(struct draft *draft)
{
	struct message message = draw_message(draft, -1);
	struct unit *unit;
	int at;

	if (!draw_one_in(draft->random, 30)) {
		unit = new_unit(draft, message.from);
		add_send(draft, unit, &message);
	}
	if (draw_one_in(draft->random, 30))
		return;
	at = add_receive(draft, new_unit(draft, message.to), &message);
	if (draw_one_in(draft->random, 4))
		add_branch(draft, message.to, at, &message);
}

/* A receive at the narrow end: for one of the workers' two tags or any; from any source or from
 * one. */
static void add_funnel_receive(struct draft *draft, struct unit *unit, enum instruction_kind kind)
{
	struct instruction *receive = unit_add(unit, kind);

	receive->peer = draw_of_six(draft->random, draft->named)
	                        ? 1 + draw_below(draft->random, draft->program->ranks - 1)
	                        : -1;
	receive->tag = draw_below(draft->random, 3) - 1;
	receive->nonblocking = kind == INSTRUCTION_RECEIVE
	                       && !draw_of_six(draft->random, draft->blocking);
}

/* What rank 0 does once some of its receives are posted: wait for one, poll, take one more, or
 * answer (tag 2) a worker, which continues only then. */
static void add_funnel_step(struct draft *draft, struct unit *unit, int posted, int *answers)
{
	int what = draw_below(draft->random, 6);
	struct instruction *instruction;

	if (what < 2) {
		instruction = unit_add(unit, INSTRUCTION_WAIT);
		instruction->of = draw_below(draft->random, posted);
	} else if (what == 2) {
		add_funnel_receive(draft, unit, INSTRUCTION_PROBE);
	} else if (what == 3) {
		add_funnel_receive(draft, unit, INSTRUCTION_RECEIVE);
	} else {
		int worker = 1 + draw_below(draft->random, draft->program->ranks - 1);

		instruction = unit_add(unit, INSTRUCTION_SEND);
		instruction->peer = worker;
		instruction->tag = 2;
		instruction->nonblocking = true;
		answers[worker]++;
	}
}

/* One worker starts only after it has received a message (tag 3) from any other. */
static void add_gate(struct draft *draft)
{
	int gate = 1 + draw_below(draft->random, draft->program->ranks - 1);

	for (int worker = 1; worker < draft->program->ranks; worker++) {
		struct unit *unit = new_unit(draft, worker);
		struct instruction *instruction = unit_add(
			unit, worker == gate ? INSTRUCTION_RECEIVE : INSTRUCTION_SEND);

		instruction->peer = worker == gate ? -1 : gate;
		instruction->tag = 3;
		instruction->nonblocking = worker != gate;
	}
}

/* Many messages to one rank that has several receives posted at once, and answers that trigger late
 * messages. Matches depend on earlier matches in as many ways as the rules allow. */
static void draw_funnel(struct draft *draft, int messages)
{
	int answers[PROGRAM_MAX_RANKS] = {0};
	int posted = 1 + draw_below(draft->random, 4);
	int each = (posted + messages / 2) / (draft->program->ranks - 1);
	struct unit *unit = new_unit(draft, 0);

	for (int i = 0; i < posted; i++)
		add_funnel_receive(draft, unit, INSTRUCTION_RECEIVE);
	for (int i = 0; i < messages; i++)
		add_funnel_step(draft, unit, posted, answers);
	if (draw_one_in(draft->random, 2))
		add_gate(draft);
	for (int worker = 1; worker < draft->program->ranks; worker++) {
		int sends = each + draw_below(draft->random, 3);

		while (sends > 0 || answers[worker] > 0) {
			struct message message = {worker, 0, draw_below(draft->random, 2), 0};

			unit = new_unit(draft, worker);
			if (draw_below(draft->random, sends + answers[worker]) < sends) {
				add_send(draft, unit, &message);
				sends--;
			} else {
				struct instruction *wait = unit_add(unit, INSTRUCTION_RECEIVE);

				wait->tag = 2;
				answers[worker]--;
			}
		}
	}
}

/* A question; in some cases with instructions that are executed only after that answer. */
static void add_question(struct draft *draft, int rank, GArray *done)
{
	struct unit unit = {.count = 0};
	struct instruction *question;
	int first = (int)done->len;
	int of = draw_below(draft->random, MAX(first, 1));
	bool is_request = first > 0
	                  && g_array_index(done, struct instruction, (guint)of).nonblocking;

	if (draft->questions == 0 || first == 0)
		return;
	draft->questions--;
	question = unit_add(&unit,
	                    INSTRUCTION_TEST + (enum instruction_kind)draw_below(draft->random, 6));
	if (question->kind == INSTRUCTION_TEST && !is_request)
		question->kind = INSTRUCTION_WAITANY;
	if (question->kind == INSTRUCTION_TEST)
		question->of = of - first; /* counted from the unit, as all are */
	if (draw_one_in(draft->random, 2)) {
		struct instruction *branch = unit_add(&unit, INSTRUCTION_BRANCH);
		struct message more = draw_message(draft, -1);

		branch->of = 0;
		branch->skip = 1;
		if (is_request && question->kind != INSTRUCTION_TEST
		    && draw_one_in(draft->random, 2))
			branch->request = of - first;
		more.to = more.from == rank ? more.to : rank;
		if (!draft->program->member[more.comm][rank])
			more.comm = 0;
		if (more.from == rank) {
			add_send(draft, &unit, &more);
			unit.instructions[2].nonblocking = true;
		} else {
			struct instruction *receive = unit_add(&unit, INSTRUCTION_RECEIVE);

			set_envelope(draft, receive, &more);
			receive->nonblocking = true;
		}
		branch->skip = unit.count - 2;
		if (draw_one_in(draft->random, 2)) {
			struct unit *other = new_unit(draft,
			                              more.from == rank ? more.to : more.from);

			if (more.from == rank)
				add_receive(draft, other, &more);
			else
				add_send(draft, other, &more);
		}
	}
	for (int i = 0; i < unit.count; i++) {
		struct instruction *instruction = &unit.instructions[i];

		if (instruction->of != -1 || instruction->kind == INSTRUCTION_TEST)
			instruction->of += first;
		if (instruction->request != -1)
			instruction->request += first;
		g_array_append_val(done, *instruction);
	}
}

/* Notes the matched probes of a unit, just appended, that are not followed by their Mrecv. */
static void note_probes(struct draft *draft, int rank, int first)
{
	GArray *done = draft->done[rank];

	for (int i = first; i < (int)done->len; i++) {
		bool is_last = i + 1 == (int)done->len;

		if (g_array_index(done, struct instruction, i).kind == INSTRUCTION_MPROBE
		    && (is_last
		        || g_array_index(done, struct instruction, i + 1).kind
		                   != INSTRUCTION_MRECV))
			g_array_append_val(draft->probed[rank], i);
	}
}

/* The message of some matched probe is received. */
static void receive_probed(struct draft *draft, int rank)
{
	GArray *probed = draft->probed[rank];
	guint pick = (guint)draw_below(draft->random, (int)probed->len);
	const struct instruction receive = {
		.kind = INSTRUCTION_MRECV, .of = g_array_index(probed, int, pick), .request = -1};

	g_array_append_val(draft->done[rank], receive);
	g_array_remove_index(probed, pick);
}

/* Appends the units of each rank. Waits for started operations may come in between. */
static void flush_units(struct draft *draft)
{
	for (int rank = 0; rank < draft->program->ranks; rank++) {
		GArray *units = draft->units[rank];
		GArray *done = draft->done[rank];

		while (units->len > 0) {
			guint pick = draft->shuffled
			                     ? (guint)draw_below(draft->random, (int)units->len)
			                     : 0;
			struct unit *unit = &g_array_index(units, struct unit, pick);
			int first;

			if (draft->probed[rank]->len > 0 && draw_one_in(draft->random, 3))
				receive_probed(draft, rank);
			first = (int)done->len;
			for (int i = 0; i < unit->count; i++) {
				if (unit->instructions[i].of >= 0)
					unit->instructions[i].of += first;
				g_array_append_val(done, unit->instructions[i]);
			}
			note_probes(draft, rank, first);
			g_array_remove_index(units, pick);
			if (draw_one_in(draft->random, 6)) {
				struct unit wait = {.count = 0};

				unit_add(&wait, INSTRUCTION_WAITALL);
				g_array_append_val(done, wait.instructions[0]);
			}
			if (draw_one_in(draft->random, 3))
				add_question(draft, rank, done);
		}
	}
}

static void draw_collective(struct draft *draft)
{
	struct random_program *program = draft->program;
	struct unit unit = {.count = 0};
	struct instruction *collective = unit_add(&unit, INSTRUCTION_COLLECTIVE);

	collective->comm = draw_below(draft->random, PROGRAM_COMMS);
	collective->collective = (enum collective_kind)draw_below(draft->random, 4);
	collective->nonblocking = draw_one_in(draft->random, 3);
	collective->instance = program->instances++;
	do
		collective->root = draw_below(draft->random, program->ranks);
	while (!program->member[collective->comm][collective->root]);
	for (int rank = 0; rank < program->ranks; rank++)
		if (program->member[collective->comm][rank])
			g_array_append_val(draft->done[rank], *collective);
}

static void finish(struct draft *draft)
{
	struct random_program *program = draft->program;

	for (int rank = 0; rank < program->ranks; rank++) {
		int base = program->count;

		while (draft->probed[rank]->len > 0 && !draw_one_in(draft->random, 8))
			receive_probed(draft, rank);
		for (guint i = 0; i < draft->done[rank]->len; i++) {
			struct instruction *from = &g_array_index(draft->done[rank],
			                                          struct instruction, i);
			struct instruction *to = random_program_add(program, rank, from->kind);

			*to = *from;
			to->rank = rank;
			if (to->of >= 0)
				to->of += base;
			if (to->request >= 0)
				to->request += base;
			program->cancels |= to->kind == INSTRUCTION_CANCEL;
		}
		random_program_add(program, rank, INSTRUCTION_WAITALL);
		g_array_free(draft->done[rank], true);
		g_array_free(draft->probed[rank], true);
		g_array_free(draft->units[rank], true);
	}
}

struct random_program *random_program_empty(int ranks)
{
	struct random_program *program = g_new0(struct random_program, 1);

	program->ranks = program->lines = ranks;
	for (int rank = 0; rank < ranks; rank++) {
		program->member[0][rank] = program->member[1][rank] = true;
		program->line_rank[rank] = rank;
	}
	return program;
}

struct instruction *random_program_add(struct random_program *program, int rank,
                                       enum instruction_kind kind)
{
	struct instruction *instruction;

	program->instructions = g_renew(struct instruction, program->instructions,
	                                program->count + 1);
	instruction = &program->instructions[program->count++];
	*instruction = (struct instruction){.kind = kind, .rank = rank, .of = -1, .request = -1};
	for (int next = rank + 1; next <= program->ranks; next++)
		program->first[next] = program->line_first[next] = program->count;
	return instruction;
}

struct random_program *random_program_new(guint64 seed, int size)
{
	guint32 words[2] = {(guint32)seed, (guint32)(seed >> 32)};
	struct draft draft = {.random = g_rand_new_with_seed_array(words, 2)};
	struct random_program *program = random_program_empty(3 + draw_below(draft.random, 2));
	int messages = size > 0 ? size : 4 + draw_below(draft.random, 3);

	draft.program = program;
	draft.named = draw_below(draft.random, 4);
	draft.blocking = draw_below(draft.random, 6);
	draft.hub = draw_below(draft.random, 6);
	draft.shuffled = draw_one_in(draft.random, 4);
	draft.questions = draw_one_in(draft.random, 2) ? draw_below(draft.random, 4) : 0;
	draft.cancels = draw_one_in(draft.random, 3);
	draft.probes = seed % 4 == 3;
	program->seed = seed;
	if (draw_one_in(draft.random, 2))
		program->member[1][draw_below(draft.random, program->ranks)] = false;
	for (int rank = 0; rank < program->ranks; rank++) {
		draft.units[rank] = g_array_new(false, true, sizeof(struct unit));
		draft.done[rank] = g_array_new(false, false, sizeof(struct instruction));
		draft.probed[rank] = g_array_new(false, false, sizeof(int));
	}
	if (draw_one_in(draft.random, 2)) {
		draft.shuffled = false;
		draw_funnel(&draft, messages);
		flush_units(&draft);
		messages = 0;
	}
	while (messages > 0) {
		int some = MIN(messages, 1 + draw_below(draft.random, 5));

		for (int i = 0; i < some; i++)
			draw_pair(&draft);
		messages -= some;
		flush_units(&draft);
		if (messages > 0 || draw_one_in(draft.random, 4))
			draw_collective(&draft);
	}
	finish(&draft);
	g_rand_free(draft.random);
	return program;
}

void random_program_free(struct random_program *program)
{
	if (!program)
		return;
	g_free(program->instructions);
	g_free(program);
}

static bool is_asked_about(const struct random_program *program, int instruction)
{
	for (int i = 0; i < program->count; i++) {
		const struct instruction *one = &program->instructions[i];

		if (one->of == instruction
		    && (one->kind == INSTRUCTION_BRANCH || one->kind == INSTRUCTION_RECEIVE_PROBED
		        || one->kind == INSTRUCTION_MRECV))
			return true;
	}
	return false;
}

bool may_be_forgotten(const struct random_program *program, int instruction)
{
	enum instruction_kind kind = program->instructions[instruction].kind;
	bool takes = kind == INSTRUCTION_RECEIVE || kind == INSTRUCTION_RECEIVE_PROBED
	             || kind == INSTRUCTION_MPROBE || kind == INSTRUCTION_PROBE
	             || kind == INSTRUCTION_IPROBE || kind == INSTRUCTION_GET
	             || kind == INSTRUCTION_FETCH;

	return takes && !is_asked_about(program, instruction);
}

struct random_program *random_program_senders(int ranks)
{
	struct random_program *program = random_program_empty(ranks);

	for (int rank = 0; rank < ranks; rank++) {
		for (int i = 1; rank == 0 && i < ranks; i++)
			random_program_add(program, rank, INSTRUCTION_RECEIVE)->peer = -1;
		if (rank > 0)
			random_program_add(program, rank, INSTRUCTION_SEND)->peer = 0;
		random_program_add(program, rank, INSTRUCTION_COLLECTIVE)->collective =
			COLLECTIVE_BARRIER;
	}
	return program;
}
