/* Ranks that call MPI from several threads: each thread has a line of its own in its rank, with the
 * call for which it waits.
 *
 * All else in the world looks at one line of a rank at a time, the one in focus, whose state stands
 * in struct rank itself. A rank with one thread has no lines. */
#include "world_internal.h"

static struct line *line_at(const struct rank *rank, guint index)
{
	return &g_array_index(rank->lines, struct line, index);
}

guint world_lines(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];

	return rank->lines ? rank->lines->len : 1;
}

static void store(const struct rank *rank, struct line *line)
{
	line->phase = rank->phase;
	line->ends_mpi = rank->ends_mpi;
	line->wait = rank->wait;
	line->call = rank->call;
	line->function = rank->function;
	line->waited = rank->waited;
	line->question = rank->question;
	line->asked = rank->asked;
	line->complete = rank->complete;
}

static void load(struct rank *rank, const struct line *line)
{
	rank->phase = line->phase;
	rank->ends_mpi = line->ends_mpi;
	rank->wait = line->wait;
	rank->call = line->call;
	rank->function = line->function;
	rank->waited = line->waited;
	rank->question = line->question;
	rank->asked = line->asked;
	rank->complete = line->complete;
}

guint world_focus(struct world *world, int number, guint index)
{
	struct rank *rank = &world->ranks[number];
	guint before = rank->focus;

	if (index != before) {
		store(rank, line_at(rank, before));
		load(rank, line_at(rank, index));
		rank->focus = index;
	}
	return before;
}

void world_focus_call(struct world *world, int number, guint32 call)
{
	for (guint i = 0; i < world_lines(world, number); i++) {
		world_focus(world, number, i);
		if (world->ranks[number].phase == PHASE_BLOCKED
		    && world->ranks[number].call == call)
			return;
	}
}

static enum world_phase phase_of(const struct rank *rank, guint index)
{
	return index == rank->focus ? rank->phase : line_at(rank, index)->phase;
}

static void set_phase(struct rank *rank, guint index, enum world_phase phase)
{
	line_at(rank, index)->phase = phase;
	if (index == rank->focus)
		rank->phase = phase;
}

static gboolean is_busy(enum world_phase phase)
{
	return phase == PHASE_RUNNING || phase == PHASE_ABSENT;
}

static guint count(const struct rank *rank, gboolean (*is)(enum world_phase phase))
{
	guint sum = 0;

	for (guint i = 0; i < rank->lines->len; i++)
		sum += is(phase_of(rank, i)) ? 1 : 0;
	return sum;
}

static gboolean is_waiting(enum world_phase phase)
{
	return phase == PHASE_BLOCKED || phase == PHASE_ENTERING;
}

static gboolean is_stopped(enum world_phase phase)
{
	return phase == PHASE_STOPPED;
}

enum world_phase world_phase(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];

	if (!rank->lines)
		return rank->phase;
	if (count(rank, is_stopped) > 0)
		return PHASE_STOPPED;
	if (count(rank, is_busy) > 0)
		return PHASE_RUNNING;
	return count(rank, is_waiting) > 0 ? PHASE_BLOCKED : PHASE_ENDED;
}

void world_leave(struct world *world, int number, enum world_phase phase)
{
	struct rank *rank = &world->ranks[number];

	for (guint i = 0; i < world_lines(world, number); i++) {
		enum world_phase before = rank->lines ? phase_of(rank, i) : rank->phase;

		if (is_busy(before))
			world->running--;
		if (rank->lines && (before != PHASE_ENDED || i == 0))
			set_phase(rank, i, phase);
		else if (!rank->lines)
			rank->phase = phase;
	}
}

gboolean world_has_threads(const struct world *world)
{
	for (int number = 0; number < world->options.ranks; number++) {
		if (world->ranks[number].lines)
			return TRUE;
	}
	return FALSE;
}

void world_wake(struct world *world, int number)
{
	struct rank *rank = &world->ranks[number];

	for (guint i = 0; rank->lines && i < rank->lines->len; i++) {
		if (phase_of(rank, i) != PHASE_ASLEEP)
			continue;
		set_phase(rank, i, PHASE_RUNNING);
		world->running++;
	}
}

/* New lines belong to threads that are not there (yet). */
static void make_line(struct world *world, int number, guint32 thread)
{
	struct rank *rank = &world->ranks[number];

	if (!rank->lines) {
		struct line first = {0};

		rank->lines = g_array_new(FALSE, TRUE, sizeof(struct line));
		store(rank, &first);
		g_array_append_val(rank->lines, first);
	}
	while (rank->lines->len <= thread) {
		struct line line = {.phase = PHASE_ENDED,
		                    .waited = g_array_new(FALSE, FALSE, sizeof(struct wire_name))};

		g_array_append_val(rank->lines, line);
	}
}

static gboolean is_over(enum world_phase phase)
{
	return phase == PHASE_STOPPED || phase == PHASE_ENDED;
}

/* Of several threads of a rank that stops, the others may not have heard of it. */
gboolean world_is_over(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];

	return rank->lines && is_over(phase_of(rank, 0));
}

gboolean world_thread(struct world *world, int number, const struct wire_thread *thread,
                      GError **error)
{
	struct rank *rank = &world->ranks[number];

	if (thread->thread > WORLD_THREADS_MAX)
		return world_refuse(error, number, "it has too many threads");
	if (thread->id <= 0)
		return world_refuse(error, number, "a thread that the kernel does not know");
	make_line(world, number, thread->thread);
	if (world_is_over(world, number))
		return TRUE;
	for (guint i = 0; i < rank->lines->len; i++) {
		if (line_at(rank, i)->id == thread->id)
			line_at(rank, i)->id = 0;
	}
	line_at(rank, thread->thread)->id = thread->id;
	world_wake(world, number);
	if (thread->thread == 0)
		return TRUE;
	if (!thread->ended && phase_of(rank, thread->thread) == PHASE_ENDED) {
		set_phase(rank, thread->thread, PHASE_RUNNING);
		world->running++;
	} else if (thread->ended && is_busy(phase_of(rank, thread->thread))) {
		set_phase(rank, thread->thread, PHASE_ENDED);
		world->running--;
	}
	return TRUE;
}

gboolean world_enter(struct world *world, int number, const struct wire_enter *enter,
                     GError **error)
{
	struct rank *rank = &world->ranks[number];

	if (world_is_over(world, number))
		return TRUE;
	if (enter->thread >= world_lines(world, number))
		return world_refuse(error, number, "thread %u is not known", enter->thread);
	make_line(world, number, enter->thread);
	world_wake(world, number);
	if (phase_of(rank, enter->thread) != PHASE_RUNNING)
		return world_refuse(error, number, "a call from thread %u, which should be waiting",
		                    enter->thread);
	line_at(rank, enter->thread)->enter = *enter;
	set_phase(rank, enter->thread, PHASE_ENTERING);
	world->running--;
	return TRUE;
}

static gboolean both(gint32 one, gint32 other)
{
	return one == other || one == WIRE_ANY || other == WIRE_ANY;
}

/* Whether it can matter which of two calls comes first: both look for messages that the other could
 * get, or send what one receive could take. */
static gboolean races(const struct world *world, const struct wire_enter *one,
                      const struct wire_enter *other)
{
	if (one->comm != other->comm)
		return FALSE;
	if (one->receives && other->receives && both(one->source, other->source)
	    && both(one->receive_tag, other->receive_tag))
		return TRUE;
	return one->sends && other->sends && one->dest == other->dest
	       && (one->send_tag == other->send_tag || world->any_tag);
}

GArray *world_rivals(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];
	GArray *rivals = g_array_new(FALSE, FALSE, sizeof(guint32));
	guint32 first;

	for (guint32 i = 0; rank->lines && i < rank->lines->len; i++) {
		if (phase_of(rank, i) != PHASE_ENTERING)
			continue;
		first = rivals->len > 0 ? g_array_index(rivals, guint32, 0) : i;
		if (i == first
		    || races(world, &line_at(rank, first)->enter, &line_at(rank, i)->enter))
			g_array_append_val(rivals, i);
	}
	return rivals;
}

struct op_id world_turn_id(const struct world *world, int number)
{
	return (struct op_id){number, world->ranks[number].calls->len, OPERATION_TURN};
}

void world_admit_thread(struct world *world, int number, guint32 thread)
{
	set_phase(&world->ranks[number], thread, PHASE_RUNNING);
	world->running++;
	world_wake(world, number);
	world->orders.admit(world->user, number, thread);
}

/* Whose turn it is where calls race, is a question that somebody has to answer. */
gboolean world_admit(struct world *world)
{
	gboolean admitted = FALSE;

	for (int number = 0; number < world->options.ranks; number++) {
		struct rank *rank = &world->ranks[number];
		g_autoptr(GArray) rivals = world_rivals(world, number);

		if (rivals->len == 1) {
			world_admit_thread(world, number, g_array_index(rivals, guint32, 0));
			admitted = TRUE;
		} else if (rivals->len > 1 && rank->turn != rank->calls->len) {
			rank->turn = rank->calls->len;
			trace_append_ask(&world->trace, world_turn_id(world, number), NULL, 0);
		}
	}
	return admitted;
}

GArray *world_loose_threads(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];
	GArray *views = g_array_new(FALSE, TRUE, sizeof(struct thread_view));

	if (!rank->lines || count(rank, is_waiting) == 0 || count(rank, is_busy) == 0)
		return views;
	for (guint i = 0; i < rank->lines->len; i++) {
		struct thread_view view = {.id = line_at(rank, i)->id};

		view.ended = phase_of(rank, i) == PHASE_ENDED;
		view.waits = is_waiting(phase_of(rank, i));
		if (!view.ended || view.id > 0)
			g_array_append_val(views, view);
	}
	return views;
}

void world_threads_sleep(struct world *world, int number)
{
	struct rank *rank = &world->ranks[number];

	for (guint i = 0; i < rank->lines->len; i++) {
		if (phase_of(rank, i) == PHASE_ENDED)
			line_at(rank, i)->id = 0;
		if (!is_busy(phase_of(rank, i)))
			continue;
		set_phase(rank, i, PHASE_ASLEEP);
		world->running--;
	}
}

void world_threads_wake(struct world *world)
{
	for (int number = 0; number < world->options.ranks; number++)
		world_wake(world, number);
}

void world_copy_lines(struct rank *rank)
{
	if (!rank->lines)
		return;
	rank->lines = g_array_copy(rank->lines);
	for (guint i = 0; i < rank->lines->len; i++) {
		if (i != rank->focus)
			line_at(rank, i)->waited = g_array_copy(line_at(rank, i)->waited);
	}
}

void world_free_lines(struct rank *rank)
{
	if (!rank->lines)
		return;
	for (guint i = 0; i < rank->lines->len; i++) {
		if (i != rank->focus)
			g_array_unref(line_at(rank, i)->waited);
	}
	g_array_unref(rank->lines);
}
