#include <string.h>

#include "command.h"

static int run(int argc, char **argv)
{
	GOptionContext *context = g_option_context_new(
		"STORE - tell again what an exploration found");
	struct command_options options = {0};
	g_autoptr(GError) error = NULL;
	int status = EXIT_USAGE;
	gboolean parsed;

	g_set_prgname("matchpoint report");
	command_add_reports(context, &options);
	g_option_context_set_description(context,
	                                 "Example:\n  matchpoint report .matchpoint --json -\n");
	parsed = g_option_context_parse(context, &argc, &argv, &error);
	g_option_context_free(context);
	if (!parsed || argc > 2) {
		command_complain("%s; see matchpoint report --help",
		                 error ? error->message : "one store at a time");
	} else if (command_inspect_reports(&options)) {
		options.session.store = argc == 2 ? argv[1] : COMMAND_STORE_DEFAULT;
		status = command_report_all(&options) ? EXIT_CLEAN : EXIT_CANNOT;
	}
	command_options_release(&options);
	return status;
}

const struct command command_report = {
	"report",
	"tell again what an exploration found, in any format",
	run,
};
