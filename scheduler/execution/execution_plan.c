/* The plan that an execution follows: making its choices, keeping choices back, giving promises up.
 * Also ranks that poll when nothing else can move: how long they are answered "not yet", and when
 * that counts as a livelock. */
#include "execution_internal.h"
#include "runs_internal.h"
#include "scheduler/world/matcher.h"

#define PLANNED_POLLS 20u /* rounds in which only polls that nothing awaits are answered */
#define POLL_PACE_MS 1    /* if loops look at a clock */

bool execution_follow_plan(struct execution *execution)
{
	for (guint i = 0; i < execution->plan->len; i++) {
		struct choice choice = g_array_index(execution->plan, struct choice, i);

		choice.taken.promised = false;
		if (world_choose(execution->world, &choice)) {
			g_array_remove_index(execution->plan, i);
			return true;
		}
	}
	return false;
}

void execution_hide_planned(const struct execution *execution, GArray *open)
{
	for (guint i = open->len; i-- > 0;) {
		struct open_choice *choice = &g_array_index(open, struct open_choice, i);

		if (!choices_find(execution->plan, &choice->point))
			continue;
		open_choice_clear(choice);
		g_array_remove_index(open, i);
	}
}

/* Whether a choice is open that promises keep back. */
static bool keeps_back(const struct execution *execution)
{
	GArray *open;
	bool kept = false;

	if (!choices_promise(execution->plan))
		return false;
	open = world_open_choices(execution->world);
	for (guint i = 0; i < open->len; i++) {
		const struct choice *planned = choices_find(
			execution->plan, &g_array_index(open, struct open_choice, i).point);

		kept |= planned && planned->taken.promised;
	}
	open_choices_free(open);
	return kept;
}

bool execution_answer_no(struct execution *execution, const GArray *awaited)
{
	bool kept = !execution->passed_by && keeps_back(execution);
	bool answered = world_answer_polls(execution->world, awaited);

	execution->passed_by |= kept && answered;
	return answered;
}

bool execution_give_up_promises(struct execution *execution)
{
	if (execution->passed_by)
		return false;
	execution->promises = g_array_new(false, false, sizeof(struct choice));
	execution->made_before = world_choices(execution->world)->len;
	for (guint i = 0; i < execution->plan->len;) {
		struct choice choice = g_array_index(execution->plan, struct choice, i);

		i += !choice.taken.promised;
		if (!choice.taken.promised)
			continue;
		g_array_append_val(execution->promises, choice);
		g_array_remove_index(execution->plan, i);
	}
	execution_discard(execution, DISCARD_LET_GO);
	execution->result.stalled = execution->result.livelock = false;
	execution->result.how_sure = NULL;
	stall_rest(execution->liveness.stall);
	return true;
}

struct position *execution_position(const struct execution *execution)
{
	const GArray *made = world_choices(execution->world);
	bool let_go = execution->promises != NULL;
	g_autoptr(GArray) choices = choices_copy(let_go ? execution->promises : execution->plan);

	g_array_prepend_vals(choices, made->data, let_go ? execution->made_before : made->len);
	return position_with_choices(execution->target, choices);
}

/* --- polls ------------------------------------------------------------------------------------ */

const GArray *execution_awaited(const struct execution *execution)
{
	const GArray *awaited = execution->strategy->awaited;

	return execution->plan->len > 0 || !awaited ? execution->plan : awaited;
}

/* A plan is what was chosen where none was followed. So while it is followed, all polls are
 * answered, as they were there. Otherwise polls outside of what the search awaits come first. If
 * that moves no rank, the others are answered, too: what is awaited may be possible only after they
 * have stopped waiting for it. A promise is not kept by this. */
static bool answer_polls(struct execution *execution)
{
	g_autoptr(GArray) nothing = g_array_new(false, false, sizeof(struct choice));
	const bool promised = choices_promise(execution->plan);
	const bool awaits = promised
	                    || (execution->plan->len == 0
	                        && world_idle(execution->world)->rounds <= PLANNED_POLLS);

	return (awaits && execution_answer_no(execution, execution_awaited(execution)))
	       || (!promised && execution_answer_no(execution, nothing));
}

void execution_timer_expired(void *user)
{
	struct execution *execution = user;

	const enum execution_phase phase = execution->result.phase;

	/* In other phases it was for threads that have to be looked at again. */
	if (phase == EXECUTION_PACING || phase == EXECUTION_ASKING)
		execution_enter(execution, EXECUTION_RUNNING);
	if (phase == EXECUTION_PACING && world_at_rest(execution->world))
		answer_polls(execution);
	execution_advance(execution);
}

void execution_pause(struct execution *execution, enum execution_phase phase, guint milliseconds)
{
	execution_enter(execution, phase);
	execution->runs->host->operations->timer_start(execution->timer, milliseconds);
}

static bool has_failed(const struct execution *execution)
{
	for (int rank = 0; rank < execution->runs->ranks; rank++)
		if (world_phase(execution->world, rank) == PHASE_STOPPED)
			return true;
	return false;
}

/* A hash of the places where ranks poll. */
static guint64 polled_places(const struct execution *execution)
{
	const struct world *world = execution->world;
	guint64 hash = 0;

	for (int rank = 0; rank < execution->runs->ranks; rank++)
		if (world_polls(world, rank))
			hash = (hash ^ (guint64)rank
			        ^ world_call_info(world, rank, world_calls(world, rank))->site)
			       * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
	return hash;
}

/* Asks ranks that poll for a digest of their state. */
static void look_for_livelock(struct execution *execution)
{
	guint asked = 0;

	for (int rank = 0; rank < execution->runs->ranks; rank++)
		asked += world_polls(execution->world, rank);
	if (world_has_threads(execution->world))
		asked = 0;
	livelock_detector_ask(&execution->liveness.detector, world_idle(execution->world)->rounds,
	                      asked);
	for (int rank = 0; asked > 0 && rank < execution->runs->ranks; rank++)
		if (world_polls(execution->world, rank))
			execution_order(execution, rank, &(struct wire_message){.type = WIRE_LOOK});
}

/* All clocks are advanced alike: no rank may learn a future time from another. */
static void put_clocks_forward(struct execution *execution)
{
	struct runs *runs = execution->runs;

	runs->forward_ms = MAX(runs->forward_ms, execution->liveness.policy.forward_ever);
	for (int rank = 0; rank < runs->ranks; rank++)
		if (world_phase(execution->world, rank) == PHASE_BLOCKED) {
			state_fingerprint_moves(&execution->fingerprint, rank);
			execution_order(
				execution, rank,
				&(struct wire_message){.type = WIRE_FORWARD,
			                               .forward = execution->liveness.policy.step});
		}
}

static void give_polls_up(struct execution *execution, bool failed)
{
	const struct world_idle *idle = world_idle(execution->world);
	guint64 places = polled_places(execution);

	execution->result.livelock = true;
	execution->result.how_sure = livelock_policy_words(&execution->liveness.policy, idle,
	                                                   failed, &execution->liveness.detector);
	if (!failed && !idle->timed && execution->liveness.detector.state == LIVELOCK_CHANGES)
		g_hash_table_add(execution->runs->polled_in_vain,
		                 g_memdup2(&places, sizeof places));
}

bool execution_answer_polls(struct execution *execution)
{
	const struct world_idle *idle = world_idle(execution->world);
	struct livelock_detector *detector = &execution->liveness.detector;
	bool failed = has_failed(execution), due = livelock_detector_is_due(detector, idle->rounds);
	guint64 places = detector->state == LIVELOCK_CHANGES ? polled_places(execution) : 0;
	bool waited = g_hash_table_contains(execution->runs->polled_in_vain, &places);
	enum livelock_policy_step step = livelock_policy_check(
		&execution->liveness.policy, idle, failed, detector->state, waited,
		execution_now(execution), stall_haste());

	execution->result.livelock = false;
	switch (step) {
	case LIVELOCK_POLICY_LOOK:
		if (due)
			look_for_livelock(execution);
		if (detector->missing > 0) {
			execution_enter(execution, EXECUTION_COMPARING);
			return true;
		}
		return answer_polls(execution);
	case LIVELOCK_POLICY_ANSWER: return answer_polls(execution);
	case LIVELOCK_POLICY_FORWARD:
		put_clocks_forward(execution);
		execution_pause(execution, EXECUTION_PACING, POLL_PACE_MS);
		return true;
	case LIVELOCK_POLICY_WAIT:
		execution_pause(execution, EXECUTION_PACING, POLL_PACE_MS);
		return true;
	case LIVELOCK_POLICY_OVER: give_polls_up(execution, failed); break;
	}
	return false;
}
