/* The notes of the verdict: what a reader should know besides its limits (session_limits.c). */
#include "coverage.h"
#include "infrastructure_failures.h"
#include "lanes.h"
#include "outcome_watch.h"
#include "program_facts.h"
#include "scheduler/host/environment.h"
#include "scheduler/host/peer_memory.h"
#include "search_bounds.h"
#include "session_internal.h"
#include "state_exploration.h"

#define PLACES_MOST 5u /* of each kind */

static void add_note(const struct session *session, const char *text)
{
	g_ptr_array_add(session->exploration->notes, g_strdup(text));
}

/* Restores the files, and notes those that could not be restored. */
static void note_files(struct session *session)
{
	const GPtrArray *problems;

	if (!session->journal)
		return;
	journal_put_back(session->journal, NULL);
	problems = journal_problems(session->journal);
	for (guint i = 0; i < problems->len; i++)
		add_note(session, problems->pdata[i]);
}

static void note_place(struct session *session)
{
	g_autofree char *text = NULL;

	if (!session->options->run_parent)
		return;
	text = g_strdup_printf("shared memory and what ranks print were kept in %s, as there was "
	                       "no room in /dev/shm; " ENVIRONMENT_RUNDIR " names a place",
	                       session->options->run_parent);
	add_note(session, text);
}

static void note_time(struct session *session)
{
	if (session->options->virtual_time)
		add_note(session, "time was virtual: sleeps ended at once, and the clocks of ranks "
		                  "without other threads advanced by as much");
}

/* Notes time that clocks were advanced, if it is enough to be noticed. */
static void note_forward(struct session *session)
{
	guint ms = runs_forward_ms(session->runs);
	g_autofree char *text = NULL;

	if (ms == 0)
		return;
	text = g_strdup_printf("while ranks only polled and read the time, their clocks were "
	                       "advanced (by up to %u s), so that time limits are reached soon",
	                       (ms + 999) / 1000);
	add_note(session, text);
}

/* Rewinding that was not possible only costs time: noted only if it was asked for, or with
 * --verbose. */
static void note_rewinding(struct session *session)
{
	const struct rewinding *rewinding = snapshots_rewinding(runs_snapshots(session->runs));
	g_autofree char *text = NULL;

	if (!rewinding->reason
	    || (session->options->backtrack != BACKTRACK_REWIND && !session->options->verbose))
		return;
	text = g_strdup_printf("%" G_GUINT64_FORMAT " times a rank could not be rewound in place, "
	                       "and was forked anew (%" G_GUINT64_FORMAT
	                       " times it could); the first was %s",
	                       rewinding->refused, rewinding->rewound, rewinding->reason);
	add_note(session, text);
}

static void note_copied(struct session *session)
{
	const char *obstacle = peer_memory_obstacle();
	g_autofree char *text = NULL;

	if (!obstacle || !session->options->verbose)
		return;
	text = g_strdup_printf("large messages went through shared memory, copied twice: ranks may "
	                       "not read each other's memory (%s)",
	                       obstacle);
	add_note(session, text);
}

/* That costs time only. */
static void note_launched(struct session *session)
{
	const struct host_operations *operations = session->host->operations;
	g_autofree char *reason = NULL, *text = NULL;

	if (!session->options->verbose || !operations->launched)
		return;
	reason = operations->launched(session->host);
	if (!reason)
		return;
	text = g_strdup_printf("each rank was started by the launcher, and loaded the program "
	                       "itself: %s",
	                       reason);
	add_note(session, text);
}

static void note_sanitizers(struct session *session)
{
	const char *survived = program_facts_survived(session->facts);
	g_autofree char *text = NULL;

	if (!survived)
		return;
	text = g_strdup_printf("a sanitizer has reported, and the program went on "
	                       "(-fno-sanitize-recover makes it a finding): %s",
	                       survived);
	add_note(session, text);
}

/* Notes how much of each buffering was explored before the exploration stopped. */
static void note_covered(struct session *session)
{
	const struct session_options *options = session->options;
	g_autoptr(GString) text = g_string_new("covered: ");

	if (!session->stop_reason || options->conduct || options->position || options->random
	    || session_visits_states(session))
		return;
	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND; i++) {
		g_autofree char *words = NULL;

		if (!(options->bufferings & 1u << i))
			continue;
		if (coverage_has_begun(session->coverage, (enum buffering)i)
		    || lanes_have_part(session->lanes, (enum buffering)i))
			words = coverage_words(session->coverage, (enum buffering)i);
		g_string_append_printf(text, "%s%s %s", text->str[text->len - 1] == ' ' ? "" : "; ",
		                       coverage_names[i], words ? words : "all before");
	}
	if (past_seconds(session->past) > 0)
		g_string_append(text, " (counted since it was resumed)");
	add_note(session, text->str);
}

/* Notes choices that were made in every way, if not all their combinations were. */
static void note_choices(struct session *session)
{
	g_autofree char *text = NULL;

	if (!session->stop_reason || !session->choices)
		return;
	text = choice_coverage_words(session->choices, PLACES_MOST);
	if (text)
		add_note(session, text);
}

/* One buffering alone implies one extreme of collectives. */
static void note_collectives(struct session *session)
{
	enum limit limit = program_facts_collectives(session->facts);

	if (limit != LIMITS && session_explores(session)
	    && session->options->collectives == COLLECTIVES_BOTH)
		add_note(session, limit_info(limit)->text);
}

/* Whether interleaving 1 is what it was asked to begin at. */
static void note_beginning(struct session *session)
{
	const struct session_options *options = session->options;
	g_autofree char *text = NULL;
	guint strayed;

	if (!options->toward || !lanes_have_begun(session->lanes, &strayed))
		return;
	if (strayed == 0)
		text = g_strdup_printf("interleaving 1 is the recorded one, of %s: %s",
		                       options->toward_name, options->toward_words);
	else
		text = g_strdup_printf("interleaving 1 is not the recorded one, of %s: %u of its "
		                       "%u choices are others (where a poll can be answered \"not "
		                       "yet\", that is explored first); it comes later",
		                       options->toward_name, strayed,
		                       options->toward->choices->len);
	add_note(session, text);
}

static void note_saving(struct session *session)
{
	g_autofree char *text = session_saving_why_nothing(session->saving);

	if (text)
		add_note(session, text);
}

void session_add_notes(struct session *session)
{
	const struct left_out left_out = coverage_left_out(session->coverage);
	GPtrArray *notes = session->exploration->notes;

	note_beginning(session);
	session_note_spawned(session);
	infrastructure_failures_note(session->failures, notes);
	note_covered(session);
	note_choices(session);
	search_bounds_note(session->options, &left_out, coverage_bounds(session->coverage), notes);
	if (lanes_reason_for_one_world(session->lanes))
		add_note(session, lanes_reason_for_one_world(session->lanes));
	note_place(session);
	note_saving(session);
	note_time(session);
	note_forward(session);
	note_rewinding(session);
	note_copied(session);
	note_launched(session);
	note_collectives(session);
	note_sanitizers(session);
	state_exploration_note(session->states, session->exploration->notes);
	note_files(session);
}
