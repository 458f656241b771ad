#include "fake_internal.h"

#include <string.h>

#include "brute_force.h"
#include "common/mix.h"
#include "mpi_calls.h"

enum { BYTES = 12, INTS = TYPE_CODE(TYPE_INT, 4) };

static guint64 went_ahead;

guint64 fake_ranks_went_ahead(void)
{
	return went_ahead;
}

struct fake_rank fake_rank_new(const struct random_program *program, int rank)
{
	struct fake_rank fake = {.program = program, .rank = rank, .lines[0].is_there = true};

	g_assert_cmpint(program->first[rank + 1] - program->first[rank], <, FAKE_OPS_MOST);
	for (int line = 0; line < program->lines; line++) {
		int thread = line - line_of_thread(program, rank, 0);

		if (program->line_rank[line] != rank)
			continue;
		g_assert_cmpint(thread, <, FAKE_LINES_MOST);
		fake.lines[thread].place = (guint8)(program->line_first[line]
		                                    - program->first[rank]);
	}
	return fake;
}

static int first_of(const struct fake_rank *rank)
{
	return rank->program->first[rank->rank];
}

/* Converts a world rank to its rank in a communicator, which keeps their order; and back. */
static int to_comm(const struct random_program *program, int comm, int world_rank)
{
	int rank = 0;

	for (int other = 0; other < world_rank; other++)
		rank += program->member[comm][other];
	return rank;
}

static int from_comm(const struct random_program *program, int comm, int rank)
{
	for (int other = 0; other < program->ranks; other++)
		if (program->member[comm][other] && rank-- == 0)
			return other;
	return -1;
}

static bool takes_message(enum instruction_kind kind)
{
	return kind == INSTRUCTION_RECEIVE || kind == INSTRUCTION_RECEIVE_PROBED
	       || kind == INSTRUCTION_MPROBE;
}

static bool looks_for_message(enum instruction_kind kind)
{
	return takes_message(kind) || kind == INSTRUCTION_PROBE || kind == INSTRUCTION_IPROBE;
}

static void bind(struct fake_rank *rank, const struct wire_bind *order)
{
	for (int i = 0; i < fake_end(rank); i++) {
		const struct instruction *own = fake_instruction(rank, i);
		struct fake_op *op = &rank->ops[i];
		guint8 *count;

		if (op->call != order->name.call || !looks_for_message(own->kind)
		    || order->source == WIRE_ARRIVES)
			continue;
		g_assert_false(op->bound);
		op->bound = true;
		op->source = (guint8)from_comm(rank->program, own->comm, order->source);
		op->tag = (guint8)order->tag;
		count = &rank->received[op->source][own->comm][op->tag];
		op->nth = *count;
		*count = (guint8)(*count + takes_message(own->kind));
	}
}

/* Whether the program holds a request for it. */
static bool is_active(const struct fake_rank *rank, int op)
{
	return fake_instruction(rank, op)->nonblocking && rank->ops[op].call != 0
	       && rank->ops[op].reporter == 0;
}

/* --- messages to the scheduler ---------------------------------------------------------------- */

void fake_say_call(struct speech *speech, struct wire_call *call)
{
	struct wire_message message = {.type = WIRE_CALL};

	call->call = speech->rank->calls;
	call->site = fake_site(speech->rank);
	call->thread = speech->rank->thread;
	fake_line(speech->rank)->call = call->call;
	speech->waits = (call->wait != WIRE_WAIT_NONE && call->wait != WIRE_FETCH)
	                || speech->rank->every_call_waits;
	speech->waits &= !call->ahead;
	fake_line(speech->rank)->waits = speech->waits;
	went_ahead += call->ahead;
	message.call = *call;
	speech->say(speech->user, &message);
}

/* Whether a call need not be waited for, as in shim/calls/point_to_point.c: the program holds no
 * request, and either the message is named or it is a send. The other side need not exist yet: the
 * scheduler keeps the order. */
static bool may_go_ahead(struct fake_rank *rank, const struct wire_op *op)
{
	if (rank->calls >= rank->ahead || op->nonblocking || rank->windows > 0
	    || fake_has_threads(rank))
		return false;
	for (int i = 0; i < fake_end(rank); i++)
		if (is_active(rank, i))
			return false;
	if (op->kind == WIRE_RECEIVE)
		return op->peer != WIRE_ANY && op->tag != WIRE_ANY;
	return op->kind == WIRE_SEND
	       && (op->mode == WIRE_SYNCHRONOUS || rank->buffering != WIRE_BUFFERING_PER_SEND);
}

void fake_start(struct speech *speech, uint16_t function, struct wire_op *op, enum wire_wait wait)
{
	struct wire_name name = {++speech->rank->calls, 0};
	struct wire_call call = {.function = function,
	                         .wait = (uint8_t)wait,
	                         .op_count = 1,
	                         .ops = op,
	                         .waited_count = wait != WIRE_WAIT_NONE,
	                         .waited = &name,
	                         .status = function == MPI_CALL_Init
	                                   && speech->rank->program->threads};

	op->name = name;
	call.ahead = may_go_ahead(speech->rank, op);
	fake_line(speech->rank)->asked_count = 0;
	fake_say_call(speech, &call);
	if (call.ahead && op->kind == WIRE_RECEIVE)
		bind(speech->rank, &(struct wire_bind){name, op->peer, op->tag, 0});
}

void fake_meet(struct speech *speech, uint16_t function)
{
	struct wire_op op = {.kind = WIRE_COLLECTIVE, .comm = WIRE_COMM_WORLD, .peer = -1};

	fake_start(speech, function, &op, WIRE_WAIT_ALL);
}

static void say_comm(struct speech *speech)
{
	const struct random_program *program = speech->rank->program;
	char name[] = "MPI_Comm_split of MPI_COMM_WORLD";
	int32_t members[PROGRAM_MAX_RANKS];
	struct wire_message message = {.type = WIRE_COMM,
	                               .comm = {.comm = FAKE_COMM, .local = members, .name = name}};

	if (!program->member[1][speech->rank->rank])
		return;
	for (int rank = 0; rank < program->ranks; rank++)
		if (program->member[1][rank])
			members[message.comm.local_count++] = rank;
	message.comm.my_rank = to_comm(program, 1, speech->rank->rank);
	speech->say(speech->user, &message);
}

static uint64_t comm_of(const struct instruction *own)
{
	return own->comm == 0 ? WIRE_COMM_WORLD : FAKE_COMM;
}

static void send(struct speech *speech, const struct instruction *own)
{
	const struct fake_rank *rank = speech->rank;
	struct wire_op op = {.kind = WIRE_SEND,
	                     .mode = own->synchronous ? WIRE_SYNCHRONOUS : WIRE_STANDARD,
	                     .nonblocking = own->nonblocking,
	                     .comm = comm_of(own),
	                     .peer = to_comm(rank->program, own->comm, own->peer),
	                     .tag = own->tag,
	                     .bytes = BYTES,
	                     .types.basic = INTS};
	bool leaves = own->nonblocking
	              || (rank->buffering == WIRE_BUFFERING_INFINITE && !own->synchronous);

	fake_start(speech, own->nonblocking ? MPI_CALL_Isend : MPI_CALL_Send, &op,
	           leaves ? WIRE_WAIT_NONE : WIRE_WAIT_ALL);
}

static void look_for_message(struct speech *speech, const struct instruction *own)
{
	const struct fake_rank *rank = speech->rank;
	enum wire_wait wait = own->nonblocking ? WIRE_WAIT_NONE : WIRE_WAIT_ALL;
	uint16_t function = own->nonblocking ? MPI_CALL_Irecv : MPI_CALL_Recv;
	struct wire_op op = {.kind = WIRE_RECEIVE,
	                     .nonblocking = own->nonblocking,
	                     .comm = comm_of(own),
	                     .peer = WIRE_ANY,
	                     .tag = own->tag < 0 ? WIRE_ANY : own->tag,
	                     .bytes = BYTES,
	                     .types.basic = INTS};
	int peer = own->peer;

	if (own->kind == INSTRUCTION_RECEIVE_PROBED) {
		const struct fake_op *probed = &rank->ops[own->of - first_of(rank)];

		peer = probed->source;
		op.tag = probed->tag;
	} else if (own->kind != INSTRUCTION_RECEIVE) {
		bool polls = own->kind == INSTRUCTION_IPROBE;

		op.kind = own->kind == INSTRUCTION_MPROBE ? WIRE_MPROBE : WIRE_PROBE;
		op.bytes = op.types.basic = 0;
		function = own->kind == INSTRUCTION_MPROBE ? MPI_CALL_Mprobe
		           : polls                         ? MPI_CALL_Iprobe
		                                           : MPI_CALL_Probe;
		wait = polls ? WIRE_TEST_ALL : WIRE_WAIT_ALL;
	}
	if (peer >= 0)
		op.peer = to_comm(rank->program, own->comm, peer);
	fake_start(speech, function, &op, wait);
}

static void collective(struct speech *speech, const struct instruction *own)
{
	static const uint16_t functions[][2] = {
		[COLLECTIVE_BARRIER] = {MPI_CALL_Barrier, MPI_CALL_Ibarrier},
		[COLLECTIVE_BCAST] = {MPI_CALL_Bcast, MPI_CALL_Ibcast},
		[COLLECTIVE_REDUCE] = {MPI_CALL_Reduce, MPI_CALL_Ireduce},
		[COLLECTIVE_SCAN] = {MPI_CALL_Scan, MPI_CALL_Iscan},
		[COLLECTIVE_FENCE] = {MPI_CALL_Win_fence, MPI_CALL_Win_fence},
	};
	bool rooted = own->collective == COLLECTIVE_BCAST || own->collective == COLLECTIVE_REDUCE;
	struct wire_op op = {.kind = WIRE_COLLECTIVE,
	                     .nonblocking = own->nonblocking,
	                     .comm = comm_of(own),
	                     .peer = rooted ? to_comm(speech->rank->program, own->comm, own->root)
	                                    : -1};

	if (own->collective == COLLECTIVE_FENCE) {
		fake_say_fence(speech);
		op.comm = FAKE_FENCED;
	}
	fake_start(speech, functions[own->collective][own->nonblocking], &op,
	           own->nonblocking ? WIRE_WAIT_NONE : WIRE_WAIT_ALL);
}

/* The line's first instruction, and its last + 1. */
static int own_first(const struct fake_rank *rank)
{
	int line = line_of_thread(rank->program, rank->rank, rank->thread);

	return rank->program->line_first[line] - first_of(rank);
}

static int own_end(const struct fake_rank *rank)
{
	int line = line_of_thread(rank->program, rank->rank, rank->thread);

	return rank->program->line_first[line + 1] - first_of(rank);
}

/* Reports a question about these operations, or about all active ones up to here. If there are
 * none, the call is not waited for. */
static void ask(struct speech *speech, uint16_t function, enum wire_wait wait, int only)
{
	struct fake_rank *rank = speech->rank;
	struct wire_name names[FAKE_OPS_MOST];
	struct wire_call call = {.function = function, .wait = (uint8_t)wait, .waited = names};

	rank->calls++;
	fake_line(rank)->asked_count = 0;
	for (int op = own_first(rank); op < fake_line(rank)->place; op++) {
		if (!is_active(rank, op) || (only >= 0 && op != only))
			continue;
		names[call.waited_count++] = (struct wire_name){rank->ops[op].call, 0};
		fake_line(rank)->asked[fake_line(rank)->asked_count++] = (guint8)op;
	}
	if (call.waited_count == 0)
		call.wait = WIRE_WAIT_NONE;
	fake_say_call(speech, &call);
}

/* The message that a matched probe took, if that was made. */
static void receive_probed(struct speech *speech, int probe)
{
	struct wire_name name = {speech->rank->ops[probe].call, 0};
	bool has_message = name.call != 0;

	speech->rank->calls++;
	fake_line(speech->rank)->asked_count = 0;
	fake_say_call(speech, &(struct wire_call){
				      .function = MPI_CALL_Mrecv,
				      .wait = has_message ? WIRE_FETCH : WIRE_WAIT_NONE,
				      .waited_count = has_message,
				      .waited = &name,
				      .room = UINT64_MAX,
			      });
}

/* --- its program ------------------------------------------------------------------------------ */

static void say_instruction(struct speech *speech, const struct instruction *own)
{
	int of = own->of - first_of(speech->rank);

	switch (own->kind) {
	case INSTRUCTION_SEND: send(speech, own); break;
	case INSTRUCTION_RECEIVE:
	case INSTRUCTION_RECEIVE_PROBED:
	case INSTRUCTION_PROBE:
	case INSTRUCTION_MPROBE:
	case INSTRUCTION_IPROBE: look_for_message(speech, own); break;
	case INSTRUCTION_COLLECTIVE: collective(speech, own); break;
	case INSTRUCTION_MRECV: receive_probed(speech, of); break;
	case INSTRUCTION_WAIT: ask(speech, MPI_CALL_Wait, WIRE_WAIT_ALL, of); break;
	case INSTRUCTION_WAITALL: ask(speech, MPI_CALL_Waitall, WIRE_WAIT_ALL, -1); break;
	case INSTRUCTION_CANCEL: ask(speech, MPI_CALL_Cancel, WIRE_CANCEL, of); break;
	case INSTRUCTION_TEST: ask(speech, MPI_CALL_Test, WIRE_TEST_ALL, of); break;
	case INSTRUCTION_TESTALL: ask(speech, MPI_CALL_Testall, WIRE_TEST_ALL, -1); break;
	case INSTRUCTION_TESTANY: ask(speech, MPI_CALL_Testany, WIRE_TEST_ANY, -1); break;
	case INSTRUCTION_TESTSOME: ask(speech, MPI_CALL_Testsome, WIRE_TEST_SOME, -1); break;
	case INSTRUCTION_WAITANY: ask(speech, MPI_CALL_Waitany, WIRE_WAIT_ANY, -1); break;
	case INSTRUCTION_WAITSOME: ask(speech, MPI_CALL_Waitsome, WIRE_WAIT_SOME, -1); break;
	default: fake_say_access(speech, own); break;
	}
}

static bool branch_is_taken(const struct fake_rank *rank, const struct instruction *branch)
{
	int of = branch->of - first_of(rank);
	const struct fake_op *asked = &rank->ops[of];

	if (is_question(fake_instruction(rank, of)->kind))
		return asked->state == MATCHED
		       && (branch->request < 0
		           || rank->ops[branch->request - first_of(rank)].reporter == of + 1);
	if (fake_instruction(rank, of)->kind == INSTRUCTION_GET)
		return branch_holds(branch, &rank->program->instructions[asked->state - MATCHED]);
	return asked->bound && (branch->source < 0 || asked->source == branch->source)
	       && (branch->tag < 0 || asked->tag == branch->tag);
}

/* A hash of all that the program knows: not of how many calls it has made. */
static void say_digest(struct speech *speech)
{
	const struct fake_rank *rank = speech->rank;
	struct wire_message message = {.type = WIRE_DIGEST};
	guint64 hash = mix(rank->stage, rank->lines[0].place);

	for (int i = 0; i < fake_end(rank); i++) {
		const struct fake_op *op = &rank->ops[i];

		hash = mix(hash, (guint64)op->state << 8 | op->reporter);
		/* what a receive has got is seen when it is complete */
		if (op->bound && (!fake_instruction(rank, i)->nonblocking || op->reporter > 0))
			hash = mix(mix(hash, op->source), (guint64)op->tag << 8 | op->nth);
	}
	message.digest = (struct wire_digest){{hash, 1}};
	speech->rank->is_looked_at = false;
	speech->say(speech->user, &message);
}

static void step(struct speech *speech)
{
	struct fake_rank *rank = speech->rank;
	const struct instruction *own = fake_instruction(rank, fake_line(rank)->place);
	struct fake_op *op = &rank->ops[fake_line(rank)->place];

	if (own->kind == INSTRUCTION_LOOP && own->shared) {
		fake_meet_after_round(speech);
		return;
	}
	if (own->kind == INSTRUCTION_LOOP) {
		fake_end_round(rank, fake_line(rank)->place);
		return;
	}
	op->state = POSTED;
	if (own->kind == INSTRUCTION_BRANCH) {
		fake_line(rank)->place = (guint8)(fake_line(rank)->place + 1
		                                  + (branch_is_taken(rank, own) ? 0 : own->skip));
		return;
	}
	if (is_no_call(own->kind)) {
		if (own->kind == INSTRUCTION_SPAWN)
			fake_spawn(speech, own);
		else
			fake_say_access(speech, own);
		fake_line(rank)->place++;
		return;
	}
	op->call = rank->calls + 1;
	say_instruction(speech, own);
	if (speech->waits)
		return;
	if (is_question(own->kind)) /* about nothing */
		op->state = MATCHED;
	fake_line(rank)->place++;
}

/* After the last instruction: frees the windows, then the communicator, which waits for no other
 * rank. */
static void finish(struct speech *speech)
{
	struct wire_op op = {.kind = WIRE_COLLECTIVE, .comm = FAKE_COMM, .peer = -1};

	if (speech->rank->stage < FAKE_FREE && speech->rank->windows > 0) {
		speech->rank->stage = FAKE_CLOSE;
		fake_free_window(speech);
		return;
	}
	if (speech->rank->stage < FAKE_FREE
	    && speech->rank->program->member[1][speech->rank->rank]) {
		speech->rank->stage = FAKE_FREE;
		fake_start(speech, MPI_CALL_Comm_free, &op, WIRE_WAIT_NONE);
		if (speech->waits)
			return;
	}
	speech->rank->stage = FAKE_FINALIZE;
	fake_meet(speech, MPI_CALL_Finalize);
}

/* The next step of the current thread; false: it has to wait. */
static bool step_thread(struct speech *speech)
{
	struct fake_rank *rank = speech->rank;
	const struct fake_line *line = fake_line(rank);
	const struct instruction *own;

	if (!line->is_there || line->waits || line->enters)
		return false;
	if (line->place == own_end(rank)) {
		if (rank->thread == 0)
			finish(speech);
		else
			fake_end_thread(speech);
		return true;
	}
	own = fake_instruction(rank, line->place);
	if (own->kind == INSTRUCTION_JOIN && fake_has_threads(rank)) {
		rank->ops[line->place].state = POSTED;
		return false;
	}
	if (!fake_enters(speech, own))
		step(speech);
	return true;
}

static bool step_threads(struct speech *speech)
{
	for (guint8 thread = 0; thread < FAKE_LINES_MOST; thread++) {
		speech->rank->thread = thread;
		if (step_thread(speech))
			return true;
	}
	return false;
}

bool fake_rank_step(struct fake_rank *rank,
                    void (*say)(void *user, const struct wire_message *message), void *user)
{
	struct speech speech = {rank, say, user, false};
	const struct wire_message ending = {.type = WIRE_ENDING};

	if (rank->awaited) {
		fake_say_awaited(&speech);
		return true;
	}
	if (rank->fetched) {
		fake_say_fetched(&speech);
		return true;
	}
	if (rank->is_looked_at) {
		say_digest(&speech);
		return true;
	}
	if (rank->stage == FAKE_RUNS)
		return step_threads(&speech);
	rank->thread = 0;
	if (fake_line(rank)->waits)
		return false;
	switch (rank->stage) {
	case FAKE_NEW:
		rank->stage = FAKE_INIT;
		fake_meet(&speech, MPI_CALL_Init);
		break;
	case FAKE_INIT:
		rank->stage = FAKE_SPLIT;
		fake_meet(&speech, MPI_CALL_Comm_split);
		break;
	case FAKE_SPLIT:
		rank->stage = rank->program->windows ? FAKE_WINDOWS : FAKE_RUNS;
		say_comm(&speech);
		break;
	case FAKE_WINDOWS:
		if (rank->windows < PROGRAM_WINDOWS)
			fake_make_window(&speech);
		else
			rank->stage = FAKE_RUNS;
		break;
	case FAKE_CLOSE:
	case FAKE_FREE: finish(&speech); break;
	case FAKE_FINALIZE:
		rank->stage = FAKE_OVER;
		say(user, &ending);
		break;
	case FAKE_RUNS:
	case FAKE_OVER: return false;
	}
	return true;
}

void fake_rank_run(struct fake_rank *rank,
                   void (*say)(void *user, const struct wire_message *message), void *user)
{
	while (fake_rank_step(rank, say, user))
		continue;
}

/* --- orders of the scheduler ------------------------------------------------------------------ */

/* One of the operations of the pending call is complete for the program. */
static void report(struct fake_rank *rank, uint32_t index)
{
	g_assert_cmpuint(index, <, fake_line(rank)->asked_count);
	rank->ops[fake_line(rank)->asked[index]].reporter = (guint8)(fake_line(rank)->place + 1);
}

/* Makes the thread that waits in this call the current one. */
static void find_waiting(struct fake_rank *rank, guint32 call)
{
	for (guint8 thread = 0; thread < FAKE_LINES_MOST; thread++) {
		rank->thread = thread;
		if (fake_line(rank)->waits && fake_line(rank)->call == call)
			return;
	}
	g_assert_not_reached();
}

static void go(struct fake_rank *rank, const struct wire_go *order)
{
	const struct instruction *own;
	struct fake_op *op;
	bool yes = order->count > 0;

	find_waiting(rank, order->call);
	own = fake_instruction(rank, fake_line(rank)->place);
	op = &rank->ops[fake_line(rank)->place];
	fake_line(rank)->waits = false;
	if (rank->stage != FAKE_RUNS)
		return;
	if (own->kind == INSTRUCTION_LOOP) {
		fake_leave_meeting(rank);
		return;
	}
	if (own->kind == INSTRUCTION_LOCK)
		fake_take_lock(rank);
	if (own->kind == INSTRUCTION_FETCH && op->state == POSTED) {
		fake_fetch(rank);
		return;
	}
	rank->awaited = own->kind == INSTRUCTION_WAIT_WINDOW;
	if (own->kind == INSTRUCTION_IPROBE && !yes)
		op->state = NO;
	if (is_question(own->kind))
		op->state = yes || fake_line(rank)->asked_count == 0 ? MATCHED
		                                                     : NO; /* about nothing */
	if (own->kind == INSTRUCTION_CANCEL && yes)
		rank->ops[fake_line(rank)->asked[0]].state = CANCELLED;
	if (own->kind == INSTRUCTION_WAIT || own->kind == INSTRUCTION_WAITALL
	    || (yes && (own->kind == INSTRUCTION_TEST || own->kind == INSTRUCTION_TESTALL)))
		for (uint32_t i = 0; i < fake_line(rank)->asked_count; i++)
			report(rank, i);
	else if (is_question(own->kind))
		for (uint32_t i = 0; i < order->count; i++)
			report(rank, order->done[i]);
	fake_line(rank)->place++;
}

void fake_rank_obey(struct fake_rank *rank, const struct wire_message *order)
{
	switch (order->type) {
	case WIRE_WELCOME:
		rank->buffering = order->welcome.buffering;
		rank->every_call_waits = order->welcome.every_call_waits;
		rank->synchronous_collectives = order->welcome.synchronous_collectives;
		rank->ahead = order->welcome.ahead;
		break;
	case WIRE_BIND: bind(rank, &order->bind); break;
	case WIRE_GO: go(rank, &order->go); break;
	case WIRE_ADMIT: fake_admit(rank, order->admitted); break;
	default: g_assert_not_reached();
	}
}

/* --- outcome ---------------------------------------------------------------------------------- */

/* The send that is the nth that a receive or probe may have found; -1: there is none. */
static int find_send(const struct random_program *program, const struct fake_rank *ranks,
                     const struct fake_rank *receiver, int op)
{
	const struct fake_op *found = &receiver->ops[op];
	const struct fake_rank *sender = &ranks[found->source];
	guint32 last = 0;
	int which = -1;

	for (int nth = found->nth; nth >= 0; nth--) {
		which = -1;
		for (int i = 0; i < fake_end(sender); i++) {
			const struct instruction *send = fake_instruction(sender, i);

			if (send->kind == INSTRUCTION_SEND && sender->ops[i].call > last
			    && send->peer == receiver->rank
			    && send->comm == fake_instruction(receiver, op)->comm
			    && send->tag == found->tag
			    && (which < 0 || sender->ops[i].call < sender->ops[which].call))
				which = i;
		}
		if (which < 0)
			return -1;
		last = sender->ops[which].call;
	}
	return program->first[sender->rank] + which;
}

GBytes *fake_ranks_outcome(const struct random_program *program, const struct fake_rank *ranks)
{
	g_autofree guint8 *states = g_new0(guint8, program->count);
	g_autofree guint8 *reporters = g_new0(guint8, program->count);
	guint8 places[PROGRAM_MAX_LINES];

	for (int line = 0; line < program->lines; line++) {
		int rank = program->line_rank[line];
		int thread = line - line_of_thread(program, rank, 0);

		places[line] = (guint8)(program->first[rank] + ranks[rank].lines[thread].place);
	}
	for (int rank = 0; rank < program->ranks; rank++) {
		const struct fake_rank *own = &ranks[rank];
		int first = program->first[rank];

		for (int i = 0; i < fake_end(own); i++) {
			const struct fake_op *op = &own->ops[i];
			int send = op->bound ? find_send(program, ranks, own, i) : 0;

			if (send < 0)
				return NULL;
			if (states[first + i] == ABSENT)
				states[first + i] = op->state;
			if (op->bound)
				states[first + i] = (guint8)(MATCHED + send);
			if (op->bound && takes_message(fake_instruction(own, i)->kind))
				states[send] = (guint8)(MATCHED + first + i);
			if (op->reporter)
				reporters[first + i] = (guint8)(first + op->reporter);
		}
	}
	return outcome_new(program, places, states, reporters);
}
