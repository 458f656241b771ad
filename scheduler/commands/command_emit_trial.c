/* Tries a sketch: writes it out, compiles it and explores it. */
#include <string.h>

#include "command_emit_internal.h"
#include "reports/words.h"
#include "scheduler/host/mpi_runtime.h"
#include "scheduler/session/interruption.h"
#include "scheduler/store/reader.h"
#include "scheduler/tools/log.h"

#define INTERLEAVINGS_MOST 2000 /* of a sketch that is explored completely */
#define SECONDS_MOST 10.0       /* for one exploration */
#define COMMENT_WIDTH 97u       /* characters in a line */
#define UNBUFFERED                                                                               \
	"It needs an MPI_Send that waits for its receive, as the standard allows and MPI_Ssend " \
	"always does: "                                                                          \
	"most libraries wait only if the message is long."

static bool compile_sketch(struct emit *emit, const char *text)
{
	const char *compiler = mpi_runtime_usual()->compiler;
	const char *const words[] = {compiler, "-g", "-w", emit->source, "-o", emit->program, NULL};
	g_autofree char *said = NULL;
	int status;

	if (!g_file_set_contents(emit->source, text, -1, &emit->error)
	    || !g_spawn_sync(NULL, (char **)words, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
	                     &said, &status, &emit->error))
		return false;
	if (status != 0)
		g_set_error(&emit->error, COMMAND_ERROR, 0, "%s %s failed: %s", compiler,
		            emit->source, said);
	return status == 0;
}

struct looking {
	bool leaks; /* what an interleaving leaves behind does not matter */
	bool good;
};

static bool is_good(const struct record_execution *execution, void *data, GError **error)
{
	struct looking *looking = data;

	(void)error;
	looking->good |= execution->status == FINDING_NONE
	                 || (looking->leaks
	                     && finding_kind_info(execution->status)->emit == FINDING_EMIT_LEAVE);
	return true;
}

static bool any_good(const struct emit *emit)
{
	g_autoptr(StoreReader) reader = store_reader_open(emit->store, NULL);
	struct looking looking = {emit->good_leaks, false};

	if (reader)
		store_reader_each(reader, false, is_good, &looking, NULL);
	return looking.good;
}

/* Whether it is the finding looked for, at the same call. */
static bool is_it(const struct emit *emit, const struct record_finding *found)
{
	const struct sketch *sketch = emit->sketch;
	const struct sketch_step *stands;

	if (sketch->asserts)
		return found->kind == FINDING_CRASH;
	if (found->kind != emit->finding->kind)
		return false;
	if (sketch->stands < 0)
		return true;
	stands = sketch->steps->pdata[sketch->stands];
	for (guint i = 0; i < found->ranks->len; i++) {
		const struct record_rank *rank = found->ranks->pdata[i];

		if (!rank->bystander && rank->place.line == stands->line
		    && rank->rank == sketch_rank(sketch, stands->rank))
			return record_finding_is_remark(found)
			       || emit_shape_fits(emit, found, stands->rank);
	}
	return false;
}

/* Appends lines of at most COMMENT_WIDTH characters, broken between words. */
static void add_wrapped(GString *comment, const char *text)
{
	g_auto(GStrv) words = g_strsplit(text, " ", -1);
	gsize width = 0;

	for (guint i = 0; words[i]; i++) {
		gsize length = strlen(words[i]);
		bool breaks = width > 0 && width + 1 + length > COMMENT_WIDTH;

		if (i > 0)
			g_string_append_c(comment, breaks ? '\n' : ' ');
		g_string_append(comment, words[i]);
		width = breaks || i == 0 ? length : width + 1 + length;
	}
	g_string_append_c(comment, '\n');
}

/* Options that explore needs besides -n. Free with g_free. */
static char *options_needed(const struct emit *emit)
{
	g_autofree char *not_yet = emit->not_yet == 1
	                                   ? g_strdup("")
	                                   : g_strdup_printf(" --not-yet %u", emit->not_yet);
	g_autofree char *some = emit->some == COMMAND_SOME_DEFAULT
	                                ? g_strdup("")
	                                : g_strdup_printf(" --some %u", emit->some);
	g_autofree char *collectives =
		emit->collectives == COLLECTIVES_BOTH
			? g_strdup("")
			: g_strconcat(" --collectives ", collective_mode_word(emit->collectives),
	                              NULL);

	return g_strconcat(emit->finding->bufferings == RECORD_PER_SEND ? " --buffering per-send"
	                                                                : "",
	                   collectives, not_yet, some, NULL);
}

static bool is_answer(const struct record_message *taken, enum taken_kind kind)
{
	return taken->taken.kind == kind;
}

/* Whether both report the same request. True if the sketch does not start the request by a step of
 * its own, as then it cannot be known. */
static bool is_same_request(const struct emit *emit, const struct record_message *found,
                            const struct record_message *meant)
{
	const struct sketch *sketch = emit->sketch;

	for (guint i = 0; meant && meant->call > 0 && i < sketch->steps->len; i++) {
		const struct sketch_step *step = sketch->steps->pdata[i];

		if (step->rank == emit->finding->blame->rank && step->immediate
		    && step->events[SKETCH_BAD].call == meant->call)
			return !step->dropped && found && found->place.line == step->line;
	}
	return true;
}

/* The alternative that goes well; NULL: not known. */
static const struct record_message *goes_well(const struct record_choice *blame)
{
	return blame->alternatives && blame->alternatives->len > 0
	               ? &g_array_index(blame->alternatives, struct record_message, 0)
	               : NULL;
}

/* Whether the same choice is to blame, with the same candidate. */
static bool is_same_blame(const struct emit *emit, const struct record_choice *blame)
{
	const struct sketch *sketch = emit->sketch;
	const struct record_message *meant = &emit->finding->blame->taken;
	const struct sketch_step *step;

	if (!blame || sketch->blamed < 0 || emit->other_blame)
		return blame != NULL;
	step = sketch->steps->pdata[sketch->blamed];
	if (blame->place.line != step->line || blame->rank != sketch_rank(sketch, step->rank))
		return false;
	if (meant->source >= 0)
		return blame->taken.source == sketch_rank(sketch, meant->source);
	return is_same_request(emit, &blame->taken, meant)
	       && is_same_request(emit, goes_well(blame), goes_well(emit->finding->blame))
	       && is_answer(&blame->taken, TAKEN_NO) == is_answer(meant, TAKEN_NO)
	       && is_answer(&blame->taken, TAKEN_CANCELLED) == is_answer(meant, TAKEN_CANCELLED);
}

/* Whether a lock that is held in every interleaving of the original program is held only in some of
 * the sketch's. */
static bool lock_wavers(const struct emit *emit, const struct record_finding *found)
{
	const struct sketch *sketch = emit->sketch;
	const struct sketch_step *stands = sketch->stands >= 0
	                                           ? sketch->steps->pdata[sketch->stands]
	                                           : NULL;

	return stands && stands->kind == SKETCH_LOCK && !emit->needs_blame && !emit->had_good
	       && found->count < emit->interleavings;
}

static char *comment_of(const struct emit *emit, const struct record_finding *found)
{
	const struct mpi_runtime *runtime = mpi_runtime_usual();
	g_autofree char *base = g_path_get_basename(emit->source);
	g_autofree char *headline = words_headline(found), *options = options_needed(emit);
	g_autofree char *blame = found->blame ? words_blame(found->blame) : NULL;
	g_autofree char *name = g_strndup(base, strlen(base) - strlen(".c")), *told = NULL;
	g_autofree char *commands = NULL;
	g_autoptr(GString) comment = g_string_new(NULL);
	int ranks = sketch_ranks(emit->sketch);

	g_strdelimit(headline, "\n", ' ');
	told = g_strdup_printf("%s: %s", finding_kind_name(found->kind), headline);
	add_wrapped(comment, told);
	if (emit->sketch->asserts) {
		g_autofree char *before = words_headline(emit->finding);

		g_free(told);
		told = g_strdup_printf("It stands for the %s in %s: %s.",
		                       finding_kind_name(emit->finding->kind), emit->origin,
		                       before);
		g_strdelimit(told, "\n", ' ');
		add_wrapped(comment, told);
	}
	g_free(told);
	told = blame ? g_strdup_printf("It goes wrong when %s.", blame)
	             : g_strdup("It needs no particular choice between messages or requests.");
	add_wrapped(comment, told);
	if (found->bufferings == RECORD_ZERO)
		add_wrapped(comment, UNBUFFERED);
	if (emit->had_good && !emit->goes_well)
		add_wrapped(comment, EMIT_ALWAYS_WRONG);
	commands = g_strdup_printf(
		"\n  %s -g %s -o %s\n  %s -n %d ./%s    goes wrong%s\n  matchpoint explore -n "
		"%d%s ./%s    always finds it: path %s\n\nComments on the right name the places in "
		"%s, the original program.",
		runtime->compiler, base, name, runtime->launcher, ranks, name,
		emit->goes_well ? " if MPI makes this choice" : "", ranks, options, name,
		found->path, emit->origin);
	g_string_append(comment, commands);
	return g_string_free(g_steal_pointer(&comment), false);
}

guint emit_count_lines(const char *text)
{
	guint count = 1;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

/* As many lines as the last comment, so that the line numbers in that one stay true. */
static char *placeholder_comment(const struct emit *emit)
{
	return g_strnfill(emit->comment ? emit_count_lines(emit->comment) - 1 : 0, '\n');
}

/* The number of choices in the finding's path that differ from the default. */
static int deviations_needed(const struct emit *emit)
{
	int count = 0;

	for (const char *at = emit->finding->path; *at; at++)
		count += *at == '=';
	return count;
}

/* *ret_too_large: whether there are more interleavings than the limits allow. */
static bool explore_sketch(struct emit *emit, bool *ret_too_large)
{
	char *program[] = {emit->program, NULL};
	struct session_options options = {
		.command = "explore",
		.program = program,
		.ranks = sketch_ranks(emit->sketch),
		.bufferings = emit->finding->bufferings == RECORD_PER_SEND
	                              ? RECORD_PER_SEND
	                              : RECORD_ZERO | RECORD_INFINITE,
		.collectives = emit->collectives,
		.not_yet = emit->not_yet,
		.some = emit->some,
		.max_interleavings = INTERLEAVINGS_MOST,
		.max_seconds = SECONDS_MOST,
		.deviations = emit->large ? deviations_needed(emit) : -1,
		.store = emit->store,
	};
	struct session_result result = {0};
	bool shown = false, run = session_run(&options, &result, NULL);

	*ret_too_large = run && limits_leave_plans(result.exploration->limits);
	if (run && (!*ret_too_large || emit->large)) {
		emit->goes_well = any_good(emit);
		emit->interleavings = result.exploration->interleavings;
		for (guint i = 0; i < result.findings->len && !shown; i++) {
			const struct record_finding *found = result.findings->pdata[i];

			if (!found->reproduced || !is_it(emit, found) || lock_wavers(emit, found)
			    || (emit->needs_blame && !is_same_blame(emit, found->blame)))
				continue;
			shown = true;
			emit->wrong = found->count;
			g_free(emit->comment);
			emit->comment = comment_of(emit, found);
		}
	}
	session_result_clear(&result);
	return shown && (!emit->needs_good || emit->goes_well);
}

/* If the sketch is too large, explores only near the finding. The sketch becomes smaller as it is
 * cut. */
static bool explore_some(struct emit *emit)
{
	bool too_large, shown = explore_sketch(emit, &too_large);

	if (!shown && too_large && !emit->large) {
		emit->large = true;
		shown = explore_sketch(emit, &too_large);
		emit->large = shown;
	}
	return shown;
}

bool emit_shows(struct emit *emit)
{
	g_autofree char *comment = placeholder_comment(emit);
	g_autofree char *text = NULL, *key = NULL;
	bool shown;

	if (emit->error || interruption_asked() || g_get_monotonic_time() > emit->deadline
	    || !sketch_is_whole(emit->sketch))
		return false;
	text = sketch_print(emit->sketch, comment);
	key = g_strdup_printf("%d%d%d%s", emit->other_blame, emit->needs_good, emit->good_leaks,
	                      text);
	if (g_hash_table_contains(emit->failed, key))
		return false;
	shown = compile_sketch(emit, text) && explore_some(emit);
	if (!shown)
		g_hash_table_add(emit->failed, g_steal_pointer(&key));
	log_debug(LOG_SESSION, "a sketch that %s it:\n%s", shown ? "shows" : "does not show", text);
	return shown;
}
