#include "told_call.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpi_calls.h"
#include "recorded_places.h"
#include "replay_rank.h"
#include "replayed_process.h"

enum { LONGEST = 60 /* s */, LARGEST_LINE = 4096 };

/* Handles and addresses are beyond this: they are better read in hexadecimal. */
#define LARGE (1 << 26)

/* A call that has started something: a request names it by the number of communication calls. */
struct starter {
	guint32 number, function;
	guint64 call;
};

struct reading {
	const char *directory;
	int rank;
	guint64 wanted, call; /* the call whose lines come */
	guint32 function;     /* its */
	GArray *starters;     /* struct starter, in order */
	GString *text;        /* of the wanted call */
	struct replay_rank *end;
};

/* --- words ------------------------------------------------------------------------------------ */

/* A number, or one of MPI's names (shim/record/matches.h). */
static void append_value(GString *text, const char *name, const char *given)
{
	char *end;
	const gint64 value = g_ascii_strtoll(given, &end, 10);

	g_string_append_printf(text, "%s=", name);
	if (*end == '\0' && (value >= LARGE || value <= -LARGE))
		g_string_append_printf(text, "%#" G_GINT64_MODIFIER "x",
		                       value < 0 && value >= G_MININT32 ? (guint32)value
		                                                        : (guint64)value);
	else
		g_string_append(text, given);
}

/* "sent=8 received=0 dest=1 tag=7": bytes of the buffers, then arguments. */
static void take_arguments(struct reading *reading, const char *line)
{
	g_auto(GStrv) words = g_strsplit(line, " ", -1);
	const char *before = ": ";
	gint64 sent = 0, received = 0;

	for (int i = 0; words[i]; i++) {
		char *value = strchr(words[i], '=');

		if (!value)
			continue;
		*value++ = '\0';
		if (g_str_equal(words[i], "sent")) {
			sent = g_ascii_strtoll(value, NULL, 10);
		} else if (g_str_equal(words[i], "received")) {
			received = g_ascii_strtoll(value, NULL, 10);
		} else {
			g_string_append(reading->text, before);
			append_value(reading->text, words[i], value);
			before = ", ";
		}
	}
	if (sent > 0)
		g_string_append_printf(reading->text, "; sends %" G_GINT64_FORMAT " bytes", sent);
	if (received > 0)
		g_string_append_printf(reading->text, "; has room for %" G_GINT64_FORMAT " bytes",
		                       received);
}

static const struct starter *find_starter(const struct reading *reading, guint32 number)
{
	for (guint i = reading->starters->len; i-- > 0;) {
		const struct starter *one = &g_array_index(reading->starters, struct starter, i);

		if (one->number == number)
			return one;
	}
	return NULL;
}

/* What the call got is shown behind what it was given, which comes after it. */
static void take_report(const struct reading *reading, GString *got, const char *line)
{
	guint32 start, sub;
	gint64 bytes = 0;
	int index, source, tag, cancelled;
	const struct starter *starter;
	const bool is_probe = reading->function == MPI_CALL_Probe
	                      || reading->function == MPI_CALL_Iprobe;

	if (sscanf(line, "s %d %u %u %d %d %d %" G_GINT64_FORMAT, &index, &start, &sub, &source,
	           &tag, &cancelled, &bytes)
	    < 6)
		return;
	starter = find_starter(reading, start);
	if (starter)
		g_string_append_printf(got, "  completes call %" G_GUINT64_FORMAT ", %s",
		                       starter->call, mpi_call_name(starter->function));
	else if (source < 0)
		g_string_append(got, "  got no message");
	else
		g_string_append(got, is_probe ? "  found a message" : "  got a message");
	if (cancelled)
		g_string_append(got, ", which was cancelled");
	else if (source >= 0 && tag >= 0
	         && !(starter && mpi_call_send_mode(starter->function) != MPI_CALL_SEND_MODE_NONE))
		g_string_append_printf(got, "%s from rank %d, tag %d, %" G_GINT64_FORMAT " bytes",
		                       starter ? ": a message" : "", source, tag, bytes);
	g_string_append_c(got, '\n');
}

/* --- lines ------------------------------------------------------------------------------------ */

static void begin_call(struct reading *reading, guint64 site)
{
	struct recorded_places *places = recorded_places_new(reading->directory);
	const struct place place = recorded_places_find(places, reading->rank, site);
	g_autofree char *where = place_print(&place);

	g_string_append_printf(reading->text, "call %" G_GUINT64_FORMAT ", %s, at %s",
	                       reading->call, mpi_call_name(reading->function), where);
	recorded_places_free(places);
}

static void note_starter(struct reading *reading, const char *line)
{
	struct starter starter = {.call = reading->call};

	if (sscanf(line, "k %u %u", &starter.number, &starter.function) == 2
	    && (mpi_call_leaves_request(starter.function) || starter.function == MPI_CALL_Start
	        || starter.function == MPI_CALL_Startall))
		g_array_append_val(reading->starters, starter);
}

/* Returns whether more is wanted. */
static bool take_line(struct reading *reading, GString *got, const char *line)
{
	guint64 call, site;
	guint32 function;

	if (*line != 'm') {
		replay_rank_take(reading->end, line);
		return true;
	}
	line++;
	if (sscanf(line, "e %" G_GUINT64_FORMAT " %u %" G_GUINT64_FORMAT, &call, &function, &site)
	    == 3) {
		if (call > reading->wanted)
			return false;
		reading->call = call;
		reading->function = function;
		if (call == reading->wanted)
			begin_call(reading, site);
		return true;
	}
	if (*line == 'k')
		note_starter(reading, line);
	if (reading->call != reading->wanted)
		return true;
	if (*line == 'a')
		take_arguments(reading, line + 1);
	else if (*line == 's')
		take_report(reading, got, line);
	else if (*line == 'y')
		g_string_append(got, "  answered \"not yet\"\n");
	return true;
}

/* --- the replay ------------------------------------------------------------------------------- */

/* Reads until nothing more is wanted, or comes. False: it takes too long. */
static bool read_lines(struct reading *reading, GString *got, int news)
{
	const gint64 end = g_get_monotonic_time() + (gint64)LONGEST * G_USEC_PER_SEC;
	g_autoptr(GString) text = g_string_new(NULL);
	struct pollfd ready = {.fd = news, .events = POLLIN};
	char bytes[LARGEST_LINE], *newline;
	ssize_t count;

	for (;;) {
		const gint64 left = (end - g_get_monotonic_time()) / 1000;
		int some = left > 0 ? poll(&ready, 1, (int)left) : 0;

		if (some < 0 && errno == EINTR)
			continue;
		if (some <= 0)
			return false;
		count = read(news, bytes, sizeof bytes);
		if (count <= 0)
			return true;
		g_string_append_len(text, bytes, count);
		while ((newline = strchr(text->str, '\n'))) {
			*newline = '\0';
			if (!take_line(reading, got, text->str))
				return true;
			g_string_erase(text, 0, newline + 1 - text->str);
		}
	}
}

static void end_process(const struct replayed_process *process)
{
	kill(-process->pid, SIGKILL); /* what it has started; it has a session of its own */
	kill(process->pid, SIGKILL);
	while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	close(process->news);
}

static char *put_together(const struct reading *reading, const GString *got, bool is_in_time)
{
	const char *why = reading->end->end != REPLAY_RANK_WHOLE ? reading->end->text : NULL;

	if (reading->call == reading->wanted)
		return g_strdup_printf("%s\n%s%s%s", reading->text->str, got->str,
		                       why && reading->end->end == REPLAY_RANK_CUT
		                               ? "  the recording ends here\n"
		                               : "",
		                       is_in_time ? "" : "  the replay takes too long here\n");
	if (!is_in_time)
		return g_strdup_printf("call %" G_GUINT64_FORMAT
		                       ": it takes too long to replay the rank so far\n",
		                       reading->wanted);
	return g_strdup_printf("call %" G_GUINT64_FORMAT
	                       " is not in the recording, which has %" G_GUINT64_FORMAT
	                       " calls of this rank%s%s\n",
	                       reading->wanted, reading->call, why ? ": " : "", why ? why : "");
}

char *told_call(const char *directory, int rank, guint64 number, bool *ret_is_known)
{
	const struct replayed_mode mode = {.calls = true};
	struct reading reading = {.directory = directory, .rank = rank, .wanted = number};
	g_autoptr(GString) text = g_string_new(NULL), got = g_string_new(NULL);
	g_autoptr(GArray) starters = g_array_new(false, false, sizeof(struct starter));
	g_autoptr(GError) error = NULL;
	struct replayed_process process;
	char *told;
	bool is_in_time;

	*ret_is_known = false;
	if (!replayed_process_start(directory, rank, &mode, &process, &error))
		return g_strdup_printf("%s\n", error->message);
	reading.text = text;
	reading.starters = starters;
	reading.end = replay_rank_new();
	is_in_time = read_lines(&reading, got, process.news);
	end_process(&process);
	*ret_is_known = reading.call == number;
	told = put_together(&reading, got, is_in_time);
	replay_rank_free(reading.end);
	return told;
}
