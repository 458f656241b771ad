#include "replay_rank.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/recording.h"
#include "recording.h"
#include "replayed_process.h"

struct replay_rank *replay_rank_new(void)
{
	struct replay_rank *replay = g_new0(struct replay_rank, 1);

	replay->remarks = g_ptr_array_new_with_free_func(g_free);
	return replay;
}

void replay_rank_take(struct replay_rank *replay, const char *line)
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
	if (*line == 'v' && !replay->values)
		replay->values = g_strdup(line + 1);
	for (gsize i = 0; i < G_N_ELEMENTS(ends); i++)
		if (*line == ends[i].news && !replay->text) {
			replay->end = ends[i].end;
			replay->text = g_strdup(line + 1);
		}
}

static void take_news(struct replay_rank *replay, int news,
                      void (*match)(void *user, const char *line), void *user)
{
	FILE *lines = fdopen(news, "r");
	char *line = NULL;
	size_t size = 0;
	ssize_t length;

	while (lines && (length = getline(&line, &size, lines)) > 0) {
		if (line[length - 1] == '\n')
			line[length - 1] = '\0';
		if (*line == 'm' && match)
			match(user, line + 1);
		else
			replay_rank_take(replay, line);
	}
	free(line);
	if (lines)
		fclose(lines);
	else
		close(news);
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

void replay_rank_ended(struct replay_rank *replay, const char *directory, int rank, int status)
{
	replay->status = status;
	if (!replay->text)
		tell_end(replay, directory, rank);
}

struct replay_rank *replay_rank(const char *directory, int rank,
                                void (*match)(void *user, const char *line), void *user,
                                GError **error)
{
	const struct replayed_mode mode = {.matches = match != NULL};
	struct replayed_process process;
	struct replay_rank *replay;
	int status = 0;

	if (!replayed_process_start(directory, rank, &mode, &process, error))
		return NULL;
	replay = replay_rank_new();
	take_news(replay, process.news, match, user);
	while (waitpid(process.pid, &status, 0) < 0 && errno == EINTR)
		continue;
	replay_rank_ended(replay, directory, rank, status);
	return replay;
}

void replay_rank_free(struct replay_rank *replay)
{
	if (!replay)
		return;
	g_ptr_array_unref(replay->remarks);
	g_free(replay->text);
	g_free(replay->values);
	g_free(replay);
}
