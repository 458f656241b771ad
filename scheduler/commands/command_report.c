#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "command_line.h"
#include "recordings.h"
#include "scheduler/recording/recording.h"
#include "scheduler/reproduce/merge.h"
#include "scheduler/store/schema.h"

struct report_request {
	struct command_options shared;
	char **stores, **named; /* given as STORE..., and with --store */
	char *merge_into;
	gboolean exit_code; /* GOption */
};

/* --- a store that exists while the command runs ----------------------------------------------- */

/* SQLite's file, and the files that it creates beside it. */
static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
static char *temporary, *temporary_files[G_N_ELEMENTS(endings)];

static void remove_temporary(void)
{
	for (gsize i = 0; i < G_N_ELEMENTS(endings); i++)
		if (temporary_files[i])
			unlink(temporary_files[i]);
	if (temporary)
		rmdir(temporary);
}

static void on_signal(int number)
{
	remove_temporary();
	signal(number, SIG_DFL);
	raise(number);
}

static const char *make_temporary(void)
{
	static const int stopping[] = {SIGINT, SIGTERM, SIGHUP};
	g_autoptr(GError) error = NULL;

	temporary = g_dir_make_tmp("matchpoint-merge-XXXXXX", &error);
	if (!temporary) {
		command_complain("%s", error->message);
		return NULL;
	}
	for (gsize i = 0; i < G_N_ELEMENTS(endings); i++)
		temporary_files[i] = g_strdup_printf("%s/%s%s", temporary, STORE_FILE, endings[i]);
	for (gsize i = 0; i < G_N_ELEMENTS(stopping); i++)
		signal(stopping[i], on_signal);
	return temporary;
}

static void release_temporary(void)
{
	remove_temporary();
	for (gsize i = 0; i < G_N_ELEMENTS(endings); i++)
		g_clear_pointer(&temporary_files[i], g_free);
	g_clear_pointer(&temporary, g_free);
}

/* --- the command ---------------------------------------------------------------------------- */

/* The exit status that explore would have. */
static int verdict_status(const char *store)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(StoreReader) reader = store_reader_open_to_tell(store, &error);

	if (!reader) {
		command_complain("%s", error->message);
		return EXIT_CANNOT;
	}
	if (store_reader_findings(reader)->len > 0)
		return EXIT_FINDINGS;
	return store_reader_exploration(reader)->complete ? EXIT_CLEAN : EXIT_INCOMPLETE;
}

static int tell_report(struct report_request *request)
{
	if (!command_report_all(&request->shared))
		return EXIT_CANNOT;
	return request->exit_code ? verdict_status(request->shared.session.store) : EXIT_CLEAN;
}

static int merge_and_tell(struct report_request *request)
{
	const char *into = request->merge_into ? request->merge_into : make_temporary();
	g_autoptr(GError) error = NULL;
	int status = EXIT_CANNOT;

	if (!into)
		return EXIT_CANNOT;
	request->shared.session.store = into;
	request->shared.passing_store = !request->merge_into;
	if (merge_stores(request->stores, into, &error))
		status = tell_report(request);
	else
		command_complain("%s", error->message);
	release_temporary();
	return status;
}

/* A recording is no store: options that need a verdict make no sense. */
static bool can_report_recording(const struct report_request *request, const char *directory)
{
	if (request->stores[1] || request->merge_into)
		command_complain("%s is a recording: it cannot be merged", directory);
	else if (request->exit_code)
		command_complain("--exit-code: %s is a recording, in which nothing was checked",
		                 directory);
	else
		return recordings_can_report(&request->shared);
	return false;
}

static int write_recording(struct report_request *request, const char *directory)
{
	const char *store = make_temporary();
	bool is_made = false;
	int status = EXIT_CANNOT;

	if (!store)
		return EXIT_CANNOT;
	request->shared.session.store = store;
	request->shared.passing_store = true;
	status = recordings_make_store(directory, store, &is_made);
	if (is_made && !command_report_requested(&request->shared))
		status = EXIT_CANNOT;
	release_temporary();
	return status;
}

static int tell_recording(struct report_request *request, const char *directory)
{
	const struct command_options *shared = &request->shared;
	int status = EXIT_CLEAN;

	if (!can_report_recording(request, directory))
		return EXIT_USAGE;
	if (!command_has_reports(shared) || (!shared->quiet && !command_reports_to_output(shared)))
		status = recordings_report(directory);
	if (command_has_reports(shared) && command_find_folders(shared)) {
		const int written = write_recording(request, directory);

		status = MAX(status, written);
	} else if (command_has_reports(shared)) {
		status = EXIT_CANNOT;
	}
	return status;
}

/* The first of the stores that is a recording; NULL: none is. */
static const char *find_recording(char **stores)
{
	while (*stores && !recording_is_there(*stores))
		stores++;
	return *stores;
}

/* Collects all stores that were named, either way, in ->stores. */
static void gather_stores(struct report_request *request)
{
	g_autoptr(GStrvBuilder) all = g_strv_builder_new();

	if (request->stores)
		g_strv_builder_addv(all, (const char **)request->stores);
	if (request->named)
		g_strv_builder_addv(all, (const char **)request->named);
	if (!request->stores && !request->named)
		g_strv_builder_add(all, COMMAND_STORE_DEFAULT);
	g_strfreev(request->stores);
	request->stores = g_strv_builder_end(all);
}

static int report_run(int argc, char **argv)
{
	struct command_line *line = command_line_new(&command_report);
	struct report_request request = {0};
	const GOptionEntry entries[] = {
		{"store", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &request.named,
	         "a store, as with explore's --store (may be repeated)", "DIR"},
		{"merge-into", 0, 0, G_OPTION_ARG_FILENAME, &request.merge_into,
	         "keep the merged stores as a store of their own", "DIR"},
		{"exit-code", 0, 0, G_OPTION_ARG_NONE, &request.exit_code,
	         "exit with explore's status: 1 findings, 3 no findings but not exhaustive", NULL},
		{"quiet", 'q', 0, G_OPTION_ARG_NONE, &request.shared.quiet, "print only errors",
	         NULL},
		{G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &request.stores, NULL,
	         NULL},
		G_OPTION_ENTRY_NULL,
	};
	const char *recording;
	int status = EXIT_USAGE;
	bool parsed;

	command_line_add(line, entries);
	command_add_reports(line, &request.shared);
	parsed = command_line_parse(line, &argc, &argv, false);
	command_line_free(line);
	if (parsed && command_inspect_reports(&request.shared)) {
		gather_stores(&request);
		recording = find_recording(request.stores);
		request.shared.session.store = request.stores[0];
		if (recording)
			status = tell_recording(&request, recording);
		else
			status = request.stores[1] || request.merge_into ? merge_and_tell(&request)
			                                                 : tell_report(&request);
	}
	g_strfreev(request.stores);
	g_strfreev(request.named);
	g_free(request.merge_into);
	command_options_release(&request.shared);
	return status;
}

const struct command command_report = {
	.name = "report",
	.summary = "write reports of recorded explorations, in any format; merge several stores",
	.synopsis = "[STORE...]",
	.example = "matchpoint report .matchpoint --json -",
	.run = report_run,
};
