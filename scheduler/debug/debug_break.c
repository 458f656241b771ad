/* Commands for breakpoints, and the stop of a rank at one. */
#include <string.h>

#include "debug_internal.h"
#include "debug_words.h"
#include "explorer/program_parts.h"
#include "explorer/rank_name.h"
#include "mpi_calls.h"
#include "scheduler/places/program_code.h"

/* --- a call ----------------------------------------------------------------------------------- */

static struct debugger *debugger_of(struct strategy *strategy)
{
	return (struct debugger *)((char *)strategy - offsetof(struct debugger, strategy));
}

static void add_data(struct breakpoint_call *told, const struct verdict_facts *facts, gint32 peer,
                     gint32 tag, guint64 comm, guint64 bytes)
{
	told->moves_data = true;
	told->peer = peer == WIRE_ANY
	                     ? BREAKPOINT_ANY
	                     : communicators_to_world(facts->comms, comm, told->rank, peer);
	told->tag = tag == WIRE_ANY ? BREAKPOINT_ANY : tag;
	told->bytes = bytes;
	told->comm = verdict_comm_label(facts, comm);
	told->comm_name = world_comm_name(facts->world, comm);
	told->comm_origin = communicators_origin(facts->comms, comm);
}

/* Uses the first operation that the call starts; if there is none, that of the first request it
 * waits for. */
static void tell_data(struct breakpoint_call *told, const struct verdict_facts *facts,
                      const struct wire_call *call)
{
	const struct world_call *info = NULL;

	if (call->op_count > 0) {
		const struct wire_op *op = &call->ops[0];

		add_data(told, facts, op->peer, op->tag, op->comm, op->bytes);
		return;
	}
	if (call->waited_count > 0)
		info = world_call_info(facts->world, told->rank, call->waited[0].call);
	if (info && info->kind != 0)
		add_data(told, facts, info->peer, info->tag, info->comm, info->bytes);
}

/* The stack that was reported with the call; else its innermost place alone. */
static GArray *frames_of(struct debugger *debugger, int rank, const struct world_call *info)
{
	const GPtrArray *stacks = session_stacks(debugger->session);
	GArray *frames;

	if (!breakpoints_want_stacks(debugger->breakpoints))
		return NULL;
	if (info->stack > 0 && info->stack <= stacks->len)
		return g_array_ref(stacks->pdata[info->stack - 1]);
	frames = g_array_new(false, false, sizeof(struct record_frame));
	execution_add_frames(debugger->execution, rank, info->site, frames);
	return frames;
}

guint debugger_break_fits(struct debugger *debugger, const struct verdict_facts *facts, int rank,
                          guint32 call, guint32 waited)
{
	const struct world_call *info = world_call_info(facts->world, rank, call);
	const struct world_call *data = info->kind == 0 && waited > 0
	                                        ? world_call_info(facts->world, rank, waited)
	                                        : info;
	struct breakpoint_call told = {
		.function = mpi_call_name(info->function), .rank = rank, .number = call};
	g_autoptr(GArray) frames = frames_of(debugger, rank, info);

	told.frames = frames;
	if (data && data->kind != 0)
		add_data(&told, facts, data->peer, data->tag, data->comm, data->bytes);
	return breakpoints_fit(debugger->breakpoints, &told);
}

static void stop_at(struct debugger *debugger, const struct world *world,
                    const struct debug_hit *hit)
{
	struct holds *holds = &debugger->holds;

	g_array_append_val(debugger->hits, *hit);
	holds->from[hit->rank] = MIN(holds->from[hit->rank], hit->call);
	for (int rank = 0; holds->all_stop && rank < holds->ranks; rank++)
		if (rank != hit->rank)
			holds->from[rank] = MIN(holds->from[rank], world_calls(world, rank) + 1);
}

/* If there has been no choice for long, holds all ranks briefly for a snapshot. A rank that is to
 * be held anyway stays held. */
static void pause_at_times(struct debugger *debugger, struct execution *execution)
{
	const struct world *world = execution_world(execution);

	/* gdb would stay with the parked process */
	if (debugger->pauses || gdb_rank_is_there(debugger->gdb_rank) || world_has_windows(world)
	    || world_has_threads(world) || !execution_should_park(execution))
		return;
	debugger->pauses = true;
	for (int rank = 0; rank < debugger->holds.ranks; rank++)
		execution_hold(execution, rank,
		               MIN(debugger->holds.from[rank], world_calls(world, rank) + 1));
}

void debugger_see_call(struct strategy *strategy, struct execution *execution, int rank,
                       const struct wire_call *call)
{
	struct debugger *debugger = debugger_of(strategy);
	struct debug_hit hit = {0, rank, call->call};
	struct breakpoint_call told = {
		.function = mpi_call_name(call->function), .rank = rank, .number = call->call};
	struct verdict_facts facts;

	if (!debugger_travels(debugger))
		pause_at_times(debugger, execution);
	if (debugger_travels(debugger) || debugger->exact
	    || breakpoints_count(debugger->breakpoints) == 0)
		return; /* breakpoints are off on the way to an earlier position */
	facts = session_facts(debugger->session, execution, debugger->inside);
	tell_data(&told, &facts, call);
	told.frames = session_stack(debugger->session, execution, rank, call->call);
	hit.number = breakpoints_hit(debugger->breakpoints, &told);
	if (hit.number == 0)
		return;
	stop_at(debugger, facts.world, &hit);
	for (int i = 0; i < debugger->holds.ranks; i++)
		execution_hold(execution, i, debugger->holds.from[i]);
}

void debugger_tell_hits(const struct debugger *debugger, GString *text)
{
	const struct world *world = execution_world(debugger->execution);

	g_string_append_printf(text, "stopped: breakpoint %u",
	                       g_array_index(debugger->hits, struct debug_hit, 0).number);
	for (guint i = 0; i < debugger->hits->len; i++) {
		const struct debug_hit *hit = &g_array_index(debugger->hits, struct debug_hit, i);
		const struct world_call *info = world_call_info(world, hit->rank, hit->call);

		g_string_append_printf(text, "\n  breakpoint %u: rank %s is in its call %u, %s",
		                       hit->number, rank_name(hit->rank), hit->call,
		                       info ? mpi_call_name(info->function) : "?");
	}
}

/* --- whether a breakpoint can fire ------------------------------------------------------------ */

/* Ignores case. Of "solver::step", compares the last part. */
static bool fits_function(const char *name, void *user)
{
	const char *pattern = user;
	g_autofree char *lower = g_ascii_strdown(name, -1), *wanted = NULL;
	const char *last = g_strrstr(pattern, "::");

	wanted = g_ascii_strdown(last ? last + strlen("::") : pattern, -1);
	return g_pattern_match_simple(wanted, lower);
}

/* A script begins with "#!/usr/bin/env python3" or the like. */
static bool is_script(const char *file)
{
	char line[100] = "";
	FILE *open = fopen(file, "r");
	bool is = open && fgets(line, sizeof(line), open) && g_str_has_prefix(line, "#!")
	          && strstr(line, "python");

	if (open)
		fclose(open);
	return is;
}

/* The programs' names, of one or several (program_parts.h). */
static GPtrArray *names_of(const struct debugger *debugger)
{
	const char *const *program = debugger->asked->request.program;
	char *none[] = {NULL};

	return program_parts_names(program ? (char *const *)program : none);
}

bool debugger_is_interpreted(const struct debugger *debugger)
{
	g_autoptr(GPtrArray) names = names_of(debugger);

	for (guint i = 0; i < names->len; i++) {
		g_autofree char *found = g_find_program_in_path(names->pdata[i]);
		g_autofree char *name = found ? g_path_get_basename(found) : NULL;

		if (name && (g_str_has_prefix(name, "python") || is_script(found)))
			return true;
	}
	return false;
}

/* The code of a program that runs, or is to run. NULL for an interpreter, whose lines are not in
 * its file. */
static struct program_code *code_of(const struct debugger *debugger, const char *name, guint number)
{
	struct execution *execution = debugger->state == DEBUG_CHOICE ? debugger->execution : NULL;
	pid_t pid = execution && number == 0 ? execution_pid(execution, 0) : 0;
	g_autofree char *found = g_find_program_in_path(name);

	return found && !debugger->interpreted ? program_code_new(found, pid) : NULL;
}

/* Why a breakpoint at this place cannot fire in a program; NULL: it can, or nothing is known of its
 * code. Free with g_free. `*ret_ever`: it could fire later, once more of the program is loaded. */
static char *doubt_in(const struct program_code *code, const char *place, guint line,
                      bool *ret_ever)
{
	char *doubt = NULL;
	guint before, behind;

	*ret_ever = true;
	if (code && line == 0 && !program_code_function(code, fits_function, (void *)place)) {
		doubt = g_strdup_printf("no function of the program matches %s", place);
	} else if (code && line > 0 && !program_code_line(code, place, line, &before, &behind)) {
		doubt = g_strdup_printf("the program has no code of a file %s", place);
	} else if (code && line > 0 && before != line) {
		*ret_ever = false;
		doubt = before == 0
		                ? g_strdup_printf("%s has no code before line %u", place, behind)
		        : behind == 0
		                ? g_strdup_printf("%s has no code after line %u", place, before)
		                : g_strdup_printf("%s has no code at line %u; the nearest lines "
		                                  "are %u and %u",
		                                  place, line, before, behind);
	}
	return doubt;
}

/* The same of all programs: the reason of the first one. */
static char *validate_place(const struct debugger *debugger, const char *place, guint line,
                            bool *ret_ever)
{
	g_autoptr(GPtrArray) names = names_of(debugger);
	char *first = NULL;

	*ret_ever = true;
	for (guint i = 0; i < names->len; i++) {
		struct program_code *code = code_of(debugger, names->pdata[i], i);
		bool ever;
		char *doubt = doubt_in(code, place, line, &ever);

		program_code_free(code);
		if (!doubt) {
			g_free(first);
			return NULL;
		}
		*ret_ever &= ever;
		if (!first)
			first = g_steal_pointer(&doubt);
		g_free(doubt);
	}
	return first;
}

/* Returns false after refusing and removing the breakpoint. */
static bool may_fire(struct debugger *debugger, guint number)
{
	guint line;
	const char *place = breakpoints_place(debugger->breakpoints, number, &line);
	bool ever = true;
	g_autofree char *doubt = place ? validate_place(debugger, place, line, &ever) : NULL;

	if (doubt && !ever) {
		debugger_refuse(debugger, "%s", doubt);
		breakpoints_take_back(debugger->breakpoints, number);
		return false;
	}
	debugger_tell(debugger, "breakpoint %u\n", number);
	if (doubt)
		debugger_tell(
			debugger,
			"  %s so far: the breakpoint fires only if such code is loaded later\n",
			doubt);
	return true;
}

/* --- commands --------------------------------------------------------------------------------- */

static void set_break(struct debugger *debugger, const char *rest, bool temporary)
{
	g_autofree char *problem = NULL;
	guint number;

	if (!*rest) {
		debugger_refuse(
			debugger,
			"no place given; use break MPI_*recv, break FILE:LINE or break rank 0");
		return;
	}
	number = breakpoints_add(debugger->breakpoints, rest, temporary, &problem);
	if (number == 0) {
		debugger_refuse(debugger, "%s", problem);
		return;
	}
	if (may_fire(debugger, number) && breakpoints_want_stacks(debugger->breakpoints)
	    && debugger->execution && debugger->state != DEBUG_OVER)
		execution_want_stacks(debugger->execution);
}

void word_break(struct debugger *debugger, const char *rest)
{
	set_break(debugger, rest, false);
}

void word_tbreak(struct debugger *debugger, const char *rest)
{
	set_break(debugger, rest, true);
}

/* Reads the number at the beginning; *ret_rest follows it. 0: refused. */
static guint read_number(struct debugger *debugger, const char *rest, const char **ret_behind)
{
	gsize length = strcspn(rest, " \t");
	g_autofree char *first = g_strndup(rest, length);
	guint64 number = 0;

	if (!g_ascii_string_to_unsigned(first, 10, 1, G_MAXUINT32, &number, NULL))
		debugger_refuse(debugger, "no breakpoint given; info breakpoints lists them");
	*ret_behind = rest + length + strspn(rest + length, " \t");
	return (guint)number;
}

static void refuse_number(struct debugger *debugger, guint number)
{
	debugger_refuse(debugger, "there is no breakpoint %u; info breakpoints lists them", number);
}

void word_condition(struct debugger *debugger, const char *rest)
{
	g_autofree char *problem = NULL;
	const char *behind;
	guint number = read_number(debugger, rest, &behind);

	if (number > 0 && !breakpoints_condition(debugger->breakpoints, number, behind, &problem))
		debugger_refuse(debugger, "%s", problem);
}

void word_ignore(struct debugger *debugger, const char *rest)
{
	const char *behind;
	guint number = read_number(debugger, rest, &behind);
	guint64 count = 0;

	if (number == 0)
		return;
	if (!g_ascii_string_to_unsigned(behind, 10, 0, G_MAXUINT32, &count, NULL))
		debugger_refuse(debugger, "no count given; for example: ignore %u 10", number);
	else if (!breakpoints_ignore(debugger->breakpoints, number, (guint)count))
		refuse_number(debugger, number);
}

static void set_enabled(struct debugger *debugger, const char *rest, bool enabled)
{
	const char *behind;
	guint number = read_number(debugger, rest, &behind);

	if (number > 0 && !breakpoints_enable(debugger->breakpoints, number, enabled))
		refuse_number(debugger, number);
}

void word_disable(struct debugger *debugger, const char *rest)
{
	set_enabled(debugger, rest, false);
}

void word_enable(struct debugger *debugger, const char *rest)
{
	set_enabled(debugger, rest, true);
}

static void delete_one(struct debugger *debugger, const char *rest)
{
	const char *behind;
	guint number;

	if (!*rest) {
		if (breakpoints_count(debugger->breakpoints) > 0
		    && debugger_confirms(debugger, "delete all breakpoints?"))
			breakpoints_delete_all(debugger->breakpoints);
		return;
	}
	number = read_number(debugger, rest, &behind);
	if (number > 0 && !breakpoints_delete(debugger->breakpoints, number))
		refuse_number(debugger, number);
}

void word_delete(struct debugger *debugger, const char *rest)
{
	if (*rest && !g_ascii_isdigit(*rest))
		debugger_delete_checkpoint(debugger, rest);
	else
		delete_one(debugger, rest);
}

void word_info_breakpoints(struct debugger *debugger, const char *rest)
{
	GString *text = g_string_new(NULL);

	(void)rest;
	breakpoints_tell(text, debugger->breakpoints);
	prompt_tell(debugger->prompt, text->str);
	g_string_free(text, true);
}
