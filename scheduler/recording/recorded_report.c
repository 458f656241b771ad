#include "recorded_report.h"

#include "recorded_execution.h"
#include "recorded_places.h"
#include "recording.h"
#include "replayed_process.h"
#include "scheduler/places/source_text.h"
#include "scheduler/store/store.h"

/* More would take too much memory, and no report could show them. */
enum { CALLS_MOST = 5000000 };

static const char not_checked[] = "a recorded run, not explored: nothing was checked";

/* --- places ----------------------------------------------------------------------------------- */

static bool find_excerpt(void *data, const struct place *place, struct record_excerpt *ret)
{
	return source_text_around(data, place, ret);
}

/* --- reading ---------------------------------------------------------------------------------- */

static void free_matches(void *matches)
{
	recorded_matches_free(matches);
}

static guint64 calls_of(const struct recorded_matches *matches)
{
	const struct recorded_call *last;

	if (!matches || matches->calls->len == 0)
		return 0;
	last = &g_array_index(matches->calls, struct recorded_call, matches->calls->len - 1);
	return (guint64)last->number + last->not_yet;
}

/* Returns struct recorded_matches, by rank. NULL with `error` set: there is nothing to show. */
static GPtrArray *read_ranks(const char *directory, const GPtrArray *ends, GPtrArray *notes,
                             bool *ret_whole, GError **error)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(free_matches);
	g_autoptr(GError) first = NULL;
	guint64 calls = 0;

	for (guint i = 0; i < ends->len; i++) {
		const struct roll_call_entry *entry = ends->pdata[i];
		const bool is_whole = entry->has_ended && !entry->damage && !entry->error;
		g_autoptr(GError) problem = NULL;
		struct recorded_matches *matches = recorded_matches_read_all(
			directory, (int)i, is_whole, notes, &problem);

		g_ptr_array_add(all, matches);
		calls += calls_of(matches);
		*ret_whole &= matches && !matches->lost && !entry->damage;
		if (matches)
			continue;
		if (!entry->is_missing)
			g_ptr_array_add(notes, g_strdup_printf("%s; none of its calls are shown",
			                                       problem->message));
		if (!first)
			first = g_steal_pointer(&problem);
	}
	if (calls > CALLS_MOST) {
		g_set_error(error, RECORDING_ERROR, 0,
		            "the ranks have made %" G_GUINT64_FORMAT
		            " calls; reports take up to %d",
		            calls, CALLS_MOST);
		return NULL;
	}
	if (calls > 0 || !first)
		return g_steal_pointer(&all);
	g_propagate_error(error, g_steal_pointer(&first));
	return NULL;
}

/* --- writing ---------------------------------------------------------------------------------- */

/* *ret_program: its file, absolute; NULL: not known. */
static struct record_exploration *describe(const char *directory, const GPtrArray *ends,
                                           char **ret_program)
{
	struct record_exploration *exploration = record_exploration_new();

	exploration->command = g_intern_static_string("record");
	exploration->ranks = (gint32)ends->len;
	exploration->version = g_strdup(MATCHPOINT_VERSION);
	exploration->incomplete_reason = g_strdup(not_checked);
	for (guint i = 0; i < ends->len && !exploration->directory; i++) {
		struct replayed_start start = {0};

		if (replayed_start_read(directory, (int)i, &start, NULL)) {
			g_strfreev(exploration->program);
			exploration->program = g_strdupv(start.arguments);
			exploration->directory = g_strdup(start.folder ? start.folder : "");
			*ret_program = g_canonicalize_filename(start.program, start.folder);
		}
		replayed_start_clear(&start);
	}
	return exploration;
}

static bool write_store(const char *folder, const struct record_exploration *exploration,
                        const struct record_execution *execution, const char *program,
                        GError **error)
{
	struct store *store = store_create(folder, error);
	struct source_text *source = source_text_new();
	bool fine = store != NULL;

	if (program)
		source_text_program(source, program);
	if (store)
		store_excerpts_from(store, find_excerpt, source);
	fine = fine && store_put_exploration(store, exploration, error)
	       && store_add(store, execution, NULL, error);
	store_close(store);
	source_text_free(source);
	return fine;
}

bool recorded_report_make(const char *directory, const char *store, bool *ret_whole, GError **error)
{
	g_autoptr(GPtrArray) ends = roll_call(directory, error), matches = NULL;
	g_autoptr(RecordExploration) exploration = NULL;
	g_autoptr(RecordExecution) execution = NULL;
	g_autofree char *program = NULL;
	struct recorded_places *places;
	struct recorded_logs logs = {.ends = ends, .find_place = recorded_places_find};

	*ret_whole = true;
	if (!ends)
		return false;
	exploration = describe(directory, ends, &program);
	matches = read_ranks(directory, ends, exploration->notes, ret_whole, error);
	if (!matches)
		return false;
	logs.ranks = (int)ends->len;
	logs.matches = matches;
	logs.user = places = recorded_places_new(directory);
	execution = recorded_execution(&logs, exploration->notes);
	recorded_places_free(places);
	execution->path = g_strdup(directory);
	return write_store(store, exploration, execution, program, error);
}
