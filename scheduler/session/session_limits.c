/* The limits of the verdict: what was not explored, and what was not checked (store/limit.h). */
#define _GNU_SOURCE /* process_vm_readv */
#include <sys/uio.h>
#include <unistd.h>

#include "coverage.h"
#include "explorer/program_parts.h"
#include "infrastructure_failures.h"
#include "outcome_watch.h"
#include "program_facts.h"
#include "random_walks.h"
#include "returned_errors.h"
#include "scheduler/host/program.h"
#include "scheduler/host/program_access.h"
#include "search_bounds.h"
#include "session_internal.h"
#include "state_exploration.h"

bool session_explores(const struct session *session)
{
	return g_str_equal(session->options->command, "explore") && !session->options->conduct;
}

/* Adds the limit if there is a text, which it takes. */
static void add(struct session *session, enum limit limit, char *text)
{
	if (text)
		limits_add(session->exploration->limits, limit, text);
}

/* Why the exploration ended before its end; NULL: it did not. Free with g_free. */
static char *stopped_words(const struct session *session)
{
	if (session->options->random && !session->error)
		return random_walks_words(session->walks);
	return session->error ? g_strdup("stopped by an error") : g_strdup(session->stop_reason);
}

static char *below_words(const struct path *from)
{
	g_autofree char *path = from && from->choices->len > 0 ? path_print(from) : NULL;

	return path ? g_strdup_printf("only the tree below %s was explored", path) : NULL;
}

static void add_bounds(struct session *session)
{
	const struct session_options *options = session->options;
	const struct left_out left_out = coverage_left_out(session->coverage);

	if (left_out.pruned > 0)
		add(session, LIMIT_BOUNDS, search_bounds_words(options));
	if (left_out.sets || state_exploration_statistics(session->states).sets_left)
		add(session, LIMIT_SETS, search_bounds_sets(options));
}

/* Both extremes of collectives are tried by default: to try one alone is a bound. */
static void add_collectives(struct session *session)
{
	enum limit limit = program_facts_collectives(session->facts);

	if (limit != LIMITS && session->options->collectives != COLLECTIVES_BOTH)
		limits_add(session->exploration->limits, limit, NULL);
}

/* Which loads and stores of the program are seen. The caller frees it; NULL: not known. */
static struct program_access *access_of(const char *name)
{
	struct program *program = program_inspect(name);
	struct program_access *access = program->path ? program_access_new(program->path) : NULL;

	program_free(program);
	return access;
}

/* Adds what is not seen of programs whose loads and stores are seen, apart from these parts.
 * Returns whether all stores are seen. */
static bool add_partly(struct session *session, bool is_met)
{
	g_autoptr(GPtrArray) names = program_parts_names(session->options->program);
	bool all = true;

	for (guint i = 0; i < names->len; i++) {
		struct program_access *access = access_of(names->pdata[i]);
		g_autofree char *unseen = access ? program_access_unseen(access) : NULL;

		all &= access && access->seen && access->unseen->len == 0;
		if (unseen && is_met)
			add(session, LIMIT_WINDOW_PARTLY,
			    g_strdup_printf("loads and stores in windows by %s are not seen",
			                    unseen));
		if (access)
			program_access_free(access);
	}
	return all;
}

/* What executions met. A single run explores nothing, so it can leave nothing out: there these are
 * notes. */
static void add_met(struct session *session)
{
	const guint64 of_access = LIMIT_BIT(LIMIT_WINDOW_PARTLY) | LIMIT_BIT(LIMIT_BUFFER_SAMPLED);
	guint64 met = program_facts_limits(session->facts);
	const bool sees_all = met & of_access
	                      && add_partly(session, met & LIMIT_BIT(LIMIT_WINDOW_PARTLY));

	for (guint i = 0; i < LIMITS; i++) {
		if (!(met & LIMIT_BIT(i)))
			continue;
		/* If all stores are seen, no sample of a buffer matters. */
		if (i == LIMIT_WINDOW_PARTLY || (i == LIMIT_BUFFER_SAMPLED && sees_all))
			continue;
		if (limit_info(i)->class == LIMIT_NOT_CHECKED || session_explores(session))
			limits_add(session->exploration->limits, i, NULL);
		else
			g_ptr_array_add(session->exploration->notes, g_strdup(limit_info(i)->text));
	}
}

/* Checks of buffers, by ranks and by the scheduler, need this call (shim/request/buffer_checksum.c,
 * stall.c). */
static void add_peer_memory(struct session *session)
{
	char from = 1, to = 0;
	struct iovec local = {&to, 1}, remote = {&from, 1};

	if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) != 1)
		limits_add(session->exploration->limits, LIMIT_PEER_MEMORY, NULL);
}

static void add_ignored(struct session *session)
{
	g_autofree char *kinds = NULL;

	if (!session->options->ignored)
		return;
	kinds = g_strjoinv(", ", session->options->ignored);
	add(session, LIMIT_IGNORED,
	    g_strdup_printf("findings of these kinds: %s (--ignore)", kinds));
}

void session_add_limits(struct session *session)
{
	const char *hurried = program_facts_hurried(session->facts);
	struct record_exploration *exploration = session->exploration;

	add(session, LIMIT_STOPPED, stopped_words(session));
	if (!session->options->position)
		add(session, LIMIT_PLANS_LOST,
		    infrastructure_failures_lost_words(session->failures, hurried));
	add(session, LIMIT_MEMORY, infrastructure_failures_starved_words(session->failures));
	add(session, LIMIT_STATES, state_exploration_distrust(session->states, hurried));
	if (session_explores(session)) {
		add_bounds(session);
		add(session, LIMIT_BELOW, below_words(session->options->from));
		add_collectives(session);
	}
	add_met(session);
	add_peer_memory(session);
	add_ignored(session);
	add(session, LIMIT_ERRORS_RETURNED, returned_errors_words(session->returned));
	outcome_watch_limits(session->outcomes, exploration->limits);
	infrastructure_failures_limits(session->failures, exploration->limits);
	g_free(exploration->incomplete_reason);
	exploration->incomplete_reason = limits_print(exploration->limits, LIMIT_NOT_EXPLORED);
	exploration->complete = !exploration->incomplete_reason;
}
