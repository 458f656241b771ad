#include <unistd.h>

#include "command.h"
#include "command_line.h"
#include "scheduler/dap/dap.h"

static int serve_client(void)
{
	g_autoptr(GError) error = NULL;

	if (dap_serve(STDIN_FILENO, STDOUT_FILENO, &error))
		return EXIT_CLEAN;
	command_complain("%s", error->message);
	return EXIT_CANNOT;
}

static int dap_run(int argc, char **argv)
{
	struct command_line *line = command_line_new(&command_dap);
	int status = EXIT_USAGE;

	if (command_line_parse(line, &argc, &argv, false)) {
		if (argc > 1)
			command_complain("dap takes no words: the editor names the recording and "
			                 "the rank (see docs/editors.md)");
		else if (isatty(STDIN_FILENO))
			command_complain("dap is started by an editor, which speaks the Debug "
			                 "Adapter Protocol on standard input; on a terminal use: "
			                 "matchpoint replay DIR --rank R --gdb");
		else
			status = serve_client();
	}
	command_line_free(line);
	return status;
}

const struct command command_dap = {
	.name = "dap",
	.summary = "debug one rank of a recording in an editor, forwards and backwards",
	.synopsis = "",
	.notes = "Speaks the Debug Adapter Protocol on standard input and output. The editor's "
		 "request \"launch\" has \"recording\" (the folder) and \"rank\". Exit status: 0 "
		 "when the editor has gone; 4 if what it sent could not be read.",
	.example = "matchpoint dap",
	.run = dap_run,
};
