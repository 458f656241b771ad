#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command_line.h"
#include "explorer/rank_name.h"
#include "scheduler/host/environment.h"

/* Reports that a command writes at its end. */

static bool is_directory(const struct report *report)
{
	return !report->write;
}

static const char *option_text(struct command_line *line, const struct report *report)
{
	return report->unavailable ? command_line_text(
		       line, g_strdup_printf("%s (not in this build)", report->summary))
	                           : report->summary;
}

void command_add_reports(struct command_line *line, struct command_options *options)
{
	const struct report *const *reports = report_list();
	GOptionEntry entries[REPORT_COUNT] = {0};
	const GOptionEntry more[] = {
		{"source-root", 0, 0, G_OPTION_ARG_FILENAME, &options->source_root,
	         "name source files relative to DIR (default: where the program was started)",
	         "DIR"},
		{"execution", 0, 0, G_OPTION_ARG_INT, &options->execution,
	         "interleaving to draw (default: the first that shows a finding)", "N"},
		{"json-all", 0, 0, G_OPTION_ARG_NONE, &options->json_all,
	         "with more than 1,000 interleavings, --json holds them all, not only those with "
	         "findings",
	         NULL},
		G_OPTION_ENTRY_NULL,
	};

	for (int i = 1; i < REPORT_COUNT; i++) {
		entries[i - 1] = (GOptionEntry){
			.long_name = reports[i]->name,
			.arg = G_OPTION_ARG_FILENAME,
			.arg_data = &options->reports[i],
			.description = option_text(line, reports[i]),
			.arg_description = is_directory(reports[i]) ? "DIR" : "FILE"};
	}
	command_line_add(line, entries);
	command_line_add(line, more);
}

/* Prints a rank's output, with the rank before each line, as `mpiexec -l` does. */
static void print_output(guint rank, GBytes *output, FILE *out)
{
	gsize length;
	const char *text = g_bytes_get_data(output, &length);
	const char *end = text + length;

	while (text < end) {
		const char *newline = memchr(text, '\n', (gsize)(end - text));
		const char *stop = newline ? newline : end;

		fprintf(out, "[%s] %.*s\n", rank_name((int)rank), (int)(stop - text), text);
		text = stop + 1;
	}
}

static bool print_execution(const struct record_execution *execution, void *several, GError **error)
{
	(void)error;
	if (*(bool *)several)
		printf("interleaving %u: %s  %s\n", execution->id,
		       finding_kind_name(execution->status), execution->path);
	for (guint rank = 0; rank < execution->outputs->len; rank++)
		print_output(rank, execution->outputs->pdata[rank], stdout);
	for (guint rank = 0; rank < execution->errors->len; rank++)
		print_output(rank, execution->errors->pdata[rank], stderr);
	return true;
}

/* Prints the ranks' output: always for a single interleaving, for many only with -v. */
static bool print_outputs(const struct command_options *options, struct store_reader *reader)
{
	g_autoptr(GError) error = NULL;
	bool several = options->session.position == NULL;

	if (several && !options->verbose)
		return true;
	if (store_reader_each_output(reader, print_execution, &several, &error))
		return true;
	command_complain("%s", error->message);
	return false;
}

/* Whether a report can be written there later: a missing folder should not show after an hour. */
static bool has_folder(const struct report *report, const char *file)
{
	g_autofree char *folder = g_path_get_dirname(file);

	if (g_str_equal(file, "-"))
		return true;
	if (g_file_test(file, G_FILE_TEST_EXISTS)
	    && is_directory(report) != g_file_test(file, G_FILE_TEST_IS_DIR)) {
		command_complain("--%s %s: it is %s", report->name, file,
		                 is_directory(report) ? "a file; name a directory"
		                                      : "a directory; name a file in it");
		return false;
	}
	if (access(file, W_OK) == 0)
		return true;
	if (!g_file_test(folder, G_FILE_TEST_IS_DIR))
		command_complain("--%s %s: there is no directory %s", report->name, file, folder);
	else if (g_file_test(file, G_FILE_TEST_EXISTS) || access(folder, W_OK) != 0)
		command_complain("--%s %s: it cannot be written: %s", report->name, file,
		                 g_strerror(errno));
	else
		return true;
	return false;
}

bool command_inspect_reports(const struct command_options *options)
{
	if (options->execution < 0) {
		command_complain("--execution cannot be %d: interleavings are numbered from 1",
		                 options->execution);
		return false;
	}
	for (int i = 1; report_list()[i]; i++) {
		const struct report *report = report_list()[i];

		if (!options->reports[i])
			continue;
		if (report->unavailable) {
			command_complain("--%s: %s", report->name, report->unavailable);
			return false;
		}
		if (is_directory(report) && g_str_equal(options->reports[i], "-")) {
			command_complain("--%s takes a directory, not standard output",
			                 report->name);
			return false;
		}
	}
	return true;
}

bool command_find_folders(const struct command_options *options)
{
	for (int i = 1; report_list()[i]; i++)
		if (options->reports[i] && !has_folder(report_list()[i], options->reports[i]))
			return false;
	return true;
}

bool command_reports_to_output(const struct command_options *options)
{
	for (int i = 0; i < REPORT_COUNT; i++) {
		if (g_strcmp0(options->reports[i], "-") == 0)
			return true;
	}
	return false;
}

bool command_has_reports(const struct command_options *options)
{
	for (int i = 0; i < REPORT_COUNT; i++)
		if (options->reports[i])
			return true;
	return false;
}

/* The directory of the sources: --source-root, else where GitHub or GitLab has checked them out. */
static char *source_root(const struct command_options *options)
{
	const char *root = options->source_root;

	if (!root)
		root = g_getenv(ENVIRONMENT_GITHUB_WORKSPACE);
	if (!root)
		root = g_getenv(ENVIRONMENT_GITLAB_PROJECT);
	return root && *root ? g_canonicalize_filename(root, NULL) : NULL;
}

static bool write_report(struct store_reader *reader, const struct command_options *options,
                         int format, const char *file)
{
	g_autofree char *root = source_root(options);
	const struct report_options asked = {root, (uint32_t)options->execution, options->json_all};
	g_autoptr(GError) error = NULL;

	if (report_write(report_list()[format], reader, &asked, file, &error))
		return true;
	command_complain("%s", error->message);
	return false;
}

/* In a step of GitHub Actions: writes annotations and the summary of the step. Annotations go to
 * standard error because reports for scripts go to standard output. */
static bool report_to_github(struct store_reader *reader, const struct command_options *options)
{
	g_autofree char *root = source_root(options);
	const struct report_options asked = {root, (uint32_t)options->execution, options->json_all};
	const char *summary = g_getenv(ENVIRONMENT_GITHUB_SUMMARY);
	g_autoptr(GError) error = NULL;
	bool fine = true;

	if (g_strcmp0(g_getenv(ENVIRONMENT_GITHUB_ACTIONS), "true") != 0)
		return true;
	if (!options->quiet)
		fine = report_github.write(reader, &asked, stderr, &error);
	if (fine && summary && *summary)
		fine = report_append(&report_markdown, reader, &asked, summary, &error);
	if (!fine)
		command_complain("%s", error->message);
	return fine;
}

static struct store_reader *open_store(const struct command_options *options)
{
	g_autoptr(GError) error = NULL;
	struct store_reader *reader = store_reader_open_to_tell(options->session.store, &error);

	if (!reader)
		command_complain("%s", error->message);
	else if (options->passing_store)
		store_reader_passes(reader);
	return reader;
}

static bool write_requested(struct store_reader *reader, const struct command_options *options)
{
	bool fine = true;

	for (int i = 1; report_list()[i]; i++) {
		if (options->reports[i])
			fine &= write_report(reader, options, i, options->reports[i]);
	}
	return fine;
}

bool command_report_all(const struct command_options *options)
{
	g_autoptr(StoreReader) reader = open_store(options);
	bool fine = true;

	if (!reader)
		return false;
	if (!options->quiet && !command_reports_to_output(options))
		fine = print_outputs(options, reader) && write_report(reader, options, 0, "-");
	fine &= write_requested(reader, options);
	fine &= report_to_github(reader, options);
	return fine;
}

bool command_report_requested(const struct command_options *options)
{
	g_autoptr(StoreReader) reader = open_store(options);

	return reader && write_requested(reader, options);
}
