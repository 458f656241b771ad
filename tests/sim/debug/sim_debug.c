/* Debugger sessions (scheduler/debug/) on the host without processes (../host/sim_host.h). Random
 * programs, and random walks through their positions: forward, back, by other choices, by
 * checkpoints, with ranks held. At each stop the test notes what every rank has seen, the messages
 * on their way, where each rank is and which choices are open. Another session that runs straight
 * to the same position, without snapshots, must see the same.
 *
 * The test implements the prompt (scheduler/debug/prompt.h): it generates commands as the session
 * runs.
 *
 * sim_debug [--walks N] [--seed S] [--words W] [--kind K]. A third of the programs have windows
 * besides messages, a third ranks with several threads. On a difference the seed, the kind and all
 * commands are printed; --walks 1 --seed S --kind K repeats it. */
#include <stdlib.h>
#include <string.h>

#include "../host/sim_internal.h"
#include "scheduler/debug/debug_internal.h"
#include "scheduler/debug/prompt.h"
#include "scheduler/host/child_reaper.h"
#include "scheduler/session/session.h"
#include "scheduler/tools/log.h"

enum { BUDGET = 24 << 20 /* bytes for snapshots, in some walks */ };

/* Faults of images and of rewound ranks. The session must continue in spite of them. */
#define FAULTS                                                                            \
	(1u << SIM_NO_IMAGE | 1u << SIM_NO_HOLD | 1u << SIM_NO_REWIND | 1u << SIM_NO_ROOM \
	 | 1u << SIM_HELD_KILLED | 1u << SIM_HAZARD | 1u << SIM_KILLED_IMAGING            \
	 | 1u << SIM_KILLED_REWINDING)

#define LONGEST (4 * G_TIME_SPAN_HOUR) /* the limit for a session, in the host's time */

static gint walks = 300, words = 24;
static guint images_kept, images_used;
static guint printed, printed_beside; /* values, by gdb: at stops, and while the ranks ran */
static gint64 first_seed = 1;
static gchar *only;     /* a kind of programs; NULL: all in turn */
static char *directory; /* directory of the worlds */

static const char *const kinds[] = {"messages", "windows", "threads"};

/* A stop, and what was seen there. */
struct seen {
	char *position, *what;
};

struct walk {
	struct random_program *program;
	const char *kind;
	enum program_buffering buffering;
	GRand *random;
	guint faults;    /* bits (sim_host.h) */
	GPtrArray *seen; /* struct seen */
	GString *history;
	guint repeated, refused, stops, unreached;
	guint snapshots_most, processes_most;
	bool small;  /* memory for snapshots is scarce */
	bool prints; /* gdb is used */
};

/* The session that uses the prompt now. */
static struct {
	struct walk *walk;
	struct host *host;
	struct debug_session asked;
	const char *straight; /* the position to go to; NULL: a walk */
	guint said, looks;    /* lines printed; states looked at */
	guint printed;        /* values asked for */
	bool stopped;         /* stopped at a state that was not looked at yet */
	bool refusal;         /* the debugger refused to go to the position */
	GString *told, *what;
	char *position;
} now;

/* Prints the history. The last line is a summary with the command that repeats it. */
static G_GNUC_PRINTF(1, 2) void fail(const char *format, ...)
{
	const struct walk *walk = now.walk;
	g_autofree char *problem = NULL;
	va_list arguments;

	va_start(arguments, format);
	problem = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	g_printerr("%s\n%s\n", problem, walk->history->str);
	g_printerr("sim_debug: FAILED: %.*s (sim_debug --walks 1 --seed %" G_GUINT64_FORMAT
	           " --kind %s --words %d)\n",
	           (int)strcspn(problem, "\n"), problem, walk->program->seed, walk->kind, words);
	exit(1);
}

/* --- state at a stop -------------------------------------------------------------------------- */

static void seen_free(gpointer data)
{
	struct seen *seen = data;

	g_free(seen->position);
	g_free(seen->what);
	g_free(seen);
}

/* The answers that the rank got to the calls that it has left. */
static void add_rank(GString *text, const struct fake_rank *rank, guint32 place)
{
	int count = rank->program->first[rank->rank + 1] - rank->program->first[rank->rank];

	g_string_append_printf(text, "rank %d:", rank->rank);
	for (int i = 0; i < count; i++) {
		const struct fake_op *op = &rank->ops[i];
		bool reported = op->reporter > 0 && rank->ops[op->reporter - 1].call < place;

		if (op->state != ABSENT
		    && rank->program->instructions[rank->program->first[rank->rank] + i].kind
		               == INSTRUCTION_GET)
			g_string_append_printf(text, " (%d)", op->state);
		if (op->call == 0 || op->call >= place)
			continue;
		g_string_append_printf(text, " %u", op->call);
		if (reported)
			g_string_append_printf(text, "(%u: %d %d.%d.%d)",
			                       rank->ops[op->reporter - 1].call, op->state,
			                       op->bound ? op->source : -1, op->bound ? op->tag : 0,
			                       op->bound ? op->nth : 0);
	}
	g_string_append_c(text, '\n');
}

/* The contents of the windows. */
static void add_memory(GString *text, const struct sim_process *process)
{
	const struct random_program *program = process->rank.program;
	const struct fake_memory *memory = sim_shared(process->sim, process->world);

	for (int rank = 0; program->windows && rank < program->ranks; rank++)
		g_string_append_printf(text, "window %d: %d %d\n", rank, memory->last[rank],
		                       memory->sum[rank]);
}

static void add_ranks(GString *text, const struct debugger *debugger)
{
	const struct world *world = execution_world(debugger->execution);

	for (int rank = 0; rank < now.walk->program->ranks; rank++) {
		const struct sim_process *process = sim_find(
			sim_of(now.host), execution_pid(debugger->execution, rank));

		if (process && !process->dead)
			add_rank(text, &process->rank, world_place(world, rank));
		if (rank == 0 && process)
			add_memory(text, process);
	}
}

static void add_outputs(GString *text, const struct debugger *debugger)
{
	const GPtrArray *outputs = interleaving_verdict(debugger->execution)->record->outputs;

	for (guint rank = 0; rank < outputs->len; rank++) {
		GBytes *output = outputs->pdata[rank];

		if (output)
			g_string_append_len(text, g_bytes_get_data(output, NULL),
			                    (gssize)g_bytes_get_size(output));
	}
}

/* --- looking ---------------------------------------------------------------------------------- */

static const char *const looks[] = {"info path", "info ranks", "info messages", "choices"};

/* The answer to "info path": the position, or the path if no rank is held. */
static char *reported_position(void)
{
	const char *position = strstr(now.told->str, "position: ");
	const char *path = position ? position : strstr(now.told->str, "path: ");
	const char *at = path ? strchr(path, ' ') + 1 : now.told->str;

	return g_strndup(at, strcspn(at, "\n"));
}

/* A rank may have several. */
static void add_place(char **places, const GMatchInfo *match)
{
	g_autofree char *before = *places, *place = g_match_info_fetch(match, 2);

	*places = before ? g_strconcat(before, "; ", place, NULL) : g_steal_pointer(&place);
}

/* Adds the lines of the answer to "info ranks" or "info messages", with one for each rank. Ranks
 * may be told in other groups where one is still held and another was released, which depends on
 * the commands before. */
static void add_places(GString *text)
{
	g_autoptr(GRegex) ranks = g_regex_new("^  ranks? ([0-9, -]*[0-9])  +(.*)$", 0, 0, NULL);
	g_auto(GStrv) lines = g_strsplit(now.told->str, "\n", -1);
	g_autofree char **places = g_new0(char *, now.walk->program->ranks);

	for (guint i = 0; lines[i]; i++) {
		g_autoptr(GMatchInfo) match = NULL;
		bool grouped = g_regex_match(ranks, lines[i], 0, &match);
		g_autofree char *list = grouped ? g_match_info_fetch(match, 1) : NULL;
		g_auto(GStrv) spans = g_strsplit(list ? list : "", ", ", -1);

		if (!grouped)
			g_string_append_printf(text, "%s\n", lines[i]);
		for (guint k = 0; spans[k]; k++) {
			const char *last = strchr(spans[k], '-');

			for (int rank = atoi(spans[k]); rank <= atoi(last ? last + 1 : spans[k]);
			     rank++)
				add_place(&places[rank], match);
		}
	}
	for (int rank = 0; rank < now.walk->program->ranks; rank++) {
		g_autofree char *place = places[rank];
		g_auto(GStrv) parts = g_strsplit_set(place ? place : "", " ", -1);

		for (guint i = 0; place && parts[i]; i++)
			g_string_append_printf(text, "%s%s", *parts[i] ? " " : "", parts[i]);
		if (place)
			g_string_append_printf(text, ": rank %d\n", rank);
	}
	g_string_replace(text, "goes on with continue", "is held", 0);
}

/* Of the answer to "choices", only the lines that scripts rely on; the others describe the past. */
static void add_choices(GString *text)
{
	g_auto(GStrv) lines = g_strsplit(now.told->str, "\n", -1);

	for (guint i = 0; lines[i]; i++)
		if (g_str_has_prefix(lines[i], "choice "))
			g_string_append_printf(text, "%s\n", lines[i]);
}

static void check_straight(void)
{
	struct walk *walk = now.walk;
	const struct seen *seen = NULL;

	for (guint i = 0; i < walk->seen->len; i++)
		if (strcmp(((struct seen *)walk->seen->pdata[i])->position, now.straight) == 0)
			seen = walk->seen->pdata[i];
	/* A member that has not decided yet how it leaves a collective counts as being in it. While
	 * it is held, no rank that would wait for it inside MPI may leave. */
	if (strcmp(now.position, now.straight) != 0 && now.refusal
	    && walk->buffering == PROGRAM_PER_SEND) {
		walk->unreached++;
		return;
	}
	if (strcmp(now.position, now.straight) != 0)
		fail("goto %s leads to %s", now.straight, now.position);
	if (strcmp(now.what->str, seen->what) != 0)
		fail("at %s a walk saw\n%sand goto shows\n%s", now.straight, seen->what,
		     now.what->str);
}

static void note_place(void)
{
	struct walk *walk = now.walk;
	struct seen *seen;

	walk->stops++;
	for (guint i = 0; i < walk->seen->len; i++) {
		seen = walk->seen->pdata[i];
		if (strcmp(seen->position, now.position) != 0)
			continue;
		walk->repeated++;
		if (strcmp(seen->what, now.what->str) != 0)
			fail("state at %s was\n%sand is now\n%s", now.position, seen->what,
			     now.what->str);
		return;
	}
	seen = g_new0(struct seen, 1);
	seen->position = g_strdup(now.position);
	seen->what = g_strdup(now.what->str);
	g_ptr_array_add(walk->seen, seen);
}

static void count_snapshot(const struct world *world, void *user)
{
	(void)world;
	++*(guint *)user;
}

/* What is kept must stay within bounds. */
static void check_budget(const struct debugger *debugger)
{
	struct walk *walk = now.walk;
	guint snapshots = 0, processes = sim_host_processes(now.host);

	session_each_snapshot(debugger->session, count_snapshot, &snapshots);
	walk->snapshots_most = MAX(walk->snapshots_most, snapshots);
	walk->processes_most = MAX(walk->processes_most, processes);
	/* Some worlds that were given up may not have noticed yet, or may wait for copies to
	 * end. */
	if (processes > 2 * (walk->snapshots_most + 2) * (guint)walk->program->ranks)
		fail("%u processes for %u snapshots", processes, walk->snapshots_most);
}

/* Handles the answer to the previous look and returns the next command. NULL: all was seen. */
static const char *look(struct debugger *debugger)
{
	bool over = debugger->state == DEBUG_OVER;
	guint last = over ? 2 : G_N_ELEMENTS(looks);

	if (now.looks == 1) {
		g_free(now.position);
		now.position = reported_position();
		g_string_truncate(now.what, 0);
		if (over)
			add_outputs(now.what, debugger);
		else
			add_ranks(now.what, debugger);
	} else if (now.looks > 1 && now.looks < G_N_ELEMENTS(looks)) {
		add_places(now.what);
	} else if (now.looks > 0) {
		add_choices(now.what);
	}
	g_string_truncate(now.told, 0);
	if (now.looks < last)
		return looks[now.looks++];
	now.stopped = false;
	now.looks = 0;
	check_budget(debugger);
	if (now.straight)
		check_straight();
	else
		note_place();
	return NULL;
}

/* --- gdb ------------------------------------------------------------------------------------ */

/* The host answers every other time at once, so of two such commands it answers one later. */
#define PRINT "print 0 1+1"

static guint count_printed(void)
{
	guint count = 0;

	for (const char *at = now.told->str; (at = strstr(at, " = 2\n")); at++)
		count++;
	return count;
}

static void check_printed(void *debugger, GBytes *frame)
{
	(void)frame;
	if (((const struct debugger *)debugger)->state != DEBUG_RUNNING)
		return; /* the ranks were at rest before that */
	if (count_printed() < 2 && !strstr(now.told->str, "has ended"))
		fail("while the ranks ran, two " PRINT " printed %s", now.told->str);
	printed_beside += count_printed();
}

/* Ctrl-C while the ranks run: lines are read within the host's `iterate`. */
static void print_beside(void *debugger, GBytes *frame)
{
	struct sim *sim = sim_of(now.host);

	(void)frame;
	if (!debugger_interrupt(debugger))
		return;
	g_string_truncate(now.told, 0);
	debugger_said(debugger, g_strdup(PRINT));
	debugger_said(debugger, g_strdup(PRINT));
	sim_plan(sim, sim->now, check_printed, debugger, NULL);
}

/* Returns the next command of those that need gdb; NULL: enough. */
static const char *print_word(struct debugger *debugger)
{
	struct sim *sim = sim_of(now.host);

	if (!now.walk->prints || debugger->state != DEBUG_CHOICE)
		return NULL;
	if (now.printed > 0 && count_printed() == 0 && !strstr(now.told->str, "has ended"))
		fail(PRINT " printed %s", now.told->str);
	printed += count_printed();
	g_string_truncate(now.told, 0);
	if (now.printed++ < 2)
		return PRINT;
	now.walk->prints = false;
	sim_plan(sim, sim->now, print_beside, debugger, NULL);
	return NULL;
}

/* --- walking ---------------------------------------------------------------------------------- */

static int draw(int below)
{
	return g_rand_int_range(now.walk->random, 0, below);
}

static const char *const functions[] = {"MPI_*recv",  "MPI_Wait*", "MPI_*send",
                                        "MPI_*probe", "MPI_Test*", "MPI_B*"};

/* A command that goes back or elsewhere. */
static char *draw_journey(const struct debugger *debugger)
{
	const struct walk *walk = now.walk;
	int rank = draw(walk->program->ranks), other = draw(walk->program->ranks);
	guint32 place = debugger->execution
	                        ? world_place(execution_world(debugger->execution), rank)
	                        : 1;
	const struct seen *seen = walk->seen->len > 0
	                                  ? walk->seen->pdata[draw((int)walk->seen->len)]
	                                  : NULL;

	switch (draw(9)) {
	case 0: return g_strdup("back");
	case 1: return g_strdup_printf("back %d", 1 + draw(3));
	case 2: return g_strdup("forward");
	case 3: return g_strdup_printf("reverse-step %d", rank);
	case 4: return g_strdup("reverse-continue");
	case 5: return g_strdup_printf("restart %d", 1 + draw(3));
	case 6: return g_strdup_printf("goto %s", seen ? seen->position : "mp1:n2:@");
	case 7:
		return g_strdup_printf("goto %d.%d,%d.%d", rank, 1 + draw((int)place), other,
		                       1 + draw((int)place));
	default: return g_strdup_printf("rollback %d.%d", rank, 1 + draw((int)place));
	}
}

static char *draw_step(const struct debugger *debugger)
{
	guint open = debugger->offers ? debugger->offers->choices->len : 0;
	int rank = draw(now.walk->program->ranks);

	switch (draw(14)) {
	case 0: return g_strdup_printf("hold %d", rank);
	case 1: return g_strdup_printf("release %d", rank);
	case 2: return g_strdup("release");
	case 3: return g_strdup_printf("continue %d", rank);
	case 4: return g_strdup("continue");
	case 5: return g_strdup("checkpoint");
	case 6: return g_strdup_printf("tbreak %s", functions[draw(G_N_ELEMENTS(functions))]);
	case 7:
		return g_strdup_printf("break %s rank %d", functions[draw(G_N_ELEMENTS(functions))],
		                       rank);
	case 8: return g_strdup(draw(2) == 0 ? "set all-stop on" : "set all-stop off");
	case 9: return g_strdup(draw(3) == 0 ? "finish" : "delete");
	case 10: return g_strdup_printf("step %d %d", rank, 1 + draw(4));
	case 11: return g_strdup_printf("step %d", rank);
	default: return g_strdup_printf("%d", open > 0 ? 1 + draw((int)open) : 1);
	}
}

static char *draw_word(const struct debugger *debugger)
{
	if (debugger->state == DEBUG_NOWHERE)
		return g_strdup(stops_here(debugger->stops) && draw(2) == 0 ? "back" : "run");
	if (debugger->state == DEBUG_OVER && draw(8) == 0)
		return g_strdup("run");
	if (debugger->state == DEBUG_OVER || draw(3) == 0)
		return draw_journey(debugger);
	return draw_step(debugger);
}

/* --- the prompt (scheduler/debug/prompt.h) ---------------------------------------------------- */

char *prompt_read(struct prompt *prompt)
{
	struct debugger *debugger = now.asked.debugger;
	const char *line = now.stopped && debugger->state != DEBUG_NOWHERE ? look(debugger) : NULL;
	char *word;

	(void)prompt;
	if (sim_of(now.host)->hangs)
		fail("the session hangs");
	if (line)
		return g_strdup(line);
	if (!now.straight && strstr(now.told->str, "lost"))
		fail("%s", now.told->str);
	if (now.said++ >= (now.straight ? 1 : (guint)words)) {
		if (now.straight && !now.position)
			fail("goto %s does not reach the position: %s", now.straight,
			     now.told->str);
		return NULL;
	}
	line = now.straight ? NULL : print_word(debugger);
	if (line)
		return g_strdup(line);
	now.walk->refused += *now.told->str != '\0';
	g_string_truncate(now.told, 0);
	if (now.straight)
		return g_strdup_printf("goto %s", now.straight);
	word = draw_word(debugger);
	g_string_append_printf(now.walk->history, "  %s\n", word);
	return word;
}

void prompt_tell(struct prompt *prompt, const char *text)
{
	(void)prompt;
	g_string_append(now.told, text);
	now.refusal |= strstr(text, "gets no further there") != NULL;
	/* The position was not refused as inconsistent, so it is reachable (but see
	 * check_straight). */
	if (now.refusal && !now.straight && now.walk->buffering != PROGRAM_PER_SEND)
		fail("a cut taken for consistent is not reached: %s", text);
	if (strstr(text, "stopped: "))
		now.stopped = true;
	if (!now.straight && now.looks == 0)
		g_string_append_printf(now.walk->history, "%s", text);
}

/* --- sessions --------------------------------------------------------------------------------- */

static struct session_options options_of(const struct walk *walk)
{
	static char *command[] = {(char *)"/sim/program", NULL};
	static char *ignored[] = {(char *)"leak", NULL}; /* ignore messages that are never
	                                                  * received */

	return (struct session_options){
		.command = "debug",
		.program = command,
		.ranks = walk->program->ranks,
		.backtrack = now.straight ? BACKTRACK_RERUN : BACKTRACK_AUTO,
		.bufferings = 1u << walk->buffering,
		.collectives = walk->buffering != PROGRAM_PER_SEND ? COLLECTIVES_BOTH
	                       : walk->program->threads            ? COLLECTIVES_SYNC
	                                                           : COLLECTIVES_PER_CALL,
		.deviations = -1,
		.not_yet = 1,
		.some = TAKEN_WINDOW,
		.max_memory = walk->small && !now.straight ? BUDGET : 0,
		.ignored = ignored,
		.every_call_waits = true,
		.images = true,
		.conduct = debug_conduct,
		.scripted = &now.asked,
		.host = now.host};
}

static void hold_session(struct walk *walk, const char *straight)
{
	const struct sim_options sim = {.program = walk->program,
	                                .seed = walk->program->seed * 31 + (straight != NULL),
	                                .by_hand = true,
	                                .faults = straight ? 0 : walk->faults,
	                                .directory = directory,
	                                .longest = LONGEST};
	struct session_options options;
	struct session_result result = {0};
	g_autoptr(GError) error = NULL;

	memset(&now, 0, sizeof(now));
	now.walk = walk;
	now.straight = straight;
	now.host = sim_host_new(&sim);
	now.told = g_string_new(NULL);
	now.what = g_string_new(NULL);
	options = options_of(walk);
	now.asked.request = (struct debug_request){.buffering = (enum buffering)walk->buffering,
	                                           .collectives = options.collectives,
	                                           .ranks = walk->program->ranks};
	if (!session_run(&options, &result, &error))
		fail("%s", error->message);
	if (sim_host_processes(now.host) > 0)
		fail("%u processes left", sim_host_processes(now.host));
	images_kept += sim_host_images(now.host);
	images_used += sim_host_images_used(now.host);
	session_result_clear(&result);
	sim_host_free(now.host);
	g_string_free(now.told, true);
	g_string_free(now.what, true);
	g_free(now.position);
}

static struct random_program *program_of(guint64 seed, const char *kind)
{
	if (g_str_equal(kind, "windows"))
		return random_program_windows(seed);
	if (g_str_equal(kind, "threads"))
		return random_program_threads(seed);
	return random_program_new(seed, 0);
}

static struct walk walk_new(guint64 seed)
{
	const char *kind = only ? only : kinds[seed / 3 % G_N_ELEMENTS(kinds)];
	static const enum program_buffering bufferings[] = {PROGRAM_ZERO, PROGRAM_INFINITE,
	                                                    PROGRAM_PER_SEND};
	static const enum program_collectives usual[] = {[PROGRAM_ZERO] = PROGRAM_SYNC,
	                                                 [PROGRAM_INFINITE] = PROGRAM_ASYNC,
	                                                 [PROGRAM_PER_SEND] = PROGRAM_PER_CALL};
	struct walk walk = {.program = program_of(seed, kind),
	                    .kind = kind,
	                    .buffering = bufferings[seed % 3],
	                    .random = g_rand_new_with_seed((guint32)seed),
	                    .seen = g_ptr_array_new_with_free_func(seen_free),
	                    .history = g_string_new(NULL),
	                    .small = seed % 4 == 0,
	                    .prints = seed % 10 == 1 && g_find_program_in_path("gdb"),
	                    .faults = seed / 9 % 2 == 0 ? FAULTS : 0};

	walk.program->collectives = usual[walk.buffering];
	/* With a choice for each call, a thread may be inside a collective while its rank is
	 * further on: then the position is not reached. */
	if (walk.program->threads && walk.buffering == PROGRAM_PER_SEND)
		walk.program->collectives = PROGRAM_SYNC;
	return walk;
}

static void walk_release(struct walk *walk)
{
	random_program_free(walk->program);
	g_rand_free(walk->random);
	g_ptr_array_unref(walk->seen);
	g_string_free(walk->history, true);
}

int main(int argc, char **argv)
{
	const GOptionEntry entries[] = {
		{"walks", 0, 0, G_OPTION_ARG_INT, &walks, "how many (default 300)", "N"},
		{"seed", 0, 0, G_OPTION_ARG_INT64, &first_seed, "of the first program", "S"},
		{"words", 0, 0, G_OPTION_ARG_INT, &words, "of each walk (default 24)", "W"},
		{"kind", 0, 0, G_OPTION_ARG_STRING, &only, "messages, windows or threads, alone",
	         "K"},
		{NULL},
	};
	g_autoptr(GOptionContext) context = g_option_context_new("- walks through positions");
	g_autoptr(GError) error = NULL;
	guint stops = 0, places = 0, refused = 0, snapshots = 0, processes = 0, unreached = 0;

	g_option_context_add_main_entries(context, entries, NULL);
	if (!g_option_context_parse(context, &argc, &argv, &error)
	    || !log_init(g_getenv("MATCHPOINT_LOG"), &error)) {
		g_printerr("%s\n", error->message);
		return 2;
	}
	directory = sim_directory_new();
	child_reaper_adopt(); /* it must know of gdb */
	for (int i = 0; i < walks; i++) {
		struct walk walk = walk_new((guint64)(first_seed + i));

		hold_session(&walk, NULL);
		for (guint k = 0; k < walk.seen->len; k++)
			hold_session(&walk, ((struct seen *)walk.seen->pdata[k])->position);
		stops += walk.stops;
		places += walk.seen->len;
		refused += walk.refused;
		unreached += walk.unreached;
		snapshots = MAX(snapshots, walk.snapshots_most);
		processes = MAX(processes, walk.processes_most);
		walk_release(&walk);
	}
	if (walks > 10 && (!only || g_str_equal(only, "messages"))
	    && fake_ranks_went_ahead() == 0) {
		g_printerr("sim_debug: FAILED: expected ranks that go ahead where they have been, "
		           "got none\n");
		return 1;
	}
	if (walks >= 60 && g_find_program_in_path("gdb") && (!printed || !printed_beside)) {
		g_printerr("sim_debug: FAILED: expected values that gdb prints at stops and while "
		           "the ranks run, got %u and %u\n",
		           printed, printed_beside);
		return 1;
	}
	/* Ranks with threads keep no images. Programs with threads need more walks until one is
	 * kept. */
	if (walks > (g_strcmp0(only, "threads") == 0 ? 100 : 10) && images_used == 0) {
		g_printerr(
			"sim_debug: FAILED: expected ranks that go back to an image, got none\n");
		return 1;
	}
	g_print("%d walks from seed %" G_GINT64_FORMAT ": %u stops at %u positions (%u with a "
	        "choice for each call, not reachable directly), %u commands with another "
	        "result; at most %u snapshots and %u processes at a time; "
	        "%" G_GUINT64_FORMAT
	        " calls were not waited for; %u images of ranks, %u returns to one; %u values by "
	        "gdb, %u of them while ranks ran\n",
	        walks, first_seed, stops, places, unreached, refused, snapshots, processes,
	        fake_ranks_went_ahead(), images_kept, images_used, printed + printed_beside,
	        printed_beside);
	return 0;
}
