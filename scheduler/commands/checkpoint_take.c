#include "checkpoint_take.h"

#include <stdio.h>
#include <string.h>
#include <sys/types.h>

#include "command.h"
#include "scheduler/host/checkpoint_commands.h"
#include "scheduler/host/control.h"

#define SECONDS_USUAL 60
#define SAVED "saved "
#define PROBLEM "problem "

/* Returns 0 after printing an error. */
static pid_t read_process(const char *text)
{
	gint64 number;

	if (g_ascii_string_to_signed(text, 10, 1, G_MAXINT, &number, NULL))
		return (pid_t)number;
	command_complain("%s: take needs the process number of a session of matchpoint", text);
	return 0;
}

/* Returns false after printing an error. */
static bool are_one_line(const struct checkpoint_take *asked)
{
	if ((!asked->name || !strpbrk(asked->name, "\n")) && asked->seconds >= 0
	    && (!asked->folder || !strpbrk(asked->folder, "\n")))
		return true;
	command_complain(asked->seconds < 0 ? "--timeout is a number of seconds, above 0"
	                                    : "a name or a folder has a line break");
	return false;
}

/* The first line is its folder; those of the ranks follow. */
static int tell(const char *answer)
{
	const gsize length = strcspn(answer, "\n");
	g_autofree char *first = g_strndup(answer, length);
	const char *rest = answer + length + (answer[length] == '\n');

	if (g_str_has_prefix(first, SAVED)) {
		fprintf(stderr, CHECKPOINT_COMMANDS_HANDLE "%s\n%s", first + strlen(SAVED), rest);
		return EXIT_CLEAN;
	}
	if (g_str_has_prefix(answer, PROBLEM) && answer[strlen(PROBLEM)]) {
		g_autofree char *why = g_strchomp(g_strdup(answer + strlen(PROBLEM)));

		command_complain("%s", why);
	} else {
		command_complain("the session has ended, and saved nothing");
	}
	return EXIT_CANNOT;
}

int checkpoint_take(const char *session, const struct checkpoint_take *asked)
{
	const pid_t process = read_process(session);
	g_autofree char *folder = asked->folder ? g_canonicalize_filename(asked->folder, NULL)
	                                        : g_strdup("");
	const struct control_request request = {asked->name ? asked->name : "", folder};
	g_autofree char *path = NULL, *answer = NULL;
	g_autoptr(GError) error = NULL;

	if (process == 0 || !are_one_line(asked))
		return EXIT_USAGE;
	path = control_find(process);
	if (!path) {
		command_complain("process %d is no session of yours at a prompt: checkpoints are "
		                 "taken of matchpoint debug and matchpoint restart",
		                 (int)process);
		return EXIT_CANNOT;
	}
	answer = control_ask(path, &request, asked->seconds ? asked->seconds : SECONDS_USUAL,
	                     &error);
	if (answer)
		return tell(answer);
	command_complain("%s", error->message);
	return EXIT_CANNOT;
}
