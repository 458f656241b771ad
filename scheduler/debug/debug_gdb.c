/* `print`: values of expressions in a rank, by gdb. */
#include <string.h>

#include "debug_context.h"
#include "debug_words.h"
#include "explorer/rank_name.h"
#include "gdb.h"
#include "telling.h"
#include "value_numbers.h"

#define GDBS_MOST 8 /* running at the same time */

/* --- the rank --------------------------------------------------------------------------------- */

/* The rank of the first open choice, or a held rank; `list` uses the same. */
int debugger_usual_rank(const struct debugger *debugger)
{
	const GPtrArray *points = debugger_state(debugger) == DEBUG_CHOICE
	                                  ? debugger_offers(debugger)->points
	                                  : NULL;

	return points && points->len > 0 ? ((const struct record_choice *)points->pdata[0])->rank
	       : debugger_stepped(debugger) >= 0 ? debugger_stepped(debugger)
	                                         : 0;
}

int debugger_split_rank(struct debugger *debugger, const char *rest, const char **ret_expression)
{
	const char *end = rest;
	const bool named = rank_named(rest, &end) >= 0;
	g_autofree char *rank = g_strndup(rest, (gsize)(end - rest));
	const char *behind = end + strspn(end, " \t");

	*ret_expression = rest;
	if (!named || behind == end || *behind == '\0')
		return debugger_usual_rank(debugger);
	*ret_expression = behind;
	return debugger_read_rank(debugger, rank);
}

const struct place *debugger_fell(const struct debugger *debugger, int rank)
{
	struct execution *there = debugger_processes(debugger);
	bool fell = world_phase(execution_world(there), rank) == PHASE_STOPPED;

	return fell ? &execution_ends(there)[rank].place : NULL;
}

guint32 debugger_shown_call(const struct debugger *debugger, int rank)
{
	struct world *world = execution_world(debugger_processes(debugger));
	g_autoptr(GArray) pending = world_pending_calls(world, rank);

	return pending->len > 0 && world_rank_names_threads(world, rank)
	               ? g_array_index(pending, guint32, 0)
	               : world_calls(world, rank);
}

/* The rank's process, and the address from which it has called MPI. Returns false after
 * refusing. */
bool debugger_find_process(struct debugger *debugger, int rank, pid_t *ret_pid, guint64 *ret_site)
{
	const struct world_call *info;
	struct execution *there;
	const struct world *world;

	if (!debugger_is_somewhere(debugger))
		return false;
	there = debugger_processes(debugger);
	world = execution_world(there);
	info = world_call_info(world, rank, debugger_shown_call(debugger, rank));
	*ret_pid = execution_pid(there, rank);
	*ret_site = info ? info->site : 0;
	if (execution_is_running(there) && *ret_pid > 0 && world_phase(world, rank) != PHASE_ENDED)
		return true;
	debugger_refuse(
		debugger,
		"rank %s has ended, and its variables are gone; back goes to where it still runs",
		rank_name(rank));
	return false;
}

/* --- values ----------------------------------------------------------------------------------- */

static void end_gdb(struct debugger *debugger, int rank)
{
	g_clear_pointer(&debugger_gdbs(debugger)[rank], gdb_free);
	value_numbers_forget(debugger_values(debugger), rank);
}

/* Ends a gdb if too many run. */
static void make_room(struct debugger *debugger, int rank)
{
	int ranks = debugger_ranks(debugger), count = 0, other = -1;

	for (int i = 0; i < ranks; i++) {
		count += debugger_gdbs(debugger)[i] != NULL;
		other = debugger_gdbs(debugger)[i] && i != rank ? i : other;
	}
	if (!debugger_gdbs(debugger)[rank] && count >= GDBS_MOST && other >= 0)
		end_gdb(debugger, other);
}

/* A gdb that looks at the rank's call. NULL after refusing, or with `error` set. */
static struct gdb *attach_gdb(struct debugger *debugger, int rank, GError **error)
{
	struct gdb **gdb = &debugger_gdbs(debugger)[rank];
	guint64 site;
	pid_t pid;

	if (!debugger_find_process(debugger, rank, &pid, &site))
		return NULL;
	make_room(debugger, rank);
	if (!*gdb)
		*gdb = gdb_new(error);
	return *gdb
	                       && gdb_attach(*gdb, pid, debugger_debuggee(debugger), site,
	                                     debugger_fell(debugger, rank), error)
	               ? *gdb
	               : NULL;
}

static char *ask_gdb(struct debugger *debugger, int rank, const char *expression, GError **error)
{
	g_autofree char *problem = NULL, *asked = NULL, *told = NULL;
	struct gdb *gdb;

	asked = value_numbers_ask(debugger_values(debugger), rank, expression, &problem);
	if (!asked) {
		debugger_refuse(debugger, "%s", problem);
		return NULL;
	}
	gdb = attach_gdb(debugger, rank, error);
	if (!gdb)
		return NULL;
	told = gdb_print(gdb, asked, error);
	if (debugger_state(debugger) == DEBUG_RUNNING)
		gdb_detach(gdb);
	return told ? value_numbers_tell(debugger_values(debugger), rank, told) : NULL;
}

/* `told`: NULL if there is no answer. */
static void tell_answer(struct debugger *debugger, int rank, const char *told, const GError *error)
{
	if (told)
		debugger_tell(debugger, "%s", told);
	else if (error)
		debugger_refuse(debugger, "%s%s", error->message,
		                strstr(error->message, "ptrace:") ? " (" DEBUG_NEEDS_PTRACE ")"
		                                                  : "");
	if (debugger_gdbs(debugger)[rank] && gdb_is_lost(debugger_gdbs(debugger)[rank]))
		end_gdb(debugger, rank);
}

/* `told`: NULL if gdb has not answered. */
static void tell_of_gdb(struct debugger *debugger, int rank, struct gdb *gdb, const char *told,
                        const GError *error)
{
	if (gdb && debugger_state(debugger) == DEBUG_RUNNING)
		gdb_detach(gdb);
	tell_answer(debugger, rank, told, error);
}

void word_info_locals(struct debugger *debugger, const char *rest)
{
	int rank = *rest ? debugger_read_rank(debugger, rest) : debugger_usual_rank(debugger);
	g_autoptr(GError) error = NULL;
	g_autofree char *told = NULL;
	struct gdb *gdb;

	if (rank >= 0 && debugger_is_past(debugger, rank)) {
		debugger_ask_past(debugger, "info locals");
		return;
	}
	if (rank < 0 || debugger_brings_back(debugger, word_info_locals, rank, rest)
	    || debugger_asks_host(debugger, word_info_locals, rank, rest))
		return;
	gdb = attach_gdb(debugger, rank, &error);
	told = gdb ? gdb_locals(gdb, &error) : NULL;
	tell_of_gdb(debugger, rank, gdb, told, error);
}

/* Reads the number of frames; "": 1. */
static bool read_frames(struct debugger *debugger, const char *rest, int *ret_frames)
{
	guint64 frames = 1;

	if (*rest && !g_ascii_string_to_unsigned(rest, 10, 1, G_MAXINT16, &frames, NULL)) {
		debugger_refuse(debugger, "%s is not a number of functions", rest);
		return false;
	}
	*ret_frames = (int)frames;
	return true;
}

static void move(struct debugger *debugger, vocabulary_run *word, const char *rest, int direction)
{
	int rank = debugger_usual_rank(debugger), frames;
	g_autoptr(GError) error = NULL;
	g_autofree char *told = NULL;
	struct gdb *gdb;

	if (debugger_is_past(debugger, -1)) {
		g_autofree char *line = g_strdup_printf("%s %s", direction > 0 ? "up" : "down",
		                                        rest);

		debugger_ask_past(debugger, line);
		return;
	}
	if (!read_frames(debugger, rest, &frames)
	    || debugger_brings_back(debugger, word, rank, rest)
	    || debugger_asks_host(debugger, word, rank, rest))
		return;
	gdb = attach_gdb(debugger, rank, &error);
	told = gdb ? gdb_move(gdb, direction * frames, &error) : NULL;
	tell_of_gdb(debugger, rank, gdb, told, error);
}

void word_up(struct debugger *debugger, const char *rest)
{
	move(debugger, word_up, rest, 1);
}

void word_down(struct debugger *debugger, const char *rest)
{
	move(debugger, word_down, rest, -1);
}

void word_of_gdb(struct debugger *debugger, const char *rest)
{
	(void)rest;
	debugger_refuse(debugger, "this is a command of gdb: gdb RANK runs gdb on a rank; where "
	                          "RANK, info locals RANK and print RANK EXPRESSION need no gdb of "
	                          "your own");
}

void word_print(struct debugger *debugger, const char *rest)
{
	const char *expression;
	int rank = debugger_split_rank(debugger, rest, &expression);
	g_autofree char *told = NULL;
	g_autoptr(GError) error = NULL;

	if (rank < 0)
		return;
	if (!*expression) {
		debugger_refuse(debugger, "no expression given; use print 0 EXPRESSION");
		return;
	}
	if (debugger_is_past(debugger, expression == rest ? -1 : rank)) {
		g_autofree char *line = g_strdup_printf("print %s", expression);

		debugger_ask_past(debugger, line);
		return;
	}
	if (debugger_brings_back(debugger, word_print, rank, rest)
	    || debugger_asks_host(debugger, word_print, rank, rest))
		return;
	told = ask_gdb(debugger, rank, expression, &error);
	tell_answer(debugger, rank, told, error);
}

void debugger_detach_gdbs(struct debugger *debugger)
{
	for (int rank = 0; rank < debugger_ranks(debugger); rank++)
		if (debugger_gdbs(debugger)[rank])
			gdb_detach(debugger_gdbs(debugger)[rank]);
}

void debugger_end_gdbs(struct debugger *debugger)
{
	for (int rank = 0; rank < debugger_ranks(debugger); rank++)
		end_gdb(debugger, rank);
}
