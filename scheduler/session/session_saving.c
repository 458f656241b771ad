#include "session_saving.h"

#include <string.h>

#include "explorer/rank_name.h"
#include "interleaving.h"
#include "mpi_calls.h"
#include "scheduler/execution/save.h"
#include "session_disk.h"
#include "session_internal.h"

#define FAILURES_MOST 3 /* in turn; then nothing more is tried */

struct session_saving {
	struct session *session;
	const struct save_options *options;
	const void *holds;    /* the interleaving whose ranks are held for it; NULL: none */
	const void *due;      /* the interleaving that waits for it; NULL: none */
	guint32 *before;      /* by rank: from which call it was held, and is held now */
	guint32 *now;         /* likewise */
	gint64 last;          /* when the last position was saved, or the session began */
	guint32 begun;        /* bufferings under which the first choice has come */
	guint32 ended;        /* bufferings under which an interleaving has ended */
	const void *reached;  /* the interleaving that has come to the call of the options */
	struct disk_job *job; /* that is being saved; NULL: none */
	char *job_place;      /* of that */
	GHashTable *places;   /* char *: positions that were saved */
	guint number;         /* of the last name */
	guint failures;       /* in turn */
	char *trouble;        /* the last one; NULL: none */
};

struct session_saving *session_saving_new(struct session *session)
{
	const struct session_options *options = session->options;
	struct session_saving *saving = g_new0(struct session_saving, 1);

	saving->session = session;
	saving->options = &options->save;
	saving->before = g_new0(guint32, options->ranks);
	saving->now = g_new0(guint32, options->ranks);
	saving->last = host_now(session->host);
	saving->places = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	return saving;
}

void session_saving_free(struct session_saving *saving)
{
	g_free(saving->before);
	g_free(saving->now);
	g_hash_table_unref(saving->places);
	g_free(saving->trouble);
	g_free(saving);
}

bool session_saves(const struct session *session, enum buffering buffering)
{
	const struct session_saving *saving = session->saving;

	return saving->options->folder && !(saving->ended & 1u << buffering);
}

void session_saving_ended(struct session_saving *saving, enum buffering buffering)
{
	saving->ended |= 1u << buffering;
}

void session_saving_forget(struct session_saving *saving, const struct interleaving *interleaving)
{
	if (saving->holds == interleaving)
		saving->holds = NULL;
	if (saving->due == interleaving)
		saving->due = NULL;
	if (saving->reached == interleaving)
		saving->reached = NULL;
}

/* --- when ------------------------------------------------------------------------------------- */

static bool has_given_up(const struct session_saving *saving)
{
	return saving->failures >= FAILURES_MOST;
}

static bool is_time(const struct session_saving *saving)
{
	return (double)(host_now(saving->session->host) - saving->last)
	       >= saving->options->every * G_USEC_PER_SEC;
}

static bool by_time_alone(const struct save_options *options)
{
	return options->every > 0 && options->function == 0 && options->call == 0;
}

static bool before_first_choice(const struct save_options *options)
{
	return options->every <= 0 && options->function == 0 && options->call == 0;
}

/* Whether a rank is to be held in this call. */
static bool is_meant(struct session_saving *saving, const void *owner, int rank,
                     const struct wire_call *call)
{
	const struct save_options *options = saving->options;

	if (options->function != 0)
		return call->function == options->function
		       && (saving->holds || options->every <= 0 || is_time(saving));
	if (options->call == 0 || rank != options->rank || call->call < options->call
	    || saving->reached == owner)
		return false;
	saving->reached = owner;
	return true;
}

static void hold(struct session_saving *saving, struct execution *execution, int rank, guint32 from)
{
	guint32 held = world_held_from(execution_world(execution), rank);

	if (held <= from)
		return;
	saving->before[rank] = held;
	saving->now[rank] = from;
	execution_hold(execution, rank, from);
}

static void begin_to_hold(struct session_saving *saving, const void *owner)
{
	if (saving->holds)
		return;
	saving->holds = owner;
	for (int rank = 0; rank < saving->session->options->ranks; rank++)
		saving->before[rank] = saving->now[rank] = WORLD_HOLDS_NOTHING;
}

void session_saving_see_call(void *owner, struct execution *execution, int rank,
                             const struct wire_call *call)
{
	struct session_saving *saving = ((struct interleaving *)owner)->session->saving;
	const struct world *world = execution_world(execution);

	if (has_given_up(saving) || saving->due || (saving->holds && saving->holds != owner))
		return;
	if (is_meant(saving, owner, rank, call)) {
		begin_to_hold(saving, owner);
		hold(saving, execution, rank, call->call);
	} else if (by_time_alone(saving->options) && !saving->holds && is_time(saving)) {
		begin_to_hold(saving, owner);
		for (int one = 0; one < saving->session->options->ranks; one++)
			hold(saving, execution, one,
			     one == rank ? call->call : world_calls(world, one) + 1);
	}
}

static bool is_first_choice(const struct session_saving *saving, const struct execution *execution)
{
	enum buffering buffering = world_options(execution_world(execution))->buffering;

	return before_first_choice(saving->options) && !(saving->begun & 1u << buffering);
}

/* Whether ranks have come to where they are held. Others may have to go on first, by a choice:
 * until then, no rank is held that could go on, so the rest is what it would be anyway. */
static bool is_there(const struct session_saving *saving, const struct execution *execution,
                     const GArray *open)
{
	bool concerns = false;

	for (guint i = 0; i < open->len; i++) {
		int rank = g_array_index(open, struct open_choice, i).point.rank;

		concerns |= saving->now[rank] != saving->before[rank];
	}
	return concerns || open->len == 0 || world_holds(execution_world(execution));
}

bool session_saving_is_due(void *owner, const struct execution *execution, const GArray *open,
                           bool beside)
{
	struct session_saving *saving = ((struct interleaving *)owner)->session->saving;
	bool due = saving->due == owner
	           || (saving->holds == owner && (beside || is_there(saving, execution, open)));

	if (has_given_up(saving))
		return false;
	if (!due && !beside && open->len > 0)
		due = is_first_choice(saving, execution)
		      || (by_time_alone(saving->options) && is_time(saving));
	if (due)
		saving->due = owner;
	return due;
}

/* --- saving ----------------------------------------------------------------------------------- */

static void tell(const struct session_saving *saving, bool problem, char *text)
{
	if (saving->options->tell)
		saving->options->tell(saving->options->user, text, problem);
	g_free(text);
}

/* The next number that is no name in the folder yet. Free with g_free. */
static char *next_name(struct session_saving *saving)
{
	while (true) {
		g_autofree char *name = g_strdup_printf("%u", ++saving->number);
		g_autofree char *path = g_build_filename(saving->options->folder, name, NULL);

		if (!g_file_test(path, G_FILE_TEST_EXISTS))
			return g_steal_pointer(&name);
	}
}

static void note_failure(struct session_saving *saving, const char *place, const char *why)
{
	saving->failures++;
	saving->number--; /* nothing has that name */
	if (g_strcmp0(why, saving->trouble) == 0 && !has_given_up(saving))
		return;
	g_free(saving->trouble);
	saving->trouble = g_strdup(why);
	tell(saving, true,
	     g_strdup_printf("%s is not saved: %s%s", place, why,
	                     has_given_up(saving) ? "; no more positions are saved" : ""));
}

/* Why only positions are saved is told once. */
static void note_saved(struct session_saving *saving, const char *path, const char *place,
                       const char *why)
{
	saving->failures = 0;
	if (why && g_strcmp0(why, saving->trouble) != 0) {
		tell(saving, true,
		     g_strdup_printf("%s: only positions are saved; a restart runs the program "
		                     "again, up to there",
		                     why));
		g_free(saving->trouble);
		saving->trouble = g_strdup(why);
	}
	tell(saving, false, g_strdup_printf("saved %s: matchpoint restart %s", place, path));
}

void session_saving_settle(struct session_saving *saving)
{
	g_autofree char *place = g_steal_pointer(&saving->job_place), *path = NULL, *why = NULL;
	g_autoptr(GError) error = NULL;

	if (!saving->job)
		return;
	path = session_disk_end(g_steal_pointer(&saving->job), &why, &error);
	if (path) {
		note_saved(saving, path, place, why);
	} else {
		note_failure(saving, place, error->message);
		g_hash_table_remove(saving->places, place);
	}
}

bool session_saving_is_saved(void *user)
{
	const struct session_saving *saving = ((const struct session *)user)->saving;

	return saving->job && session_disk_is_done(saving->job);
}

/* What is written is written while the execution goes on. */
static void save(struct session_saving *saving, struct execution *execution)
{
	g_autofree char *place = execution_place(execution), *name = NULL;

	session_saving_settle(saving);
	if (has_given_up(saving) || !g_hash_table_add(saving->places, g_strdup(place)))
		return;
	name = next_name(saving);
	saving->job = session_disk_begin(saving->session, execution, saving->options->folder, name);
	saving->job_place = g_steal_pointer(&place);
}

/* A rank that is beside may come to rest another time; one that has ended will not. */
static bool all_wait(const struct session_saving *saving, const struct world *world)
{
	for (int rank = 0; rank < saving->session->options->ranks; rank++)
		if (!world_waits(world, rank))
			return false;
	return world_at_rest(world);
}

/* What somebody else has changed meanwhile stays. */
static void release(struct session_saving *saving, struct execution *execution)
{
	const struct world *world = execution_world(execution);

	for (int rank = 0; saving->holds && rank < saving->session->options->ranks; rank++)
		if (saving->now[rank] != saving->before[rank]
		    && world_held_from(world, rank) == saving->now[rank])
			execution_hold(execution, rank, saving->before[rank]);
	saving->holds = NULL;
}

bool session_saving_save(void *user, struct execution *execution)
{
	struct session *session = user;
	struct session_saving *saving = session->saving;

	if (saving->due != execution_owner(execution))
		return false;
	if (all_wait(saving, execution_world(execution)))
		save(saving, execution);
	saving->begun |= 1u << world_options(execution_world(execution))->buffering;
	saving->last = host_now(session->host);
	saving->due = NULL;
	release(saving, execution);
	execution_resume(execution, NULL);
	return true;
}

char *session_saving_why_nothing(const struct session_saving *saving)
{
	const struct save_options *options = saving->options;

	if (!options->folder || g_hash_table_size(saving->places) > 0 || saving->trouble)
		return NULL;
	if (options->function != 0)
		return g_strdup_printf("no position was saved: no rank called %s%s",
		                       mpi_call_name(options->function),
		                       options->every > 0 ? " after that time" : "");
	if (options->call != 0)
		return g_strdup_printf("no position was saved: rank %s made no call %u",
		                       rank_name(options->rank), options->call);
	if (options->every > 0)
		return g_strdup_printf("no position was saved: nothing ran for %.9g s",
		                       options->every);
	return g_strdup("no position was saved: there was no choice");
}
