#include "replay.h"

#include <string.h>

#include "explorer/rank_name.h"
#include "findings.h"
#include "infrastructure_failures.h"
#include "scheduler/store/store.h"
#include "session_context.h"
#include "shortening.h"

#define WELL_SECONDS 5 /* longer replays: good interleavings are not replayed */
#define LEAST_TRIES 3  /* replays with only some of the choices named */

struct replay {
	struct session *session;
	GPtrArray *logs; /* call_log.h, by finding: the calls of its interleaving; NULL: not kept */
	guint done;      /* number of findings replayed or tried, from the first on */
	gint64 time;     /* microseconds that these replays took */
	guint32 well;    /* bufferings with the calls of a good interleaving stored */
	GArray *tried;   /* guint32 of enum tried, by finding */
	struct shortening *shortening;
	char *struck; /* what was ended from outside in the last replay; NULL: nothing */
};

/* The conditions other than its own under which a finding was tried. */
enum tried { TRIED_ASYNC = 1, TRIED_ANY = 2 };

static void free_log(void *log)
{
	if (log)
		g_ptr_array_unref(log);
}

struct replay *replay_new(struct session *session)
{
	struct replay *replay = g_new0(struct replay, 1);

	replay->session = session;
	replay->logs = g_ptr_array_new_with_free_func(free_log);
	replay->tried = g_array_new(false, true, sizeof(guint32));
	replay->shortening = shortening_new(session);
	return replay;
}

void replay_free(struct replay *replay)
{
	g_ptr_array_unref(replay->logs);
	g_array_unref(replay->tried);
	shortening_free(replay->shortening);
	g_free(replay->struck);
	g_free(replay);
}

void replay_add_log(struct replay *replay, GPtrArray *log)
{
	g_ptr_array_add(replay->logs, log);
}

void replay_add_well_kept(struct replay *replay, guint32 buffering)
{
	replay->well |= buffering;
}

bool replay_has_well_kept(const struct replay *replay, guint32 buffering)
{
	return (replay->well & buffering) != 0;
}

/* Adds a finding of its own: the replay of `finding` ended otherwise, or made other calls. */
static void report_difference(struct replay *replay, const struct execution *execution,
                              const struct record_finding *finding, const char *difference)
{
	const struct record_execution *record = interleaving_verdict(execution)->record;
	struct record_finding *other = record_finding_new(FINDING_NOT_REPRODUCIBLE);
	g_autoptr(GArray) choices = world_told_choices(execution_world(execution));

	if (!record || execution_result(execution)->discard == DISCARD_CUT_SHORT)
		return record_finding_free(other);
	other->path = g_strdup(finding->path);
	other->message = difference
	                         ? g_strdup(difference)
	                         : g_strdup_printf("%s #%u ended differently when its path was "
	                                           "replayed, with the same calls",
	                                           finding_kind_name(finding->kind), finding->id);
	other->replayed = other->reproduced = true;
	other = findings_add(session_findings(replay->session), other, record, choices);
	if (other->count == 1)
		replay_add_log(replay, call_log_take(execution_world(execution)));
}

/* Equality of findings that depend on timing: which of several ranks' threads came first, and where
 * the others were then. */
static bool is_same(const struct record_finding *finding, const struct record_finding *shown)
{
	g_autofree char *key = record_finding_key(finding);
	g_autofree char *again = record_finding_key(shown);

	return g_str_equal(key, again)
	       || (finding->kind == shown->kind && finding_kind_info(finding->kind)->any_call);
}

/* Whether the interleaving that has just ended shows this finding. */
static bool shows_finding(const struct execution *execution, const struct record_finding *finding)
{
	const GPtrArray *shown = interleaving_verdict(execution)->findings;

	for (guint i = 0; i < shown->len; i++) {
		if (is_same(finding, shown->pdata[i]))
			return true;
	}
	return false;
}

/* Sets a finding's path, with other choices. */
static void put_choices(struct record_finding *finding, const char *path, const GArray *choices)
{
	char *other = path ? path_with_choices(path, choices) : NULL;

	if (!other)
		return;
	g_free(finding->path);
	finding->path = other;
}

/* Marks all findings of the same interleaving that the replay shows. Those that it does not show
 * are marked not reproducible only if the replay ran without unwinding. */
static void mark_replayed(const struct replay *replay, const struct execution *execution, guint id,
                          const GArray *choices, bool unwinds)
{
	const struct findings *findings = session_findings(replay->session);
	const GPtrArray *all = findings_all(findings);

	for (guint i = id - 1; i < all->len; i++) {
		struct record_finding *other = all->pdata[i];

		if (!findings_same_route(findings, id, other->id))
			continue;
		other->reproduced = shows_finding(execution, other);
		other->replayed = other->reproduced || !unwinds;
		if (other->reproduced)
			put_choices(other, findings_whole_path(findings, other->id), choices);
	}
}

/* What was ended from outside in this replay, after it had begun again for the same reason: "rank
 * 0, by SIGKILL". NULL: nothing. Free with g_free. */
static char *struck_again(const struct execution *execution, int ranks)
{
	const struct rank_end *ends = execution_ends(execution);

	for (int rank = 0; execution_result(execution)->struck_before && rank < ranks; rank++) {
		g_autofree char *how = NULL;

		if (!rank_end_is_struck(&ends[rank]))
			continue;
		how = rank_end_struck_words(&ends[rank]);
		return g_strdup_printf("rank %s, %s", rank_name(rank), how);
	}
	return NULL;
}

/* Whether the difference may be due to the machine: the finding needs memory exhaustion, and there
 * is memory again; or threads were not waited for. */
static bool may_be_of_the_machine(const struct replay *replay, const struct execution *execution,
                                  const struct record_finding *finding)
{
	return (finding_kind_info(finding->kind)->may_be_memory
	        && session_has_starved(replay->session))
	       || session_has_hurried(replay->session, execution);
}

/* Compares a replay that has ended, with these choices forced, with the finding. Its calls must be
 * those of the first run. */
static void compare_replay(struct replay *replay, const struct execution *execution,
                           const struct record_finding *finding, const GArray *choices,
                           bool unwinds)
{
	const GPtrArray *log = replay->logs->pdata[finding->id - 1];
	struct session *session = replay->session;
	g_autofree char *difference = NULL;

	if (execution_result(execution)->discard == DISCARD_CUT_SHORT
	    || session_has_failed(session))
		return;
	g_clear_pointer(&replay->struck, g_free);
	if (!shows_finding(execution, finding))
		replay->struck = struck_again(execution, session_options(session)->ranks);
	if (interleaving_verdict(execution)->starved && !replay->struck)
		replay->struck = g_strdup("memory ran out");
	if (replay->struck)
		return; /* the replay proves nothing about the program */
	if (log)
		difference = call_log_difference(log, execution_world(execution));
	mark_replayed(replay, execution, finding->id, choices, unwinds);
	if (finding->reproduced && !difference)
		session_keep_stacks(session, execution,
		                    findings_execution(session_findings(session), finding->id));
	if (finding->reproduced || unwinds)
		return;
	session_add_hurried(session, execution);
	if (!may_be_of_the_machine(replay, execution, finding))
		report_difference(replay, execution, finding, difference);
}

static void replay_once(struct replay *replay, const struct record_finding *finding, bool unwinds)
{
	struct session *session = replay->session;
	enum buffering buffering;
	const GArray *choices = findings_choices(session_findings(session), finding->id,
	                                         &buffering);
	struct execution *execution = session_follow(
		session, session_position(session, choices, buffering), unwinds, CALLS_FORGOTTEN);

	compare_replay(replay, execution, finding, choices, unwinds);
	session_drop(execution);
}

/* Adds to `named` the choice at which the replay first deviated. false: it did not. */
static bool name_first_other(GArray *named, const struct execution *execution,
                             const GArray *choices)
{
	const GArray *made = world_choices(execution_world(execution));

	for (guint i = 0; i < made->len; i++) {
		const struct choice *other = &g_array_index(made, struct choice, i);
		const struct choice *choice = choices_find(choices, &other->point);

		if (!choice || choice_equal(choice, other) || choices_find(named, &choice->point))
			continue;
		g_array_append_vals(named, choice, 1);
		return true;
	}
	return false;
}

/* The named choices, in the order in which they were made. */
static GArray *in_order(const GArray *named, const GArray *choices)
{
	GArray *ordered = g_array_new(false, false, sizeof(struct choice));

	for (guint i = 0; i < choices->len; i++) {
		const struct choice *choice = &g_array_index(choices, struct choice, i);

		if (choices_find(named, &choice->point))
			g_array_append_vals(ordered, choice, 1);
	}
	return ordered;
}

/* Replays with only the choices that the path has to name. The others must happen by default;
 * otherwise more are named, in the end all. */
static void replay_least(struct replay *replay, const struct record_finding *finding)
{
	struct session *session = replay->session;
	const struct findings *findings = session_findings(session);
	enum buffering buffering;
	const GArray *choices = findings_choices(findings, finding->id, &buffering);
	g_autoptr(GArray) named = g_array_copy((GArray *)findings_least(findings, finding->id));
	bool retry = session_options(session)->not_yet == SESSION_NOT_YET_USUAL;

	/* The default polls depend on this option, which no path names. */
	for (guint i = 0; i < LEAST_TRIES && retry && named->len < choices->len; i++) {
		g_autoptr(GArray) least = in_order(named, choices);
		struct execution *execution = session_follow(
			session, session_position(session, least, buffering), true,
			CALLS_FORGOTTEN);
		g_autoptr(GArray) made = world_told_choices(execution_world(execution));
		bool fits = discard_followed_plan(execution_result(execution)->discard)
		            && choices_same(made, choices) && shows_finding(execution, finding);

		if (fits)
			compare_replay(replay, execution, finding, least, true);
		retry = !fits && session_may_make_sure(session)
		        && name_first_other(named, execution, choices);
		session_drop(execution);
	}
}

/* Unwinding relies on the program's own unwind tables; their faults must not count as faults of the
 * program. A finding that shows with unwinding is confirmed; one that does not is tried without. */
static void replay_finding(struct replay *replay, struct record_finding *finding)
{
	g_autofree char *name = g_strdup_printf("%s #%u", finding_kind_name(finding->kind),
	                                        finding->id);

	g_clear_pointer(&replay->struck, g_free);
	replay_least(replay, finding);
	if (!finding->reproduced && session_may_make_sure(replay->session))
		replay_once(replay, finding, true);
	if (!finding->reproduced && session_may_make_sure(replay->session))
		replay_once(replay, finding, false);
	finding->struck = !finding->replayed && replay->struck;
	if (finding->struck)
		infrastructure_failures_add_unreplayed(session_failures(replay->session), name,
		                                       replay->struck);
}

/* --- without conditions ---------------------------------------------------------------------- */

static void put_path(struct record_finding *finding, const struct path *path)
{
	g_free(finding->path);
	finding->path = path_print(path);
}

static bool is_quick(const struct replay *replay)
{
	return session_may_make_sure(replay->session)
	       && replay->time < (gint64)MAX(replay->done, 1) * WELL_SECONDS * G_USEC_PER_SEC;
}

/* Whether the finding shows along these choices under other conditions than its own. */
static bool shows_under(const struct replay *replay, const struct record_finding *finding,
                        const GArray *choices, enum buffering buffering)
{
	struct execution *execution = session_follow(
		replay->session,
		position_of(session_options(replay->session)->ranks,
	                    session_options(replay->session)->nodes, buffering, COLLECTIVES_ASYNC,
	                    choices),
		false, CALLS_FORGOTTEN);
	bool shows = discard_followed_plan(execution_result(execution)->discard)
	             && shows_finding(execution, finding);

	session_drop(execution);
	return shows;
}

/* Leaves out of the path that collectives synchronise, if the finding shows without. */
static bool leave_out_collectives(const struct replay *replay, const struct record_finding *finding,
                                  struct path *path, guint32 *tried)
{
	if (path->collectives != COLLECTIVES_ASYNC && path->collectives != COLLECTIVES_SYNC)
		return false;
	if (path->collectives == COLLECTIVES_SYNC) {
		if (*tried & TRIED_ASYNC || path->buffering != BUFFERING_ZERO || !is_quick(replay))
			return false;
		*tried |= TRIED_ASYNC;
		if (!shows_under(replay, finding, path->choices, path->buffering))
			return false;
	}
	path->collectives = COLLECTIVES_ANY; /* the mode that replays then use */
	return true;
}

/* Names the last choice, so that the replay runs under zero buffering, as when first seen. */
static void name_last_choice(const struct replay *replay, const struct record_finding *finding,
                             struct path *path)
{
	enum buffering own;
	const GArray *choices = findings_choices(session_findings(replay->session), finding->id,
	                                         &own);

	if (own == BUFFERING_ZERO && path->choices->len == 0 && choices->len > 0)
		g_array_append_val(path->choices,
		                   g_array_index(choices, struct choice, choices->len - 1));
}

/* Leaves the buffering out of the path, if the finding has shown under both. */
static bool leave_out_buffering(const struct replay *replay, const struct record_finding *finding,
                                struct path *path, guint32 *tried)
{
	if (path->buffering == BUFFERING_ANY || path->collectives != COLLECTIVES_ANY
	    || !findings_everywhere(session_findings(replay->session), finding->id))
		return false;
	if (path->buffering != path_usual_buffering(path->choices)) {
		if (*tried & TRIED_ANY || !is_quick(replay))
			return false;
		*tried |= TRIED_ANY;
		name_last_choice(replay, finding, path);
		if (!shows_under(replay, finding, path->choices,
		                 path_usual_buffering(path->choices)))
			return false;
	}
	path->buffering = BUFFERING_ANY;
	return true;
}

/* true: the path has become shorter. */
static bool leave_out_conditions(struct replay *replay, struct record_finding *finding)
{
	guint32 *tried = &g_array_index(replay->tried, guint32, finding->id - 1);
	gint64 begun = session_now(replay->session);
	struct path *path = path_parse(finding->path, NULL);
	bool shorter = false;

	if (path && leave_out_collectives(replay, finding, path, tried)) {
		put_path(finding, path);
		shorter = true;
	}
	if (path && leave_out_buffering(replay, finding, path, tried)) {
		put_path(finding, path);
		shorter = true;
	}
	path_free(path);
	replay->time += session_now(replay->session) - begun;
	return shorter;
}

static void leave_out_all_conditions(struct replay *replay, GPtrArray *changed)
{
	const GPtrArray *all = findings_all(session_findings(replay->session));

	g_array_set_size(replay->tried, all->len);
	for (guint i = 0; i < replay->done && session_may_make_sure(replay->session); i++) {
		struct record_finding *finding = all->pdata[i];

		if (finding->reproduced && finding->outcomes->len == 0
		    && !finding_kind_info(finding->kind)->beyond_choices
		    && leave_out_conditions(replay, finding))
			g_ptr_array_add(changed, finding);
	}
}

/* --- good interleavings ---------------------------------------------------------------------- */

bool replay_good(struct session *session, enum buffering buffering)
{
	guint32 number;
	g_autoptr(GArray) choices = findings_good(session_findings(session), buffering, &number);
	struct execution *execution;

	if (!choices)
		return false;
	execution = session_follow(session, session_position(session, choices, buffering), true,
	                           CALLS_FORGOTTEN);
	if (interleaving_verdict(execution)->ended_well
	    && execution_result(execution)->discard != DISCARD_LOST)
		session_keep_stacks(session, execution, number);
	session_drop(execution);
	return true;
}

/* Replays, under each buffering, the good interleaving with which findings are compared. */
static void replay_all_good(const struct replay *replay)
{
	const GPtrArray *all = findings_all(session_findings(replay->session));
	guint32 bufferings = 0;

	for (guint i = 0; i < all->len; i++)
		bufferings |= ((const struct record_finding *)all->pdata[i])->bufferings;
	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND; i++)
		if (bufferings & replay->well & 1u << i && session_may_make_sure(replay->session))
			replay_good(replay->session, (enum buffering)i);
}

static bool is_replay(const struct session_options *options)
{
	return options->conduct
	       || (options->position && position_path(options->position)->choices->len > 0);
}

/* This session is the replay: the path that it was given shows the finding. */
static void report_given(const struct replay *replay, struct record_finding *finding)
{
	const struct session_options *options = session_options(replay->session);
	const struct path *given = position_path(options->position);
	struct path *path;

	if (options->conduct || options->guide || options->not_yet != SESSION_NOT_YET_USUAL)
		return;
	path = path_parse(finding->path, NULL);
	if (!path)
		return;
	g_array_set_size(path->choices, 0);
	g_array_append_vals(path->choices, given->choices->data, given->choices->len);
	if (path->collectives == COLLECTIVES_ASYNC)
		path->collectives = COLLECTIVES_ANY;
	if (given->buffering == BUFFERING_ANY && path->collectives == COLLECTIVES_ANY
	    && path->buffering == path_usual_buffering(path->choices))
		path->buffering = BUFFERING_ANY;
	put_path(finding, path);
	path_free(path);
}

/* Findings that such a replay adds follow in the same loop. */
static void write_replayed(const struct replay *replay, guint from, GPtrArray *changed)
{
	struct store *store = session_store(replay->session);
	const GPtrArray *all = findings_all(session_findings(replay->session));
	g_autoptr(GError) error = NULL;

	for (guint i = from; i < all->len; i++)
		g_ptr_array_add(changed, all->pdata[i]);
	if (store && !store_add(store, NULL, changed, &error))
		session_fail(replay->session, "%s", error->message);
}

/* Only a session whose order is mixed comes upon long paths: depth first, what is not needed is
 * still the default when a finding comes up. */
static void shorten(const struct replay *replay, struct record_finding *finding)
{
	const struct session_options *options = session_options(replay->session);
	enum buffering buffering;

	if ((options->max_seconds == 0 && options->order != SESSION_ORDER_PORTFOLIO
	     && !options->random)
	    || options->not_yet != SESSION_NOT_YET_USUAL || !finding->reproduced
	    || finding->outcomes->len > 0 || finding_kind_info(finding->kind)->beyond_choices)
		return;
	findings_choices(session_findings(replay->session), finding->id, &buffering);
	shortening_finding(replay->shortening, finding, buffering);
}

void replay_findings(struct replay *replay)
{
	struct session *session = replay->session;
	const GPtrArray *all = findings_all(session_findings(session));
	bool seen_again = is_replay(session_options(session)); /* this run is the replay */
	guint first = replay->done;
	g_autoptr(GPtrArray) changed = g_ptr_array_new();

	while (replay->done < all->len && session_may_make_sure(session)) {
		struct record_finding *finding = all->pdata[replay->done];
		gint64 begun = session_now(session);

		if (!finding->reproduced) {
			if (seen_again || finding_kind_info(finding->kind)->beyond_choices)
				finding->replayed = finding->reproduced = true;
			else
				replay_finding(replay, finding);
			if (session_options(session)->position)
				report_given(replay, finding);
		}
		if (!seen_again && !session_options(session)->position)
			shorten(replay, finding);
		replay->done++;
		replay->time += session_now(session) - begun;
	}
	if (!seen_again && !session_options(session)->position)
		leave_out_all_conditions(replay, changed);
	if ((replay->done > first || changed->len > 0) && !session_has_failed(session))
		write_replayed(replay, first, changed);
}

void replay_well(struct replay *replay)
{
	const struct session *session = replay->session;

	if (session_store(session) && !is_replay(session_options(session)) && replay->done > 0
	    && replay->time < (gint64)replay->done * WELL_SECONDS * G_USEC_PER_SEC)
		replay_all_good(replay);
}
