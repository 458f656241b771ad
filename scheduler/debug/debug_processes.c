/* info processes: a line for each process of the job, in columns. */
#include "debug_context.h"
#include "debug_words.h"
#include "explorer/program_parts.h"
#include "explorer/rank_name.h"
#include "reports/words.h"

enum { NAME, RANK, PID, PROGRAM, WORLD, DOES, COLUMNS };

static const char *const heads[COLUMNS] = {"name", "rank", "pid", "program", "world", "does"};

/* What the rank of this line of the roll-call does; free with g_free. */
static char *print_state(const struct verdict_facts *facts, const struct record_rank *line,
                         const GPtrArray *roll_call)
{
	const int rank = line->rank;
	g_autofree char *state = words_state(line, roll_call);
	g_autofree char *thread = record_thread_print(line->thread);

	if (world_finalized(facts->world, rank) && !facts->ends[rank].gone)
		return g_strdup("finalized");
	if (line->ended || !line->function)
		return g_steal_pointer(&state);
	return g_strdup_printf("%s%sin %s: %s", thread ? thread : "", thread ? ", " : "",
	                       line->function, state);
}

static const char *find_program(const GArray *parts, int rank)
{
	for (guint i = 0; parts && i < parts->len; i++) {
		const struct program_part *part = &g_array_index(parts, struct program_part, i);

		if (rank >= part->first && rank < part->first + part->ranks)
			return part->words[0];
	}
	return "?";
}

static void append_row(GString *text, char *const *cells, const int *widths)
{
	for (int i = 0; i < DOES; i++)
		g_string_append_printf(text, "  %-*s", widths[i], cells[i]);
	g_string_append_printf(text, "  %s\n", cells[DOES]);
}

static void append_table(GString *text, const GPtrArray *rows)
{
	int widths[COLUMNS] = {0};

	for (guint i = 0; i < rows->len; i++)
		for (int column = 0; column < DOES; column++) {
			char *const *cells = rows->pdata[i];

			widths[column] = MAX(widths[column], (int)g_utf8_strlen(cells[column], -1));
		}
	for (guint i = 0; i < rows->len; i++)
		append_row(text, rows->pdata[i], widths);
}

/* A rank of which several threads call MPI has several lines in the roll-call. */
static char *print_states(const struct verdict_facts *facts, const GPtrArray *roll_call, int rank)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < roll_call->len; i++) {
		const struct record_rank *line = roll_call->pdata[i];
		g_autofree char *state = line->rank == rank ? print_state(facts, line, roll_call)
		                                            : NULL;

		if (state)
			g_string_append_printf(text, "%s%s", text->len > 0 ? "; " : "", state);
	}
	return g_string_free(text, false);
}

static char **row_new(struct debugger *debugger, const struct verdict_facts *facts,
                      const GPtrArray *roll_call, const GArray *parts, int rank)
{
	struct execution *there = debugger_processes(debugger);
	const pid_t pid = execution_is_running(there) ? execution_pid(there, rank) : 0;
	char **cells = g_new0(char *, COLUMNS + 1);

	cells[NAME] = g_strdup(rank_name(rank));
	cells[RANK] = g_strdup_printf("%d", rank);
	cells[PID] = pid > 0 ? g_strdup_printf("%d", (int)pid) : g_strdup("-");
	cells[PROGRAM] = record_printable(find_program(parts, rank), -1);
	cells[WORLD] = g_strdup(rank_world(rank));
	cells[DOES] = print_states(facts, roll_call, rank);
	return cells;
}

void word_info_processes(struct debugger *debugger, const char *rest)
{
	g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
	g_autoptr(GPtrArray) roll_call = NULL;
	g_autoptr(GArray) parts = NULL;
	char **head = g_new0(char *, COLUMNS + 1);
	struct verdict_facts facts;
	GString *text;

	(void)rest;
	for (int i = 0; i < COLUMNS; i++)
		head[i] = g_strdup(heads[i]);
	g_ptr_array_add(rows, head);
	if (!debugger_is_somewhere(debugger))
		return;
	facts = debugger_facts(debugger);
	roll_call = debugger_roll_call(debugger);
	parts = debugger_parts(debugger);
	for (int rank = 0; rank < facts.ranks; rank++)
		g_ptr_array_add(rows, row_new(debugger, &facts, roll_call, parts, rank));
	text = g_string_new(NULL);
	append_table(text, rows);
	debugger_tell_text(debugger, text);
}
