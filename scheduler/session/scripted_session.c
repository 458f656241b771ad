#include "scripted_session.h"

#include "ckpt/journal.h"
#include "executor.h"
#include "findings.h"
#include "session_context.h"

/* A plan source with one plan. Its execution is returned to the caller. */
struct follow {
	struct plan_source source;
	struct session *session;
	struct run_request request; /* no position: it has begun */
	struct execution *execution;
};

static bool follow_next(struct plan_source *source, struct run_request *ret_request)
{
	struct follow *follow = (struct follow *)source;

	*ret_request = follow->request;
	follow->request.position = NULL;
	return ret_request->position != NULL;
}

/* Goes on even when the session is to end: findings are still confirmed then. */
static bool follow_may_go_on(const struct plan_source *source)
{
	return !session_has_failed(((const struct follow *)source)->session);
}

static void follow_ended(struct plan_source *source, struct execution *execution)
{
	((struct follow *)source)->execution = execution;
}

struct position *session_position(const struct session *session, const GArray *choices,
                                  enum buffering buffering)
{
	const struct session_options *options = session_options(session);

	return position_of(options->ranks, options->nodes, buffering,
	                   collective_mode_under(options->collectives, buffering), choices);
}

static struct execution *follow_request(struct session *session, const struct run_request *request,
                                        enum interleaving_calls calls, bool spare)
{
	static const struct plan_source_type type = {
		.next = follow_next, .may_go_on = follow_may_go_on, .ended = follow_ended};
	struct strategy *strategy = strategy_path(position_path(request->position)->choices);
	struct follow follow = {.source = {.type = &type}, .session = session, .request = *request};
	struct interleaving *interleaving;

	follow.request.strategy = strategy;
	interleaving = session_request(session, &follow.request, calls);
	interleaving->apart = true;
	interleaving->spare = spare;
	interleaving->strategy = strategy;
	strategy->repeats = true;
	executor_run(session_executor(session), (struct plan_source *[]){&follow.source}, 1);
	return follow.execution;
}

struct execution *session_follow(struct session *session, struct position *position, bool stacks,
                                 enum interleaving_calls calls)
{
	const struct run_request request = {.position = position, .stacks = stacks};

	return follow_request(session, &request, calls, false);
}

struct execution *session_try(struct session *session, struct position *position)
{
	const struct run_request request = {.position = position};

	return follow_request(session, &request, CALLS_FORGOTTEN, true);
}

struct execution *session_follow_from_start(struct session *session, struct position *position,
                                            guint32 uneven_clocks, enum interleaving_calls calls)
{
	const struct run_request request = {
		.position = position, .from_start = true, .uneven_clocks = uneven_clocks};

	return follow_request(session, &request, calls, false);
}

/* --- for the caller during an interleaving ---------------------------------------------------- */

void session_drive(struct session *session, struct plan_source *source)
{
	executor_run(session_executor(session), (struct plan_source *[]){source}, 1);
}

const GPtrArray *session_found(const struct session *session)
{
	return findings_all(session_findings(session));
}

GPtrArray *session_shown(const struct session *session, const struct execution *execution)
{
	const struct verdict *verdict = interleaving_verdict(execution);
	const GPtrArray *all = session_found(session);
	GPtrArray *shown = g_ptr_array_new();

	/* The session has taken the findings of an interleaving that is accounted for. */
	for (guint i = 0; verdict->record && i < verdict->record->findings->len; i++) {
		guint32 id = g_array_index(verdict->record->findings, guint32, i);

		g_ptr_array_add(shown, all->pdata[id - 1]);
	}
	for (guint i = 0; i < verdict->findings->len; i++)
		g_ptr_array_add(shown, verdict->findings->pdata[i]);
	return shown;
}

bool session_has_changed_files(const struct session *session)
{
	const struct journal *journal = session_journal(session);

	return journal && !journal_is_empty(journal);
}

void session_put_files_back(struct session *session)
{
	if (session_journal(session))
		journal_put_back(session_journal(session), NULL);
}

const char *session_reruns_because(const struct session *session)
{
	return session_exploration(session)->backtrack_reason;
}
