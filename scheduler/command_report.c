#include <string.h>

#include "../reports/report.h"
#include "command.h"

static int run(int argc, char **argv)
{
	g_autofree char *json = NULL;
	const GOptionEntry entries[] = {
		{"json", 0, 0, G_OPTION_ARG_FILENAME, &json,
	         "write the report as JSON; - for standard output", "FILE"},
		G_OPTION_ENTRY_NULL,
	};
	GOptionContext *context = g_option_context_new(
		"STORE - tell again what an exploration found");
	struct command_options options = {0};
	g_autoptr(GError) error = NULL;
	gboolean parsed;

	g_set_prgname("matchpoint report");
	g_option_context_add_main_entries(context, entries, NULL);
	g_option_context_set_description(context,
	                                 "Example:\n  matchpoint report .matchpoint --json -\n");
	parsed = g_option_context_parse(context, &argc, &argv, &error);
	g_option_context_free(context);
	if (!parsed || argc > 2) {
		command_complain("%s; see matchpoint report --help",
		                 error ? error->message : "one store at a time");
		return EXIT_USAGE;
	}
	options.session.store = argc == 2 ? argv[1] : COMMAND_STORE_DEFAULT;
	options.json = json;
	return command_report_all(&options) ? EXIT_CLEAN : EXIT_CANNOT;
}

const struct command command_report = {
	"report",
	"tell again what an exploration found, in any format",
	run,
};
