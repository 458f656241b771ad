#include "recorded_matches.h"

#include <stdio.h>
#include <string.h>

#include "common/wire.h"
#include "recording.h"
#include "replay_rank.h"

static guint64 key_of(guint32 start, guint32 sub)
{
	return (guint64)start << 32 | sub;
}

static void add_report(struct recorded_matches *matches, struct recorded_report report)
{
	const guint64 key = key_of(report.start, report.sub);
	struct recorded_call *call;

	if (matches->calls->len == 0)
		return;
	call = &g_array_index(matches->calls, struct recorded_call, matches->calls->len - 1);
	report.call = call->number;
	g_array_append_val(matches->reports, report);
	call->count++;
	/* MPI_Request_get_status may have told the same before. */
	if (report.start > 0)
		g_hash_table_replace(matches->starts, g_memdup2(&key, sizeof(key)),
		                     GUINT_TO_POINTER(matches->reports->len));
}

static void add_call(struct recorded_matches *matches, struct recorded_call call)
{
	call.first = matches->reports->len;
	g_array_append_val(matches->calls, call);
}

/* --- details ---------------------------------------------------------------------------------- */

static struct recorded_details *last_details(struct recorded_matches *matches)
{
	return matches->details && matches->details->len > 0 ? &g_array_index(
		       matches->details, struct recorded_details, matches->details->len - 1)
	                                                     : NULL;
}

static void add_details(struct recorded_matches *matches, guint64 site)
{
	const struct recorded_details details = {.site = site, .first = matches->prepared->len};

	if (matches->details)
		g_array_append_val(matches->details, details);
}

/* A number, or one of MPI's names (shim/record/matches.h). */
static gint64 value_of(const char *text)
{
	static const struct {
		const char *word;
		gint32 value;
	} words[] = {
		{"MPI_ANY_SOURCE", WIRE_ANY},        {"MPI_ANY_TAG", WIRE_ANY},
		{"MPI_PROC_NULL", WIRE_NOBODY},      {"MPI_ROOT", WIRE_ROOT_ITSELF},
		{"MPI_COMM_WORLD", WIRE_COMM_WORLD}, {"MPI_COMM_SELF", WIRE_COMM_SELF},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(words); i++)
		if (g_str_equal(text, words[i].word))
			return words[i].value;
	return g_ascii_strtoll(text, NULL, 10);
}

static void take_argument(struct recorded_details *details, const char *name, gint64 value)
{
	static const struct {
		const char *name;
		enum recorded_argument argument;
	} known[] = {
		{"dest", RECORDED_DEST},
		{"source", RECORDED_SOURCE},
		{"tag", RECORDED_TAG},
		{"sendtag", RECORDED_SENDTAG},
		{"recvtag", RECORDED_RECVTAG},
		{"root", RECORDED_ROOT},
		{"comm", RECORDED_COMM},
		{"comm_old", RECORDED_COMM},
		{"local_comm", RECORDED_COMM},
		{"intercomm", RECORDED_COMM},
		{"message", RECORDED_MESSAGE},
		{"made_comm", RECORDED_MADE_COMM},
		{"made_message", RECORDED_MADE_MESSAGE},
	};

	if (g_str_equal(name, "sent"))
		details->sent = value;
	else if (g_str_equal(name, "received"))
		details->received = value;
	for (gsize i = 0; i < G_N_ELEMENTS(known); i++)
		if (g_str_equal(name, known[i].name)) {
			details->values[known[i].argument] = (gint32)value;
			details->has |= 1u << known[i].argument;
		}
}

static void take_arguments(struct recorded_details *details, const char *line)
{
	g_auto(GStrv) words = g_strsplit(line, " ", -1);

	for (int i = 0; words[i]; i++) {
		char *value = strchr(words[i], '=');

		if (!value)
			continue;
		*value++ = '\0';
		take_argument(details, words[i], value_of(value));
	}
}

static void take_members(struct recorded_details *details, const char *line)
{
	gint32 group, first, distance, count;

	if (sscanf(line, "g %d %d %d %d", &group, &first, &distance, &count) != 4 || group < 0
	    || group > 1)
		return;
	if (!details->members[group])
		details->members[group] = g_array_new(false, false, sizeof(gint32));
	for (gint32 i = 0; i < count; i++) {
		const gint32 member = first + i * distance;

		g_array_append_val(details->members[group], member);
	}
}

/* Lines that only matter with details. */
static void take_detail(struct recorded_matches *matches, const char *line)
{
	struct recorded_details *details = last_details(matches);
	guint32 sub, number;

	if (!details)
		return;
	switch (*line) {
	case 'p':
		if (sscanf(line, "p %u %u", &sub, &number) != 2)
			break;
		g_array_append_val(matches->prepared, number);
		details->count++;
		break;
	case 'c': details->makes = true; break;
	case 'g': take_members(details, line); break;
	case 'a': take_arguments(details, line); break;
	default: break;
	}
}

static void clear_details(void *data)
{
	struct recorded_details *details = data;

	for (int group = 0; group < 2; group++)
		g_clear_pointer(&details->members[group], g_array_unref);
}

/* --- lines ------------------------------------------------------------------------------------ */

static void take_line(void *user, const char *line)
{
	struct recorded_matches *matches = user;
	struct recorded_call call = {.is_inside = true};
	struct recorded_report report = {0};
	guint64 site = 0;
	int cancelled;

	switch (*line) {
	case 'k':
		if (sscanf(line, "k %u %u %" G_GUINT64_FORMAT, &call.number, &call.function, &site)
		    < 2)
			break;
		add_call(matches, call);
		add_details(matches, site);
		break;
	case 'n':
		call.is_inside = false;
		if (sscanf(line, "n %u %u %u %" G_GUINT64_FORMAT, &call.number, &call.function,
		           &call.not_yet, &site)
		    < 3)
			break;
		add_call(matches, call);
		add_details(matches, site);
		break;
	case 's':
		if (sscanf(line, "s %d %u %u %d %d %d", &report.index, &report.start, &report.sub,
		           &report.source, &report.tag, &cancelled)
		    != 6)
			break;
		report.is_cancelled = cancelled != 0;
		add_report(matches, report);
		break;
	case 'l':
		if (matches->calls->len > 0)
			g_array_index(matches->calls, struct recorded_call, matches->calls->len - 1)
				.is_inside = false;
		break;
	case 't': matches->has_threads = true; break;
	default: take_detail(matches, line); break;
	}
}

/* Takes what the replay says over. False with `error` set. */
static bool take_end(struct recorded_matches *matches, int rank, bool is_whole,
                     const struct replay_rank *replay, GPtrArray *remarks, GError **error)
{
	for (guint i = 0; i < replay->remarks->len; i++)
		g_ptr_array_add(remarks, g_strdup_printf("rank %d: %s", rank,
		                                         (char *)replay->remarks->pdata[i]));
	if (replay->values)
		g_ptr_array_add(remarks, g_strdup_printf("rank %d: %s", rank, replay->values));
	if (replay->end == REPLAY_RANK_CUT && !is_whole)
		matches->cut = g_strdup(replay->text);
	if (replay->end == REPLAY_RANK_WHOLE || replay->end == REPLAY_RANK_CUT)
		return true;
	if (matches->details && matches->calls->len > 0) {
		matches->lost = g_strdup(replay->text);
		return true;
	}
	g_set_error(error, RECORDING_ERROR, 0, "rank %d: %s", rank, replay->text);
	return false;
}

static struct recorded_matches *matches_new(bool with_details)
{
	struct recorded_matches *matches = g_new0(struct recorded_matches, 1);

	matches->calls = g_array_new(false, false, sizeof(struct recorded_call));
	matches->reports = g_array_new(false, false, sizeof(struct recorded_report));
	matches->prepared = g_array_new(false, false, sizeof(guint32));
	matches->starts = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	if (with_details) {
		matches->details = g_array_new(false, false, sizeof(struct recorded_details));
		g_array_set_clear_func(matches->details, clear_details);
	}
	return matches;
}

static struct recorded_matches *read_rank(const char *directory, int rank, bool is_whole,
                                          bool with_details, GPtrArray *remarks, GError **error)
{
	struct recorded_matches *matches = matches_new(with_details);
	struct replay_rank *replay;
	bool fine;

	replay = replay_rank(directory, rank, take_line, matches, error);
	fine = replay && take_end(matches, rank, is_whole, replay, remarks, error);
	replay_rank_free(replay);
	if (fine)
		return matches;
	recorded_matches_free(matches);
	return NULL;
}

struct recorded_matches *recorded_matches_read(const char *directory, int rank, bool is_whole,
                                               GPtrArray *remarks, GError **error)
{
	return read_rank(directory, rank, is_whole, false, remarks, error);
}

struct recorded_matches *recorded_matches_read_all(const char *directory, int rank, bool is_whole,
                                                   GPtrArray *remarks, GError **error)
{
	return read_rank(directory, rank, is_whole, true, remarks, error);
}

struct recorded_matches *recorded_matches_of_lines(const char *const *lines)
{
	struct recorded_matches *matches = matches_new(true);

	while (*lines)
		take_line(matches, *lines++);
	return matches;
}

void recorded_matches_free(struct recorded_matches *matches)
{
	if (!matches)
		return;
	g_array_unref(matches->calls);
	g_array_unref(matches->reports);
	g_array_unref(matches->prepared);
	if (matches->details)
		g_array_unref(matches->details);
	g_hash_table_unref(matches->starts);
	g_free(matches->cut);
	g_free(matches->lost);
	g_free(matches);
}

guint recorded_matches_find(const struct recorded_matches *matches, guint32 number)
{
	guint low = 0, high = matches->calls->len;

	while (low < high) {
		const guint middle = low + (high - low) / 2;

		if (g_array_index(matches->calls, struct recorded_call, middle).number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct recorded_report *recorded_matches_of(const struct recorded_matches *matches,
                                                  guint32 start, guint32 sub)
{
	const guint64 key = key_of(start, sub);
	const guint at = GPOINTER_TO_UINT(g_hash_table_lookup(matches->starts, &key));

	return at > 0 ? &g_array_index(matches->reports, struct recorded_report, at - 1) : NULL;
}
