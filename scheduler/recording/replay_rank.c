#include "replay_rank.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/recording.h"
#include "common/recording_start.h"
#include "recording.h"

enum { FIRST_DESCRIPTOR = 900 };

/* --- what was started ------------------------------------------------------------------------- */

struct start {
	char *bytes; /* of the file */
	char **arguments, **environment;
	char *program, *folder;
	rlim_t stack; /* its limit */
};

static void clear_start(struct start *start)
{
	g_strfreev(start->arguments);
	g_strfreev(start->environment);
	g_free(start->program);
	g_free(start->folder);
	g_free(start->bytes);
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

static bool read_start(const char *directory, int rank, struct start *start, GError **error)
{
	g_autofree char *file = recording_file(directory, rank, "start");
	struct recording_section section;
	gsize size;

	if (!g_file_get_contents(file, &start->bytes, &size, error))
		return false;
	if (recording_start_find(start->bytes, size, RECORDING_START_ARGUMENTS, &section))
		start->arguments = strings_of(&section);
	if (recording_start_find(start->bytes, size, RECORDING_START_ENVIRONMENT, &section))
		start->environment = strings_of(&section);
	if (recording_start_find(start->bytes, size, RECORDING_START_PROGRAM, &section))
		start->program = g_strndup(section.bytes, section.size);
	if (recording_start_find(start->bytes, size, RECORDING_START_FOLDER, &section))
		start->folder = g_strndup(section.bytes, section.size);
	if (recording_start_find(start->bytes, size, RECORDING_START_STACK, &section))
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

/* In the child. */
static void become(const char *directory, int rank, const struct start *start, int news)
{
	g_autofree char *input = g_build_filename(directory, "input", NULL),
			*name = g_strdup_printf("rank.%d", rank),
			*scratch = g_build_filename(directory, "replayed", name, NULL);
	struct recording_orders orders = {.replays = true, .pid = (int)getpid()};
	struct rlimit stack;
	int file;

	orders.directory = away(g_open(directory, O_RDONLY | O_DIRECTORY, 0));
	orders.news = away(news);
	orders.scratch = g_mkdir_with_parents(scratch, 0777) != 0
	                         ? -1
	                         : away(g_open(scratch, O_RDONLY | O_DIRECTORY, 0));
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

/* --- what it tells ---------------------------------------------------------------------------- */

static void take_line(struct replay_rank *replay, const char *line)
{
	static const struct {
		char news;
		enum replay_end end;
	} ends[] = {{'w', REPLAY_RANK_WHOLE},
	            {'o', REPLAY_RANK_CUT},
	            {'d', REPLAY_RANK_DIFFERS},
	            {'c', REPLAY_RANK_CANNOT}};

	if (*line == 'r')
		g_ptr_array_add(replay->remarks, g_strdup(line + 1));
	for (gsize i = 0; i < G_N_ELEMENTS(ends); i++)
		if (*line == ends[i].news && !replay->text) {
			replay->end = ends[i].end;
			replay->text = g_strdup(line + 1);
		}
}

static void take_news(struct replay_rank *replay, int news)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_auto(GStrv) lines = NULL;
	char bytes[4096];
	ssize_t got;

	while ((got = read(news, bytes, sizeof(bytes))) > 0 || (got < 0 && errno == EINTR))
		if (got > 0)
			g_string_append_len(text, bytes, got);
	lines = g_strsplit(text->str, "\n", -1);
	for (int i = 0; lines[i]; i++)
		take_line(replay, lines[i]);
}

/* Whether the recorded process came to its end. */
static bool has_ended(const char *directory, int rank)
{
	g_autofree char *file = recording_file(directory, rank, "tail"), *bytes = NULL;
	const struct recording_place *place;
	gsize size = 0;

	if (!g_file_get_contents(file, &bytes, &size, NULL))
		return false;
	place = recording_place_of(bytes, size);
	return place && place->ended;
}

/* It ended without a word: killed, or by _exit. */
static void tell_end(struct replay_rank *replay, const char *directory, int rank)
{
	const int status = replay->status;

	replay->end = has_ended(directory, rank) ? REPLAY_RANK_DIFFERS : REPLAY_RANK_CUT;
	if (WIFSIGNALED(status))
		replay->text = g_strdup_printf("it was ended by signal %d (%s)", WTERMSIG(status),
		                               g_strsignal(WTERMSIG(status)));
	else
		replay->text = g_strdup_printf("it has ended itself with status %d",
		                               WEXITSTATUS(status));
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_FAILURE
	    && replay->end == REPLAY_RANK_CUT)
		replay->end = REPLAY_RANK_CANNOT;
}

struct replay_rank *replay_rank(const char *directory, int rank, GError **error)
{
	g_autofree char *folder = g_canonicalize_filename(directory, NULL);
	struct start start = {0};
	struct replay_rank *replay = NULL;
	int news[2];
	pid_t process;

	if (read_start(folder, rank, &start, error)) {
		if (pipe(news) != 0 || (process = fork()) < 0) {
			g_set_error(error, RECORDING_ERROR, 0, "%s", g_strerror(errno));
		} else if (process == 0) {
			close(news[0]);
			become(folder, rank, &start, news[1]);
		} else {
			close(news[1]);
			replay = g_new0(struct replay_rank, 1);
			replay->remarks = g_ptr_array_new_with_free_func(g_free);
			take_news(replay, news[0]);
			close(news[0]);
			while (waitpid(process, &replay->status, 0) < 0 && errno == EINTR)
				continue;
			if (!replay->text)
				tell_end(replay, folder, rank);
		}
	}
	clear_start(&start);
	return replay;
}

void replay_rank_free(struct replay_rank *replay)
{
	if (!replay)
		return;
	g_ptr_array_unref(replay->remarks);
	g_free(replay->text);
	g_free(replay);
}
