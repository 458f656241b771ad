/* When a rank with several threads is at rest. */
#include "execution.h"
#include "runs_context.h"

#define LOOK_MS 1                         /* until running threads are looked at again */
#define RUNNING_US (2 * G_USEC_PER_SEC)   /* limit for threads that run without calling MPI */
#define HOPELESS_US (10 * G_USEC_PER_SEC) /* limit for threads that wait for input from outside */

static void look_again(struct execution *execution)
{
	runs_host(execution_runs(execution))
		->operations->timer_start(execution_timer(execution), LOOK_MS);
}

static bool has_unread(const struct execution *execution, int rank)
{
	const struct host_link *link = execution_link(execution, rank);

	return link && runs_host(execution_runs(execution))->operations->has_unread(link);
}

static enum threads_state look_at(const struct execution *execution, int rank, GArray *views)
{
	struct host *host = runs_host(execution_runs(execution));

	return host->operations->look_at_threads(host, execution_pid(execution, rank),
	                                         (struct thread_view *)(void *)views->data,
	                                         views->len);
}

/* Looks at the threads of all ranks. The least restful one counts. */
static enum threads_state look_at_all(struct execution *execution)
{
	enum threads_state worst = THREADS_SLEEP;

	for (int rank = 0; rank < runs_ranks(execution_runs(execution)); rank++) {
		g_autoptr(GArray) views = world_loose_threads(execution_world(execution), rank);
		enum threads_state state;

		if (views->len == 0)
			continue;
		for (guint i = 0; i < views->len; i++) {
			struct thread_view *view = &g_array_index(views, struct thread_view, i);

			if (view->id == 0)
				view->id = execution_pid(execution, rank);
		}
		state = look_at(execution, rank, views);
		/* A message that was sent before they fell asleep may have changed everything. */
		if (state == THREADS_SLEEP && has_unread(execution, rank))
			state = THREADS_MOVE;
		if (state == THREADS_SLEEP)
			world_threads_sleep(execution_world(execution), rank);
		worst = MIN(worst, state);
	}
	return worst;
}

/* Takes running threads for being at rest after the limit. The others may wait for what these do
 * next, or these for what the others do. */
static void take_for_rest(struct execution *execution)
{
	struct thread_rest *rest = execution_thread_rest(execution);

	rest->doubtful = true;
	for (int rank = 0; rank < runs_ranks(execution_runs(execution)); rank++) {
		g_autoptr(GArray) views = world_loose_threads(execution_world(execution), rank);

		if (views->len > 0)
			world_threads_sleep(execution_world(execution), rank);
	}
}

/* Whether only threads beside waiting ones keep the world from rest. */
static bool threads_alone_move(const struct execution *execution)
{
	for (int rank = 0; rank < runs_ranks(execution_runs(execution)); rank++) {
		g_autoptr(GArray) views = NULL;
		enum world_phase phase = world_phase(execution_world(execution), rank);

		if (phase != PHASE_RUNNING && phase != PHASE_ABSENT)
			continue;
		views = world_loose_threads(execution_world(execution), rank);
		if (views->len == 0)
			return false;
	}
	return true;
}

bool execution_is_at_rest(struct execution *execution)
{
	struct thread_rest *rest = execution_thread_rest(execution);
	const struct host *host = runs_host(execution_runs(execution));
	enum threads_state state;
	gint64 now;

	if (world_at_rest(execution_world(execution))
	    || !world_has_threads(execution_world(execution)))
		return world_at_rest(execution_world(execution));
	if (host->operations->timer_is_active(execution_timer(execution))
	    || !threads_alone_move(execution))
		return false;
	state = look_at_all(execution);
	if (world_at_rest(execution_world(execution))) {
		rest->lingering = 0;
		return true;
	}
	now = execution_now(execution);
	if (state != THREADS_LISTEN)
		rest->lingering = 0;
	else if (rest->lingering == 0)
		rest->lingering = now;
	if (now - execution_heard(execution) > RUNNING_US) {
		take_for_rest(execution);
		return world_at_rest(execution_world(execution));
	}
	look_again(execution);
	return false;
}

/* Whether a waiting rank that must not call MPI from several threads has others that may be about
 * to do so. Then that call is what is wrong, not the wait. */
static bool bystanders_move(const struct execution *execution)
{
	struct host *host = runs_host(execution_runs(execution));

	for (int rank = 0; rank < runs_ranks(execution_runs(execution)); rank++) {
		g_autoptr(GArray) views = NULL;

		if (world_phase(execution_world(execution), rank) != PHASE_BLOCKED)
			continue;
		views = host->operations->other_threads(host, execution_pid(execution, rank));
		if (views->len > 0 && look_at(execution, rank, views) < THREADS_LISTEN)
			return true;
		if (views->len > 0 && has_unread(execution, rank))
			return true;
	}
	return false;
}

bool execution_waits_for_threads(struct execution *execution)
{
	struct thread_rest *rest = execution_thread_rest(execution);
	gint64 now = execution_now(execution);

	if (!world_has_threads(execution_world(execution))
	    && now - execution_heard(execution) < RUNNING_US && bystanders_move(execution)) {
		look_again(execution);
		return true;
	}
	if (!rest->doubtful || (rest->lingering > 0 && now - rest->lingering > HOPELESS_US))
		return false;
	rest->doubtful = false;
	execution_note_heard(execution);
	world_threads_wake(execution_world(execution));
	look_again(execution);
	return true;
}
