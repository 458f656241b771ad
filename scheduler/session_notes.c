/* What the verdict has to say besides findings: what was not explored, or could not be
 * controlled. */
#include "session_internal.h"

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

static void note_ignored(struct session *session)
{
	g_autofree char *kinds = NULL, *text = NULL;

	if (!session->options->ignored)
		return;
	kinds = g_strjoinv(", ", session->options->ignored);
	text = g_strdup_printf("findings of these kinds were ignored: %s", kinds);
	note(session, text);
}

void session_note(struct session *session)
{
	note_ignored(session);
	if (session->by_rule)
		note(session,
		     "sends were cancelled, and requests that MPI completes by itself were "
		     "waited for, by one fixed rule: other orders were not explored");
	note_files(session);
	if (session->threads)
		note(session,
		     "threads of a rank were let into MPI one after another; other orders were "
		     "explored where two wait to be let in and their sends or receives race");
	if (session->collectives_waited)
		note(session,
		     "rooted collectives of intercommunicators and persistent reductions were "
		     "taken to wait for all their members");
	if (session->atomics)
		note(session,
		     "the order of accumulates and other atomic operations of several ranks on "
		     "a window, outside of exclusive locks, was left to MPI and not explored");
	if (session->locks)
		note(session,
		     "MPI_Win_lock and MPI_Win_start were taken to wait until the target is "
		     "ready; MPI may let them return earlier");
}
