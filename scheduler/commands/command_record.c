#include <string.h>
#include <unistd.h>

#include "command_line.h"
#include "common/recording.h"
#include "explorer/nodes.h"
#include "explorer/program_parts.h"
#include "recordings.h"
#include "scheduler/host/program.h"
#include "scheduler/recording/recording.h"

struct request {
	int ranks;
	char *directory, *launcher, *nodes;
};

/* -n is the number of ranks of the first program. Returns false after printing an error. */
static bool add_ranks_behind(struct request *request, char **program)
{
	g_autofree char *problem = NULL;
	const int behind = program_parts_behind(program, &problem);

	if (!problem && behind > RECORDING_RANKS_MOST - request->ranks)
		problem = g_strdup("too many ranks");
	if (problem)
		command_complain("%s", problem);
	else
		request->ranks += behind;
	return !problem;
}

/* Sets *ret to the virtual nodes. Returns false after printing an error. */
static bool find_nodes(const struct request *request, const char **ret)
{
	g_autofree char *problem = NULL;

	if (request->nodes)
		*ret = nodes_parse(request->nodes, request->ranks, &problem);
	if (problem)
		command_complain("--nodes %s: %s", request->nodes, problem);
	else if (*ret && request->launcher)
		command_complain("--launcher cannot be combined with --nodes: only the usual "
		                 "launcher can start ranks of virtual nodes");
	return !problem && !(*ret && request->launcher);
}

static int record_program(const struct request *request, char **program, const char *nodes)
{
	g_autoptr(GPtrArray) names = program_parts_names(program);
	const struct recording_options options = {
		.program = program,
		.ranks = request->ranks,
		.launcher = request->launcher,
		.nodes = nodes,
		.directory = request->directory,
		.copies_input = !isatty(STDIN_FILENO),
	};
	g_autoptr(GError) error = NULL;
	int status;

	for (guint i = 0; i < names->len; i++) {
		if (program_usable(names->pdata[i], &error))
			continue;
		command_complain("%s", error->message);
		return EXIT_CANNOT;
	}
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
		{"nodes", 0, 0, G_OPTION_ARG_STRING, &request.nodes,
	         "let MPI and the program see the ranks on K nodes, or with so many on each "
	         "(default: 1)",
	         "K|N+N..."},
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
		else if (add_ranks_behind(&request, argv + 1) && find_nodes(&request, &nodes))
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
