/* A recording of the ranks up to this position: for `record`, and for the past of a rank. Another
 * matchpoint makes it, which goes here with ranks of its own, under the recorder. */
#include <glib/gstdio.h>
#include <string.h>

#include "debug_internal.h"
#include "debug_words.h"
#include "explorer/program_parts.h"

char *debugger_position_here(const struct debugger *debugger)
{
	const struct world *world = execution_world(debugger->execution);

	return debugger->state == DEBUG_OVER ? verdict_whole_path(world)
	                                     : debugger_position(world, debugger_stands(debugger));
}

/* Its standard output is heard, but not shown unless something goes wrong. */
static void on_told(void *user, const char *text)
{
	g_string_append(user, text);
}

GPtrArray *debugger_words_to_record(const struct debugger *debugger, const char *directory,
                                    const char *script)
{
	const struct debug_request *request = &debugger->asked->request;
	const int behind = program_parts_behind((char *const *)(uintptr_t)request->program, NULL);
	g_autofree char *ranks = g_strdup_printf("%d", request->ranks - behind);
	g_autofree char *store = g_build_filename(request->store, "record", NULL);
	const char *const words[] = {"debug",    "-n",      ranks, "--quiet", "--store", store,
	                             "--record", directory, "-x",  script,    "--batch", NULL};
	GPtrArray *all = g_ptr_array_new_with_free_func(g_free);

	debugger_add_words(all, words);
	debugger_add_words(all, request->options);
	debugger_add_program(debugger, all);
	return all;
}

bool debugger_write_way(const struct debugger *debugger, const char *file, GError **error)
{
	g_autofree char *position = debugger_position_here(debugger);
	g_autofree char *line = g_strdup_printf("goto %s\n", position);

	return g_file_set_contents(file, line, -1, error);
}

/* Free with g_free after removing it. NULL: refused. */
static char *write_script(struct debugger *debugger)
{
	g_autoptr(GError) error = NULL;
	char *name = NULL;
	int file = g_file_open_tmp("matchpoint-here-XXXXXX", &name, &error);

	if (file >= 0)
		g_close(file, NULL);
	if (file >= 0 && debugger_write_way(debugger, name, &error))
		return name;
	debugger_refuse(debugger, "%s", error->message);
	if (name)
		g_unlink(name);
	g_free(name);
	return NULL;
}

/* What the other one has said instead of stopping here. */
static const char *complaint(GString *heard)
{
	char *last;

	while (heard->len > 0 && heard->str[heard->len - 1] == '\n')
		g_string_truncate(heard, heard->len - 1);
	last = strrchr(heard->str, '\n');
	last = last ? last + 1 : heard->str;
	return *last ? last : "the ranks did not come here again";
}

/* A run that is to be made. */
struct order {
	char *script;     /* the file with the line that goes here */
	GPtrArray *words; /* for it */
	char *line;       /* what is to be obeyed then; NULL: nothing */
};

static void order_free(void *data)
{
	struct order *order = data;

	g_unlink(order->script);
	g_free(order->script);
	g_ptr_array_unref(order->words);
	g_free(order->line);
	g_free(order);
}

/* NULL: refused. */
static struct order *order_new(struct debugger *debugger, const char *directory, const char *line)
{
	char *script = write_script(debugger);
	struct order *order;

	if (!script)
		return NULL;
	order = g_new0(struct order, 1);
	order->script = script;
	order->words = debugger_words_to_record(debugger, directory, script);
	order->line = g_strdup(line);
	return order;
}

static bool record(struct debugger *debugger, const struct order *order)
{
	g_autoptr(GString) heard = g_string_new(NULL);
	int status = debugger_run_beside(debugger, order->words, on_told, heard);
	bool is_here = (status == 0 || status == 1 || status == 3)
	               && strstr(heard->str, "\nstopped: ");

	if (!is_here && status >= 0)
		debugger_refuse(debugger, "cannot record the ranks up to here: %s",
		                complaint(heard));
	return is_here;
}

/* When the ranks are back, they are where they were, and the line is obeyed at last. */
static void record_apart(struct debugger *debugger, void *data)
{
	struct order *order = data;

	if (record(debugger, order) && order->line)
		debugger->again = g_steal_pointer(&order->line);
}

bool debugger_record(struct debugger *debugger, const char *directory, const char *line)
{
	struct order *order = order_new(debugger, directory, line);
	bool is_recorded;

	if (!order)
		return false;
	if (debugger_must_run_apart(debugger)) {
		debugger_run_apart(debugger, record_apart, order, order_free);
		return false;
	}
	is_recorded = record(debugger, order);
	order_free(order);
	return is_recorded;
}

const char *debugger_why_not_recorded(const struct debugger *debugger)
{
	const struct debug_request *request = &debugger->asked->request;

	return request->program
	                       && program_parts_divide((char *const *)(uintptr_t)request->program,
	                                               request->ranks)
	               ? "programs that spawn processes or connect cannot be recorded"
	               : NULL;
}

bool debugger_has_past(struct debugger *debugger)
{
	const char *why_not = debugger_why_not_recorded(debugger);

	if (why_not)
		debugger_refuse(debugger, "%s", why_not);
	return !why_not && (debugger->state == DEBUG_OVER || debugger_is_at_rest(debugger));
}

void word_record(struct debugger *debugger, const char *directory)
{
	if (!*directory) {
		debugger_refuse(debugger, "no folder given; use record DIR");
		return;
	}
	if (debugger_has_past(debugger) && debugger_record(debugger, directory, NULL))
		debugger_tell(debugger,
		              "recorded in %s: matchpoint replay %s --rank R --gdb debugs one rank "
		              "alone, forwards and backwards\n",
		              directory, directory);
}
