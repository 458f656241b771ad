/* Fuzz target for the world, run by worlds.c or, if linked with it, by libFuzzer: ranks that keep
 * to the contract of common/wire.h but sometimes violate it (a lie).
 *
 * The bytes decide what the ranks report. The world must accept or refuse every report. What it
 * accepted can be searched, copied and reported. A world without lies is never refused, and its
 * open choices at rest can be made. See also worlds.c. */
#include <glib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explorer/explorer.h"
#include "mpi_calls.h"
#include "scheduler/world/made_comms.h"
#include "scheduler/world/matcher.h"
#include "scheduler/world/world.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

enum { RANKS = 4, OPS = 4, REQUESTS = 6, WINDOW = 70, PAIR = 71, INTER = 72 };

struct player {
	uint32_t calls, subs;
	bool blocked, gone, holds;
	uint8_t wait;
	struct wire_name requests[REQUESTS], waited[REQUESTS];
	uint32_t request_count, waited_count;
	/* call 0: none; the matched probe under way, and one whose message is not received yet */
	struct wire_name probing, probed;
};

struct play {
	const uint8_t *next, *end; /* of the bytes */
	int ranks;
	uint32_t lies; /* one report in `lies` is a lie; 0: none */
	bool lied;
	struct player players[RANKS];
	struct communicators *comms;
	struct world *world;
	struct explorer *explorer; /* NULL: the bytes choose */
	GArray *plan;
};

static void claim_that(bool condition, const char *text, int line)
{
	if (condition)
		return;
	fprintf(stderr, "%s:%d: expected %s\n", __FILE__, line, text);
	abort();
}
#define CLAIM(condition) claim_that(condition, #condition, __LINE__)

/* A number below `most`; 0 if there are no bytes left. */
static uint32_t draw(struct play *play, uint32_t most)
{
	uint32_t value = 0;

	for (int i = 0; i < (most > 256 ? 4 : 1) && play->next < play->end; i++)
		value = value << 8 | *play->next++;
	return most > 0 ? value % most : 0;
}

static uint32_t odd_number(struct play *play)
{
	static const uint32_t odd[] = {
		0,   1,         2,        3,          7,         70,     71,   72,
		100, INT32_MAX, 1u << 24, UINT32_MAX, INT32_MIN, 0x4c01, 8192, UINT32_MAX - 1};

	return odd[draw(play, G_N_ELEMENTS(odd))];
}

/* --- orders of the world ---------------------------------------------------------------------- */

static void forget_request(struct player *player, struct wire_name name)
{
	for (uint32_t i = 0; i < player->request_count; i++) {
		if (player->requests[i].call != name.call || player->requests[i].sub != name.sub)
			continue;
		player->requests[i] = player->requests[--player->request_count];
		return;
	}
}

static void on_bind(void *user, int rank, const struct wire_bind *bind)
{
	(void)user;
	(void)rank;
	(void)bind;
}

static void on_go(void *user, int rank, const struct wire_go *go)
{
	struct play *play = user;
	struct player *player = &play->players[rank];
	bool all = player->wait == WIRE_WAIT_ALL;
	uint32_t count = all ? player->waited_count : go->count;

	player->blocked = false;
	if (count > 0 && player->probing.call != 0)
		player->probed = player->probing;
	player->probing.call = 0;
	for (uint32_t i = 0; player->wait != WIRE_CANCEL && i < count; i++) {
		uint32_t index = all ? i : go->done[i];

		CLAIM(play->lied || index < player->waited_count);
		if (index < player->waited_count)
			forget_request(player, player->waited[index]);
	}
}

static void on_admit(void *user, int rank, guint32 thread)
{
	(void)user;
	(void)rank;
	(void)thread;
}

/* --- reports of ranks ------------------------------------------------------------------------- */

struct report {
	struct wire_message message;
	struct wire_op ops[OPS];
	struct wire_name waited[REQUESTS];
	int32_t local[RANKS], remote[RANKS];
	uint32_t places[REQUESTS];
	struct wire_left left;
};

static struct wire_op *add_op(struct play *play, struct report *report, int rank, uint8_t kind)
{
	struct player *player = &play->players[rank];
	struct wire_call *call = &report->message.call;
	struct wire_op *op = &report->ops[call->op_count++];

	*op = (struct wire_op){.name = {player->calls, player->subs++},
	                       .kind = kind,
	                       .comm = WIRE_COMM_WORLD,
	                       .peer = (int32_t)draw(play, (uint32_t)play->ranks),
	                       .tag = (int32_t)draw(play, 2),
	                       .bytes = draw(play, 8) ? draw(play, 9) : 9000};
	op->types.basic = draw(play, 2) ? TYPE_CODE(TYPE_INT, 4) : 0;
	if (rank < 2 && play->ranks > 1 && draw(play, 4) == 0) {
		op->comm = draw(play, 2) ? PAIR : INTER;
		op->peer = op->comm == PAIR ? (int32_t)draw(play, 2) : 0;
	}
	if (kind == WIRE_RECEIVE || kind == WIRE_PROBE || kind == WIRE_MPROBE) {
		op->peer = draw(play, 2) ? WIRE_ANY : op->peer;
		op->tag = draw(play, 4) ? op->tag : WIRE_ANY;
	}
	if (kind == WIRE_COLLECTIVE) {
		op->tag = 0;
		op->peer = draw(play, 2) ? -1 : op->peer;
		op->peer = op->comm == INTER ? (int32_t)draw(play, 4) - 3 : op->peer;
	}
	return op;
}

static void add_waited(struct report *report, struct wire_name name)
{
	report->waited[report->message.call.waited_count++] = name;
}

static void keep_request(struct player *player, struct wire_op *op)
{
	op->nonblocking = true;
	if (player->request_count < REQUESTS) /* else its request is lost, which MPI allows */
		player->requests[player->request_count++] = op->name;
}

static void start_nonblocking(struct play *play, struct report *report, int rank)
{
	static const uint8_t kinds[] = {WIRE_SEND, WIRE_RECEIVE, WIRE_RECEIVE, WIRE_COLLECTIVE};
	struct wire_call *call = &report->message.call;
	struct wire_op *op = add_op(play, report, rank, kinds[draw(play, 4)]);

	call->function = op->kind == WIRE_COLLECTIVE ? MPI_CALL_Ibarrier : MPI_CALL_Isend;
	op->mode = op->kind == WIRE_SEND ? (uint8_t)draw(play, 4) : 0;
	if (op->kind == WIRE_SEND && draw(play, 4) == 0) {
		op->nonblocking = true;
		op = add_op(play, report, rank, WIRE_RECEIVE);
		op->joined = true;
		call->function = MPI_CALL_Isendrecv;
	}
	keep_request(&play->players[rank], op);
}

static void start_blocking(struct play *play, struct report *report, int rank)
{
	static const uint8_t kinds[] = {WIRE_SEND,   WIRE_RECEIVE,    WIRE_PROBE,
	                                WIRE_MPROBE, WIRE_COLLECTIVE, WIRE_COLLECTIVE};
	static const uint16_t functions[] = {MPI_CALL_Barrier, MPI_CALL_Bcast, MPI_CALL_Reduce,
	                                     MPI_CALL_Scan, MPI_CALL_Comm_free};
	struct wire_call *call = &report->message.call;
	struct wire_op *op = add_op(play, report, rank, kinds[draw(play, 6)]);

	call->wait = WIRE_WAIT_ALL;
	add_waited(report, op->name);
	if (op->kind == WIRE_COLLECTIVE)
		call->function = functions[draw(play, 5)];
	else if (op->kind == WIRE_SEND && draw(play, 2))
		add_waited(report, add_op(play, report, rank, WIRE_RECEIVE)->name);
	else if (op->kind == WIRE_PROBE || op->kind == WIRE_MPROBE)
		call->wait = draw(play, 2) ? WIRE_TEST_ALL : WIRE_WAIT_ALL;
	if (op->kind == WIRE_MPROBE)
		play->players[rank].probing = op->name;
}

/* Indices of what the call waits for, with gaps, and of one that needs no answer. */
static void place(struct play *play, struct report *report)
{
	struct wire_call *call = &report->message.call;

	call->places = report->places;
	if (draw(play, 8) == 0) {
		call->place_count = 1;
		report->places[0] = WIRE_TOLD_LATER;
		return;
	}
	for (uint32_t i = 0; i < call->waited_count; i++)
		report->places[call->place_count++] = 2 * i + 1;
	if (call->place_count < REQUESTS && draw(play, 2))
		report->places[call->place_count++] = 2 * draw(play, 3);
}

/* Waits for some of the requests, tests them, cancels one or frees one; or receives the message of
 * a matched probe. */
static void complete(struct play *play, struct report *report, int rank)
{
	static const uint8_t waits[] = {WIRE_WAIT_ALL, WIRE_WAIT_ANY, WIRE_WAIT_SOME,
	                                WIRE_TEST_ALL, WIRE_TEST_ANY, WIRE_TEST_SOME,
	                                WIRE_CANCEL,   WIRE_FREE,     WIRE_WAIT_TAKEN};
	struct player *player = &play->players[rank];
	struct wire_call *call = &report->message.call;
	uint32_t first;

	if (player->probed.call != 0 && draw(play, 2)) {
		call->function = MPI_CALL_Mrecv;
		call->wait = WIRE_FETCH;
		add_waited(report, player->probed);
		player->probed.call = 0;
		return;
	}
	if (player->request_count == 0)
		return;
	first = draw(play, player->request_count);
	call->wait = waits[draw(play, 9)];
	call->function = draw(play, 2) ? MPI_CALL_Wait : MPI_CALL_Waitany;
	add_waited(report, player->requests[first]);
	if (call->wait == WIRE_FREE)
		forget_request(player, player->requests[first]);
	if (call->wait == WIRE_FREE || call->wait == WIRE_CANCEL)
		return;
	for (uint32_t i = first + 1; i < player->request_count; i++)
		add_waited(report, player->requests[i]);
	if (call->function == MPI_CALL_Waitany && draw(play, 2))
		place(play, report);
}

static void lock(struct play *play, struct report *report, int rank)
{
	struct player *player = &play->players[rank];
	struct wire_call *call = &report->message.call;
	struct wire_op *op = add_op(play, report, rank, player->holds ? WIRE_UNLOCK : WIRE_LOCK);

	*op = (struct wire_op){.name = op->name, .kind = op->kind, .comm = WINDOW, .peer = 0};
	op->mode = op->kind == WIRE_LOCK ? (uint8_t)draw(play, 2) : 0;
	call->function = player->holds ? MPI_CALL_Win_unlock : MPI_CALL_Win_lock;
	if (!player->holds) {
		call->wait = WIRE_WAIT_ALL;
		add_waited(report, op->name);
	}
	player->holds = !player->holds;
}

static void make_call(struct play *play, struct report *report, int rank)
{
	struct player *player = &play->players[rank];
	struct wire_call *call = &report->message.call;

	player->calls++;
	player->subs = 0;
	report->message.type = WIRE_CALL;
	*call = (struct wire_call){.call = player->calls,
	                           .function = MPI_CALL_Test,
	                           .site = 1000 * (draw(play, 4) + 1),
	                           .ops = report->ops,
	                           .waited = report->waited};
	switch (draw(play, 8)) {
	case 0:
	case 1: start_nonblocking(play, report, rank); break;
	case 2:
	case 3:
	case 4: start_blocking(play, report, rank); break;
	case 5:
	case 6: complete(play, report, rank); break;
	default: lock(play, report, rank);
	}
	player->wait = call->wait;
	player->blocked = call->wait != WIRE_WAIT_NONE && call->wait != WIRE_FREE
	                  && call->wait != WIRE_FETCH;
	player->waited_count = call->waited_count;
	memcpy(player->waited, report->waited, sizeof(report->waited));
}

static void make_returned(struct play *play, struct report *report, int rank)
{
	report->message.type = WIRE_RETURNED;
	for (uint32_t i = 0; i < REQUESTS; i++)
		report->places[i] = draw(play, 4) ? i + 1 : odd_number(play);
	report->message.returned = (struct wire_returned){draw(play, 4) ? play->players[rank].calls
	                                                                : odd_number(play),
	                                                  draw(play, REQUESTS), report->places};
}

static void make_partitions(struct play *play, struct wire_message *message)
{
	message->type = WIRE_PARTITIONS;
	message->partitions = (struct wire_partitions){
		draw(play, 2) ? odd_number(play) : WIRE_COMM_WORLD, draw(play, 9),
		draw(play, 2) ? odd_number(play) : draw(play, 5), draw(play, 9), draw(play, 9)};
}

/* Reports that honest ranks send seldom or never. */
static void make_other(struct play *play, struct report *report, int rank)
{
	struct wire_message *message = &report->message;

	play->lied = true;
	switch (draw(play, 10)) {
	case 0:
		message->type = WIRE_THREAD;
		message->thread = (struct wire_thread){draw(play, 3), (int32_t)draw(play, 5),
		                                       draw(play, 2) != 0};
		break;
	case 1:
		message->type = WIRE_ENTER;
		message->enter = (struct wire_enter){.thread = draw(play, 3),
		                                     .receives = draw(play, 2) != 0,
		                                     .comm = WIRE_COMM_WORLD,
		                                     .source = WIRE_ANY};
		break;
	case 2:
		message->type = WIRE_TOUCHED;
		message->touched.name = (struct wire_name){draw(play, 9), 0};
		message->touched.noticed = draw(play, 9);
		message->touched.by_function = (uint16_t)draw(play, 1000);
		message->touched.kind = (uint8_t)draw(play, WIRE_USE_COUNT);
		break;
	case 3:
		message->type = WIRE_OVERLAP;
		for (int i = 0; i < 2; i++)
			message->overlap.users[i] = (struct wire_user){
				{draw(play, 9), 0}, (uint16_t)draw(play, 1000), 7, 0, false};
		break;
	case 4:
		message->type = WIRE_LEFT;
		report->left = (struct wire_left){(uint8_t)(1 + draw(play, WIRE_OBJECT_COUNT - 1)),
		                                  (uint16_t)draw(play, 1000), 7, draw(play, 3)};
		message->objects = (struct wire_objects){1, &report->left};
		break;
	case 5:
		message->type = WIRE_NAMED;
		message->named = (struct wire_named){odd_number(play), (char *)"\033[a name"};
		break;
	case 6:
		message->type = WIRE_MISUSE;
		message->misuse = (struct wire_misuse){
			.why = (uint8_t)draw(play, WIRE_MISUSE_COUNT + 1),
			.call = draw(play, 9),
			.function = (uint16_t)draw(play, 1000),
			.moved = {draw(play, 9), {.basic = TYPE_CODE(TYPE_INT, 4)}},
		};
		break;
	case 7: make_partitions(play, message); break;
	case 8: make_returned(play, report, rank); break;
	default:
		message->type = WIRE_COMM;
		for (int i = 0; i < RANKS; i++)
			report->local[i] = report->remote[i] = (int32_t)draw(play, RANKS + 1);
		message->comm = (struct wire_comm){
			.comm = odd_number(play),
			.local_count = draw(play, RANKS + 1),
			.remote_count = draw(play, 3),
			.local = report->local,
			.remote = report->remote,
			.my_rank = rank,
			.window = draw(play, 3),
			.stands_for = draw(play, 3) ? 0 : odd_number(play),
			.function = (uint16_t)draw(play, 1000),
			.site = draw(play, 3),
			.argument = draw(play, 2) ? (char *)"tag=\x01\xff" : NULL};
	}
}

/* --- lies ------------------------------------------------------------------------------------- */

static void bend_op(struct play *play, struct wire_op *op)
{
	uint32_t odd = odd_number(play);

	switch (draw(play, 9)) {
	case 0: op->name.call = odd; break;
	case 1: op->name.sub = odd; break;
	case 2: op->comm = odd; break;
	case 3: op->peer = (int32_t)odd; break;
	case 4: op->tag = (int32_t)odd; break;
	case 5: op->kind = (uint8_t)(1 + draw(play, WIRE_UNLOCK)); break;
	case 6: op->nonblocking = !op->nonblocking; break;
	case 7: op->joined = !op->joined; break;
	default: op->bytes = draw(play, 2) ? UINT64_MAX : odd;
	}
}

static void bend_call(struct play *play, struct report *report)
{
	struct wire_call *call = &report->message.call;

	switch (draw(play, 8)) {
	case 0: call->call = odd_number(play); break;
	case 1: call->thread = odd_number(play); break;
	case 2: call->function = (uint16_t)odd_number(play); break;
	case 3: call->wait = (uint8_t)draw(play, WIRE_ABORT + 1); break;
	case 4:
		if (call->waited_count > 0)
			report->waited[draw(play, call->waited_count)] = (struct wire_name){
				odd_number(play), draw(play, 3)};
		else
			add_waited(report, (struct wire_name){draw(play, 9), draw(play, 2)});
		break;
	case 5: call->waited_count = 0; break;
	case 6:
		if (call->place_count > 0)
			report->places[draw(play, call->place_count)] = odd_number(play);
		break;
	default:
		if (call->op_count > 0)
			bend_op(play, &report->ops[draw(play, call->op_count)]);
	}
}

/* Changes bytes after the length, which stays correct. */
static void bend_bytes(struct play *play, struct wire_buffer *frame)
{
	enum { LENGTH = 4 };

	uint32_t at = LENGTH + draw(play, (uint32_t)frame->count - LENGTH);

	frame->bytes[at] = (uint8_t)draw(play, 256);
}

static bool take(struct play *play, int rank, const struct wire_message *message)
{
	g_autoptr(GError) error = NULL;
	bool taken = world_report(play->world, rank, message, &error);

	CLAIM(taken == (error == NULL));
	return taken;
}

/* false: the report was refused, which ends the world. */
static bool say(struct play *play, int rank, struct report *report)
{
	struct wire_buffer frame = {0};
	struct wire_message message;
	bool bends = play->lies > 0 && draw(play, play->lies) == 0, taken = true;

	play->lied |= bends;
	if (bends && report->message.type == WIRE_CALL)
		bend_call(play, report);
	wire_encode(&frame, &report->message);
	if (bends && !frame.failed && draw(play, 4) == 0)
		bend_bytes(play, &frame);
	if (!frame.failed && wire_decode(frame.bytes, frame.count, &message) == 0) {
		taken = take(play, rank, &message);
		wire_message_release(&message);
	}
	wire_buffer_release(&frame);
	CLAIM(taken || play->lied);
	return taken;
}

/* --- rest ------------------------------------------------------------------------------------- */

static char *print_comm(const void *user, guint64 comm, guint16 function)
{
	const struct world *world = user;
	const struct made_comm *made = world_made_comm(world, comm);

	(void)function;
	return made ? made_comm_label(made) : g_strdup(world_comm_name(world, comm));
}

/* Reads everything that a verdict needs. */
static void tell(struct play *play)
{
	const struct comm_words words = {print_comm, play->world};
	struct world *world = play->world;
	struct op_id calls[2];
	struct world_given given[2];
	char *types[2] = {NULL, NULL};

	for (int rank = 0; rank < play->ranks; rank++) {
		g_autoptr(GArray) pending = world_pending_calls(world, rank);

		for (guint i = 0; i < pending->len; i++) {
			guint32 call = g_array_index(pending, guint32, i);

			g_array_unref(world_waits_for(world, rank, call));
			g_free(world_arguments(world, rank, call, &words));
		}
		g_array_unref(world_loose_threads(world, rank));
		if (world_truncated(world, rank, 1, calls, types)) {
			g_free(types[0]);
			g_free(types[1]);
		}
	}
	g_free(world_mismatch(world, &words, given));
	g_array_unref(world_unreceived(world));
	g_array_unref(world_told_choices(world));
}

static void copy(struct play *play)
{
	struct world *copied;

	for (int rank = 0; rank < play->ranks; rank++) {
		if (world_phase(play->world, rank) != PHASE_BLOCKED
		    && world_phase(play->world, rank) != PHASE_ENDED)
			return;
	}
	copied = world_copy(play->world, world_options(play->world), play);
	world_free(play->world);
	play->world = copied;
}

/* false: there is no open choice. */
static bool choose(struct play *play)
{
	GArray *open = world_open_choices(play->world);
	struct choice choice = {0};
	bool chosen = open->len > 0;

	if (play->explorer && chosen) {
		chosen = explorer_rest(play->explorer, world_trace(play->world), open, &choice)
		         == EXPLORER_TAKE;
	} else if (chosen) {
		const struct open_choice *one = &g_array_index(open, struct open_choice,
		                                               draw(play, open->len));

		choice.point = one->point;
		choice.taken = g_array_index(one->alternatives, struct taken,
		                             draw(play, one->alternatives->len));
	}
	open_choices_free(open);
	CLAIM(!chosen || world_choose(play->world, &choice));
	return chosen;
}

static void rest(struct play *play)
{
	g_autoptr(GArray) nothing = g_array_new(false, false, sizeof(struct choice));
	bool running = false;

	for (int rank = 0; rank < play->ranks; rank++)
		running |= world_phase(play->world, rank) == PHASE_RUNNING
		           || world_phase(play->world, rank) == PHASE_ABSENT;
	CLAIM(world_at_rest(play->world) == !running);
	for (int round = 0; round < 20 && world_at_rest(play->world); round++) {
		if (round == 0 && draw(play, 4) == 0)
			tell(play);
		if (round == 0 && draw(play, 8) == 0)
			copy(play);
		if (!world_admit(play->world) && !world_answer_ready(play->world) && !choose(play)
		    && !world_answer_polls(play->world, nothing))
			return;
	}
}

/* --- a world ---------------------------------------------------------------------------------- */

static void announce(struct play *play, int rank, uint64_t number, int first, int count,
                     uint32_t window)
{
	struct wire_comm comm = {.comm = number, .window = window, .name = (char *)"a name"};
	int32_t ranks[RANKS];

	comm.local = ranks;
	for (int i = first; i < first + count; i++)
		ranks[comm.local_count++] = i;
	comm.my_rank = rank - first;
	CLAIM(world_comm(play->world, rank, &comm, NULL));
}

static void announce_all(struct play *play)
{
	for (int rank = 0; rank < play->ranks; rank++)
		announce(play, rank, WINDOW, 0, play->ranks, rank == 0 ? 1 : 0);
	for (int rank = 0; rank < 2 && play->ranks > 1; rank++) {
		int32_t own = rank, other = 1 - rank;
		struct wire_comm inter = {.comm = INTER,
		                          .local_count = 1,
		                          .remote_count = 1,
		                          .local = &own,
		                          .remote = &other,
		                          .name = (char *)"a name"};

		announce(play, rank, PAIR, 0, 2, 0);
		CLAIM(world_comm(play->world, rank, &inter, NULL));
	}
}

static void begin(struct play *play)
{
	const struct world_orders orders = {on_bind, on_go, on_admit, NULL};
	struct world_options options = {.ranks = 1 + (int)draw(play, RANKS)};
	struct explorer_options search = {.deviations = -1};
	uint32_t traits = draw(play, 256);

	options.buffering = (enum buffering)(1 + draw(play, 3));
	options.every_call_waits = (traits & 7) == 0;
	options.cancels = (traits & 8) != 0;
	options.not_yet = traits >> 4 & 1;
	options.some = draw(play, 4);
	options.collectives = (enum collective_mode)(COLLECTIVES_ASYNC + draw(play, 3));
	play->lies = (traits & 0x60) == 0 ? 0 : (traits & 0x60) == 0x20 ? 20 : 5;
	play->ranks = search.ranks = options.ranks;
	play->comms = communicators_new(play->ranks);
	play->world = world_new(&options, play->comms, &orders, play);
	if (traits & 0x80) {
		play->explorer = explorer_new(&search);
		play->plan = explorer_next(play->explorer);
	}
	world_start(play->world);
	announce_all(play);
}

/* false: the world is over. */
static bool step(struct play *play)
{
	int rank = (int)draw(play, (uint32_t)play->ranks);
	struct player *player = &play->players[rank];
	struct report report = {0};
	bool lies = play->lies > 0 && draw(play, 4 * play->lies) == 0;

	if (lies && draw(play, 2)) {
		play->lied = true; /* its calls need no answer, which it is not there to get */
		if (draw(play, 2))
			world_rank_stopped(play->world, rank);
		else
			world_rank_ended(play->world, rank);
		player->gone = true;
		return true;
	}
	if ((player->blocked || player->gone) && !lies)
		return true;
	if (lies)
		make_other(play, &report, rank);
	else
		make_call(play, &report, rank);
	return say(play, rank, &report);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	struct play play = {.next = bytes, .end = bytes + count};

	begin(&play);
	rest(&play);
	while (play.next < play.end && step(&play))
		rest(&play);
	if (play.plan)
		g_array_unref(play.plan);
	explorer_free(play.explorer);
	world_free(play.world);
	communicators_free(play.comms);
	return 0;
}
