#define _GNU_SOURCE /* sigabbrev_np */
#include "native_check.h"

#include <string.h>
#include <sys/wait.h>

#include "explorer/program_parts.h"
#include "explorer/rank_name.h"
#include "outcome_text.h"
#include "outcome_watch.h"
#include "scheduler/host/plain_run.h"
#include "session_clock.h"
#include "session_internal.h"

/* How long it may take: so many times the longest interleaving, but at least this. Polls and sleeps
 * for which interleavings take no real time take it there. */
#define LONGEST_TIMES 20
#define LEAST_S 10.0
#define SLEEPING_LEAST_S 60.0 /* with --virtual-time */
#define LEAST_TO_START_S 0.1

/* If no interleaving has its output: runs to learn which lines vary in it by themselves. */
#define OUTPUT_RUNS 3

static bool may_go_on(void *user)
{
	return session_may_make_sure(user);
}

/* After so many seconds it counts as a hang. */
static double time_limit(const struct session *session)
{
	double least = session->options->virtual_time ? SLEEPING_LEAST_S : LEAST_S;
	double forward = runs_forward_ms(session->runs) / 1000.0;

	return MAX(least, LONGEST_TIMES * session->longest) + forward;
}

/* What --max-time leaves of that. */
static double time_left(const struct session *session)
{
	double most = session->options->max_seconds;
	double left = most > 0 ? most - session_clock_seconds(session->clock) : G_MAXDOUBLE;

	return MIN(time_limit(session), left);
}

static void add_limit(struct session *session, const char *why)
{
	limits_add(session->exploration->limits, LIMIT_NATIVE,
	           g_strdup_printf("the program without control: %s", why));
}

/* NULL: it could not be started, or was given up. */
static struct plain_run *run_once(struct session *session, guint number)
{
	const struct session_options *options = session->options;
	g_autofree char *name = g_strdup_printf("native-%u", number);
	g_autofree char *directory = output_place_file(session->output, name);
	const struct plain_run_options plain = {.host = session->host,
	                                        .program = options->program,
	                                        .ranks = options->ranks,
	                                        .launcher = options->launcher,
	                                        .standard_input = options->standard_input,
	                                        .environment = options->environment,
	                                        .directory = directory,
	                                        .lock = run_directory_lock(session->directory),
	                                        .seconds = time_left(session),
	                                        .may_go_on = may_go_on,
	                                        .user = session};
	g_autoptr(GError) error = NULL;
	bool late = plain.seconds < LEAST_TO_START_S || !session_may_make_sure(session);
	struct plain_run *run = late ? NULL : plain_run(&plain, &error);

	if (run && run->started == 0 && !run->timed_out)
		add_limit(session, run->words && *g_strstrip(run->words)
		                           ? run->words
		                           : "the launcher did not start it");
	else if (run && run->full)
		add_limit(session, "there was no room for what it prints");
	else if (run && !run->cut && (!run->timed_out || plain.seconds >= time_limit(session)))
		return run;
	else
		add_limit(session,
		          error ? error->message : "there was no time to run it to its end");
	plain_run_free(run);
	return NULL;
}

/* --- how it ends ------------------------------------------------------------------------------ */

/* The rank that explains the end: one that a signal has killed, else one that has exited with
 * another status than 0. -1: none. */
static int culprit(const struct plain_run *run)
{
	int exited = -1;

	for (guint rank = 0; rank < run->ends->len; rank++) {
		int end = g_array_index(run->ends, int, rank);

		if (end >= 0 && WIFSIGNALED(end))
			return (int)rank;
		if (end > 0 && exited < 0)
			exited = (int)rank;
	}
	return exited;
}

/* The first line of a text that is not empty, shortened. NULL: there is none. Free with g_free. */
static char *first_line(GBytes *text)
{
	for (guint line = 0;; line++) {
		char *shown = outcome_text_show(text, false, line);

		if (!shown || *g_strstrip(shown))
			return shown;
		g_free(shown);
	}
}

/* What the first rank wrote that wrote something: ` (rank 1 wrote "...")`. Free with g_free. */
static char *complaint_words(const struct plain_run *run)
{
	for (guint rank = 0; rank < run->errors->len; rank++) {
		g_autofree char *line = first_line(run->errors->pdata[rank]);

		if (line)
			return g_strdup_printf(" (rank %s wrote \"%s\")", rank_name(rank), line);
	}
	return g_strdup("");
}

/* "rank 1 was killed by SIGSEGV (...)" */
static char *rank_words(const struct plain_run *run, guint rank)
{
	int end = g_array_index(run->ends, int, rank);
	g_autofree char *line = first_line(run->errors->pdata[rank]);
	g_autofree char *wrote = line ? g_strdup_printf(" (it wrote \"%s\")", line) : g_strdup("");

	if (WIFSIGNALED(end))
		return g_strdup_printf("rank %s was killed by SIG%s%s", rank_name(rank),
		                       sigabbrev_np(WTERMSIG(end)), wrote);
	return g_strdup_printf("rank %s exited with status %d%s", rank_name(rank), WEXITSTATUS(end),
	                       wrote);
}

/* NULL: it ended well. Free with g_free. */
static char *end_words(const struct session *session, const struct plain_run *run)
{
	g_autofree char *complaint = NULL;
	int rank = culprit(run);

	if (run->timed_out)
		return g_strdup_printf("it had not ended after %.0f s", time_limit(session));
	if (rank >= 0)
		return rank_words(run, (guint)rank);
	if (run->status == 0)
		return NULL;
	complaint = complaint_words(run); /* the launcher has killed the rank that aborted, too */
	return g_strdup_printf("the launcher ended with status %d%s", run->status, complaint);
}

/* Whether interleavings end as that: so the run shows nothing new. */
static bool is_shown(const struct session *session, const struct plain_run *run)
{
	const GPtrArray *all = findings_all(session->findings);
	bool shown = false;

	for (guint i = 0; i < all->len; i++) {
		switch (((const struct record_finding *)all->pdata[i])->kind) {
		case FINDING_DEADLOCK:
		case FINDING_LIVELOCK:
		case FINDING_STALL: shown |= run->timed_out; break;
		case FINDING_ABORT:
		case FINDING_CRASH:
		case FINDING_EXIT:
		case FINDING_MPI_ERROR:
		case FINDING_THREAD_LEVEL: shown |= !run->timed_out; break;
		case FINDING_COLLECTIVE_MISMATCH: shown = true; break;
		default: break;
		}
	}
	return shown;
}

void native_check_add(struct session *session, const char *message)
{
	struct record_finding *finding = record_finding_new(FINDING_NATIVE_DIFFERS);
	g_autoptr(RecordExecution) none = record_execution_new();
	g_autoptr(GArray) choices = g_array_new(false, false, sizeof(struct choice));

	none->path = g_strdup("");
	finding->path = g_strdup("");
	finding->message = g_strdup(message);
	finding->replayed = finding->reproduced = true;
	finding = findings_add(session->findings, finding, none, choices);
	finding->count = 0;                                     /* of interleavings */
	finding->bufferings = session->exploration->bufferings; /* whatever is explored */
}

/* --- what it prints --------------------------------------------------------------------------- */

/* Runs it some more times. false: one of them did not end well, or was given up. */
static bool run_more(struct session *session, GPtrArray *runs)
{
	while (runs->len < OUTPUT_RUNS) {
		struct plain_run *run = run_once(session, runs->len + 1);
		g_autofree char *words = NULL;

		if (!run)
			return false;
		words = end_words(session, run);
		g_ptr_array_add(runs, g_ptr_array_ref(run->outputs));
		plain_run_free(run);
		if (words)
			return false;
	}
	return true;
}

static void compare_output(struct session *session, struct plain_run *run)
{
	g_autoptr(GPtrArray)
		runs = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
	g_autofree char *words = NULL, *message = NULL;

	if (!session->exploration->complete || !session->options->compare)
		return;
	g_ptr_array_add(runs, g_ptr_array_ref(run->outputs));
	if (outcome_watch_shows(session->outcomes, run->outputs) || !run_more(session, runs))
		return;
	words = outcome_watch_never_printed(session->outcomes, runs);
	if (!words)
		return;
	message = g_strdup_printf("without control it prints what no interleaving does: %s", words);
	native_check_add(session, message);
}

static bool is_ignored(const struct session *session)
{
	const char *name = finding_kind_name(FINDING_NATIVE_DIFFERS);
	char **ignored = session->options->ignored;

	return ignored && g_strv_contains((const char *const *)ignored, name);
}

void native_check(struct session *session)
{
	struct plain_run *run;
	g_autofree char *words = NULL, *message = NULL;

	if (!session->options->native || is_ignored(session) || session->error
	    || session->interleavings == 0)
		return;
	if (program_parts_at_once(session->options->program, session->options->ranks)
	    < session->options->ranks) {
		add_limit(session, "it would run as one MPI_COMM_WORLD with what it spawns");
		return;
	}
	if (session->journal)
		journal_put_back(session->journal, NULL);
	run = run_once(session, 1);
	if (!run)
		return;
	words = end_words(session, run);
	if (!words) {
		compare_output(session, run);
	} else if (!is_shown(session, run)) {
		message = g_strdup_printf("without control it ends as no interleaving does: %s",
		                          words);
		native_check_add(session, message);
	}
	plain_run_free(run);
}
