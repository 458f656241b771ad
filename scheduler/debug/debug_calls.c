/* `info calls`: the calls that ranks have made. Each is a place to go back to. */
#include <string.h>

#include "debug_context.h"
#include "debug_hold.h"
#include "debug_words.h"
#include "explorer/rank_name.h"
#include "stops.h"
#include "telling.h"

#define CALLS_USUAL 40u /* of each rank, the last ones */

/* Positions of the snapshots on the way to here: a set of calls by rank. */
struct kept {
	const struct debugger *debugger;
	struct stop *here;
	GHashTable **calls;
};

static void note_snapshot(const struct world *world, void *user)
{
	const struct kept *kept = user;

	if (world_options(world)->buffering != debugger_buffering(kept->debugger)
	    || !stop_needs(kept->here, world))
		return;
	for (int rank = 0; rank < debugger_ranks(kept->debugger); rank++)
		g_hash_table_add(kept->calls[rank], GUINT_TO_POINTER(world_place(world, rank)));
}

static struct kept kept_new(struct debugger *debugger)
{
	struct kept kept = {debugger, stop_new(debugger_here(debugger, true), false),
	                    g_new(GHashTable *, debugger_ranks(debugger))};

	for (int rank = 0; rank < debugger_ranks(debugger); rank++)
		kept.calls[rank] = g_hash_table_new(NULL, NULL);
	session_each_snapshot(debugger_session(debugger), note_snapshot, &kept);
	return kept;
}

static void kept_release(struct kept *kept)
{
	for (int rank = 0; rank < debugger_ranks(kept->debugger); rank++)
		g_hash_table_unref(kept->calls[rank]);
	g_free(kept->calls);
	stop_free(kept->here);
}

static const char *note_call(void *user, int rank, guint32 call)
{
	const struct kept *kept = user;
	const struct world *world = execution_world(debugger_execution(kept->debugger));
	bool snapshot = g_hash_table_contains(kept->calls[rank], GUINT_TO_POINTER(call));

	if (world_place(world, rank) == call)
		return snapshot ? "here, snapshot" : "here";
	return snapshot ? "snapshot" : "";
}

/* Reads "1-20" or "7" at the end. Returns false after refusing. */
static bool read_span(struct debugger *debugger, const char *text, guint32 *ret_first,
                      guint32 *ret_last)
{
	g_auto(GStrv) ends = g_strsplit(text, "-", 2);
	guint64 first, last;

	if (ends[0] && g_ascii_string_to_unsigned(ends[0], 10, 1, G_MAXUINT32, &first, NULL)
	    && (!ends[1]
	        || g_ascii_string_to_unsigned(ends[1], 10, first, G_MAXUINT32, &last, NULL))) {
		*ret_first = (guint32)first;
		*ret_last = ends[1] ? (guint32)last : (guint32)first;
		return true;
	}
	debugger_refuse(debugger, "%s is not a range of calls; for example: info calls 0 1-%u",
	                text, CALLS_USUAL);
	return false;
}

static void tell_of_rank(struct debugger *debugger, GString *text, struct kept *kept, int rank,
                         guint32 first, guint32 last)
{
	const struct verdict_facts facts = debugger_facts(debugger);
	guint32 calls = world_calls(facts.world, rank);
	guint32 from = first;

	if (first == 0)
		from = calls > CALLS_USUAL ? calls - CALLS_USUAL + 1 : 1;
	last = MIN(last, calls);
	g_string_append_printf(text, "rank %s has made %u call%s", rank_name(rank), calls,
	                       calls == 1 ? "" : "s");
	if (first == 0 && from > 1)
		g_string_append_printf(text, ", the last %u (info calls %s 1-%u shows the first)",
		                       CALLS_USUAL, rank_name(rank), CALLS_USUAL);
	g_string_append_c(text, '\n');
	telling_calls(text, &facts, rank, from, last, note_call, kept);
}

void word_info_calls(struct debugger *debugger, const char *rest)
{
	g_auto(GStrv) words = g_strsplit_set(rest, " \t", 2);
	g_autofree bool *ranks = NULL;
	guint32 first = 0, last = G_MAXUINT32;
	struct kept kept;
	GString *text;

	if (!debugger_is_somewhere(debugger))
		return;
	ranks = debugger_read_ranks(debugger, words[0] && *words[0] ? words[0] : "all");
	if (!ranks
	    || (words[0] && words[1] && !read_span(debugger, g_strstrip(words[1]), &first, &last)))
		return;
	kept = kept_new(debugger);
	text = g_string_new(NULL);
	for (int rank = 0; rank < debugger_ranks(debugger); rank++)
		if (ranks[rank])
			tell_of_rank(debugger, text, &kept, rank, first, last);
	kept_release(&kept);
	debugger_tell_text(debugger, text);
}
