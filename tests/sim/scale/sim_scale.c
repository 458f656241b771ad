/* The scheduler at scale: world and search with up to thousands of ranks, which are loops, not
 * processes. Measures the cost of a run per trace event: time, memory and, where both were compiled
 * with counters (-fsanitize-coverage=trace-pc), basic blocks, which do not depend on the load of
 * the machine.
 *
 * sim_scale [--program NAME] [--ranks N] [--rounds N] prints one line each. sim_scale --check
 * requires that four times the work takes at most about four times the steps, and that memory stays
 * within its limit. Both are relative to the work of the search: events, requests asked about,
 * waiting alternatives. */
#include <glib.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "explorer/explorer.h"
#include "mpi_calls.h"
#include "scheduler/world/matcher.h"
#include "scheduler/world/world.h"

enum { BYTES = 12, INTS = TYPE_CODE(TYPE_INT, 4) };

static guint64 steps;

/* Called by instrumented code once in each basic block. */
void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
	steps++;
}

/* --- ranks ------------------------------------------------------------------------------------ */

struct machine;

struct rank {
	guint32 calls;
	guint place; /* its position in the program */
	bool waits;
	GArray *active; /* struct wire_name: requests */
};

struct program {
	const char *name;
	int ranks;          /* by default */
	guint rounds;       /* by default */
	bool widens;        /* to scale by four, multiply the ranks, not the rounds */
	double growth_most; /* the most steps per unit of work, relative to a quarter of the work */
	double bytes_most;  /* the most bytes per unit of work */
	/* The number of calls of a rank between MPI_Init and MPI_Finalize; makes the call at
	 * `place`. */
	guint (*length)(const struct machine *machine, int rank);
	void (*call)(struct machine *machine, int rank, guint place);
};

struct machine {
	const struct program *program;
	int ranks;
	guint rounds;
	struct world *world;
	struct rank *all;
	GQueue ready; /* of rank + 1: ranks that can continue */
};

static void say(struct machine *machine, int rank, struct wire_call *call)
{
	g_autoptr(GError) error = NULL;

	call->call = machine->all[rank].calls;
	call->site = 1000 + call->function;
	machine->all[rank].waits = call->wait != WIRE_WAIT_NONE;
	world_call(machine->world, rank, call, &error);
	g_assert_no_error(error);
}

static void start(struct machine *machine, int rank, guint16 function, struct wire_op *op,
                  enum wire_wait wait)
{
	struct wire_name name = {++machine->all[rank].calls, 0};
	struct wire_call call = {.function = function,
	                         .wait = (uint8_t)wait,
	                         .op_count = 1,
	                         .ops = op,
	                         .waited_count = wait != WIRE_WAIT_NONE,
	                         .waited = &name};

	op->name = name;
	if (op->nonblocking)
		g_array_append_val(machine->all[rank].active, name);
	say(machine, rank, &call);
}

static void send_to(struct machine *machine, int rank, int peer, int tag, bool nonblocking)
{
	struct wire_op op = {.kind = WIRE_SEND,
	                     .nonblocking = nonblocking,
	                     .comm = WIRE_COMM_WORLD,
	                     .peer = peer,
	                     .tag = tag,
	                     .bytes = BYTES,
	                     .types.basic = INTS};

	start(machine, rank, nonblocking ? MPI_CALL_Isend : MPI_CALL_Send, &op, WIRE_WAIT_NONE);
}

static void receive_from(struct machine *machine, int rank, int peer, int tag, bool nonblocking)
{
	struct wire_op op = {.kind = WIRE_RECEIVE,
	                     .nonblocking = nonblocking,
	                     .comm = WIRE_COMM_WORLD,
	                     .peer = peer,
	                     .tag = tag,
	                     .bytes = BYTES,
	                     .types.basic = INTS};

	start(machine, rank, nonblocking ? MPI_CALL_Irecv : MPI_CALL_Recv, &op,
	      nonblocking ? WIRE_WAIT_NONE : WIRE_WAIT_ALL);
}

static void meet(struct machine *machine, int rank, guint16 function)
{
	struct wire_op op = {.kind = WIRE_COLLECTIVE, .comm = WIRE_COMM_WORLD, .peer = -1};

	start(machine, rank, function, &op, WIRE_WAIT_ALL);
}

static void wait_for(struct machine *machine, int rank, guint16 function, enum wire_wait wait)
{
	const GArray *active = machine->all[rank].active;
	struct wire_call call = {.function = function,
	                         .wait = (uint8_t)wait,
	                         .waited_count = active->len,
	                         .waited = (struct wire_name *)(void *)active->data};

	machine->all[rank].calls++;
	say(machine, rank, &call);
}

/* --- programs --------------------------------------------------------------------------------- */

/* Each rank sends to the next one in each round. */
static guint ring_length(const struct machine *machine, int rank)
{
	(void)rank;
	return 3 * machine->rounds;
}

static void ring(struct machine *machine, int rank, guint place)
{
	int next = (rank + 1) % machine->ranks, last = (rank + machine->ranks - 1) % machine->ranks;

	switch (place % 3) {
	case 0: receive_from(machine, rank, last, 0, true); break;
	case 1: send_to(machine, rank, next, 0, true); break;
	default: wait_for(machine, rank, MPI_CALL_Waitall, WIRE_WAIT_ALL);
	}
}

static guint each_round(const struct machine *machine, int rank)
{
	(void)rank;
	return machine->rounds;
}

static void barriers(struct machine *machine, int rank, guint place)
{
	(void)place;
	meet(machine, rank, MPI_CALL_Barrier);
}

/* Rank 0 receives the messages of all others in a round, in order of arrival. */
static guint gather_length(const struct machine *machine, int rank)
{
	return machine->rounds * (rank == 0 ? (guint)machine->ranks - 1 : 1);
}

static void gather(struct machine *machine, int rank, guint place)
{
	if (rank == 0)
		receive_from(machine, rank, WIRE_ANY, (int)(place / (guint)(machine->ranks - 1)),
		             false);
	else
		send_to(machine, rank, 0, (int)place, false);
}

/* One rank of each pair receives with MPI_ANY_SOURCE what only the other one sends. */
static void pairs(struct machine *machine, int rank, guint place)
{
	(void)place;
	if (rank % 2 == 0)
		receive_from(machine, rank, WIRE_ANY, 0, false);
	else
		send_to(machine, rank, rank - 1, 0, false);
}

/* Rank 0 has one request per round, and calls MPI_Waitany until none is left. */
static guint waitany_length(const struct machine *machine, int rank)
{
	return rank > 1 ? 0 : machine->rounds * (rank == 0 ? 2 : 1);
}

static void waitany(struct machine *machine, int rank, guint place)
{
	if (rank == 1)
		send_to(machine, rank, 0, (int)place, false);
	else if (place < machine->rounds)
		receive_from(machine, rank, 1, (int)place, true);
	else
		wait_for(machine, rank, MPI_CALL_Waitany, WIRE_WAIT_ANY);
}

/* A receive with MPI_ANY_SOURCE asks about each rank that has sent nothing yet. So the cost of
 * `pairs` grows faster than the number of ranks. */
static const struct program programs[] = {
	{"ring", 1024, 100, false, 1.25, 210, ring_length, ring},
	{"ring-wide", 1024, 25, true, 1.25, 290, ring_length, ring},
	{"barriers", 1024, 100, false, 1.25, 210, each_round, barriers},
	{"barriers-wide", 1024, 25, true, 1.25, 340, each_round, barriers},
	{"pairs", 128, 50, false, 1.75, 650, each_round, pairs},
	{"pairs-wide", 128, 20, true, 4.2, 2500, each_round, pairs},
	{"gather", 512, 8, false, 1.25, 300, gather_length, gather},
	{"waitany", 2, 400, false, 1.25, 200, waitany_length, waitany},
};

/* --- the machine ------------------------------------------------------------------------------ */

static void bind(void *user, int rank, const struct wire_bind *order)
{
	(void)user;
	(void)rank;
	(void)order;
}

static void go(void *user, int number, const struct wire_go *order)
{
	struct machine *machine = user;
	struct rank *rank = &machine->all[number];

	rank->waits = false;
	if (order->count == 0)
		g_array_set_size(rank->active, 0);
	for (guint32 i = order->count; i-- > 0;)
		g_array_remove_index(rank->active, order->done[i]);
	g_queue_push_tail(&machine->ready, GINT_TO_POINTER(number + 1));
}

static void admit(void *user, int rank, guint32 thread)
{
	(void)user;
	(void)rank;
	(void)thread;
	g_assert_not_reached();
}

/* Makes the next call; false: the program is over. */
static bool move(struct machine *machine, int number)
{
	struct rank *rank = &machine->all[number];
	guint length = machine->program->length(machine, number);

	if (rank->place == 0)
		meet(machine, number, MPI_CALL_Init);
	else if (rank->place <= length)
		machine->program->call(machine, number, rank->place - 1);
	else if (rank->place == length + 1)
		meet(machine, number, MPI_CALL_Finalize);
	else if (rank->place == length + 2)
		world_rank_ended(machine->world, number);
	else
		return false;
	rank->place++;
	return true;
}

static void run_ranks(struct machine *machine)
{
	gpointer rank;

	while ((rank = g_queue_pop_head(&machine->ready)))
		while (!machine->all[GPOINTER_TO_INT(rank) - 1].waits
		       && move(machine, GPOINTER_TO_INT(rank) - 1))
			continue;
	g_assert_true(world_at_rest(machine->world));
}

/* One interleaving: follows the plan, then continues. */
static void run(struct machine *machine, struct explorer *explorer, const GArray *plan)
{
	enum explorer_step step = EXPLORER_TAKE;
	struct choice choice;

	run_ranks(machine);
	for (guint i = 0; i < plan->len; i++) {
		choice = g_array_index(plan, struct choice, i);
		g_assert_true(world_choose(machine->world, &choice));
		run_ranks(machine);
	}
	while (step == EXPLORER_TAKE) {
		GArray *open = world_open_choices(machine->world);

		step = explorer_rest(explorer, world_trace(machine->world), open, &choice);
		if (step == EXPLORER_TAKE) {
			g_assert_true(world_choose(machine->world, &choice));
			run_ranks(machine);
		}
		open_choices_free(open);
	}
	g_assert_cmpint(step, ==, EXPLORER_DONE);
	for (int rank = 0; rank < machine->ranks; rank++)
		g_assert_cmpuint(machine->all[rank].place, ==,
		                 machine->program->length(machine, rank) + 3);
}

/* --- cost ------------------------------------------------------------------------------------- */

struct cost {
	guint64 events, steps, bytes;
	guint64 all;    /* events, requests asked about, waiting alternatives */
	double seconds; /* processor time of this process */
};

static guint64 bytes_used(void)
{
	struct mallinfo2 used = mallinfo2();

	return used.uordblks + used.hblkhd;
}

static struct cost measure(const struct program *program, int ranks, guint rounds)
{
	static const struct world_orders orders = {bind, go, admit, NULL};
	const struct world_options options = {.ranks = ranks,
	                                      .buffering = BUFFERING_INFINITE,
	                                      .collectives = COLLECTIVES_ASYNC,
	                                      .not_yet = 1,
	                                      .some = TAKEN_WINDOW};
	struct machine machine = {.program = program, .ranks = ranks, .rounds = rounds};
	struct communicators *comms = communicators_new(ranks);
	const struct explorer_options search = {
		.ranks = ranks, .deviations = -1, .some = TAKEN_WINDOW};
	struct explorer_statistics statistics;
	struct explorer *explorer;
	struct cost cost;
	guint64 before;
	clock_t began;
	GArray *plan;

	machine.all = g_new0(struct rank, ranks);
	for (int rank = 0; rank < ranks; rank++) {
		machine.all[rank].active = g_array_new(false, false, sizeof(struct wire_name));
		g_queue_push_tail(&machine.ready, GINT_TO_POINTER(rank + 1));
	}
	before = bytes_used();
	began = clock();
	steps = 0;
	explorer = explorer_new(&search);
	machine.world = world_new(&options, comms, &orders, &machine);
	world_start(machine.world);
	plan = explorer_next(explorer);
	run(&machine, explorer, plan);
	cost = (struct cost){.events = trace_count(world_trace(machine.world)),
	                     .steps = steps,
	                     .bytes = bytes_used() - before,
	                     .seconds = (double)(clock() - began) / CLOCKS_PER_SEC};
	explorer_statistics(explorer, &statistics);
	cost.all = cost.events + world_trace(machine.world)->asked_count + statistics.waiting;
	g_array_unref(plan);
	explorer_free(explorer);
	world_free(machine.world);
	for (int rank = 0; rank < ranks; rank++)
		g_array_unref(machine.all[rank].active);
	g_queue_clear(&machine.ready);
	g_free(machine.all);
	communicators_free(comms);
	return cost;
}

static void tell(const struct program *program, int ranks, guint rounds, const struct cost *cost)
{
	g_print("%-10s %5d ranks %5u rounds %9" G_GUINT64_FORMAT " events %8.3f s %9.0f events/s "
	        "%6.0f bytes/event %6.0f steps/event\n",
	        program->name, ranks, rounds, cost->events, cost->seconds,
	        (double)cost->events / MAX(cost->seconds, 1e-9),
	        (double)cost->bytes / (double)cost->events,
	        (double)cost->steps / (double)cost->events);
}

/* Uses smaller sizes than measurements by hand do: the growth matters. Adds a line to `problems`
 * for each problem. */
static void check(const struct program *program, GString *problems)
{
	int ranks = MAX(program->ranks / 8, 2), more_ranks = program->widens ? 4 * ranks : ranks;
	guint rounds = MAX(program->rounds / 4, 2), more = program->widens ? rounds : 4 * rounds;
	struct cost one = measure(program, ranks, rounds);
	struct cost four = measure(program, more_ranks, more);
	double growth = (double)four.steps / (double)four.all * (double)one.all
	                / (double)MAX(one.steps, 1);
	double bytes = (double)four.bytes / (double)four.all;

	tell(program, ranks, rounds, &one);
	tell(program, more_ranks, more, &four);
	if (steps == 0)
		g_string_append(problems, "expected steps that are counted, got none\n");
	if (growth > program->growth_most)
		g_string_append_printf(problems,
		                       "%s with four times as much: expected at most %.2f times "
		                       "the steps for each event, got %.2f\n",
		                       program->name, program->growth_most, growth);
	if (bytes > program->bytes_most)
		g_string_append_printf(problems,
		                       "%s: expected at most %.0f bytes for each event, got "
		                       "%.0f\n",
		                       program->name, program->bytes_most, bytes);
}

/* Prints the first problem in one line at the end; returns whether there is none. */
static bool conclude(const GString *problems)
{
	if (problems->len == 0)
		return true;
	g_printerr("%ssim_scale: FAILED: %.*s (sim_scale_counted --check)\n", problems->str,
	           (int)strcspn(problems->str, "\n"), problems->str);
	return false;
}

int main(int argc, char **argv)
{
	gboolean checks = false; /* for GOption */
	gint ranks = 0, rounds = 0;
	g_autofree char *name = NULL;
	const GOptionEntry entries[] = {
		{"program", 0, 0, G_OPTION_ARG_STRING, &name, "this one alone", "NAME"},
		{"ranks", 0, 0, G_OPTION_ARG_INT, &ranks, "instead of its own number", "N"},
		{"rounds", 0, 0, G_OPTION_ARG_INT, &rounds, "instead of its own number", "N"},
		{"check", 0, 0, G_OPTION_ARG_NONE, &checks,
	         "check steps and memory against their limits", NULL},
		{NULL},
	};
	g_autoptr(GOptionContext) context = g_option_context_new("- the scheduler alone");
	g_autoptr(GError) error = NULL;
	g_autoptr(GString) problems = g_string_new(NULL);

	g_option_context_add_main_entries(context, entries, NULL);
	if (!g_option_context_parse(context, &argc, &argv, &error)) {
		g_printerr("%s\n", error->message);
		return 2;
	}
	for (gsize i = 0; i < G_N_ELEMENTS(programs); i++) {
		const struct program *program = &programs[i];

		if (name && !g_str_equal(name, program->name))
			continue;
		if (checks) {
			check(program, problems);
		} else {
			int n = ranks > 0 ? ranks : program->ranks;
			guint times = rounds > 0 ? (guint)rounds : program->rounds;
			struct cost cost = measure(program, n, times);

			tell(program, n, times, &cost);
		}
	}
	return conclude(problems) ? 0 : 1;
}
