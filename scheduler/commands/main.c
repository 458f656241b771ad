#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "access_flags.h"
#include "command.h"
#include "command_line.h"
#include "command_suggest.h"
#include "describe.h"
#include "scheduler/host/environment.h"
#include "scheduler/host/errand.h"
#include "scheduler/host/launcher.h"
#include "scheduler/host/mpi_library.h"
#include "scheduler/host/mpi_runtime.h"
#include "scheduler/host/outpost.h"
#include "scheduler/host/plain_run.h"
#include "scheduler/host/supervisor.h"
#include "scheduler/host/wrapper.h"
#include "scheduler/page/page_server.h"
#include "scheduler/recording/recording.h"
#include "scheduler/session/interruption.h"
#include "scheduler/tools/log.h"

static const struct command *const commands[] = {
	&command_explore, &command_run,     &command_replay,     &command_minimize,
	&command_debug,   &command_report,  &command_check,      &command_record,
	&command_dap,     &command_restart, &command_checkpoint,
};

static void print_help(FILE *out)
{
	const struct environment_variable *variable = environment_variables();

	fputs("Usage: matchpoint COMMAND [options] [--] PROGRAM [ARG...]\n\n" DESCRIBE_SUMMARY
	      "\n\n",
	      out);
	for (gsize i = 0; i < G_N_ELEMENTS(commands); i++)
		fprintf(out, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
	fputs("\nOptions:\n", out);
	for (const GOptionEntry *entry = describe_options; entry->long_name; entry++)
		fprintf(out, "  --%-14s  %s\n", entry->long_name, entry->description);
	fputs("\nEnvironment:\n", out);
	for (; variable->name; variable++) {
		if (variable->role == ENVIRONMENT_READ)
			fprintf(out, "  %-19s  %s\n", variable->name, variable->explanation);
	}
	fputs("\nExample:\n  matchpoint explore -n 4 ./solver\n\nSee matchpoint COMMAND --help for "
	      "the options of a command.\n",
	      out);
}

static void print_version(void)
{
	g_autofree char *mpi = mpi_library_describe();
	g_autofree char *libraries = mpi_runtime_libraries(" nor ");

	printf("matchpoint %s\n", MATCHPOINT_VERSION);
	if (mpi)
		printf("MPI: %s\n", mpi);
	else
		printf("MPI: none found (neither %s)\n", libraries);
	for (int i = 0; report_list()[i]; i++) {
		const struct report *report = report_list()[i];

		if (report->library || report->unavailable)
			printf("--%s: %s\n", report->name,
			       report->library ? report->library : report->unavailable);
	}
	printf("debug --web: %s\n",
	       page_server_library() ? page_server_library() : "built without libwebsockets");
}

static const struct command *find_command(const char *name)
{
	for (gsize i = 0; i < G_N_ELEMENTS(commands); i++)
		if (strcmp(name, commands[i]->name) == 0)
			return commands[i];
	return NULL;
}

static int refuse_command(const char *name)
{
	g_autoptr(GString) names = g_string_new("help");
	g_autofree char *meant = NULL;

	if (strchr(name, '/')
	    || (g_file_test(name, G_FILE_TEST_IS_REGULAR)
	        && g_file_test(name, G_FILE_TEST_IS_EXECUTABLE))) {
		command_complain("the command is missing; to explore a program: matchpoint "
		                 "explore -n 4 %s%s",
		                 strchr(name, '/') ? "" : "./", name);
		return EXIT_USAGE;
	}
	if (*name == '-') {
		command_complain("the command comes before its options; for example: matchpoint "
		                 "explore -n 4 ./solver");
		return EXIT_USAGE;
	}
	for (gsize i = 0; i < G_N_ELEMENTS(commands); i++)
		g_string_append_printf(names, " %s", commands[i]->name);
	meant = command_suggest(name, names->str);
	command_complain("there is no command '%s'%s; see matchpoint --help", name, meant);
	return EXIT_USAGE;
}

/* `matchpoint help`, `matchpoint help explore`. */
static int help_run(int argc, char **argv)
{
	const struct command *command = argc > 2 ? find_command(argv[2]) : NULL;
	char option[] = "--help";

	if (argc > 2 && !command)
		return refuse_command(argv[2]);
	if (command)
		return command->run(2, (char *[]){argv[2], option, NULL});
	print_help(stdout);
	return EXIT_CLEAN;
}

/* `matchpoint --describe [completion]`: for the build, not for users; --help omits it. */
static int describe_run(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[2] : "all";
	g_autofree char *text = describe(what, commands, G_N_ELEMENTS(commands));

	if (!text) {
		command_complain("--describe cannot be '%s'; use all or completion", what);
		return EXIT_USAGE;
	}
	fputs(text, stdout);
	return EXIT_CLEAN;
}

static int print_errno; /* errno of a failed print by GLib; 0: none */
static bool output_seen_to;

static void print_text(const char *text)
{
	if (fputs(text, stdout) < 0 || fflush(stdout) < 0)
		print_errno = errno;
}

/* Returns `status` if all output was written, else EXIT_CANNOT after printing an error. */
static int with_output(int status)
{
	output_seen_to = true;
	errno = print_errno;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	if (status != EXIT_CANNOT)
		command_complain("cannot write standard output: %s",
		                 g_strerror(errno ? errno : EIO));
	return EXIT_CANNOT;
}

/* GLib calls exit() after printing COMMAND --help. */
static void at_exit(void)
{
	if (!output_seen_to && with_output(EXIT_CLEAN) != EXIT_CLEAN)
		_exit(EXIT_CANNOT);
}

int main(int argc, char **argv)
{
	const struct command *command;
	g_autoptr(GError) error = NULL;
	int status;

	setlocale(LC_ALL, "C.UTF-8");
	if (errand_is_called(argv[0]))
		return errand_become(argv + 1);
	if (argc < 2) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], LAUNCHER_VERB) == 0 && argc > 2)
		return supervisor_become(argv + 2);
	if (strcmp(argv[1], OUTPOST_VERB) == 0)
		return outpost_become();
	if (strcmp(argv[1], PLAIN_RUN_VERB) == 0)
		return plain_run_become(argv + 2);
	if (strcmp(argv[1], RECORDING_VERB) == 0)
		return recording_become(argv + 2);
	if (strcmp(argv[1], WRAPPER_VERB) == 0)
		return wrapper_become(argv + 2);
	g_set_print_handler(print_text);
	atexit(at_exit);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0
	    || strcmp(argv[1], "help") == 0)
		return with_output(help_run(argc, argv));
	if (strcmp(argv[1], "--describe") == 0)
		return with_output(describe_run(argc, argv));
	if (strcmp(argv[1], "--version") == 0) {
		print_version();
		return with_output(EXIT_CLEAN);
	}
	if (access_flags_are_wanted(argv[1]))
		return with_output(access_flags_print(argv[1], argc > 2 ? argv[2] : NULL));
	if (!log_init(g_getenv(ENVIRONMENT_LOG), &error)) {
		command_complain("%s", error->message);
		return EXIT_USAGE;
	}
	/* Writing to a rank that is gone, or beyond a file size limit (ulimit -f), must return an
	 * error. libuv resets both signals in its children. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	command = find_command(argv[1]);
	if (!command)
		return refuse_command(argv[1]);
	command_line_know(commands, G_N_ELEMENTS(commands));
	if (command->runs_ranks)
		interruption_catch();
	status = with_output(command->run(argc - 1, argv + 1));
	if (!log_close(&error))
		command_complain("MATCHPOINT_LOG: %s", error->message);
	return status;
}
