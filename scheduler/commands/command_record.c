#include <string.h>
#include <unistd.h>

#include "command_line.h"
#include "common/recording.h"
#include "mpi_calls.h"
#include "scheduler/host/program.h"
#include "scheduler/recording/recording.h"
#include "scheduler/recording/roll_call.h"

struct request {
	int ranks;
	char *directory, *launcher;
};

/* Tells of logs that were not written to their end. Returns false if there is one. */
static bool tell_errors(const char *directory)
{
	g_autoptr(GPtrArray) all = roll_call(directory, NULL);
	bool fine = true;

	for (guint i = 0; all && i < all->len; i++) {
		const struct roll_call_entry *entry = all->pdata[i];

		if (entry->is_missing)
			command_complain("rank %d left no log", entry->rank);
		if (entry->error)
			command_complain("the log of rank %d ends in call %" G_GUINT64_FORMAT
			                 ": %s",
			                 entry->rank, entry->last_call, g_strerror(entry->error));
		if (entry->refused)
			command_complain("rank %d, call %" G_GUINT64_FORMAT
			                 ", %s: %s; the program ended there",
			                 entry->rank, entry->call, mpi_call_name(entry->refused),
			                 entry->reason);
		if (!entry->is_missing && !entry->error && entry->call == 0)
			command_complain("rank %d has made no call of MPI that was seen; a script "
			                 "must exec the program",
			                 entry->rank);
		fine &= !entry->is_missing && !entry->error && entry->call > 0;
	}
	return fine;
}

static int record_program(const struct request *request, char **program)
{
	struct program *inspected = program_inspect(program[0]);
	const struct recording_options options = {
		.program = program,
		.ranks = request->ranks,
		.launcher = request->launcher,
		.directory = request->directory,
		.copies_input = !isatty(STDIN_FILENO),
	};
	g_autoptr(GError) error = NULL;
	int status = EXIT_CANNOT;

	if (inspected->message) {
		command_complain("%s", inspected->message);
	} else {
		status = recording_make(&options, &error);
		if (error)
			command_complain("%s", error->message);
		if (status < 0 || (!tell_errors(request->directory) && status == 0))
			status = EXIT_CANNOT;
	}
	program_free(inspected);
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
		{"launcher", 0, 0, G_OPTION_ARG_STRING, &request.launcher,
	         "job launcher with its options (default: mpiexec.mpich -n N)", "CMD"},
		G_OPTION_ENTRY_NULL,
	};
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
		else
			status = record_program(&request, argv + 1);
	}
	command_line_free(line);
	g_free(request.directory);
	g_free(request.launcher);
	return status;
}

const struct command command_record = {
	.name = "record",
	.summary = "run freely, and log what MPI gives each rank, to replay one rank alone",
	.synopsis = "-n N [--] PROGRAM [ARG...]",
	.notes =
		"Exit status: the launcher's; 4 if the program cannot be recorded, or a log is not "
		"whole.",
	.example = "matchpoint record -n 4 --to run1 ./solver",
	.run = record_run,
};
