#include "command_emit.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "../explorer/ddmin.h"
#include "../reports/words.h"
#include "command.h"
#include "log.h"
#include "sketch.h"

#define COMPILER "mpicc.mpich"
#define INTERLEAVINGS_MOST 2000 /* of a sketch that is explored whole */
#define SECONDS_MOST 10.0       /* of exploring it */
#define COMMENT_WIDTH 97u       /* characters of a line */
#define UNBUFFERED                                                                        \
	"It takes an MPI_Send that waits for its receive, as it may and MPI_Ssend does: " \
	"most libraries wait only when the message is long."
#define ALWAYS_WRONG                                                                          \
	"Other than the program it was cut down from it has no interleaving that goes well: " \
	"that takes what the program does between its MPI calls."

struct emit {
	struct sketch *sketch;
	const struct record_finding *finding;
	const char *origin; /* the program that was run */
	guint not_yet;      /* as in struct session_options */
	gboolean synchronous_collectives;
	gboolean had_good;    /* an interleaving of the program ends well */
	gboolean needs_blame; /* a choice must make the difference, as it did */
	gboolean other_blame; /* but it may be another choice */
	gboolean needs_good;  /* an interleaving of it must end well */
	gboolean good_leaks;  /* though it may leave something behind */
	char *directory;      /* for what is tried */
	char *source, *program, *store;
	gint64 deadline;
	GError *error;      /* what makes trying useless */
	GArray *units;      /* guint32: those that are left */
	GHashTable *failed; /* texts that need not be tried again */
	gboolean large; /* too many interleavings: only those like the finding's own are explored */
	/* of what was explored last */
	char *comment; /* that it deserves */
	gboolean goes_well;
	guint64 interleavings, wrong;
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

struct looking {
	gboolean leaks; /* what is left behind is no matter */
	gboolean good;
};

static bool is_good(const struct record_execution *execution, void *data, GError **error)
{
	struct looking *looking = data;

	(void)error;
	looking->good |= g_str_equal(execution->status, "ok")
	                 || (looking->leaks && g_str_equal(execution->status, "leak"));
	return true;
}

static gboolean any_good(const struct emit *emit)
{
	g_autoptr(StoreReader) reader = store_reader_open(emit->store, NULL);
	struct looking looking = {emit->good_leaks, FALSE};

	if (reader)
		store_reader_each(reader, false, is_good, &looking, NULL);
	return looking.good;
}

/* Whether it is what is looked for, at the same call. */
static gboolean is_it(const struct emit *emit, const struct record_finding *found)
{
	const struct sketch *sketch = emit->sketch;
	const struct sketch_step *stands;

	if (sketch->asserts)
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

/* Lines of at most this many characters, broken between words. */
static void add_wrapped(GString *comment, const char *text)
{
	g_auto(GStrv) words = g_strsplit(text, " ", -1);
	gsize width = 0;

	for (guint i = 0; words[i]; i++) {
		gsize length = strlen(words[i]);
		gboolean breaks = width > 0 && width + 1 + length > COMMENT_WIDTH;

		if (i > 0)
			g_string_append_c(comment, breaks ? '\n' : ' ');
		g_string_append(comment, words[i]);
		width = breaks || i == 0 ? length : width + 1 + length;
	}
	g_string_append_c(comment, '\n');
}

/* What explore must be told besides. */
static char *options_needed(const struct emit *emit)
{
	g_autofree char *not_yet = emit->not_yet == 1
	                                   ? g_strdup("")
	                                   : g_strdup_printf(" --not-yet %u", emit->not_yet);

	return g_strconcat(
		emit->finding->bufferings == RECORD_PER_SEND ? " --buffering per-send" : "",
		emit->synchronous_collectives ? " --collectives sync" : "", not_yet, NULL);
}

/* Whether the same is to blame, taken the same way. */
static gboolean is_same_blame(const struct emit *emit, const struct record_choice *blame)
{
	const struct sketch *sketch = emit->sketch;
	const struct record_message *meant = &emit->finding->blame->taken;
	const struct sketch_step *step;

	if (!blame || sketch->blamed < 0 || emit->other_blame)
		return blame != NULL;
	step = sketch->steps->pdata[sketch->blamed];
	if (blame->place.line != step->line || blame->rank != sketch_rank(sketch, step->rank))
		return FALSE;
	if (meant->source >= 0)
		return blame->taken.source == sketch_rank(sketch, meant->source);
	return g_str_equal(meant->answer, "no") == (g_strcmp0(blame->taken.answer, "no") == 0);
}

static char *comment_of(const struct emit *emit, const struct record_finding *found)
{
	g_autofree char *base = g_path_get_basename(emit->source);
	g_autofree char *headline = words_headline(found), *options = options_needed(emit);
	g_autofree char *blame = found->blame ? words_blame(found->blame) : NULL;
	g_autofree char *name = g_strndup(base, strlen(base) - strlen(".c")), *told = NULL;
	g_autofree char *commands = NULL;
	g_autoptr(GString) comment = g_string_new(NULL);
	int ranks = sketch_ranks(emit->sketch);

	g_strdelimit(headline, "\n", ' ');
	told = g_strdup_printf("%s: %s", found->kind, headline);
	add_wrapped(comment, told);
	if (emit->sketch->asserts) {
		g_autofree char *before = words_headline(emit->finding);

		g_free(told);
		told = g_strdup_printf("It stands for the %s in %s: %s.", emit->finding->kind,
		                       emit->origin, before);
		g_strdelimit(told, "\n", ' ');
		add_wrapped(comment, told);
	}
	g_free(told);
	told = blame ? g_strdup_printf("It goes wrong when %s.", blame)
	             : g_strdup("It needs no choice of MPI's between messages or requests.");
	add_wrapped(comment, told);
	if (found->bufferings == RECORD_ZERO)
		add_wrapped(comment, UNBUFFERED);
	if (emit->had_good && !emit->goes_well)
		add_wrapped(comment, ALWAYS_WRONG);
	commands = g_strdup_printf(
		"\n  " COMPILER " -g %s -o %s\n"
		"  mpiexec.mpich -n %d ./%s    goes wrong%s\n"
		"  matchpoint explore -n %d%s ./%s    always finds it: path %s\n\n"
		"On the right: the places in %s, from which it was cut down.",
		base, name, ranks, name, emit->goes_well ? " whenever MPI does so" : "", ranks,
		options, name, found->path, emit->origin);
	g_string_append(comment, commands);
	return g_string_free(g_steal_pointer(&comment), FALSE);
}

static guint count_lines(const char *text)
{
	guint count = 1;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

/* As long as the last one was, so that the lines told in it will be true. */
static char *placeholder(const struct emit *emit)
{
	return g_strnfill(emit->comment ? count_lines(emit->comment) - 1 : 0, '\n');
}

/* How many choices of the finding's path are not the default: so near is it to be found. */
static int deviations_needed(const struct emit *emit)
{
	int count = 0;

	for (const char *at = emit->finding->path; *at; at++)
		count += *at == '=';
	return count;
}

/* *ret_too_large: there are more interleavings than can be explored. */
static gboolean explore(struct emit *emit, gboolean *ret_too_large)
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
		.not_yet = emit->not_yet,
		.max_interleavings = INTERLEAVINGS_MOST,
		.max_seconds = SECONDS_MOST,
		.deviations = emit->large ? deviations_needed(emit) : -1,
		.store = emit->store,
	};
	struct session_result result = {0};
	gboolean shown = FALSE, run = session_run(&options, &result, NULL);

	*ret_too_large = run && !result.exploration->complete;
	if (run && (result.exploration->complete || emit->large)) {
		emit->goes_well = any_good(emit);
		emit->interleavings = result.exploration->interleavings;
		for (guint i = 0; i < result.findings->len && !shown; i++) {
			const struct record_finding *found = result.findings->pdata[i];

			if (!found->reproduced || !is_it(emit, found)
			    || (emit->needs_blame && !is_same_blame(emit, found->blame)))
				continue;
			shown = TRUE;
			emit->wrong = found->count;
			g_free(emit->comment);
			emit->comment = comment_of(emit, found);
		}
	}
	session_result_clear(&result);
	return shown && (!emit->needs_good || emit->goes_well);
}

/* A sketch that is too large is explored where the finding has been; it becomes smaller as it is
 * cut down. */
static gboolean explore_some(struct emit *emit)
{
	gboolean too_large, shown = explore(emit, &too_large);

	if (!shown && too_large && !emit->large) {
		emit->large = TRUE;
		shown = explore(emit, &too_large);
		emit->large = shown;
	}
	return shown;
}

static gboolean shows(struct emit *emit)
{
	g_autofree char *comment = placeholder(emit);
	g_autofree char *text = NULL, *key = NULL;
	gboolean shown;

	if (emit->error || g_get_monotonic_time() > emit->deadline
	    || !sketch_is_whole(emit->sketch))
		return FALSE;
	text = sketch_print(emit->sketch, comment);
	key = g_strdup_printf("%d%d%d%s", emit->other_blame, emit->needs_good, emit->good_leaks,
	                      text);
	if (g_hash_table_contains(emit->failed, key))
		return FALSE;
	shown = compile(emit, text) && explore_some(emit);
	if (!shown)
		g_hash_table_add(emit->failed, g_steal_pointer(&key));
	log_debug(LOG_SESSION, "a sketch that %s it:\n%s", shown ? "shows" : "does not show", text);
	return shown;
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

/* MPI_COMM_WORLD may do for all. */
static void cut_communicators(struct emit *emit)
{
	GPtrArray *steps = emit->sketch->steps;
	g_autofree guint64 *before = g_new(guint64, steps->len);
	gboolean others = FALSE;

	for (guint i = 0; i < steps->len; i++) {
		struct sketch_step *step = steps->pdata[i];

		before[i] = step->communicator;
		if (step->communicator <= SKETCH_SELF)
			continue;
		others |= !step->dropped;
		step->communicator = SKETCH_WORLD;
	}
	if (!others || shows(emit))
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

/* Once more for the comment, whose own length moves the lines that it tells. */
static gboolean settle(struct emit *emit)
{
	guint lines;

	emit->large = FALSE;
	for (int i = 0; i < 3; i++) {
		lines = emit->comment ? count_lines(emit->comment) : 1;
		if (!shows(emit))
			return FALSE;
		if (count_lines(emit->comment) == lines)
			return TRUE;
	}
	return FALSE;
}

/* The whole sketch, with less and less to be asked of it. */
static gboolean begin(struct emit *emit)
{
	gboolean good = emit->needs_good;

	for (int other = 0; other <= (emit->needs_blame && emit->sketch->blamed >= 0); other++) {
		emit->other_blame = other > 0;
		emit->needs_good = good;
		emit->good_leaks = FALSE;
		if (shows(emit))
			return TRUE;
		/* The one that ends well may leave something behind in the program, too. */
		emit->good_leaks = good && !g_str_equal(emit->finding->kind, "leak");
		if (emit->good_leaks && shows(emit))
			return TRUE;
	}
	emit->needs_good = FALSE;
	return good && shows(emit);
}

/* MPI_Isend and MPI_Wait become MPI_Send where nothing comes between. */
static void merge_waits(struct emit *emit)
{
	g_autofree bool *state = sketch_state(emit->sketch);
	int32_t stands = emit->sketch->stands;

	sketch_merge_waits(emit->sketch);
	if (shows(emit))
		return;
	sketch_split_waits(emit->sketch);
	sketch_restore(emit->sketch, state);
	emit->sketch->stands = stands;
}

static gboolean cut_down(struct emit *emit, GError **error)
{
	gboolean shown = begin(emit);

	if (shown) {
		cut_ranks(emit);
		cut_calls(emit);
		cut_ranks(emit);
		cut_communicators(emit);
		merge_waits(emit);
		cut_sizes(emit);
		emit->deadline = G_MAXINT64;
		shown = settle(emit);
	}
	if (shown)
		return TRUE;
	if (emit->error)
		g_propagate_error(error, g_steal_pointer(&emit->error));
	else
		g_set_error(
			error, SESSION_ERROR, 0,
			"the MPI calls alone, explored as a program, do not show it%s: it takes "
			"what the program does between them, or arguments and calls that are "
			"not written out",
			emit->needs_blame ? " with the same choice to blame" : "");
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

static gboolean has_threads(const struct record_exploration *exploration)
{
	for (guint i = 0; i < exploration->notes->len; i++) {
		if (g_str_has_prefix(exploration->notes->pdata[i], "threads of a rank"))
			return TRUE;
	}
	return FALSE;
}

static char *tell(const struct emit *emit, const char *file)
{
	g_autofree char *text = NULL;

	if (!g_file_get_contents(file, &text, NULL, NULL))
		return NULL;
	return g_strdup_printf("%s: %u lines, %d ranks, wrong in %" G_GUINT64_FORMAT
	                       " of %" G_GUINT64_FORMAT " interleavings%s%s%s",
	                       file, count_lines(text) - 1, sketch_ranks(emit->sketch), emit->wrong,
	                       emit->interleavings,
	                       emit->large ? " near it, of more than can be explored here" : "",
	                       emit->had_good && !emit->goes_well ? "\n    " : "",
	                       emit->had_good && !emit->goes_well ? ALWAYS_WRONG : "");
}

gboolean command_may_emit_c(const struct record_finding *finding, const char *file, GError **error)
{
	if (!g_str_has_suffix(file, ".c")) {
		g_set_error(error, SESSION_ERROR, 0, "%s is to be C and so to end with .c", file);
		return FALSE;
	}
	return !finding || sketch_can_show(finding, error);
}

char *command_emit_c(const struct session_options *session, const char *file, double seconds,
                     GError **error)
{
	g_autoptr(StoreReader) reader = store_reader_open(session->store, error);
	g_autoptr(RecordExecution) bad = reader ? store_reader_example(reader, 1, error) : NULL;
	g_autoptr(RecordExecution) good = NULL;
	g_autofree char *origin = g_path_get_basename(session->program[0]);
	struct emit emit = {.origin = origin, .not_yet = MAX(session->not_yet, 1u)};
	char *told = NULL;

	if (!bad)
		return NULL;
	if (has_threads(store_reader_exploration(reader))) {
		g_set_error(error, SESSION_ERROR, 0,
		            "several threads of a rank call MPI, and threads are not written out");
		return NULL;
	}
	good = store_reader_well(reader, bad->buffering, NULL);
	if (!good)
		good = store_reader_well(reader, RECORD_INFINITE, NULL);
	emit.finding = store_reader_finding(reader, 1);
	emit.synchronous_collectives = store_reader_exploration(reader)->synchronous_collectives;
	emit.needs_blame = emit.finding->blame != NULL;
	emit.had_good = emit.needs_good = good != NULL;
	emit.deadline = g_get_monotonic_time() + (gint64)(seconds * G_USEC_PER_SEC);
	emit.sketch = sketch_new(emit.finding, bad, good, error);
	if (!emit.sketch)
		return NULL;
	if (emit_to(&emit, file, error))
		told = tell(&emit, file);
	sketch_free(emit.sketch);
	return told;
}
