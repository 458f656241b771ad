#include "execution.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "../explorer/answer.h"
#include "log.h"
#include "matcher.h"
#include "session_internal.h"

#define PLANNED_POLLS 20u                /* rounds in which only polls outside the plan are told */
#define POLL_PACE_MS 1                   /* where loops look at a clock */
#define STATUS_PATIENCE_MS 2000          /* to learn how a rank of the launcher's ended */
#define TROUBLE_US (G_USEC_PER_SEC / 2)  /* for others to fail in MPI_Init as one has */
#define CAUGHT_US (G_USEC_PER_SEC / 2)   /* for members of a collective in which one has failed */
#define GONE_US (5 * G_USEC_PER_SEC)     /* for the launcher to end when a rank has */
#define SNAPSHOT_WORTH 2.0               /* restores, where it will be returned to at once */
#define SNAPSHOT_WORTH_LEAPING 10.0      /* and where that is not so sure */
#define SNAPSHOT_WORTH_S 0.005           /* less is sooner run again than put back */

static void give_bind(void *user, int rank, const struct wire_bind *bind)
{
	struct execution *execution = user;

	log_debug(LOG_MATCHER, "rank %d: call %u takes rank %d's message (of its communicator)",
	          rank, bind->name.call, bind->source);
	link_send(execution->links[rank], &(struct wire_message){.type = WIRE_BIND, .bind = *bind});
}

static void give_go(void *user, int rank, const struct wire_go *go)
{
	struct execution *execution = user;

	link_send(execution->links[rank], &(struct wire_message){.type = WIRE_GO, .go = *go});
}

static void give_admission(void *user, int rank, guint32 thread)
{
	struct execution *execution = user;

	log_debug(LOG_MATCHER, "rank %d: thread %u makes call %u", rank, thread,
	          world_calls(execution->world, rank) + 1);
	link_send(execution->links[rank],
	          &(struct wire_message){.type = WIRE_ADMIT, .admitted = thread});
}

const struct world_orders execution_orders = {give_bind, give_go, give_admission};

static int ranks_of(const struct execution *execution)
{
	return execution->session->options->ranks;
}

struct execution *execution_new(struct session *session, struct strategy *strategy, GArray *plan)
{
	struct execution *execution = g_new0(struct execution, 1);
	int ranks = session->options->ranks;

	execution->session = session;
	execution->strategy = strategy;
	execution->plan = plan;
	execution->links = g_new0(struct link *, ranks);
	execution->pids = g_new0(pid_t, ranks);
	execution->ends = g_new0(struct rank_end, ranks);
	execution->stall = stall_new(ranks);
	if (session_wants_stacks(session))
		execution->stacks = g_array_new(FALSE, FALSE, sizeof(struct record_stack));
	execution->findings = g_ptr_array_new_with_free_func((GDestroyNotify)record_finding_free);
	uv_timer_init(&session->loop, &execution->timer);
	execution->timer.data = execution;
	return execution;
}

static void on_timer_freed(uv_handle_t *handle)
{
	g_free(handle->data);
}

void execution_free(struct execution *execution)
{
	if (!execution)
		return;
	for (int rank = 0; rank < ranks_of(execution); rank++) {
		if (execution->links[rank])
			link_close(execution->links[rank]);
		g_free(execution->ends[rank].error);
		g_free(execution->ends[rank].returned);
	}
	g_hash_table_remove(execution->session->executions, GUINT_TO_POINTER(execution->number));
	frozen_let_go(execution);
	launcher_free(execution->launcher);
	world_free(execution->world);
	stall_free(execution->stall);
	hangups_free(execution->hangups);
	g_array_unref(execution->plan);
	if (execution->stacks)
		g_array_unref(execution->stacks);
	g_free(execution->directory);
	g_free(execution->links);
	g_free(execution->pids);
	g_free(execution->ends);
	g_free(execution->lost);
	record_execution_free(execution->record);
	g_ptr_array_unref(execution->findings);
	uv_close((uv_handle_t *)&execution->timer, on_timer_freed);
}

void execution_place(struct execution *execution, guint32 number, const char *directory,
                     struct frozen *from)
{
	int ranks = ranks_of(execution);
	GHashTable *executions = execution->session->executions;

	if (execution->directory)
		g_hash_table_remove(executions, GUINT_TO_POINTER(execution->number));
	g_free(execution->directory);
	frozen_let_go(execution);
	if (from)
		from->children++;
	execution->number = number;
	execution->directory = g_strdup(directory);
	execution->from = from;
	execution->launched = from == NULL;
	g_clear_pointer(&execution->hangups, hangups_free);
	if (execution->launched)
		execution->hangups = hangups_new();
	execution->state = EXECUTION_STARTING;
	execution->connected = 0;
	execution->started = g_get_monotonic_time();
	memset(execution->links, 0, (gsize)ranks * sizeof(*execution->links));
	memset(execution->pids, 0, (gsize)ranks * sizeof(*execution->pids));
	memset(execution->ends, 0, (gsize)ranks * sizeof(*execution->ends));
	g_hash_table_insert(executions, GUINT_TO_POINTER(number), execution);
}

void execution_connected(struct execution *execution, struct link *link,
                         const struct wire_hello *hello)
{
	int rank = hello->rank;
	const struct world_options *options = world_options(execution->world);
	struct wire_message welcome = {.type = WIRE_WELCOME};

	if (execution->cut_short || execution->state != EXECUTION_STARTING) {
		link_close(link); /* and so the rank ends */
		return;
	}
	if (execution->links[rank]) {
		session_fail(execution->session,
		             "rank %d connected twice: does the program start MPI programs itself? "
		             "matchpoint controls one job",
		             rank);
		return;
	}
	welcome.welcome.buffering = (uint8_t)options->buffering;
	welcome.welcome.every_call_waits = options->every_call_waits;
	welcome.welcome.synchronous_collectives = options->collectives == COLLECTIVES_SYNC;
	welcome.welcome.stacks = execution->stacks != NULL;
	link_assign(link, LINK_RANK, execution, rank);
	execution->links[rank] = link;
	execution->pids[rank] = hello->pid;
	if (execution->hangups)
		hangups_watch(execution->hangups, rank, link_socket(link));
	stall_set(execution->stall, rank, hello->pid, hello->inside);
	execution->connected++;
	link_send(link, &welcome);
	execution_advance(execution);
}

/* --- at rest --------------------------------------------------------------------------------- */

/* Makes the first choice of the plan that the rules allow now. */
static gboolean follow_plan(struct execution *execution)
{
	for (guint i = 0; i < execution->plan->len; i++) {
		struct choice choice = g_array_index(execution->plan, struct choice, i);

		if (world_choose(execution->world, &choice)) {
			g_array_remove_index(execution->plan, i);
			return TRUE;
		}
	}
	return FALSE;
}

static gboolean in_plan(const struct execution *execution, struct op_id receive)
{
	for (guint i = 0; i < execution->plan->len; i++) {
		if (op_id_equal(g_array_index(execution->plan, struct choice, i).point, receive))
			return TRUE;
	}
	return FALSE;
}

/* Leaves only those open choices that the plan says nothing about. */
static void hide_planned(const struct execution *execution, GArray *open)
{
	for (guint i = open->len; i-- > 0;) {
		struct open_choice *choice = &g_array_index(open, struct open_choice, i);

		if (!in_plan(execution, choice->point))
			continue;
		g_array_unref(choice->alternatives);
		g_array_remove_index(open, i);
	}
}

/* Those who poll for what the plan gives them later hear "no" when that to others moves nobody:
 * what is planned may not be possible before they have given up waiting for it. */
static gboolean tell_polls(struct execution *execution)
{
	g_autoptr(GArray) nothing = g_array_new(FALSE, FALSE, sizeof(struct choice));

	return (world_idle(execution->world)->rounds <= PLANNED_POLLS
	        && world_answer_polls(execution->world, execution->plan))
	       || world_answer_polls(execution->world, nothing);
}

static void on_timer(uv_timer_t *timer)
{
	struct execution *execution = timer->data;

	execution->timing = FALSE;
	if (execution->asking
	    || (execution->state == EXECUTION_RUNNING && world_at_rest(execution->world)
	        && !tell_polls(execution)))
		execution->given_up = TRUE;
	execution->asking = FALSE;
	execution_advance(execution);
}

static gboolean has_failed(const struct execution *execution)
{
	for (int rank = 0; rank < ranks_of(execution); rank++)
		if (world_phase(execution->world, rank) == PHASE_STOPPED)
			return TRUE;
	return FALSE;
}

/* Tells "no" to those who poll. TRUE: somebody was told, or will be in a moment. */
static gboolean answer_polls(struct execution *execution)
{
	enum patience_step step = patience_look(
		&execution->patience, world_idle(execution->world), has_failed(execution),
		g_get_monotonic_time(), stall_haste());

	execution->livelock = step == PATIENCE_OVER;
	switch (step) {
	case PATIENCE_TELL:
		return tell_polls(execution);
	case PATIENCE_WAIT:
		execution->timing = TRUE;
		uv_timer_start(&execution->timer, on_timer, POLL_PACE_MS, 0);
		return TRUE;
	case PATIENCE_OVER:
		break;
	}
	return FALSE;
}

/* Whether it is known of every rank that is gone how it went. */
static gboolean endings_known(struct execution *execution)
{
	for (int rank = 0; rank < ranks_of(execution); rank++) {
		if (!execution->ends[rank].gone || execution->ends[rank].known
		    || execution->given_up)
			continue;
		if (execution->launched && !execution->timing) {
			execution->timing = execution->asking = TRUE;
			uv_timer_start(&execution->timer, on_timer, STATUS_PATIENCE_MS, 0);
		}
		return FALSE;
	}
	return TRUE;
}

static void lose(struct execution *execution)
{
	const struct choice *choice = &g_array_index(execution->plan, struct choice, 0);
	g_autofree char *answer = answer_is(choice->taken) ? answer_print(choice->taken) : NULL;
	struct lock_place lock;

	if (answer)
		execution->lost = g_strdup_printf(
			"rank %d's call %u cannot be answered \"%s\" here", choice->point.rank,
			choice->point.call, answer);
	else if (lock_from_number(ranks_of(execution), choice->point.rank, &lock))
		execution->lost = g_strdup_printf(
			"the lock of window %d at rank %d cannot be granted to rank %d here",
			lock.window, lock.target, choice->taken.rank);
	else
		execution->lost = g_strdup_printf(
			"rank %d's call %u cannot take a message of rank %d here",
			choice->point.rank, choice->point.call, choice->taken.rank);
	execution->strategy->rest(execution->strategy, world_trace(execution->world), NULL, NULL);
	/* Where ranks act on each other unseen, not everything that is planned is possible. */
	if (!execution->strategy->fills_gaps && !world_has_windows(execution->world))
		verdict_lost(execution);
	execution_end_ranks(execution, FALSE);
}

static gboolean all_blocked(const struct execution *execution)
{
	for (int rank = 0; rank < ranks_of(execution); rank++) {
		if (world_phase(execution->world, rank) != PHASE_BLOCKED)
			return FALSE;
	}
	return TRUE;
}

static gboolean worth_a_snapshot(const struct execution *execution, const GArray *open)
{
	const struct session *session = execution->session;
	double seconds = (double)(g_get_monotonic_time() - execution->started) / G_USEC_PER_SEC;
	double times = execution->strategy->leaps ? SNAPSHOT_WORTH_LEAPING : SNAPSHOT_WORTH;
	gboolean alternatives = FALSE;

	for (guint i = 0; i < open->len; i++)
		alternatives |= g_array_index(open, struct open_choice, i).alternatives->len > 1;
	return alternatives && !execution->strategy->wanders && !world_has_threads(execution->world)
	       && session->snapshots && session->root && !execution->no_parking
	       && seconds > MAX(SNAPSHOT_WORTH_S, times * session->restore_seconds)
	       && all_blocked(execution);
}

/* The strategy has said what the end is. */
static void judge(struct execution *execution, enum explorer_step step)
{
	execution->wasted = step == EXPLORER_DROP;
	execution->known = step == EXPLORER_KNOWN;
	if (step == EXPLORER_DONE)
		verdict_reach(execution);
}

/* What it says of an end where nothing is decided any more. */
static enum explorer_step ask_of_end(struct execution *execution)
{
	g_autoptr(GArray) nothing = g_array_new(FALSE, FALSE, sizeof(struct open_choice));
	struct choice unused;

	return execution->strategy->rest(execution->strategy, world_trace(execution->world),
	                                 nothing, &unused);
}

static void take(struct execution *execution, const GArray *open, struct choice *choice)
{
	if (worth_a_snapshot(execution, open)) {
		g_array_append_val(execution->plan, *choice);
		execution->state = EXECUTION_PARKING;
		execution->parking = frozen_park(execution);
	} else if (!world_choose(execution->world, choice)) {
		session_fail(execution->session, "internal error: a choice that the rules forbid");
	}
}

static enum explorer_step decide(struct execution *execution, GArray *open,
                                 struct choice *ret_choice)
{
	session_mark_bounds(execution, open);
	if (execution->strategy->wanders) /* the search itself knows what it leaves out */
		for (guint i = 0; i < open->len; i++)
			execution->session->left_out.sets |=
				g_array_index(open, struct open_choice, i).more;
	return execution->strategy->rest(execution->strategy, world_trace(execution->world), open,
	                                 ret_choice);
}

/* Decides what happens now that everybody stands still. FALSE: wait for more to be heard. */
static gboolean at_rest(struct execution *execution)
{
	struct world *world = execution->world;
	struct choice choice = {0};
	enum explorer_step step;
	gboolean stuck; /* what the plan wants next is not there (yet) */
	GArray *open;

	if (!endings_known(execution)) /* if it was struck from outside, nothing of this counts */
		return FALSE;
	if (world_admit(world) || world_answer_ready(world) || follow_plan(execution))
		return TRUE;
	open = world_open_choices(world);
	if (execution->plan->len > 0)
		hide_planned(execution, open);
	stuck = execution->plan->len > 0 && !execution->strategy->fills_gaps;
	if ((open->len == 0 || stuck) && answer_polls(execution)) {
		open_choices_free(open);
		return TRUE;
	}
	if (open->len == 0 && execution_waits_for_threads(execution)) {
		open_choices_free(open);
		return FALSE;
	}
	if (stuck || (execution->plan->len > 0 && open->len == 0)) {
		open_choices_free(open);
		lose(execution);
		return FALSE;
	}
	step = decide(execution, open, &choice);
	if (step == EXPLORER_TAKE)
		take(execution, open, &choice);
	open_choices_free(open);
	if (step == EXPLORER_TAKE)
		return TRUE;
	judge(execution, step);
	execution_end_ranks(execution, TRUE);
	return TRUE;
}

/* Whether a rank itself has told that it went wrong. */
static gboolean has_told(const struct rank_end *end)
{
	return end->known || end->error || end->aborted;
}

/* How many ranks have done so, or are gone. */
static int troubled(const struct execution *execution, int *ret_told)
{
	int count = 0;

	*ret_told = 0;
	for (int rank = 0; rank < ranks_of(execution); rank++) {
		*ret_told += has_told(&execution->ends[rank]);
		count += has_told(&execution->ends[rank]) || execution->ends[rank].gone;
	}
	return count;
}

gboolean execution_failed_to_start(const struct execution *execution)
{
	int told;

	troubled(execution, &told);
	return execution->state == EXECUTION_STARTING && told > 0;
}

static void fail_to_start(struct execution *execution)
{
	for (int rank = 0; rank < ranks_of(execution); rank++)
		execution->ends[rank].killed |= !has_told(&execution->ends[rank]);
	stall_look(execution->stall, execution->world, g_get_monotonic_time()); /* where all are */
	judge(execution, ask_of_end(execution));
	execution_end_ranks(execution, TRUE);
	execution_advance(execution);
}

/* In a new job a rank can fail before it is out of MPI_Init, and the others never come out of it
 * then. Some may be about to fail likewise: they get a moment. */
static void look_at_start(struct execution *execution)
{
	gint64 now = g_get_monotonic_time();
	int told, count = troubled(execution, &told);

	if (count == 0)
		return;
	if (execution->trouble_since == 0)
		execution->trouble_since = now;
	if (told > 0
	    && (count == ranks_of(execution) || now - execution->trouble_since > TROUBLE_US))
		fail_to_start(execution);
	else if (now - execution->trouble_since > GONE_US)
		session_fail(execution->session,
		             "%s: a rank was gone before its MPI_Init was over, without a word",
		             execution->session->options->program[0]);
}

static void start_world(struct execution *execution)
{
	struct session *session = execution->session;

	if (execution->launched && session->snapshots && !session->root && !execution->no_parking) {
		execution->state = EXECUTION_PARKING;
		execution->parking = frozen_park(execution);
		return;
	}
	execution->state = EXECUTION_RUNNING;
	world_start(execution->world);
}

void execution_advance(struct execution *execution)
{
	int told;

	execution_look_for_struck(execution);
	if (execution->state == EXECUTION_STARTING && execution->connected == ranks_of(execution)
	    && world_at_rest(execution->world) && troubled(execution, &told) == 0)
		start_world(execution);
	while (execution->state == EXECUTION_RUNNING && !execution->timing && !execution->again
	       && !execution->session->error && execution_is_at_rest(execution)) {
		if (!at_rest(execution))
			break;
	}
	if (execution->state == EXECUTION_ENDING)
		execution_finish_if_gone(execution);
}

/* Some rank is not at rest, but waits for what those who are do next. */
static void decide_for_others(struct execution *execution)
{
	struct world *world = execution->world;
	enum explorer_step step;
	struct choice choice = {0};
	GArray *open;

	if (world_admit(world) || world_answer_ready(world) || follow_plan(execution))
		return;
	open = world_open_choices(world);
	hide_planned(execution, open);
	if (open->len == 0 || (execution->plan->len > 0 && !execution->strategy->fills_gaps)) {
		if (!world_answer_polls(world, execution->plan) && execution->plan->len > 0
		    && !execution->strategy->fills_gaps && stall_hopeless(execution->stall))
			lose(execution);
	} else {
		step = decide(execution, open, &choice);
		if (step == EXPLORER_TAKE)
			take(execution, open, &choice);
		execution->wasted = step == EXPLORER_DROP;
		if (execution->wasted)
			execution_end_ranks(execution, FALSE);
	}
	open_choices_free(open);
}

/* A rank has aborted inside a call that MPI carries out, where others may wait for it for ever. In
 * life the job is over. */
static gboolean waits_for_aborted(const struct execution *execution)
{
	if (execution->state != EXECUTION_RUNNING
	    || g_get_monotonic_time() - execution->heard < TROUBLE_US)
		return FALSE;
	for (int rank = 0; rank < ranks_of(execution); rank++) {
		if (execution->ends[rank].deaf)
			return TRUE;
	}
	return FALSE;
}

/* Members of a collective may still come out of it in the moment in which one has failed. */
static void look_for_caught(struct execution *execution)
{
	gint64 now = g_get_monotonic_time();

	if (execution->state == EXECUTION_RUNNING && !world_at_rest(execution->world)
	    && (now - execution->heard) * stall_haste() > CAUGHT_US
	    && world_hold_caught(execution->world))
		execution_advance(execution);
}

static void end_undecided(struct execution *execution)
{
	judge(execution, execution->strategy->wanders ? ask_of_end(execution) : EXPLORER_DONE);
	execution_end_ranks(execution, FALSE);
}

void execution_look(struct execution *execution)
{
	const struct session_options *options = execution->session->options;
	enum stall_step step;

	execution_look_for_dead(execution);
	execution_look_at_orphans(execution);
	if (execution->state == EXECUTION_ENDING)
		execution_look_at_end(execution);
	if (execution->state == EXECUTION_OVER && launcher_running(execution->launcher))
		execution_end_offspring(execution);
	if (execution->state == EXECUTION_STARTING && execution->launched)
		look_at_start(execution);
	if (waits_for_aborted(execution)) {
		end_undecided(execution);
		execution_advance(execution);
		return;
	}
	look_for_caught(execution);
	if (execution->state != EXECUTION_RUNNING || world_at_rest(execution->world)
	    || (options->wrapper && !world_has_windows(execution->world))) {
		stall_rest(execution->stall);
		return;
	}
	if (execution_release_deferred(execution))
		return;
	step = stall_look(execution->stall, execution->world, g_get_monotonic_time());
	if (step == STALL_SPIN && execution->plan->len > 0)
		step = STALL_DECIDE;
	switch (step) {
	case STALL_NONE:
		return;
	case STALL_DECIDE:
		decide_for_others(execution);
		break;
	case STALL_SPIN:
	case STALL_OVER:
		if (options->wrapper) /* it may be looked at in a debugger */
			break;
		execution->stalled = TRUE;
		execution->livelock = step == STALL_SPIN;
		end_undecided(execution);
		break;
	}
	execution_advance(execution);
}

void execution_cut_short(struct execution *execution)
{
	if (execution->state == EXECUTION_ENDING)
		execution_hurry(execution);
	if (execution->state == EXECUTION_ENDING || execution->state == EXECUTION_OVER)
		return;
	execution->cut_short = TRUE;
	if (execution->parking) {
		/* No order may follow PARK before its answer (park.h), so these are not asked. */
		for (int rank = 0; rank < ranks_of(execution); rank++) {
			if (execution->pids[rank] > 0)
				kill(execution->pids[rank], SIGKILL);
			execution->links[rank] = NULL; /* the frozen world's */
		}
		frozen_release(g_steal_pointer(&execution->parking));
		execution->connected = 0;
	}
	execution_end_ranks(execution, FALSE);
	execution_advance(execution);
}
