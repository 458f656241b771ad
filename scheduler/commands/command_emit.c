#include "command_emit.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "command_emit_internal.h"
#include "explorer/ddmin.h"
#include "scheduler/session/interruption.h"
#include "scheduler/store/reader.h"

static void cut_ranks(struct emit *emit)
{
	for (int32_t rank = emit->sketch->ranks; rank-- > 0;) {
		g_autofree bool *state = sketch_state(emit->sketch);

		if (emit->sketch->gone[rank])
			continue;
		sketch_drop_rank(emit->sketch, rank);
		if (!emit_shows(emit))
			sketch_restore(emit->sketch, state);
	}
}

static void keep_steps(struct emit *emit, const GArray *kept)
{
	g_autofree bool *units = g_new0(bool, emit->sketch->units);

	for (guint i = 0; i < kept->len; i++)
		units[g_array_index(emit->units, guint32, g_array_index(kept, guint, i))] = true;
	sketch_keep(emit->sketch, units);
}

static bool still_shows(const GArray *kept, gpointer data)
{
	struct emit *emit = data;
	g_autofree bool *state = sketch_state(emit->sketch);
	bool result;

	keep_steps(emit, kept);
	result = emit_shows(emit);
	sketch_restore(emit->sketch, state);
	return result;
}

static void cut_calls(struct emit *emit)
{
	g_autofree bool *seen = g_new0(bool, emit->sketch->units);
	g_autoptr(GArray) kept = NULL;

	emit->units = g_array_new(false, false, sizeof(guint32));
	for (guint i = 0; i < emit->sketch->steps->len; i++) {
		const struct sketch_step *step = emit->sketch->steps->pdata[i];

		if (!step->dropped && !seen[step->unit])
			g_array_append_val(emit->units, step->unit);
		seen[step->unit] = true;
	}
	kept = ddmin(emit->units->len, still_shows, emit);
	keep_steps(emit, kept);
	g_array_unref(emit->units);
}

/* A collective in which a rank calls in one branch when it goes wrong, and in another when it goes
 * well, is of several units; they can only be left out together. */
static void cut_meetings(struct emit *emit)
{
	const GPtrArray *steps = emit->sketch->steps;

	for (guint i = 0; i < steps->len; i++) {
		const struct sketch_step *step = steps->pdata[i];
		g_autofree bool *state = NULL, *units = NULL;

		if (step->dropped || step->side != SKETCH_GOOD
		    || step->events[SKETCH_GOOD].meeting == 0)
			continue;
		state = sketch_state(emit->sketch);
		units = g_new0(bool, emit->sketch->units);
		for (guint j = 0; j < steps->len; j++)
			units[((const struct sketch_step *)steps->pdata[j])->unit] = true;
		for (guint j = 0; j < steps->len; j++) {
			const struct sketch_step *other = steps->pdata[j];

			if (other->events[SKETCH_GOOD].meeting == step->events[SKETCH_GOOD].meeting)
				units[other->unit] = false;
		}
		sketch_keep(emit->sketch, units);
		if (!emit_shows(emit))
			sketch_restore(emit->sketch, state);
	}
}

/* MPI_COMM_WORLD may do for all. */
static void cut_communicators(struct emit *emit)
{
	GPtrArray *steps = emit->sketch->steps;
	g_autofree guint64 *before = g_new(guint64, steps->len);
	bool others = false;

	for (guint i = 0; i < steps->len; i++) {
		struct sketch_step *step = steps->pdata[i];

		before[i] = step->communicator;
		if (step->communicator <= SKETCH_SELF)
			continue;
		others |= !step->dropped;
		step->communicator = SKETCH_WORLD;
	}
	if (!others || emit_shows(emit))
		return;
	for (guint i = 0; i < steps->len; i++)
		((struct sketch_step *)steps->pdata[i])->communicator = before[i];
}

static int compare_counts(const void *one, const void *other)
{
	guint64 a = *(const guint64 *)one, b = *(const guint64 *)other;

	return (a > b) - (a < b);
}

/* As small as they can be while those that differ go on to do so: 4, 8, 12, ... bytes. */
static void cut_sizes(struct emit *emit)
{
	g_autoptr(GArray) counts = g_array_new(false, false, sizeof(guint64));
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
	if (emit_shows(emit))
		return;
	for (guint i = 0; i < steps->len; i++)
		((struct sketch_step *)steps->pdata[i])->count = before[i];
}

/* --- */

/* Once more for the comment, whose own length moves the lines that it tells. */
static bool settle_comment(struct emit *emit)
{
	guint lines;

	emit->large = false;
	for (int i = 0; i < 3; i++) {
		lines = emit->comment ? emit_count_lines(emit->comment) : 1;
		if (!emit_shows(emit))
			return false;
		if (emit_count_lines(emit->comment) == lines)
			return true;
	}
	return false;
}

/* The whole sketch, with less and less to be asked of it. */
static bool begin_sketch(struct emit *emit)
{
	bool good = emit->needs_good;

	for (int other = 0; other <= (emit->needs_blame && emit->sketch->blamed >= 0); other++) {
		emit->other_blame = other > 0;
		emit->needs_good = good;
		emit->good_leaks = false;
		if (emit_shows(emit))
			return true;
		/* The one that ends well may leave something behind in the program, too. */
		emit->good_leaks = good
		                   && finding_kind_info(emit->finding->kind)->emit
		                              != FINDING_EMIT_LEAVE;
		if (emit->good_leaks && emit_shows(emit))
			return true;
	}
	emit->needs_good = false;
	return good && emit_shows(emit);
}

/* MPI_Isend and MPI_Wait become MPI_Send where nothing comes between. */
static void merge_waits(struct emit *emit)
{
	g_autofree bool *state = sketch_state(emit->sketch);
	int32_t stands = emit->sketch->stands;

	sketch_merge_waits(emit->sketch);
	if (emit_shows(emit))
		return;
	sketch_split_waits(emit->sketch);
	sketch_restore(emit->sketch, state);
	emit->sketch->stands = stands;
}

static bool cut_down(struct emit *emit, GError **error)
{
	bool shown = begin_sketch(emit);

	if (shown) {
		cut_ranks(emit);
		cut_calls(emit);
		cut_meetings(emit);
		cut_ranks(emit);
		cut_communicators(emit);
		merge_waits(emit);
		cut_sizes(emit);
		emit->deadline = G_MAXINT64;
		shown = settle_comment(emit);
	}
	if (shown)
		return true;
	if (interruption_asked())
		g_set_error(error, COMMAND_ERROR, 0, "interrupted");
	else if (emit->error)
		g_propagate_error(error, g_steal_pointer(&emit->error));
	else
		g_set_error(
			error, COMMAND_ERROR, 0,
			"the MPI calls alone, explored as a program, do not show it%s: it takes "
			"what the program does between them, or arguments and calls that are "
			"not written out",
			emit->needs_blame ? " with the same choice to blame" : "");
	return false;
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

static bool emit_to(struct emit *emit, const char *file, GError **error)
{
	g_autofree char *base = g_path_get_basename(file);
	g_autofree char *text = NULL;
	bool fine;

	emit->directory = g_dir_make_tmp("matchpoint-emit-XXXXXX", error);
	if (!emit->directory)
		return false;
	emit->source = g_build_filename(emit->directory, base, NULL);
	emit->program = g_build_filename(emit->directory, "program", NULL);
	emit->store = g_build_filename(emit->directory, "store", NULL);
	emit->failed = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	fine = cut_down(emit, error);
	g_hash_table_destroy(emit->failed);
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

static char *tell_emitted(const struct emit *emit, const char *file)
{
	g_autofree char *text = NULL;

	if (!g_file_get_contents(file, &text, NULL, NULL))
		return NULL;
	return g_strdup_printf("%s: %u lines, %d ranks, wrong in %" G_GUINT64_FORMAT
	                       " of %" G_GUINT64_FORMAT " interleavings%s%s%s",
	                       file, emit_count_lines(text) - 1, sketch_ranks(emit->sketch),
	                       emit->wrong, emit->interleavings,
	                       emit->large ? " near it, of more than can be explored here" : "",
	                       emit->had_good && !emit->goes_well ? "\n    " : "",
	                       emit->had_good && !emit->goes_well ? EMIT_ALWAYS_WRONG : "");
}

bool command_may_emit_c(const struct record_finding *finding, const char *file, GError **error)
{
	if (!g_str_has_suffix(file, ".c")) {
		g_set_error(error, COMMAND_ERROR, 0, "%s is to be C and so to end with .c", file);
		return false;
	}
	return !finding || sketch_can_show(finding, error);
}

/* The least that explores what the path says. */
static enum collective_mode collectives_to_explore(const char *text)
{
	struct path *path = path_parse(text, NULL);
	enum collective_mode collectives = path ? path->collectives : COLLECTIVES_ANY;
	bool usual = collectives == COLLECTIVES_ANY
	             || (collectives == COLLECTIVES_SYNC && path->buffering == BUFFERING_ZERO);

	path_free(path);
	return usual ? COLLECTIVES_BOTH : collectives;
}

char *command_emit_c(const struct session_options *session, const char *file, double seconds,
                     GError **error)
{
	g_autoptr(StoreReader) reader = store_reader_open(session->store, error);
	g_autoptr(RecordExecution) bad = reader ? store_reader_example(reader, 1, error) : NULL;
	g_autoptr(RecordExecution) good = NULL;
	g_autofree char *origin = g_path_get_basename(session->program[0]);
	struct emit emit = {
		.origin = origin, .not_yet = MAX(session->not_yet, 1u), .some = session->some};
	char *told = NULL;

	if (!bad)
		return NULL;
	if (store_reader_exploration(reader)->threads) {
		g_set_error(error, COMMAND_ERROR, 0,
		            "several threads of a rank call MPI, and threads are not written out");
		return NULL;
	}
	good = store_reader_well(reader, bad->buffering, NULL);
	if (!good)
		good = store_reader_well(reader, RECORD_INFINITE, NULL);
	emit.finding = store_reader_finding(reader, 1);
	emit.collectives = collectives_to_explore(emit.finding->path);
	emit.needs_blame = emit.finding->blame != NULL;
	emit.had_good = emit.needs_good = good != NULL;
	emit.deadline = g_get_monotonic_time() + (gint64)(seconds * G_USEC_PER_SEC);
	emit.sketch = sketch_new(emit.finding, bad, good, error);
	if (!emit.sketch)
		return NULL;
	interruption_hold();
	if (emit_to(&emit, file, error))
		told = tell_emitted(&emit, file);
	interruption_release();
	sketch_free(emit.sketch);
	return told;
}
