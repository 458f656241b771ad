#include "thread_rest.h"

#define LOOK_MS 1                         /* until running threads are looked at again */
#define RUNNING_US (2 * G_USEC_PER_SEC)   /* limit for threads that run without calling MPI */
#define HOPELESS_US (10 * G_USEC_PER_SEC) /* limit for threads that wait for input from outside */

static void look_again(const struct thread_sight *sight)
{
	sight->host->operations->timer_start(sight->timer, LOOK_MS);
}

static bool has_unread(const struct thread_sight *sight, int rank)
{
	const struct host_link *link = sight->slots[rank].link;

	return link && sight->host->operations->has_unread(link);
}

static enum threads_state look_at(const struct thread_sight *sight, int rank, GArray *views)
{
	return sight->host->operations->look_at_threads(sight->host, sight->slots[rank].pid,
	                                                (struct thread_view *)(void *)views->data,
	                                                views->len);
}

/* Looks at the threads of all ranks. The least restful one counts. */
static enum threads_state look_at_all(const struct thread_sight *sight)
{
	enum threads_state worst = THREADS_SLEEP;

	for (int rank = 0; rank < sight->ranks; rank++) {
		g_autoptr(GArray) views = world_loose_threads(sight->world, rank);
		enum threads_state state;

		if (views->len == 0)
			continue;
		for (guint i = 0; i < views->len; i++) {
			struct thread_view *view = &g_array_index(views, struct thread_view, i);

			if (view->id == 0)
				view->id = sight->slots[rank].pid;
		}
		state = look_at(sight, rank, views);
		/* A message that was sent before they fell asleep may have changed everything. */
		if (state == THREADS_SLEEP && has_unread(sight, rank))
			state = THREADS_MOVE;
		if (state == THREADS_SLEEP)
			world_threads_sleep(sight->world, rank);
		worst = MIN(worst, state);
	}
	return worst;
}

/* Takes running threads for being at rest after the limit. The others may wait for what these do
 * next, or these for what the others do. */
static void take_for_rest(struct thread_rest *rest, const struct thread_sight *sight)
{

	rest->doubtful = true;
	for (int rank = 0; rank < sight->ranks; rank++) {
		g_autoptr(GArray) views = world_loose_threads(sight->world, rank);

		if (views->len > 0)
			world_threads_sleep(sight->world, rank);
	}
}

/* Whether only threads beside waiting ones keep the world from rest. */
static bool threads_alone_move(const struct thread_sight *sight)
{
	for (int rank = 0; rank < sight->ranks; rank++) {
		g_autoptr(GArray) views = NULL;
		enum world_phase phase = world_phase(sight->world, rank);

		if (phase != PHASE_RUNNING && phase != PHASE_ABSENT)
			continue;
		views = world_loose_threads(sight->world, rank);
		if (views->len == 0)
			return false;
	}
	return true;
}

bool thread_rest_is_reached(struct thread_rest *rest, const struct thread_sight *sight)
{
	enum threads_state state;
	gint64 now;

	if (world_at_rest(sight->world) || !world_has_threads(sight->world))
		return world_at_rest(sight->world);
	if (sight->host->operations->timer_is_active(sight->timer) || !threads_alone_move(sight))
		return false;
	state = look_at_all(sight);
	if (world_at_rest(sight->world)) {
		rest->lingering = 0;
		return true;
	}
	now = host_now(sight->host);
	if (state != THREADS_LISTEN)
		rest->lingering = 0;
	else if (rest->lingering == 0)
		rest->lingering = now;
	if (now - *sight->heard > RUNNING_US) {
		take_for_rest(rest, sight);
		return world_at_rest(sight->world);
	}
	look_again(sight);
	return false;
}

/* Whether a waiting rank that must not call MPI from several threads has others that may be about
 * to do so. Then that call is what is wrong, not the wait. */
static bool bystanders_move(const struct thread_sight *sight)
{
	for (int rank = 0; rank < sight->ranks; rank++) {
		g_autoptr(GArray) views = NULL;

		if (world_phase(sight->world, rank) != PHASE_BLOCKED)
			continue;
		views = sight->host->operations->other_threads(sight->host, sight->slots[rank].pid);
		if (views->len > 0 && look_at(sight, rank, views) < THREADS_LISTEN)
			return true;
		if (views->len > 0 && has_unread(sight, rank))
			return true;
	}
	return false;
}

bool thread_rest_waits(struct thread_rest *rest, const struct thread_sight *sight)
{
	gint64 now = host_now(sight->host);

	if (!world_has_threads(sight->world) && now - *sight->heard < RUNNING_US
	    && bystanders_move(sight)) {
		look_again(sight);
		return true;
	}
	if (!rest->doubtful || (rest->lingering > 0 && now - rest->lingering > HOPELESS_US))
		return false;
	rest->doubtful = false;
	*sight->heard = now;
	world_threads_wake(sight->world);
	look_again(sight);
	return true;
}
