#include "wrapper.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launcher.h"
#include "mpi_runtime.h"

#define ALL "all"
#define CAPTURED "-"

void wrapper_clear(struct wrapper *wrapper)
{
	g_strfreev(wrapper->words);
	g_free(wrapper->terminal);
}

/* matchpoint __wrap RANK TERMINAL NUMBER WORD... PROGRAM ARG... */
char **wrapper_command(const struct wrapper *wrapper)
{
	GPtrArray *words = launcher_self(WRAPPER_VERB);

	g_ptr_array_add(words,
	                wrapper->rank < 0 ? g_strdup(ALL) : g_strdup_printf("%d", wrapper->rank));
	g_ptr_array_add(words, g_strdup(wrapper->terminal ? wrapper->terminal : CAPTURED));
	g_ptr_array_add(words, g_strdup_printf("%u", g_strv_length(wrapper->words)));
	for (char **word = wrapper->words; *word; word++)
		g_ptr_array_add(words, g_strdup(*word));
	g_ptr_array_add(words, NULL);
	return (char **)g_ptr_array_free(words, false);
}

static bool take_terminal(const char *name)
{
	int terminal = open(name, O_RDWR | O_NOCTTY);

	if (terminal < 0) {
		fprintf(stderr, "cannot open %s: %s\n", name, strerror(errno));
		return false;
	}
	for (int descriptor = 0; descriptor <= STDERR_FILENO; descriptor++)
		dup2(terminal, descriptor);
	if (terminal > STDERR_FILENO)
		close(terminal);
	return true;
}

/* A rank that is ended calls _exit. Valgrind would free what is still in use then. */
static void spare_valgrind(void)
{
	const char *before = g_getenv("VALGRIND_OPTS");
	g_autofree char *options = g_strdup_printf("%s --run-libc-freeres=no",
	                                           before ? before : "");

	g_setenv("VALGRIND_OPTS", options, true);
}

int wrapper_become(char **argv)
{
	guint given = g_strv_length(argv);
	guint words = given > 3 ? (guint)atoi(argv[2]) : 0;
	const char *rank = g_getenv(mpi_runtime_usual()->rank_variable);
	bool mine;

	if (given < 4 || words > given - 4)
		return 127;
	mine = g_str_equal(argv[0], ALL) || g_strcmp0(argv[0], rank) == 0;
	if (mine && !g_str_equal(argv[1], CAPTURED) && !take_terminal(argv[1]))
		return 127;
	if (mine)
		spare_valgrind();
	argv += mine ? 3 : 3 + words;
	execvp(argv[0], argv);
	fprintf(stderr, "cannot execute %s: %s\n", argv[0], strerror(errno));
	return 127;
}
