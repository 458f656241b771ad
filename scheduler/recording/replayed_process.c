#include "replayed_process.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/recording_start.h"
#include "common/recording_steps.h"
#include "recording.h"

enum { FIRST_DESCRIPTOR = 900 };

/* --- what was started ------------------------------------------------------------------------- */

void replayed_start_clear(struct replayed_start *start)
{
	g_strfreev(start->arguments);
	g_strfreev(start->environment);
	g_free(start->program);
	g_free(start->folder);
}

static char **strings_of(const struct recording_section *section)
{
	g_autoptr(GStrvBuilder) all = g_strv_builder_new();

	for (gsize at = 0; at < section->size; at += strlen(section->bytes + at) + 1) {
		g_autofree char *one = g_strndup(section->bytes + at, section->size - at);

		g_strv_builder_add(all, one);
	}
	return g_strv_builder_end(all);
}

bool replayed_start_read(const char *directory, int rank, struct replayed_start *start,
                         GError **error)
{
	g_autofree char *file = recording_file(directory, rank, "start"), *bytes = NULL;
	struct recording_section section;
	gsize size;

	if (!g_file_test(file, G_FILE_TEST_EXISTS)) {
		g_set_error(error, RECORDING_ERROR, 0, "it left no log");
		return false;
	}
	if (!g_file_get_contents(file, &bytes, &size, error))
		return false;
	if (!recording_start_is_whole(bytes, size))
		size = 0; /* then nothing is found */
	if (recording_start_find(bytes, size, RECORDING_START_ARGUMENTS, &section))
		start->arguments = strings_of(&section);
	if (recording_start_find(bytes, size, RECORDING_START_ENVIRONMENT, &section))
		start->environment = strings_of(&section);
	if (recording_start_find(bytes, size, RECORDING_START_PROGRAM, &section))
		start->program = g_strndup(section.bytes, section.size);
	if (recording_start_find(bytes, size, RECORDING_START_FOLDER, &section))
		start->folder = g_strndup(section.bytes, section.size);
	if (recording_start_find(bytes, size, RECORDING_START_STACK, &section))
		start->stack = strtoull(section.bytes, NULL, 10);
	if (start->arguments && start->arguments[0] && start->environment && start->program)
		return true;
	g_set_error(error, RECORDING_ERROR, 0, "%s is damaged", file);
	return false;
}

/* --- the process ------------------------------------------------------------------------------ */

static int away(int descriptor)
{
	int moved = descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD, FIRST_DESCRIPTOR);

	close(descriptor);
	return moved;
}

/* The variable keeps its length and its place: the stack's addresses depend on them. */
static void put_orders(char **environment, const struct recording_orders *orders)
{
	const gsize length = strlen(RECORDING_VARIABLE);

	for (; *environment; environment++) {
		char value[RECORDING_VALUE];

		if (!g_str_has_prefix(*environment, RECORDING_VARIABLE)
		    || (*environment)[length] != '=')
			continue;
		recording_orders_print(orders, value);
		g_free(*environment);
		*environment = g_strdup_printf("%s=%s", RECORDING_VARIABLE, value);
	}
}

static void complain(const char *what)
{
	fprintf(stderr, "matchpoint: %s: %s\n", what, g_strerror(errno));
	_exit(EXIT_FAILURE);
}

/* Each copy of the process writes the same at the same place: it does not matter which one was the
 * last. `scratch`: -1: nowhere. */
static void write_to(int scratch, const char *name, int descriptor)
{
	int file = scratch < 0
	                   ? g_open("/dev/null", O_WRONLY | O_CLOEXEC, 0)
	                   : openat(scratch, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (file < 0)
		complain(name);
	dup2(file, descriptor);
	close(file);
}

/* Ctrl-C is for gdb; what this process ignores or blocks, the program does not. */
static void stand_apart(int scratch)
{
	sigset_t none;

	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	write_to(scratch, "stdout", STDOUT_FILENO);
	write_to(scratch, "stderr", STDERR_FILENO);
}

/* In the child. */
static void become(const char *directory, int rank, const struct replayed_start *start,
                   const struct replayed_mode *mode, int news, pid_t parent)
{
	g_autofree char *input = g_build_filename(directory, "input", NULL),
			*scratch = replayed_folder(directory, rank);
	struct recording_orders orders = {.replays = true,
	                                  .marks = mode->marks != NULL,
	                                  .matches = mode->matches,
	                                  .calls = mode->calls,
	                                  .in_step = mode->in_step,
	                                  .pid = (int)getpid()};
	struct rlimit stack;
	int file;

	prctl(PR_SET_PDEATHSIG, SIGKILL); /* it may compute for long, and nobody would wait */
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	orders.directory = away(g_open(directory, O_RDONLY | O_DIRECTORY, 0));
	orders.news = away(news);
	orders.scratch = g_mkdir_with_parents(scratch, 0777) != 0
	                         ? -1
	                         : away(g_open(scratch, O_RDONLY | O_DIRECTORY, 0));
	if (mode->in_step && dup2(mode->steps, RECORDING_STEPS_FD) < 0)
		complain("cannot keep step with other ranks");
	if (mode->marks || mode->matches || mode->calls)
		stand_apart(mode->calls ? -1 : orders.scratch);
	file = rank == 0 ? g_open(input, O_RDONLY, 0) : -1;
	if (file < 0)
		file = g_open("/dev/null", O_RDONLY, 0);
	dup2(file, STDIN_FILENO);
	close(file);
	if (getrlimit(RLIMIT_STACK, &stack) == 0 && start->stack > 0) {
		stack.rlim_cur = start->stack;
		setrlimit(RLIMIT_STACK, &stack);
	}
	if (start->folder && chdir(start->folder) != 0)
		complain(start->folder);
	personality(ADDR_NO_RANDOMIZE);
	put_orders(start->environment, &orders);
	execve(start->program, start->arguments, start->environment);
	complain(start->program);
}

/* Keeps errno. */
static void close_news(const int news[2])
{
	const int number = errno;

	close(news[0]);
	close(news[1]);
	errno = number;
}

/* A pair of sockets, so that a name can be given before the process tells anything. It must not
 * wait for a reader: copies of it tell the same again. */
static bool make_news(const char *marks, int news[2])
{
	const int size = marks ? (int)strlen(marks) : 0;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, news) != 0)
		return false;
	fcntl(news[0], F_SETFD, FD_CLOEXEC);
	if (!marks
	    || (send(news[0], marks, (size_t)size, 0) == size
	        && fcntl(news[1], F_SETFL, O_NONBLOCK) == 0))
		return true;
	close_news(news);
	return false;
}

bool replayed_process_start(const char *directory, int rank, const struct replayed_mode *mode,
                            struct replayed_process *ret, GError **error)
{
	g_autofree char *folder = g_canonicalize_filename(directory, NULL);
	struct replayed_start start = {0};
	const pid_t parent = getpid();
	int news[2];

	ret->pid = -1;
	if (replayed_start_read(folder, rank, &start, error)) {
		const bool has_news = make_news(mode->marks, news);

		ret->pid = has_news ? fork() : -1;
		if (ret->pid < 0) {
			if (has_news)
				close_news(news);
			g_set_error(error, RECORDING_ERROR, 0, "cannot start the rank: %s",
			            g_strerror(errno));
		} else if (ret->pid == 0) {
			become(folder, rank, &start, mode, news[1], parent);
		} else {
			close(news[1]);
			ret->news = news[0];
		}
	}
	replayed_start_clear(&start);
	return ret->pid > 0;
}

char *replayed_program(const char *directory, int rank, GError **error)
{
	struct replayed_start start = {0};
	char *program = NULL;

	if (replayed_start_read(directory, rank, &start, error))
		program = g_canonicalize_filename(start.program, start.folder);
	replayed_start_clear(&start);
	return program;
}

char *replayed_folder(const char *directory, int rank)
{
	g_autofree char *name = g_strdup_printf("rank.%d", rank);

	return g_build_filename(directory, "replayed", name, NULL);
}
