#include "words.h"

#include <string.h>

char *words_ranks(const GArray *ranks)
{
	GString *text = g_string_new(ranks->len == 1 ? "rank " : "ranks ");

	for (guint i = 0; i < ranks->len; i++) {
		int32_t first = g_array_index(ranks, int32_t, i), last = first;

		while (i + 1 < ranks->len && g_array_index(ranks, int32_t, i + 1) == last + 1) {
			last++;
			i++;
		}
		if (text->str[text->len - 1] != ' ')
			g_string_append(text, ", ");
		g_string_append_printf(text, "%d", first);
		if (last > first)
			g_string_append_printf(text, last > first + 1 ? "-%d" : ", %d", last);
	}
	return g_string_free(text, FALSE);
}

char *words_program(const struct record_exploration *exploration)
{
	GString *text = g_string_new(NULL);

	for (char **argument = exploration->program; *argument; argument++) {
		static const char harmless[] =
			"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			"0123456789-_./=:,+@%";
		g_autofree char *quoted = g_shell_quote(*argument);
		bool plain = **argument && strspn(*argument, harmless) == strlen(*argument);

		g_string_append_printf(text, "%s%s", text->len ? " " : "",
		                       plain ? *argument : quoted);
	}
	return g_string_free(text, FALSE);
}

const char *words_bufferings(uint32_t bufferings)
{
	if (bufferings == (RECORD_ZERO | RECORD_INFINITE))
		return "zero and infinite buffering";
	return bufferings == RECORD_ZERO ? "zero buffering" : "infinite buffering";
}

char *words_call(const struct record_rank *rank)
{
	if (!rank->function)
		return g_strdup("");
	return g_strdup_printf("%s(%s)", rank->function, rank->arguments ? rank->arguments : "");
}

char *words_state(const struct record_rank *rank, const GPtrArray *roll_call)
{
	g_autoptr(GArray) ended = g_array_new(FALSE, FALSE, sizeof(int32_t));
	g_autofree char *awaited = NULL, *gone = NULL;

	if (rank->ended)
		return g_strdup(rank->ended);
	if (rank->does)
		return g_strdup(rank->does);
	if (rank->waits_for->len == 0)
		return g_strdup("waits");
	awaited = words_ranks(rank->waits_for);
	for (guint i = 0; i < rank->waits_for->len; i++) {
		int32_t other = g_array_index(rank->waits_for, int32_t, i);

		for (guint j = 0; j < roll_call->len; j++) {
			const struct record_rank *record = g_ptr_array_index(roll_call, j);

			if (record->rank == other && record->ended)
				g_array_append_val(ended, other);
		}
	}
	if (ended->len == 0)
		return g_strdup_printf("waits for %s", awaited);
	if (ended->len == rank->waits_for->len)
		return g_strdup_printf("waits for %s, which %s ended", awaited,
		                       ended->len == 1 ? "has" : "have");
	gone = words_ranks(ended);
	return g_strdup_printf("waits for %s, of which %s %s ended", awaited, gone,
	                       ended->len == 1 ? "has" : "have");
}

static char *words_message(const struct record_message *message)
{
	g_autofree char *place = place_print(&message->place);

	if (!message->place.file && !message->place.function)
		return g_strdup_printf("rank %d's message", message->source);
	return g_strdup_printf("rank %d's message (%s)", message->source, place);
}

char *words_blame(const struct record_choice *blame)
{
	g_autofree char *taken = words_message(&blame->taken), *place = place_print(&blame->place);
	const char *function = blame->function ? blame->function : "receive";
	bool probe = strstr(function, "robe") != NULL;
	GString *text = g_string_new(NULL);

	g_string_printf(text, "rank %d's %s(ANY_SOURCE) at %s %s %s", blame->rank, function, place,
	                probe ? "reports" : "takes", taken);
	if (blame->alternatives->len > 0)
		g_string_append_printf(
			text, ", not rank %d's",
			g_array_index(blame->alternatives, struct record_message, 0).source);
	return g_string_free(text, FALSE);
}
