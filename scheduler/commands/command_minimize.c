#include <stdio.h>
#include <unistd.h>

#include "command.h"
#include "command_emit.h"
#include "command_values.h"
#include "explorer/rank_name.h"
#include "reports/finding_text.h"
#include "reports/words.h"
#include "scheduler/reproduce/minimize.h"
#include "scheduler/reproduce/reproducer.h"

#define TRIES_DEFAULT 5000
#define EMIT_SECONDS 60.0 /* for cutting a program down */
#define WELL_MOST 20000u  /* interleavings that end well and are compared with */

/* What the command line and the store contain about the finding. */
struct subject {
	guint32 id; /* 0: a path was given */
	struct path *path, *reference;
	GPtrArray *well;
	struct store_reader *reader; /* of the exploration; NULL: a path was given */
	char *store;                 /* directory for the result */
	char *script, *source;       /* --emit-script, --emit-c; NULL: not given */
};

static void subject_clear(struct subject *subject)
{
	path_free(subject->path);
	path_free(subject->reference);
	g_ptr_array_unref(subject->well);
	store_reader_close(subject->reader);
	g_free(subject->store);
	g_free(subject->script);
	g_free(subject->source);
}

static bool add_well(const struct record_execution *execution, void *data, GError **error)
{
	GPtrArray *well = data;

	(void)error;
	if (execution->status == FINDING_NONE && well->len < WELL_MOST) {
		struct path *path = path_parse(execution->path, NULL);

		if (path)
			g_ptr_array_add(well, path);
	}
	return true;
}

static bool read_store(struct subject *subject, const char *store, GError **error)
{
	const struct record_finding *finding;

	subject->reader = store_reader_open(store, error);
	if (!subject->reader)
		return false;
	finding = store_reader_finding(subject->reader, subject->id);
	if (finding_kind_info(finding->kind)->native) {
		g_set_error(error, COMMAND_ERROR, 0,
		            "finding %u shows without control only: there is no path to minimize",
		            subject->id);
		return false;
	}
	if (finding_kind_info(finding->kind)->beyond_choices) {
		g_set_error(error, COMMAND_ERROR, 0,
		            "finding %u does not depend on the program's choices alone: there is "
		            "nothing to minimize",
		            subject->id);
		return false;
	}
	if (finding->outcomes->len > 1) {
		const struct record_outcome *first = finding->outcomes->pdata[0];

		subject->reference = path_parse(first->path, error);
		if (!subject->reference)
			return false;
	}
	return store_reader_each(subject->reader, false, add_well, subject->well, error);
}

/* --- output ----------------------------------------------------------------------------------- */

static void tell_choices(const struct minimize *result, const struct record_finding *finding,
                         const char *what)
{
	g_autofree char *good = result->good ? path_print(result->good) : NULL;
	bool buffered = good && result->good->buffering == BUFFERING_INFINITE
	                && result->least->buffering != BUFFERING_INFINITE;

	if (finding->blame) {
		g_autofree char *blame = words_blame(finding->blame);

		printf("  right or wrong: %s\n", blame);
	}
	if (good && result->difference == 0)
		printf("  ends well: %s  (the same choices, sends buffered)\n", good);
	else if (good)
		printf("  ends well: %s  (%u choice%s different%s)\n", good, result->difference,
		       result->difference == 1 ? "" : "s", buffered ? ", sends buffered" : "");
	else if (!result->cut)
		printf("  no interleaving that ends well was found for comparison\n");
	if (result->forced->len == 0)
		printf("  no choice must be forced: the first candidates lead to this %s\n", what);
	for (guint i = 0; i < result->forced->len; i++) {
		const struct record_choice *forced = result->forced->pdata[i];
		g_autofree char *choice = words_blame(forced);

		printf("  %s %s.%u: %s\n", i == 0 ? "forced" : "and   ", rank_name(forced->rank),
		       forced->call, choice);
	}
	if (result->cut)
		printf("  stopped early: fewer choices may be enough\n");
}

static bool tell_minimized(const struct command_options *options, const struct minimize *result)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(StoreReader) reader = store_reader_open(options->session.store, &error);
	const struct record_finding *finding = reader ? store_reader_finding(reader, 1) : NULL;
	const struct record_exploration *exploration;
	g_autofree char *started = NULL;

	if (!reader) {
		command_complain("%s", error->message);
		return false;
	}
	if (!finding) {
		command_complain("the finding was not reproduced at the end");
		return false;
	}
	if (!options->quiet) {
		exploration = store_reader_exploration(reader);
		started = words_started(exploration);
		printf("matchpoint: %s of %s: %u of %u choices needed, %u "
		       "interleavings "
		       "tried, %.2f s\n",
		       finding_kind_name(finding->kind), started, result->least->choices->len,
		       result->choices, result->tries, exploration->seconds);
		tell_choices(result, finding, finding_kind_name(finding->kind));
		printf("\n%s\n", finding_kind_name(finding->kind));
		if (!finding_write(reader, finding, stdout, &error)) {
			command_complain("%s", error->message);
			return false;
		}
		putchar('\n');
	}
	return true;
}

/* Options of replay without which the program might behave differently. Free with g_strfreev. */
static char **options_needed(const struct command_options *options)
{
	g_autoptr(GStrvBuilder) words = g_strv_builder_new();

	if (options->launcher) {
		g_strv_builder_add(words, "--launcher");
		g_strv_builder_add(words, options->launcher);
	}
	return g_strv_builder_end(words);
}

static bool emit_script(const struct command_options *options, const struct minimize *result,
                        const char *directory)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(StoreReader) reader = store_reader_open(options->session.store, &error);
	const struct record_finding *finding = reader ? store_reader_finding(reader, 1) : NULL;
	g_autofree char *text = finding ? finding_print(reader, finding, &error) : NULL;
	g_autofree char *told =
		text ? g_strdup_printf("%s\n%s", finding_kind_name(finding->kind), text) : NULL;
	g_autofree char *path = path_print(result->least);
	g_auto(GStrv) needed = options_needed(options);
	struct reproducer reproducer = {.path = path,
	                                .program = options->session.program,
	                                .standard_input = options->standard_input,
	                                .options = needed,
	                                .finding = told};

	if (reader)
		reproducer.mpi = store_reader_exploration(reader)->mpi;
	if (told && reproducer_write(directory, &reproducer, &error)) {
		if (!options->quiet)
			printf("wrote %s: %s/run, or matchpoint replay %s, shows it again\n",
			       directory, directory, directory);
		return true;
	}
	command_complain("--emit-script: %s", error ? error->message : "nothing was found");
	return false;
}

static void refuse_c(const GError *error)
{
	command_complain("--emit-c: %s; --emit-script DIR writes a folder that shows it with the "
	                 "program itself",
	                 error->message);
}

static bool emit_c(const struct command_options *options, const char *file)
{
	const struct session_options *session = &options->session;
	g_autoptr(GError) error = NULL;
	g_autofree char *told = command_emit_c(
		session, file, session->max_seconds > 0 ? session->max_seconds : EMIT_SECONDS,
		&error);

	if (!told) {
		refuse_c(error);
		return false;
	}
	if (!options->quiet)
		printf("wrote %s\n", told);
	return true;
}

static void tell_path(const struct path *path)
{
	g_autofree char *text = path_print(path);

	puts(text);
}

static int minimize_subject(struct command_options *options, struct subject *subject, guint tries)
{
	struct session_options *session = &options->session;
	struct session_result outcome = {0};
	struct minimize result = {
		.finding = subject->reader ? store_reader_finding(subject->reader, subject->id)
	                                   : NULL,
		.path = subject->path,
		.reference = subject->reference,
		.well = subject->well,
		.tries_most = tries,
	};
	g_autoptr(GError) error = NULL;
	bool quiet = options->quiet;
	bool fine, told;

	if (subject->source && !command_may_emit_c(result.finding, subject->source, &error)) {
		refuse_c(error);
		return EXIT_CANNOT;
	}
	session->conduct = minimize_conduct;
	session->scripted = &result;
	session->compare = subject->reference != NULL;
	fine = session_run(session, &outcome, &error);
	session_result_clear(&outcome);
	if (!fine)
		command_complain_of_session(error);
	else if (!result.least)
		command_complain("%s", result.failed ? result.failed : "interrupted");
	fine = told = fine && result.least && tell_minimized(options, &result);
	options->quiet = true; /* the verdict has been printed */
	fine = fine && command_report_all(options);
	options->quiet = quiet;
	if (fine && subject->script)
		fine = emit_script(options, &result, subject->script);
	if (fine && subject->source)
		fine = emit_c(options, subject->source);
	if (result.least && told)
		tell_path(result.least);
	minimize_clear(&result);
	return fine ? EXIT_CLEAN : EXIT_CANNOT;
}

/* What is compared besides the output, as in the exploration. */
static void compare_as_before(struct session_options *session, struct store_reader *reader)
{
	g_autoptr(GPtrArray) identity = store_reader_identity(reader, NULL);
	const char *compared = identity ? store_identity_value(identity, "--compare") : NULL;
	g_auto(GStrv) words = NULL;

	if (!compared || !g_shell_parse_argv(compared, NULL, &words, NULL))
		return;
	session->compare_written = g_str_equal(compared, "output files");
	if (!session->compare_written)
		session->compare_files = g_strdupv(words + 1);
}

static void compare_as_asked(struct session_options *session, char *const *asked)
{
	g_autoptr(GStrvBuilder) files = g_strv_builder_new();

	session->compare_written = !asked;
	for (; asked && *asked; asked++) {
		session->compare_written |= g_str_equal(*asked, "files");
		if (!command_words_have("compare", *asked))
			g_strv_builder_add(files, *asked);
	}
	session->compare_files = g_strv_builder_end(files);
}

static int prepare_subject(struct command_options *options, struct subject *subject)
{
	struct session_options *session = &options->session;
	g_autoptr(GError) error = NULL;
	int status = command_find_path(options, &subject->path, &subject->id);

	if (status != EXIT_CLEAN)
		return status;
	if (subject->id > 0 && !read_store(subject, session->store, &error)) {
		command_complain("%s", error->message);
		return EXIT_CANNOT;
	}
	subject->store = g_build_filename(session->store, "minimize", NULL);
	session->store = subject->store;
	command_follow_collectives(options, subject->path);
	/* Infinite buffering is tried as well; there ranks leave collectives early. */
	if (subject->path->buffering == BUFFERING_ZERO && session->collectives == COLLECTIVES_SYNC)
		session->collectives = COLLECTIVES_BOTH;
	if (subject->path->buffering != BUFFERING_ANY)
		session->bufferings = 1u << subject->path->buffering;
	if (options->compare || !subject->reader)
		compare_as_asked(session, options->compare);
	else
		compare_as_before(session, subject->reader);
	return EXIT_CLEAN;
}

static int minimize_run(int argc, char **argv)
{
	struct command_options options = {.session = {.command = "minimize", .deviations = -1},
	                                  .takes_word = true};
	struct subject subject = {
		.well = g_ptr_array_new_with_free_func((GDestroyNotify)path_free)};
	int tries = TRIES_DEFAULT;
	const GOptionEntry entries[] = {
		{"max-time", 0, 0, G_OPTION_ARG_STRING, &options.max_time,
	         "stop trying after S seconds (or 10s, 5m, 2h)", "S"},
		{"max-interleavings", 0, 0, G_OPTION_ARG_INT, &tries,
	         "stop trying after N interleavings (default: 5000)", "N"},
		{"compare", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.compare,
	         "for outcome-differs: file to compare (default: as in the exploration; may be "
	         "repeated)",
	         "FILE"},
		{"emit-c", 0, 0, G_OPTION_ARG_FILENAME, &subject.source,
	         "write a C program that shows the finding with MPI calls only", "FILE"},
		{"emit-script", 0, 0, G_OPTION_ARG_FILENAME, &subject.script,
	         "write a folder that shows the finding again with the program, elsewhere too",
	         "DIR"},
		{"backtrack", 0, 0, G_OPTION_ARG_STRING, &options.backtrack,
	         "how to go back: auto, snapshot, rerun, rewind", "WORD"},
		G_OPTION_ENTRY_NULL,
	};
	int status = command_parse(&options, &command_minimize, &argc, &argv, entries);

	if (status == EXIT_CLEAN && tries < 1) {
		command_complain("--max-interleavings must be positive");
		status = EXIT_USAGE;
	}
	if (status == EXIT_CLEAN)
		status = prepare_subject(&options, &subject);
	if (status == EXIT_CLEAN)
		status = minimize_subject(&options, &subject, (guint)tries);
	subject_clear(&subject);
	command_options_release(&options);
	return status;
}

const struct command command_minimize = {
	.name = "minimize",
	.summary = "find the fewest forced choices that still show a finding",
	.synopsis = "FINDING|PATH [-- PROGRAM ARG...]",
	.example = "matchpoint minimize 1",
	.run = minimize_run,
	.runs_ranks = true,
};
