#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "command_line.h"
#include "scheduler/host/mpi_runtime.h"

static void print_list(const char *title, const GPtrArray *list, const char *program)
{
	if (list->len == 0)
		return;
	command_print("\n%s\n", title);
	for (guint i = 0; i < list->len; i++) {
		const struct program_call *call = list->pdata[i];

		if (strcmp(call->where, program) == 0)
			command_print("  %s\n", call->name);
		else
			command_print("  %-32s %s\n", call->name, call->where);
	}
}

static void print_summary(const struct program *program, const struct check *check)
{
	for (guint i = 0; i < program->missing->len; i++)
		command_print("matchpoint: a library that the program needs was not found: %s\n",
		              (const char *)program->missing->pdata[i]);
	if (program->kind == PROGRAM_MPI)
		command_print(
			"matchpoint: %s is linked with %s's ABI (%s) and calls %u functions of "
			"MPI: %u controlled, %u passed through, %u refused\n",
			program->path, program->runtime->name, program->mpi, check->calls->len,
			check->controlled->len, check->passed->len + check->harmless->len,
			check->refused->len);
	else
		command_print(
			"matchpoint: %s is not linked with MPI directly: its calls are known only "
			"when it runs\n",
			program->path);
}

static void print_notes(const struct check *check, const struct program *program)
{
	g_autoptr(GPtrArray) notes = check_notes(check, program);

	if (notes->len > 0)
		command_print("\nwhat cannot be controlled\n");
	for (guint i = 0; i < notes->len; i++)
		command_print("  %s\n", (const char *)notes->pdata[i]);
}

static void print_unseen(const struct check *check, const struct program *program)
{
	g_autofree char *unseen = check_unseen(check, program);

	if (unseen)
		printf("\nwhat cannot be seen\n  %s\n", unseen);
}

static int check_program(const char *name)
{
	struct program *program = program_inspect(name);
	g_autofree char *base = NULL;
	struct check *check;
	int status;

	if (program->message) {
		command_complain("%s", program->message);
		program_free(program);
		return EXIT_CANNOT;
	}
	check = check_new(program->path);
	base = g_path_get_basename(program->path);
	print_summary(program, check);
	print_list("controlled", check->controlled, base);
	print_list("passed through, harmless", check->harmless, base);
	print_list("passed through, and could matter: not seen by matchpoint", check->passed, base);
	print_list("refused: the program is stopped at this call", check->refused, base);
	print_notes(check, program);
	print_unseen(check, program);
	print_list("what matchpoint record cannot log: the program is stopped at this call",
	           check->unrecorded, base);
	if (check->controlled->len > 0)
		printf("\nmatchpoint carries out controlled calls in its own way: explore --native "
		       "also runs the program as it is\n");
	status = program->kind == PROGRAM_MPI && check_is_complete(check) ? EXIT_CLEAN
	                                                                  : EXIT_INCOMPLETE;
	check_free(check);
	program_free(program);
	return status;
}

static int check_run(int argc, char **argv)
{
	struct command_line *line = command_line_new(&command_check);
	bool parsed = command_line_parse(line, &argc, &argv, true);

	command_line_free(line);
	if (parsed && argc > 1 && strcmp(argv[1], "--") == 0) {
		argv++;
		argc--;
	}
	if (parsed && argc < 2) {
		command_complain("no program given; see matchpoint check --help");
		parsed = false;
	}
	if (!parsed)
		return EXIT_USAGE;
	return check_program(argv[1]);
}

const struct command command_check = {
	.name = "check",
	.summary = "list which of a program's MPI calls are controlled, passed through, refused",
	.synopsis = "PROGRAM",
	.notes = "Exit status: 0 every call is controlled or harmless, 3 a call that could matter "
		 "is passed through or refused, 2 usage error, 4 the program cannot be controlled.",
	.example = "matchpoint check ./solver",
	.run = check_run,
};
