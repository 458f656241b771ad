#include "recorded_matches.h"

#include <stdio.h>

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

static void take_line(void *user, const char *line)
{
	struct recorded_matches *matches = user;
	struct recorded_call call = {.is_inside = true};
	struct recorded_report report = {0};
	int cancelled;

	switch (*line) {
	case 'k':
		if (sscanf(line, "k %u %u", &call.number, &call.function) == 2)
			add_call(matches, call);
		break;
	case 'n':
		call.is_inside = false;
		if (sscanf(line, "n %u %u %u", &call.number, &call.function, &call.not_yet) == 3)
			add_call(matches, call);
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
	default: break;
	}
}

/* Takes what the replay says over. False with `error` set. */
static bool take_end(struct recorded_matches *matches, int rank, bool is_whole,
                     const struct replay_rank *replay, GPtrArray *remarks, GError **error)
{
	for (guint i = 0; i < replay->remarks->len; i++)
		g_ptr_array_add(remarks, g_strdup_printf("rank %d: %s", rank,
		                                         (char *)replay->remarks->pdata[i]));
	if (replay->end == REPLAY_RANK_CUT && !is_whole)
		matches->cut = g_strdup(replay->text);
	if (replay->end == REPLAY_RANK_WHOLE || replay->end == REPLAY_RANK_CUT)
		return true;
	g_set_error(error, RECORDING_ERROR, 0, "rank %d: %s", rank, replay->text);
	return false;
}

struct recorded_matches *recorded_matches_read(const char *directory, int rank, bool is_whole,
                                               GPtrArray *remarks, GError **error)
{
	struct recorded_matches *matches = g_new0(struct recorded_matches, 1);
	struct replay_rank *replay;
	bool fine;

	matches->calls = g_array_new(false, false, sizeof(struct recorded_call));
	matches->reports = g_array_new(false, false, sizeof(struct recorded_report));
	matches->starts = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	replay = replay_rank(directory, rank, take_line, matches, error);
	fine = replay && take_end(matches, rank, is_whole, replay, remarks, error);
	replay_rank_free(replay);
	if (fine)
		return matches;
	recorded_matches_free(matches);
	return NULL;
}

void recorded_matches_free(struct recorded_matches *matches)
{
	if (!matches)
		return;
	g_array_unref(matches->calls);
	g_array_unref(matches->reports);
	g_hash_table_unref(matches->starts);
	g_free(matches->cut);
	g_free(matches);
}

const struct recorded_report *recorded_matches_of(const struct recorded_matches *matches,
                                                  guint32 start, guint32 sub)
{
	const guint64 key = key_of(start, sub);
	const guint at = GPOINTER_TO_UINT(g_hash_table_lookup(matches->starts, &key));

	return at > 0 ? &g_array_index(matches->reports, struct recorded_report, at - 1) : NULL;
}
