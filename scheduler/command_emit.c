#include "command_emit.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "../explorer/ddmin.h"
#include "../reports/words.h"
#include "command.h"
#include "sketch.h"

#define COMPILER "mpicc.mpich"
#define INTERLEAVINGS_MOST 2000 /* of a sketch: one that has more shows nothing clearly */
#define SECONDS_MOST 10.0       /* of exploring it */
#define COMMENT_LINES 5         /* always as many, so that places in it stay true */

struct emit {
	struct sketch *sketch;
	const struct record_finding *finding;
	gboolean synchronous_collectives;
	gboolean needs_blame; /* a choice must make the difference, as it did */
	gboolean needs_good;  /* an interleaving of it must end well */
	char *directory;      /* for what is tried */
	char *source, *program, *store;
	gint64 deadline;
	GError *error; /* what makes trying useless */
	GArray *units; /* guint32: those that are left */
	char *comment; /* that it deserves */
};

/* --- trying --- */

static gboolean compile(struct emit *emit, const char *text)
{
	char *const words[] = {(char *)COMPILER, (char *)"-g",  (char *)"-w", emit->source,
	                       (char *)"-o",     emit->program, NULL};
	g_autofree char *said = NULL;
	int status;

	if (!g_file_set_contents(emit->source, text, -1, &emit->error)
	    || !g_spawn_sync(NULL, (char **)words, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
	                     &said, &status, &emit->error))
		return FALSE;
	if (status != 0)
		g_set_error(&emit->error, SESSION_ERROR, 0, "%s %s failed: %s", COMPILER,
		            emit->source, said);
	return status == 0;
}

static bool is_good(const struct record_execution *execution, void *data, GError **error)
{
	(void)error;
	*(gboolean *)data |= g_str_equal(execution->status, "ok");
	return true;
}

static gboolean any_good(const struct emit *emit)
{
	g_autoptr(StoreReader) reader = store_reader_open(emit->store, NULL);
	gboolean good = FALSE;

	if (reader)
		store_reader_each(reader, false, is_good, &good, NULL);
	return good;
}

/* Whether it is what is looked for, at the same call. */
static gboolean is_it(const struct emit *emit, const struct record_finding *found)
{
	const struct sketch *sketch = emit->sketch;
	const struct sketch_step *stands;

	if (sketch->blamed >= 0)
		return g_str_equal(found->kind, "crash");
	if (!g_str_equal(found->kind, emit->finding->kind))
		return FALSE;
	if (sketch->stands < 0)
		return TRUE;
	stands = sketch->steps->pdata[sketch->stands];
	for (guint i = 0; i < found->ranks->len; i++) {
		const struct record_rank *rank = found->ranks->pdata[i];

		if (!rank->bystander && rank->place.line == stands->line
		    && rank->rank == sketch_rank(sketch, stands->rank))
			return TRUE;
	}
	return FALSE;
}

static char *comment_of(const struct emit *emit, const struct record_finding *found)
{
	g_autofree char *base = g_path_get_basename(emit->source);
	g_autofree char *headline = words_headline(found);
	g_autofree char *blame = found->blame ? words_blame(found->blame) : NULL;
	g_autofree char *name = g_strndup(base, strlen(base) - strlen(".c"));
	int ranks = sketch_ranks(emit->sketch);

	g_strdelimit(headline, "\n", ' ');
	return g_strdup_printf(
		"%s: %s\n%s%s.\n" COMPILER " -g %s -o %s && mpiexec.mpich -n %d ./%s "
		"shows it whenever the library matches that way,\n"
		"matchpoint explore -n %d ./%s always: path %s\n"
		"On the right: the places in the program from which it was cut down.",
		found->kind, headline, blame ? "It needs: " : "",
		blame ? blame : "It needs no choice between messages", base, name, ranks, name,
		ranks, name, found->path);
}

static char *placeholder(void)
{
	char *lines = g_strnfill(COMMENT_LINES - 1, '\n');

	return lines;
}

static gboolean explore(struct emit *emit)
{
	char *program[] = {emit->program, NULL};
	struct session_options options = {
		.command = "explore",
		.program = program,
		.ranks = sketch_ranks(emit->sketch),
		.bufferings = emit->finding->bufferings == RECORD_PER_SEND
	                              ? RECORD_PER_SEND
	                              : RECORD_ZERO | RECORD_INFINITE,
		.synchronous_collectives = emit->synchronous_collectives,
		.max_interleavings = INTERLEAVINGS_MOST,
		.max_seconds = SECONDS_MOST,
		.deviations = -1,
		.store = emit->store,
	};
	struct session_result result = {0};
	gboolean shown = FALSE;

	if (session_run(&options, &result, NULL) && result.exploration->complete)
		for (guint i = 0; i < result.findings->len && !shown; i++) {
			const struct record_finding *found = result.findings->pdata[i];

			if (!found->reproduced || !is_it(emit, found)
			    || (emit->needs_blame && !found->blame))
				continue;
			shown = TRUE;
			g_free(emit->comment);
			emit->comment = comment_of(emit, found);
		}
	session_result_clear(&result);
	return shown && (!emit->needs_good || any_good(emit));
}

static gboolean is_left(const struct sketch *sketch, int index)
{
	return index < 0 || !((const struct sketch_step *)sketch->steps->pdata[index])->dropped;
}

static gboolean shows(struct emit *emit)
{
	const struct sketch *sketch = emit->sketch;
	g_autofree char *comment = placeholder();
	g_autofree char *text = NULL;

	if (emit->error || g_get_monotonic_time() > emit->deadline
	    || !is_left(sketch, sketch->stands) || !is_left(sketch, sketch->blamed)
	    || !is_left(sketch, sketch->right) || sketch_ranks(sketch) == 0)
		return FALSE;
	text = sketch_print(emit->sketch, comment);
	return compile(emit, text) && explore(emit);
}

/* --- cutting --- */

static void cut_ranks(struct emit *emit)
{
	for (int32_t rank = emit->sketch->ranks; rank-- > 0;) {
		g_autofree bool *state = sketch_state(emit->sketch);

		if (emit->sketch->gone[rank])
			continue;
		sketch_drop_rank(emit->sketch, rank);
		if (!shows(emit))
			sketch_restore(emit->sketch, state);
	}
}

static void keep(struct emit *emit, const GArray *kept)
{
	g_autofree bool *units = g_new0(bool, emit->sketch->units);

	for (guint i = 0; i < kept->len; i++)
		units[g_array_index(emit->units, guint32, g_array_index(kept, guint, i))] = true;
	sketch_keep(emit->sketch, units);
}

static gboolean still(const GArray *kept, gpointer data)
{
	struct emit *emit = data;
	g_autofree bool *state = sketch_state(emit->sketch);
	gboolean result;

	keep(emit, kept);
	result = shows(emit);
	sketch_restore(emit->sketch, state);
	return result;
}

static void cut_calls(struct emit *emit)
{
	g_autofree bool *seen = g_new0(bool, emit->sketch->units);
	g_autoptr(GArray) kept = NULL;

	emit->units = g_array_new(FALSE, FALSE, sizeof(guint32));
	for (guint i = 0; i < emit->sketch->steps->len; i++) {
		const struct sketch_step *step = emit->sketch->steps->pdata[i];

		if (!step->dropped && !seen[step->unit])
			g_array_append_val(emit->units, step->unit);
		seen[step->unit] = true;
	}
	kept = ddmin(emit->units->len, still, emit);
	keep(emit, kept);
	g_array_unref(emit->units);
}

static int compare_counts(const void *one, const void *other)
{
	guint64 a = *(const guint64 *)one, b = *(const guint64 *)other;

	return (a > b) - (a < b);
}

/* As small as they can be while those that differ go on to do so: 4, 8, 12, ... bytes. */
static void cut_sizes(struct emit *emit)
{
	g_autoptr(GArray) counts = g_array_new(FALSE, FALSE, sizeof(guint64));
	GPtrArray *steps = emit->sketch->steps;
	g_autofree guint64 *before = g_new(guint64, steps->len);

	for (guint i = 0; i < steps->len; i++) {
		const struct sketch_step *step = steps->pdata[i];

		before[i] = step->count;
		if (!step->dropped && step->kind != SKETCH_WAIT && step->count > 0)
			g_array_append_val(counts, before[i]);
	}
	g_array_sort(counts, compare_counts);
	for (guint i = 0; i < steps->len; i++) {
		struct sketch_step *step = steps->pdata[i];
		guint64 number = 0;

		for (guint j = 0; j < counts->len && step->count > 0; j++) {
			guint64 count = g_array_index(counts, guint64, j);

			number += count <= before[i]
			          && (j == 0 || count != g_array_index(counts, guint64, j - 1));
		}
		if (g_str_equal(step->type, "MPI_BYTE"))
			step->count = 4 * number;
	}
	if (shows(emit))
		return;
	for (guint i = 0; i < steps->len; i++)
		((struct sketch_step *)steps->pdata[i])->count = before[i];
}

/* --- */

static gboolean cut_down(struct emit *emit, GError **error)
{
	gboolean shown = shows(emit);

	if (!shown && emit->needs_good && emit->needs_blame && !emit->error) {
		/* The one that ends well may leave something behind in the program, too. */
		emit->needs_good = FALSE;
		shown = shows(emit);
	}
	if (shown) {
		cut_ranks(emit);
		cut_calls(emit);
		cut_ranks(emit);
		cut_sizes(emit);
		emit->deadline = G_MAXINT64;
		shown = shows(emit); /* and its comment */
	}
	if (shown)
		return TRUE;
	if (emit->error)
		g_propagate_error(error, g_steal_pointer(&emit->error));
	else
		g_set_error(error, SESSION_ERROR, 0,
		            "the MPI calls alone do not show it, with the same choice to blame: it "
		            "takes what the program does between them, or calls that are not "
		            "written out (tests, polls, one-sided ones)");
	return FALSE;
}

static void remove_all(struct emit *emit)
{
	g_autoptr(GDir) directory = g_dir_open(emit->store, 0, NULL);
	const char *name;

	while (directory && (name = g_dir_read_name(directory))) {
		g_autofree char *file = g_build_filename(emit->store, name, NULL);

		g_unlink(file);
	}
	g_rmdir(emit->store);
	g_unlink(emit->source);
	g_unlink(emit->program);
	g_rmdir(emit->directory);
}

static gboolean emit_to(struct emit *emit, const char *file, GError **error)
{
	g_autofree char *base = g_path_get_basename(file);
	g_autofree char *text = NULL;
	gboolean fine;

	emit->directory = g_dir_make_tmp("matchpoint-emit-XXXXXX", error);
	if (!emit->directory)
		return FALSE;
	emit->source = g_build_filename(emit->directory, base, NULL);
	emit->program = g_build_filename(emit->directory, "program", NULL);
	emit->store = g_build_filename(emit->directory, "store", NULL);
	fine = cut_down(emit, error);
	if (fine) {
		text = sketch_print(emit->sketch, emit->comment);
		fine = g_file_set_contents(file, text, -1, error);
	}
	remove_all(emit);
	g_free(emit->source);
	g_free(emit->program);
	g_free(emit->store);
	g_free(emit->directory);
	g_free(emit->comment);
	g_clear_error(&emit->error);
	return fine;
}

gboolean command_emit_c(const char *store, const char *file, double seconds, GError **error)
{
	g_autoptr(StoreReader) reader = store_reader_open(store, error);
	g_autoptr(RecordExecution) bad = reader ? store_reader_example(reader, 1, error) : NULL;
	g_autoptr(RecordExecution) good = NULL;
	struct emit emit = {0};
	gboolean fine;

	if (!bad)
		return FALSE;
	if (!g_str_has_suffix(file, ".c")) {
		g_set_error(error, SESSION_ERROR, 0, "%s is to be C and so to end with .c", file);
		return FALSE;
	}
	good = store_reader_well(reader, bad->buffering, NULL);
	if (!good)
		good = store_reader_well(reader, RECORD_INFINITE, NULL);
	emit.finding = store_reader_finding(reader, 1);
	emit.synchronous_collectives = store_reader_exploration(reader)->synchronous_collectives;
	emit.needs_blame = emit.finding->blame != NULL;
	emit.needs_good = good != NULL;
	emit.deadline = g_get_monotonic_time() + (gint64)(seconds * G_USEC_PER_SEC);
	emit.sketch = sketch_new(emit.finding, bad, good, error);
	if (!emit.sketch)
		return FALSE;
	fine = emit_to(&emit, file, error);
	sketch_free(emit.sketch);
	return fine;
}
