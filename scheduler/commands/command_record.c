#include <string.h>
#include <unistd.h>

#include "command_line.h"
#include "command_ranks.h"
#include "common/recording.h"
#include "recordings.h"
#include "scheduler/recording/recording.h"

struct request {
	int ranks;
	char *directory, *launcher, *nodes;
};

static int record_program(const struct request *request, char **program, const char *nodes)
{
	const struct recording_options options = {
		.program = program,
		.ranks = request->ranks,
		.launcher = request->launcher,
		.nodes = nodes,
		.directory = request->directory,
		.copies_input = !isatty(STDIN_FILENO),
	};
	g_autoptr(GError) error = NULL;
	int status = command_inspect_programs(program);

	if (status != EXIT_CLEAN)
		return status;
	status = recording_make(&options, &error);
	if (error)
		command_complain("%s", error->message);
	if (status < 0 || (!recordings_are_whole(request->directory) && status == 0))
		status = EXIT_CANNOT;
	return status;
}

static int record_run(int argc, char **argv)
{
	struct command_line *line = command_line_new(&command_record);
	struct request request = {0};
	const GOptionEntry entries[] = {
		{"ranks", 'n', 0, G_OPTION_ARG_INT, &request.ranks, "number of ranks", "N"},
		{"to", 0, 0, G_OPTION_ARG_FILENAME, &request.directory,
	         "folder of the recording (default: .matchpoint-recording)", "DIR"},
		{"nodes", 0, 0, G_OPTION_ARG_STRING, &request.nodes, COMMAND_NODES_HELP,
	         COMMAND_NODES_VALUE},
		{"launcher", 0, 0, G_OPTION_ARG_STRING, &request.launcher,
	         "job launcher with its options (default: mpiexec.mpich -n N)", "CMD"},
		G_OPTION_ENTRY_NULL,
	};
	const char *nodes = NULL;
	int status = EXIT_USAGE;

	command_line_add(line, entries);
	if (command_line_parse(line, &argc, &argv, true)) {
		if (argc > 1 && strcmp(argv[1], "--") == 0) {
			argv++;
			argc--;
		}
		if (!request.directory)
			request.directory = g_strdup(".matchpoint-recording");
		if (request.ranks < 1 || request.ranks > RECORDING_RANKS_MOST)
			command_complain("-n is missing, or no number of ranks");
		else if (argc < 2)
			command_complain("no program given; see matchpoint record --help");
		else if (command_add_ranks_behind(argv + 1, RECORDING_RANKS_MOST, &request.ranks)
		         && command_can_record(argv + 1, request.ranks)
		         && command_read_nodes(request.nodes, request.ranks, &nodes)
		         && command_can_start_on(nodes, request.launcher))
			status = record_program(&request, argv + 1, nodes);
	}
	command_line_free(line);
	g_free(request.directory);
	g_free(request.launcher);
	g_free(request.nodes);
	return status;
}

const struct command command_record = {
	.name = "record",
	.summary = "run freely, and log what MPI gives each rank, to replay one rank alone",
	.synopsis = "-n N [--] PROGRAM [ARG...] [: -n N PROGRAM [ARG...]]...",
	.notes =
		"Exit status: the launcher's; 4 if the program cannot be recorded, or a log is not "
		"whole.",
	.example = "matchpoint record -n 4 --to run1 ./solver",
	.run = record_run,
};
