/* What is decided at a rest: one list of rules, tried in turn. MATCHPOINT_LOG=rests shows which
 * decided. */
#include "execution_internal.h"
#include "runs_internal.h"
#include "scheduler/snapshot/held_ranks.h"
#include "scheduler/tools/log.h"
#include "scheduler/world/matcher.h"

/* Appended to the livelock's message. */
#define GOES_ROUND                                                                                \
	"; proven: all ranks come back to the same state of memory, registers and messages, and " \
	"nothing can lead out of these rounds"

/* A look at ranks at rest. */
struct rest {
	struct execution *execution;
	bool beside; /* a rank is not at rest */
	/* Set before the first rule that depends on them: */
	GArray *open; /* struct open_choice: what is open outside of the plan; NULL: not known */
	bool held;    /* ranks are */
	bool owed;    /* the plan has choices that must be made, and cannot be made now */
	bool stuck;   /* the strategy does nothing else before that */
};

enum rule_step {
	RULE_NEXT,  /* does not apply: the next rule is tried */
	RULE_DONE,  /* has decided something */
	RULE_AWAIT, /* nothing more can be decided before something has come */
};

/* --- the end ---------------------------------------------------------------------------------- */

/* `open`: as the strategy's. */
static enum explorer_step ask_at_rest(struct execution *execution, const GArray *open,
                                      struct choice *ret_choice)
{
	struct strategy *strategy = execution->strategy;

	if (strategy->struck && !execution_begins_again(execution)
	    && execution_was_struck(execution))
		strategy->struck(strategy);
	return strategy->rest(strategy, world_trace(execution->world), open, ret_choice);
}

enum explorer_step rules_ask_of_end(struct execution *execution)
{
	g_autoptr(GArray) nothing = g_array_new(false, false, sizeof(struct open_choice));
	struct choice unused;

	return ask_at_rest(execution, nothing, &unused);
}

void rules_take_end(struct execution *execution, enum explorer_step step)
{
	static const enum discard discards[] = {[EXPLORER_DROP] = DISCARD_DROPPED,
	                                        [EXPLORER_GIVE_UP] = DISCARD_DROPPED,
	                                        [EXPLORER_KNOWN] = DISCARD_KNOWN,
	                                        [EXPLORER_RETURNED] = DISCARD_RETURNED};

	if (step < G_N_ELEMENTS(discards))
		execution_discard(execution, discards[step]);
	if (step == EXPLORER_DONE)
		execution_conclude(execution);
}

/* The strategy's plan cannot be followed. */
static enum explorer_step give_plan_up(struct execution *execution)
{
	struct choice unused;

	return ask_at_rest(execution, NULL, &unused);
}

/* If something outside has ended a rank a second time, that is the outcome: without it, the program
 * would have followed the plan. With windows, ranks act on each other unseen; threads may take
 * messages that others wait for. Then not every plan is possible. */
static void lose_plan(struct execution *execution)
{
	const struct world *world = execution->world;
	bool struck = execution_was_struck(execution);

	if (!struck) {
		execution->result.lost = execution_why_lost(execution);
		execution_discard(execution, DISCARD_LOST);
	}
	give_plan_up(execution);
	if (struck
	    || (!execution->strategy->fills_gaps && !world_has_windows(world)
	        && !world_has_threads(world)))
		execution_conclude(execution);
	execution_end_ranks(execution, false);
}

/* --- the rules -------------------------------------------------------------------------------- */

static enum rule_step await_ends(struct rest *rest)
{
	bool known = execution_endings_known(rest->execution)
	             && execution_reports_known(rest->execution)
	             && !held_ranks_is_ahead(rest->execution->placement.group);

	return known ? RULE_NEXT : RULE_AWAIT;
}

static enum rule_step done_if(bool done)
{
	return done ? RULE_DONE : RULE_NEXT;
}

static enum rule_step admit_threads(struct rest *rest)
{
	return done_if(world_admit(rest->execution->world));
}

static enum rule_step answer_ready(struct rest *rest)
{
	return done_if(world_answer_ready(rest->execution->world));
}

static enum rule_step park_along(struct rest *rest)
{
	return done_if(execution_park_along(rest->execution));
}

static enum rule_step follow_plan(struct rest *rest)
{
	return done_if(execution_follow_plan(rest->execution));
}

static enum rule_step see_open(struct rest *rest)
{
	struct execution *execution = rest->execution;

	rest->open = world_open_choices(execution->world);
	if (execution->plan->len > 0)
		execution_hide_planned(execution, rest->open);
	rest->held = world_holds(execution->world);
	rest->owed = choices_are_owed(execution->plan);
	rest->stuck = rest->owed && !execution->strategy->fills_gaps && !rest->held;
	return RULE_NEXT;
}

static enum rule_step save(struct rest *rest)
{
	struct execution *execution = rest->execution;

	if (!execution->saves
	    || !execution->runs->client->is_due(execution->owner, execution, rest->open,
	                                        rest->beside))
		return RULE_NEXT;
	execution_wait(execution, true);
	return RULE_AWAIT;
}

/* Nothing can go on but ranks that poll. */
static bool only_polls_go_on(const struct rest *rest)
{
	return (rest->open->len == 0 || rest->stuck) && !rest->held;
}

static enum rule_step answer_polls(struct rest *rest)
{
	if (!only_polls_go_on(rest))
		return RULE_NEXT;
	return done_if(rest->beside ? execution_answer_no(rest->execution, rest->execution->plan)
	                            : execution_answer_polls(rest->execution));
}

static enum rule_step await_threads(struct rest *rest)
{
	bool waits = rest->open->len == 0 && !rest->held && !choices_promise(rest->execution->plan)
	             && execution_waits_for_threads(rest->execution);

	return waits ? RULE_AWAIT : RULE_NEXT;
}

/* The rank beside may still do what the plan waits for, until that has become unlikely. */
static enum rule_step lose(struct rest *rest)
{
	if (rest->beside && only_polls_go_on(rest)
	    && !(rest->stuck && stall_hopeless(rest->execution->liveness.stall)))
		return RULE_AWAIT;
	if (!rest->stuck && (!rest->owed || rest->open->len > 0 || rest->held))
		return RULE_NEXT;
	lose_plan(rest->execution);
	return RULE_AWAIT;
}

static enum rule_step report_state(struct rest *rest)
{
	struct strategy *strategy = rest->execution->strategy;

	if (rest->beside && strategy->state)
		strategy->state(strategy, NULL, "a rank is not at rest");
	if (rest->beside || rest->open->len == 0)
		return RULE_NEXT;
	return execution_report_state(rest->execution, rest->open) ? RULE_NEXT : RULE_AWAIT;
}

/* Whether something is open, nothing is planned, and no rank is held. */
static bool is_free(const struct rest *rest)
{
	return rest->open->len > 0 && rest->execution->plan->len == 0 && !rest->held;
}

static enum explorer_step ask_strategy(const struct rest *rest, struct choice *ret_choice)
{
	struct execution *execution = rest->execution;
	struct strategy *strategy = execution->strategy;
	enum explorer_step step = EXPLORER_LATER;

	if (is_free(rest) && world_goes_round_for_ever(execution->world)) {
		execution->result.livelock = true;
		execution->result.how_sure = GOES_ROUND;
		return rules_ask_of_end(execution);
	}
	if (execution->runs->client->open)
		execution->runs->client->open(execution->owner, execution, rest->open);
	if (is_free(rest) && strategy->returned && world_has_returned(execution->world))
		step = strategy->returned(strategy, world_trace(execution->world));
	if (step != EXPLORER_LATER)
		return step;
	step = ask_at_rest(execution, rest->open, ret_choice);
	/* It is no end while held ranks can be released. */
	return step == EXPLORER_DONE && world_holds(execution->world) ? EXPLORER_LATER : step;
}

/* While a rank is not at rest, nothing counts as an end, but the search can drop the execution. */
static enum rule_step go_on_beside(struct execution *execution, enum explorer_step step)
{
	if (step == EXPLORER_STUCK
	    && !world_answer_polls(execution->world, execution_awaited(execution))
	    && stall_hopeless(execution->liveness.stall))
		step = give_plan_up(execution);
	execution_wait(execution, step == EXPLORER_LATER);
	if (step == EXPLORER_DROP) {
		execution_discard(execution, DISCARD_DROPPED);
		execution_end_ranks(execution, false);
	}
	return RULE_DONE;
}

static enum rule_step follow_strategy(struct rest *rest)
{
	struct execution *execution = rest->execution;
	struct choice choice = {0};
	enum explorer_step step = ask_strategy(rest, &choice);

	if (step == EXPLORER_TAKE)
		execution_make_choice(execution, rest->open, &choice);
	if (rest->beside)
		return go_on_beside(execution, step);
	if (step == EXPLORER_STUCK && execution_answer_polls(execution))
		return RULE_DONE;
	if (step == EXPLORER_STUCK)
		step = give_plan_up(execution);
	if (step == EXPLORER_GIVE_UP && execution_give_up_promises(execution))
		return RULE_DONE;
	execution_wait(execution, step == EXPLORER_LATER);
	if (step == EXPLORER_LATER)
		return RULE_AWAIT;
	if (step == EXPLORER_TAKE)
		return RULE_DONE;
	rules_take_end(execution, step);
	if (discard_effect(execution->result.discard) != DISCARD_WASTED
	    || !execution_keep_ranks(execution))
		execution_end_ranks(execution, true);
	return RULE_DONE;
}

/* When a rule holds. */
#define REST 1u   /* every rank is at rest */
#define BESIDE 2u /* a rank is not */

static const struct {
	const char *name;   /* what the execution does, as the log prints it */
	const char *reason; /* for its place in the list */
	enum rule_step (*try)(struct rest *rest);
	unsigned when;
	bool waits_for_threads; /* it does not count as decided before threads are at rest */
} rules[] = {
	{"asks how ranks have ended", "if something outside has ended one, nothing of this counts",
         await_ends, REST, true},
	{"admits a thread", "a thread that waits to enter MPI is not at rest yet", admit_threads,
         REST | BESIDE, false},
	{"answers what is ready", "a call that can return leaves no choice", answer_ready,
         REST | BESIDE, false},
	{"takes a snapshot", "other interleavings will pass here, with other plans", park_along,
         REST, false},
	{"follows its plan", "only the end of the plan is new", follow_plan, REST | BESIDE, false},
	{"sees what is open", "all that follows depends on it", see_open, REST | BESIDE, false},
	{"waits to be saved", "what is decided from here on lies behind that position", save,
         REST | BESIDE, false},
	{"answers polls", "nothing else can go on", answer_polls, REST | BESIDE, false},
	{"waits for threads", "they may still call MPI", await_threads, REST, true},
	{"cannot follow its plan", "its next choice is not open, and will not be", lose,
         REST | BESIDE, false},
	{"reports its state", "the strategy may know it", report_state, REST | BESIDE, false},
	{"asks its strategy", "nothing else decides", follow_strategy, REST | BESIDE, false},
};

/* Tries the rules in turn. */
static enum rule_step decide(struct execution *execution, bool beside)
{
	struct rest rest = {.execution = execution, .beside = beside};
	enum rule_step step = RULE_NEXT;

	for (guint i = 0; step == RULE_NEXT && i < G_N_ELEMENTS(rules); i++) {
		if (!(rules[i].when & (beside ? BESIDE : REST)))
			continue;
		step = rules[i].try(&rest);
		if (step == RULE_NEXT)
			continue;
		log_debug(LOG_RESTS, "world %u %s: %s", execution->placement.number, rules[i].name,
		          rules[i].reason);
		/* Threads that still run were not waited for. */
		if (!beside && !rules[i].waits_for_threads && execution->liveness.threads.doubtful)
			execution->result.limits |= LIMIT_BIT(LIMIT_THREADS_HURRIED);
	}
	if (rest.open)
		open_choices_free(rest.open);
	return step;
}

/* Whether what ranks were asked at rest has been answered. */
static bool is_answered(const struct execution *execution)
{
	switch (execution->result.phase) {
	case EXECUTION_COMPARING: return execution->liveness.detector.missing == 0;
	case EXECUTION_FINGERPRINTING: return execution->fingerprint.missing == 0;
	default: return false;
	}
}

void rules_decide(struct execution *execution)
{
	if (is_answered(execution))
		execution_enter(execution, EXECUTION_RUNNING);
	while (execution->result.phase == EXECUTION_RUNNING && !execution_begins_again(execution)
	       && !execution->runs->stopped && execution_is_at_rest(execution)) {
		if (decide(execution, false) != RULE_DONE)
			break;
	}
}

void rules_decide_beside(struct execution *execution)
{
	decide(execution, true);
}
