/* What the verdict has to say besides findings: what was not explored, or could not be
 * controlled. */
#define _GNU_SOURCE /* process_vm_readv */
#include <sys/uio.h>
#include <unistd.h>

#include "lanes.h"
#include "session_internal.h"

#define PLACES_MOST 5u /* of each sort */

static void note(struct session *session, const char *text)
{
	g_ptr_array_add(session->exploration->notes, g_strdup(text));
}

/* The files are as they were before the exploration, but for these. */
static void note_files(struct session *session)
{
	const GPtrArray *problems;

	if (!session->journal)
		return;
	journal_put_back(session->journal, NULL);
	problems = journal_problems(session->journal);
	for (guint i = 0; i < problems->len; i++)
		note(session, problems->pdata[i]);
}

/* Ranks look at buffers, and we at ranks, by this call (shim/guard.c, stall.c). */
static void note_unwatched(struct session *session)
{
	char from = 1, to = 0;
	struct iovec local = {&to, 1}, remote = {&from, 1};

	if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) != 1)
		note(session,
		     "process_vm_readv is forbidden here (by a container?): it was not watched "
		     "whether buffers are modified while MPI has them, nor whether ranks stall "
		     "inside MPI");
}

static void note_time(struct session *session)
{
	if (session->options->virtual_time)
		note(session,
		     "time was virtual: sleeps went by at once, and the clocks of ranks without "
		     "threads of their own went on by as much");
}

static void note_outcomes(struct session *session)
{
	g_autofree char *text = NULL;

	if (session->outcomes_beyond == 0)
		return;
	text = g_strdup_printf("only %d outcomes are told apart: %" G_GUINT64_FORMAT
	                       " interleavings ended in others",
	                       OUTCOMES_KEPT, session->outcomes_beyond);
	note(session, text);
}

static void note_ignored(struct session *session)
{
	g_autofree char *kinds = NULL, *text = NULL;

	if (!session->options->ignored)
		return;
	kinds = g_strjoinv(", ", session->options->ignored);
	text = g_strdup_printf("findings of these kinds were ignored: %s", kinds);
	note(session, text);
}

static void tell_covered(GString *text, const struct coverage *covered)
{
	const char *plural = covered->explored == 1 ? "" : "s";

	if (!covered->begun) {
		g_string_append(text, "not begun");
	} else if (covered->left == 0 && covered->pruned == 0) {
		g_string_append_printf(text, "all of %" G_GUINT64_FORMAT " interleaving%s",
		                       covered->explored, plural);
	} else {
		g_string_append_printf(text, "%" G_GUINT64_FORMAT " interleaving%s",
		                       covered->explored, plural);
		if (covered->left > 0)
			g_string_append_printf(text, ", at least %" G_GUINT64_FORMAT " more left",
			                       covered->left);
		if (covered->pruned > 0)
			g_string_append_printf(text, ", those beyond the bounds not counted");
	}
}

/* How much of each buffering was explored before the exploration was stopped. */
static void note_covered(struct session *session)
{
	static const char *const names[] = {NULL, "zero buffering", "infinite buffering",
	                                    "a choice for each send"};
	const struct session_options *options = session->options;
	g_autoptr(GString) text = g_string_new("covered: ");

	if (!session->stop_reason || options->conduct || options->path || options->random)
		return;
	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND; i++) {
		if (!(options->bufferings & 1u << i))
			continue;
		g_string_append_printf(text, "%s%s ", text->str[text->len - 1] == ' ' ? "" : "; ",
		                       names[i]);
		if (session->covered[i].begun || lanes_have_part(session, (enum buffering)i))
			tell_covered(text, &session->covered[i]);
		else
			g_string_append(text, "all before");
	}
	if (session->seconds_before > 0)
		g_string_append(text, " (counted since it was resumed)");
	note(session, text->str);
}

/* Which choices were made in every way, where not all of their combinations were. */
static void note_choices(struct session *session)
{
	const struct session_options *options = session->options;
	g_autofree char *text = NULL;

	if (!session->stop_reason || options->conduct || options->path)
		return;
	text = choice_coverage_words(session->choices, PLACES_MOST);
	if (text)
		note(session, text);
}

/* Else that is why not all was explored. */
static void note_sets(struct session *session)
{
	g_autofree char *text = NULL;

	if (!session->left_out.sets || (!session->stop_reason && !session->options->random))
		return;
	text = session_sets_words(session);
	note(session, text);
}

/* Of the two extremes, that which was not tried although it can make a difference. */
static void note_collectives(struct session *session)
{
	const guint early = 1u << COLLECTIVES_ASYNC, waiting = 1u << COLLECTIVES_SYNC;
	guint tried = session->collectives_tried;

	if (!g_str_equal(session->options->command, "explore") || session->options->conduct
	    || tried == 0 || session->stop_reason)
		return;
	if (tried == early)
		note(session,
		     "collectives that need not wait for all their members, as MPI_Bcast, were "
		     "left as early as the standard allows; that they wait was not explored "
		     "(--collectives)");
	else if (tried == waiting)
		note(session,
		     "collectives that need not wait for all their members, as MPI_Bcast, were "
		     "taken to wait for them; that they are left earlier was not explored "
		     "(--collectives)");
}

/* What the search for conflicts could not see. */
static void note_accesses(struct session *session)
{
	if (session->accesses)
		note(session,
		     "conflicts in windows were looked for among calls alone: loads and stores of "
		     "the program are not seen");
	if (session->accesses_learnt)
		note(session,
		     "some accesses to windows were taken to be in order because a rank may have "
		     "learnt of the other's from memory: by an atomic operation that fetches, or "
		     "by MPI_Win_sync");
	if (session->accesses_unknown)
		note(session,
		     "some accesses to windows were not compared: too many in one interleaving, or "
		     "with too irregular datatypes");
}

#define MEMORY_RAN_OUT                                                                      \
	"; meanwhile the kernel has killed processes because memory ran out: fewer ranks, " \
	"fewer worlds at once (-j) or fewer snapshots (--max-memory) need less"

/* What was explored again, so that nothing of it is lost. */
static void note_struck(struct session *session)
{
	g_autofree char *text = NULL;

	if (session->struck == 0)
		return;
	text = g_strdup_printf(
		"%" G_GUINT64_FORMAT " interleaving%s ended from outside (the first: "
		"%s), and explored again%s",
		session->struck, session->struck == 1 ? " was" : "s were", session->struck_first,
		session->memory_ran_out ? MEMORY_RAN_OUT : "");
	note(session, text);
}

void session_note(struct session *session)
{
	note_struck(session);
	note_covered(session);
	note_choices(session);
	session_note_bounds(session);
	note_ignored(session);
	if (session->alone)
		note(session, session->alone);
	note_unwatched(session);
	note_time(session);
	note_outcomes(session);
	if (session->by_rule)
		note(session,
		     "sends were cancelled, and requests that MPI completes by itself were "
		     "waited for, by one fixed rule: other orders were not explored");
	note_sets(session);
	note_files(session);
	if (session->threads)
		note(session,
		     "threads of a rank were let into MPI one after another; other orders were "
		     "explored where two wait to be let in and their sends or receives race");
	note_collectives(session);
	if (session->collectives_waited)
		note(session,
		     "rooted collectives of intercommunicators and persistent reductions were "
		     "taken to wait for all their members");
	if (session->atomics)
		note(session,
		     "the order of accumulates and other atomic operations of several ranks on "
		     "a window, outside of exclusive locks, was left to MPI and not explored");
	note_accesses(session);
	if (session->locks)
		note(session,
		     "MPI_Win_lock and MPI_Win_start were taken to wait until the target is "
		     "ready; MPI may let them return earlier");
}
