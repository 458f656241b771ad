/* The texts of a verdict: how a rank has ended, and the message of a finding. */
#define _GNU_SOURCE /* sigabbrev_np */
#include <sys/wait.h>

#include "explorer/rank_name.h"
#include "mpi_calls.h"
#include "verdict_internal.h"

char *verdict_ended_words(const struct verdict_facts *facts, int rank)
{
	const struct rank_end *end = &facts->ends[rank];

	switch (verdict_ending(facts, rank)) {
	case ENDING_CRASH:
		if (end->report)
			return g_strdup_printf("stopped by %s", end->report);
		return g_strdup_printf("killed by SIG%s%s", sigabbrev_np(WTERMSIG(end->status)),
		                       facts->struck_before && rank_end_is_outside(end->status)
		                               ? ", twice along this path"
		                               : "");
	case ENDING_ABORT: return g_strdup_printf("called MPI_Abort(%d)", end->abort_code);
	case ENDING_THREADS: return g_strdup(end->error);
	case ENDING_ERROR: return g_strdup_printf("stopped by an MPI error: %s", end->error);
	case ENDING_EXIT:
		if (end->untold)
			return g_strdup_printf("ended without MPI_Finalize (it is not known how)%s",
			                       facts->struck_before ? ", twice along this path"
			                                            : "");
		if (!world_finalized(facts->world, rank))
			return g_strdup_printf("exited with status %d without MPI_Finalize",
			                       WEXITSTATUS(end->status));
		return g_strdup_printf("exited with status %d", WEXITSTATUS(end->status));
	case ENDING_NONE: break;
	}
	if (world_awaits_spawn(facts->world, rank))
		return g_strdup("is not spawned");
	return end->gone || verdict_in_finalize(facts, rank) ? g_strdup("ended") : NULL;
}

/* "rank 0 waits in MPI_Recv(source=1, tag=7) at solver.c:121" */
static char *describe_line(const struct verdict_facts *facts, const struct record_rank *line)
{
	const struct rank_end *end = &facts->ends[line->rank];
	const char *where = end->function != 0 || end->inside > 0 ? "in"
	                    : end->outside                        ? "after"
	                                                          : "in or after";
	g_autofree char *place = place_print(&line->place);
	const char *arguments = line->arguments ? line->arguments : "";
	g_autofree char *thread = NULL;

	if (line->ended && g_strcmp0(line->function, "MPI_Abort") == 0)
		return g_strdup_printf("rank %s %s at %s", rank_name(line->rank), line->ended,
		                       place);
	if (line->ended && world_awaits_spawn(facts->world, line->rank))
		return g_strdup_printf("rank %s %s", rank_name(line->rank), line->ended);
	if (line->ended)
		return g_strdup_printf("rank %s %s at %s, %s %s(%s)", rank_name(line->rank),
		                       line->ended, place, where,
		                       line->function ? line->function : "its start", arguments);
	thread = record_thread_print(line->thread);
	return g_strdup_printf("rank %s%s%s %s %s(%s) at %s", rank_name(line->rank),
	                       thread ? ", " : "", thread ? thread : "",
	                       world_repeats(facts->world, line->rank) ? "repeats" : "waits in",
	                       line->function ? line->function : "?", arguments, place);
}

static char *stall_words(const struct verdict_facts *facts, const GPtrArray *ranks)
{
	GString *text = g_string_new(NULL);
	bool driven = false;

	for (guint i = 0; i < ranks->len; i++) {
		const struct record_rank *line = ranks->pdata[i];
		const struct wire_blocking_call *inside = facts->inside[line->rank];
		g_autofree char *place = place_print(&line->place);

		driven |= verdict_is_driven(facts, line);
		if (inside
		    && (inside->driven || world_phase(facts->world, line->rank) == PHASE_RUNNING))
			g_string_append_printf(text, "%srank %s %s %s at %s",
			                       text->len > 0 ? "; " : "", rank_name(line->rank),
			                       facts->livelock ? "repeats" : "is inside",
			                       line->function, place);
	}
	if (facts->livelock)
		g_string_append_printf(text,
		                       ": no rank has done anything else for %g s, so this is "
		                       "assumed to go on for ever (judged by time alone)",
		                       facts->still);
	else if (driven)
		g_string_append_printf(text,
		                       ": no progress for %g s; a function that MPI calls there, "
		                       "such as that of an MPI_Op, does not return",
		                       facts->still);
	else
		g_string_append_printf(text,
		                       ": no progress for %g s; matchpoint does not control this "
		                       "call and cannot know whether it would return",
		                       facts->still);
	return g_string_free(text, false);
}

static void mismatch_words(const struct verdict_facts *facts, GString *text)
{
	struct world_given calls[2];
	const struct comm_words comms = verdict_comm_sentence(facts);
	g_autofree char *words = world_mismatch(facts->world, &comms, calls);
	struct op_id one = calls[0].id, another = calls[1].id;
	struct place first = verdict_place(facts, one.rank, one.call);
	struct place other = verdict_place(facts, another.rank, another.call);
	g_autofree char *here = place_print(&first), *there = place_print(&other);

	g_string_printf(text, "%s: rank %s at %s", words, rank_name(one.rank), here);
	if (!op_id_equal(one, another))
		g_string_append_printf(text, ", rank %s at %s", rank_name(another.rank), there);
}

/* Appends which message was too long, if that is MPI's error. */
static void truncation_words(const struct verdict_facts *facts, int rank, GString *text)
{
	const char *error = facts->ends[rank].error;
	struct op_id calls[2];
	char *types[2];

	if (!error || !g_str_has_prefix(error, "Message truncated")
	    || !world_truncated(facts->world, rank, facts->ends[rank].failed, calls, types))
		return;
	for (guint i = 0; i < 2; i++) {
		struct place place = verdict_place(facts, calls[i].rank, calls[i].call);
		g_autofree char *where = place_print(&place);

		g_string_append_printf(text, "%s rank %s %s %s at %s", i > 0 ? "," : ":",
		                       rank_name(calls[i].rank), i > 0 ? "has room for" : "sends",
		                       types[i], where);
		g_free(types[i]);
	}
}

/* Whether the rank waits in a collective in which another rank had an error. */
static bool waits_in(const struct verdict_facts *facts, int rank, guint16 function)
{
	const struct world_call *info;

	if (facts->ends[rank].returned || facts->ends[rank].gone)
		return false;
	info = world_call_info(facts->world, rank, world_calls(facts->world, rank));
	return info && info->function == function;
}

/* Ranks may wait because another rank has gone on after an error. */
static void returned_words(const struct verdict_facts *facts, GString *text)
{
	for (int rank = 0; rank < facts->ranks; rank++) {
		const struct rank_end *end = &facts->ends[rank];
		const struct world_call *info = world_call_info(facts->world, rank,
		                                                end->returned_call);
		bool others_wait = false;
		struct place place;

		if (!end->returned || !info
		    || mpi_call_order(info->function) == MPI_CALL_ORDER_NONE)
			continue;
		for (int other = 0; other < facts->ranks; other++)
			others_wait |= waits_in(facts, other, info->function);
		if (!others_wait)
			continue;
		place = verdict_place(facts, rank, end->returned_call);
		g_autofree char *where = place_print(&place);
		g_string_append_printf(text, "; rank %s went on after an error in %s at %s: %s",
		                       rank_name(rank), mpi_call_name(info->function), where,
		                       end->returned);
	}
}

/* Ranks of which the same is to be said, one after another: "ranks 3-997 wait in ...". */
struct group {
	int first, last;
	char *words; /* without the number of the rank */
};

static void group_clear(gpointer group)
{
	g_free(((struct group *)group)->words);
}

/* Adds what describe_line and truncation_words say of one rank. */
static void add_to_groups(GArray *groups, int rank, const char *line)
{
	struct group *latest = groups->len > 0
	                               ? &g_array_index(groups, struct group, groups->len - 1)
	                               : NULL;
	const char *words = line + strlen("rank ");
	struct group fresh;

	words += strlen(rank_name(rank));

	if (latest && rank_names_row_end(latest->last, rank) == rank
	    && strcmp(latest->words, words) == 0) {
		latest->last = rank;
		return;
	}
	fresh = (struct group){rank, rank, g_strdup(words)};
	g_array_append_val(groups, fresh);
}

#define FEW_RANKS 4 /* these are named one by one */

static void append_group(GString *text, const struct group *group)
{
	const char *words = group->words;

	if (group->last - group->first < FEW_RANKS) {
		for (int rank = group->first; rank <= group->last; rank++)
			g_string_append_printf(text, "%srank %s%s", text->len > 0 ? "; " : "",
			                       rank_name(rank), words);
		return;
	}
	if (g_str_has_prefix(words, " waits "))
		g_string_append_printf(text, "%sranks %s wait %s", text->len > 0 ? "; " : "",
		                       rank_names_row(group->first, group->last),
		                       words + strlen(" waits "));
	else
		g_string_append_printf(text, "%sranks %s%s", text->len > 0 ? "; " : "",
		                       rank_names_row(group->first, group->last), words);
}

char *verdict_message(const struct verdict_facts *facts, enum finding_kind kind,
                      const GPtrArray *ranks, enum ending worst)
{
	g_autoptr(GArray) groups = g_array_new(false, false, sizeof(struct group));
	GString *text = g_string_new(NULL);

	g_array_set_clear_func(groups, group_clear);
	if (kind == FINDING_COLLECTIVE_MISMATCH) {
		mismatch_words(facts, text);
		returned_words(facts, text);
		return g_string_free(text, false);
	}
	if (facts->stalled && worst == ENDING_NONE) {
		g_string_free(text, true);
		return stall_words(facts, ranks);
	}
	for (guint i = 0; i < ranks->len; i++) {
		const struct record_rank *line = ranks->pdata[i];
		g_autofree char *words = describe_line(facts, line);
		g_autoptr(GString) whole = g_string_new(words);

		if (worst != ENDING_NONE ? verdict_ending(facts, line->rank) != worst
		                         : line->ended != NULL)
			continue;
		truncation_words(facts, line->rank, whole);
		add_to_groups(groups, line->rank, whole->str);
	}
	for (guint i = 0; i < groups->len; i++)
		append_group(text, &g_array_index(groups, struct group, i));
	if (worst == ENDING_NONE) {
		returned_words(facts, text);
		g_string_append(text, facts->livelock && facts->how_sure ? facts->how_sure : "");
	}
	return g_string_free(text, false);
}
