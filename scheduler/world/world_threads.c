/* Ranks that call MPI from several threads. Each thread has a line in its rank, with the call for
 * which it waits. The rest of the world looks at one line of a rank at a time, the line in focus. A
 * rank that has not reported threads has a single line. */
#include "mpi_calls.h"
#include "remarks.h"
#include "scheduler/host/thread_view.h"
#include "world_internal.h"
#include "world_loops.h"
#include "world_returned.h"

static struct line *line_at(const struct rank *rank, guint index)
{
	return rank->lines->pdata[index];
}

guint world_lines(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];

	return rank->lines->len;
}

guint world_focus(struct world *world, int number, guint index)
{
	struct rank *rank = &world->ranks[number];
	guint before = rank->focus;

	rank->focus = index;
	rank->line = line_at(rank, index);
	return before;
}

uint8_t world_thread_in_focus(const struct world *world, int number)
{
	return (uint8_t)MIN(world->ranks[number].focus, EVENT_THREADS);
}

uint8_t world_event_thread(const struct world *world, const struct event *event)
{
	int number = event->op.id.rank;

	if (event->op.id.sub == OPERATION_TURN || event->kind == EVENT_MATCH
	    || event->kind == EVENT_REPEAT)
		return 0;
	return world_thread_in_focus(world, number);
}

void world_note_woken(struct world *world, int number, guint32 call)
{
	struct line *line = world->ranks[number].line;
	const struct event event = {.kind = EVENT_WAKE, .op.id = {number, call, 0}};

	if (line->slept)
		world_append_event(world, &event);
	line->slept = false;
}

void world_focus_call(struct world *world, int number, guint32 call)
{
	for (guint i = 0; i < world_lines(world, number); i++) {
		world_focus(world, number, i);
		if ((world->ranks[number].line->phase == PHASE_BLOCKED
		     || world->ranks[number].line->phase == PHASE_HELD)
		    && world->ranks[number].line->call == call)
			return;
	}
}

static enum world_phase phase_of(const struct rank *rank, guint index)
{
	return line_at(rank, index)->phase;
}

static void set_phase(struct rank *rank, guint index, enum world_phase phase)
{
	line_at(rank, index)->phase = phase;
}

static bool is_busy(enum world_phase phase)
{
	return phase == PHASE_RUNNING || phase == PHASE_ABSENT;
}

static guint count_lines(const struct rank *rank, bool (*is)(enum world_phase phase))
{
	guint sum = 0;

	for (guint i = 0; i < rank->lines->len; i++)
		sum += is(phase_of(rank, i)) ? 1 : 0;
	return sum;
}

static bool is_waiting(enum world_phase phase)
{
	return phase == PHASE_BLOCKED || phase == PHASE_HELD || phase == PHASE_ENTERING;
}

static bool is_over(enum world_phase phase)
{
	return phase == PHASE_STOPPED || phase == PHASE_ENDED;
}

static bool is_stopped(enum world_phase phase)
{
	return phase == PHASE_STOPPED;
}

static bool is_held(enum world_phase phase)
{
	return phase == PHASE_HELD;
}

static bool is_entering(enum world_phase phase)
{
	return phase == PHASE_ENTERING;
}

guint world_threads_entering(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];

	return rank->threads ? count_lines(rank, is_entering) : 0;
}

enum world_phase world_phase(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];

	if (!rank->threads)
		return rank->line->phase;
	if (count_lines(rank, is_stopped) > 0)
		return PHASE_STOPPED;
	if (count_lines(rank, is_busy) > 0)
		return PHASE_RUNNING;
	if (count_lines(rank, is_held) > 0 || world_turn_is_held(world, number))
		return PHASE_HELD;
	return count_lines(rank, is_waiting) > 0 ? PHASE_BLOCKED : PHASE_ENDED;
}

enum world_phase world_line_phase(const struct world *world, int number)
{
	return world->ranks[number].line->phase;
}

guint32 world_line_call(const struct world *world, int number)
{
	return world->ranks[number].line->call;
}

void world_change_phase(struct world *world, int number, enum world_phase phase)
{
	struct line *line = world->ranks[number].line;

	world->running += (is_busy(phase) ? 1 : 0) - (is_busy(line->phase) ? 1 : 0);
	line->phase = phase;
}

void world_leave(struct world *world, int number, enum world_phase phase)
{
	struct rank *rank = &world->ranks[number];

	if (!is_over(phase_of(rank, 0)))
		rank->went_into_call = world_is_in_blocking_call(world, number);
	world_stop_looking(world, number);
	world_loop_leave(world, number);
	for (guint i = 0; i < world_lines(world, number); i++) {
		enum world_phase before = phase_of(rank, i);

		if (is_busy(before))
			world->running--;
		if (!rank->threads || before != PHASE_ENDED || i == 0)
			set_phase(rank, i, phase);
	}
}

bool world_has_threads(const struct world *world)
{
	for (int number = 0; number < world->options.ranks; number++) {
		if (world->ranks[number].threads)
			return true;
	}
	return false;
}

bool world_rank_has_threads(const struct world *world, int number)
{
	return world->ranks[number].threads;
}

bool world_rank_names_threads(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];

	return rank->threads && rank->lines->len > 1;
}

pid_t world_thread_id(const struct world *world, int number, guint32 thread)
{
	const struct rank *rank = &world->ranks[number];

	return thread < rank->lines->len ? line_at(rank, thread)->id : 0;
}

void world_wake(struct world *world, int number)
{
	struct rank *rank = &world->ranks[number];

	for (guint i = 0; i < rank->lines->len; i++) {
		if (phase_of(rank, i) != PHASE_ASLEEP)
			continue;
		set_phase(rank, i, PHASE_RUNNING);
		world->running++;
	}
}

static struct line *line_new(enum world_phase phase)
{
	struct line *line = g_new0(struct line, 1);

	line->phase = phase;
	line->entered = UINT32_MAX;
	line->waited = g_array_new(false, false, sizeof(struct wire_name));
	return line;
}

static void line_free(gpointer data)
{
	struct line *line = data;

	g_array_unref(line->waited);
	world_places_release(line);
	g_free(line->kept.done);
	g_free(line);
}

void world_lines_init(struct rank *rank)
{
	rank->lines = g_ptr_array_new_with_free_func(line_free);
	rank->line = line_new(PHASE_ABSENT);
	g_ptr_array_add(rank->lines, rank->line);
}

/* New lines belong to threads that do not exist (yet). */
static void make_line(struct world *world, int number, guint32 thread)
{
	struct rank *rank = &world->ranks[number];

	rank->threads = true;
	while (rank->lines->len <= thread)
		g_ptr_array_add(rank->lines, line_new(PHASE_ENDED));
}

/* If a rank with several threads stops, the other threads may not know it yet. */
bool world_is_over(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];

	return rank->threads && is_over(phase_of(rank, 0));
}

/* A thread that does not wait to be admitted may have returned from an unreported call. */
static void forget_entries(struct rank *rank, guint32 but)
{
	for (guint i = 0; i < rank->lines->len; i++)
		if (i != but && phase_of(rank, i) != PHASE_ENTERING)
			line_at(rank, i)->entered = UINT32_MAX;
}

bool world_thread(struct world *world, int number, const struct wire_thread *thread, GError **error)
{
	struct rank *rank = &world->ranks[number];

	world_tell_heard(world, number,
	                 &(struct wire_message){.type = WIRE_THREAD, .thread = *thread});
	if (thread->thread > WORLD_THREADS_MAX)
		return world_refuse(error, number, "too many threads");
	if (thread->id <= 0)
		return world_refuse(error, number, "a thread that the kernel does not know");
	make_line(world, number, thread->thread);
	if (world_is_over(world, number))
		return true;
	for (guint i = 0; i < rank->lines->len; i++) {
		if (line_at(rank, i)->id == thread->id)
			line_at(rank, i)->id = 0;
	}
	line_at(rank, thread->thread)->id = thread->id;
	world_wake(world, number);
	forget_entries(rank, thread->thread);
	if (thread->thread == 0)
		return true;
	if (!thread->ended && phase_of(rank, thread->thread) == PHASE_ENDED) {
		set_phase(rank, thread->thread, PHASE_RUNNING);
		line_at(rank, thread->thread)->slept = true;
		world->running++;
	} else if (thread->ended && is_busy(phase_of(rank, thread->thread))) {
		set_phase(rank, thread->thread, PHASE_ENDED);
		world->running--;
	}
	return true;
}

bool world_enter(struct world *world, int number, const struct wire_enter *enter, GError **error)
{
	struct rank *rank = &world->ranks[number];

	world_tell_heard(world, number,
	                 &(struct wire_message){.type = WIRE_ENTER, .enter = *enter});
	if (world_is_over(world, number))
		return true;
	if (enter->thread >= world_lines(world, number))
		return world_refuse(error, number, "thread %u is unknown", enter->thread);
	make_line(world, number, enter->thread);
	world_wake(world, number);
	if (phase_of(rank, enter->thread) != PHASE_RUNNING)
		return world_refuse(error, number, "a call from thread %u, which should be waiting",
		                    enter->thread);
	line_at(rank, enter->thread)->enter = *enter;
	line_at(rank, enter->thread)->entered = world_calls(world, number);
	set_phase(rank, enter->thread, PHASE_ENTERING);
	world->running--;
	return true;
}

static bool is_collective(const struct world_call *info, guint64 comm)
{
	return info && info->op_count > 0 && info->kind == WIRE_COLLECTIVE && info->comm == comm;
}

/* Whether another thread of the rank is in such a collective call, or has begun one since this
 * thread began its call; which one. */
static bool find_beside(const struct world *world, int number, guint64 comm,
                        const struct wire_call *call, guint32 *ret_call)
{
	const struct rank *rank = &world->ranks[number];

	for (guint32 i = call->call - 1; i > rank->line->entered; i--) {
		const struct world_call *info = world_call_info(world, number, i);

		*ret_call = i;
		if (is_collective(info, comm) && info->thread != call->thread)
			return true;
	}
	for (guint i = 0; i < rank->lines->len; i++) {
		const struct line *line = line_at(rank, i);
		const struct wire_name name = {line->call, 0};
		const struct live *live = world_find_live(world, number, name);

		*ret_call = line->call;
		if (line != rank->line && line->phase == PHASE_BLOCKED && !line->ends_mpi && live
		    && !live->nonblocking
		    && is_collective(world_call_info(world, number, line->call), comm))
			return true;
	}
	return false;
}

/* For a window or a file, the communicator of the call says only that it is none. */
static const char *kind_of_meeting(guint16 function)
{
	switch (mpi_call_subject(function)) {
	case MPI_CALL_SUBJECT_WINDOW: return "window";
	case MPI_CALL_SUBJECT_FILE: return "file";
	default: return "communicator";
	}
}

/* Two collectives of one communicator must not be under way at the same time, not even two
 * barriers: MPI 3.1, sections 5.13 and 12.4.3. */
static void check_beside(struct world *world, int rank, const struct wire_call *call)
{
	struct remark remark = {.kind = FINDING_MISUSE, .count = 2};
	const struct wire_op *op = call->op_count > 0 ? &call->ops[0] : NULL;
	g_autofree char *does = NULL;
	guint32 other;

	if (!op || op->kind != WIRE_COLLECTIVE || !find_beside(world, rank, op->comm, call, &other))
		return;
	does = g_strdup_printf("calls another one on the same %s from another thread, and nothing "
	                       "orders the two",
	                       kind_of_meeting(call->function));
	remark.parties[0] = world_party(world, (struct op_id){rank, other, 0},
	                                "is in a collective");
	remark.parties[1] = world_party(world, (struct op_id){rank, call->call, 0}, does);
	world_remark(world, &remark);
}

void world_look_at_threads(struct world *world, int rank, const struct wire_call *call)
{
	check_beside(world, rank, call);
	world->ranks[rank].line->entered = UINT32_MAX;
}

static bool equal_or_any(gint32 one, gint32 other)
{
	return one == other || one == WIRE_ANY || other == WIRE_ANY;
}

/* Whether it can matter which of two calls comes first: both look for messages that the other could
 * get, or send messages that one receive could take. */
static bool calls_race(const struct world *world, const struct wire_enter *one,
                       const struct wire_enter *other)
{
	if (one->comm != other->comm)
		return false;
	if (one->receives && other->receives && equal_or_any(one->source, other->source)
	    && equal_or_any(one->receive_tag, other->receive_tag))
		return true;
	return one->sends && other->sends && one->dest == other->dest
	       && (one->send_tag == other->send_tag || world->any_tag);
}

GArray *world_rivals(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];
	GArray *rivals = g_array_new(false, false, sizeof(guint32));
	guint32 first;

	for (guint32 i = 0; rank->threads && i < rank->lines->len; i++) {
		if (phase_of(rank, i) != PHASE_ENTERING)
			continue;
		first = rivals->len > 0 ? g_array_index(rivals, guint32, 0) : i;
		if (i == first
		    || calls_race(world, &line_at(rank, first)->enter, &line_at(rank, i)->enter))
			g_array_append_val(rivals, i);
	}
	return rivals;
}

bool world_turn_is_held(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];

	return rank->calls.count >= rank->held_from && world_threads_entering(world, number) > 0;
}

bool world_keeps_out(const struct world *world, int number)
{
	g_autoptr(GArray) rivals = NULL;

	if (!world_turn_is_held(world, number))
		return false;
	rivals = world_rivals(world, number);
	return rivals->len == 1;
}

struct op_id world_turn_id(const struct world *world, int number)
{
	return (struct op_id){number, world_calls(world, number), OPERATION_TURN};
}

void world_admit_thread(struct world *world, int number, guint32 thread)
{
	forget_entries(&world->ranks[number], thread);
	set_phase(&world->ranks[number], thread, PHASE_RUNNING);
	world->running++;
	world_wake(world, number);
	world_tell(world, &(struct world_step){.kind = WORLD_STEP_ORDERED,
	                                       .rank = number,
	                                       .message = &(struct wire_message){
						       .type = WIRE_ADMIT, .admitted = thread}});
	world->orders.admit(world->user, number, thread);
}

static bool waits_to_enter(const struct world *world)
{
	for (int number = 0; number < world->options.ranks; number++) {
		const struct rank *rank = &world->ranks[number];

		for (guint i = 0; rank->threads && i < rank->lines->len; i++)
			if (phase_of(rank, i) == PHASE_ENTERING)
				return true;
	}
	return false;
}

/* At rest, so that it follows from the choices. */
static void note_sleepers(struct world *world)
{
	for (int number = 0; number < world->options.ranks; number++) {
		const struct rank *rank = &world->ranks[number];

		for (guint i = 0; rank->threads && i < rank->lines->len; i++)
			line_at(rank, i)->slept |= phase_of(rank, i) == PHASE_ASLEEP;
	}
}

/* At rest each thread waits in MPI, waits to enter it, or sleeps until another thread wakes it. One
 * that waits to enter while another waits as well could have come later. */
static void note_concurrent(struct world *world)
{
	for (int number = 0; number < world->options.ranks; number++) {
		const struct rank *rank = &world->ranks[number];

		if (rank->threads && count_lines(rank, is_entering) > 0
		    && count_lines(rank, is_waiting) > 1)
			world_limit(world, LIMIT_THREADS);
	}
}

/* If calls race, it is a choice which thread comes first; threads that need no choice are admitted
 * before. Ranks deferred until all are at rest come before any admission. So they also go on while
 * an admission is held. */
bool world_admit(struct world *world)
{
	bool admitted = false;

	world_tell(world, &(struct world_step){.kind = WORLD_STEP_ADMIT});
	if (world_holds_up_rest(world))
		return world_tell_answer(world, false);
	note_sleepers(world);
	if (waits_to_enter(world) && world_let_go(world))
		return world_tell_answer(world, true);
	if (!world_may_decide(world))
		return world_tell_answer(world, false);
	note_concurrent(world);
	for (int number = 0; number < world->options.ranks; number++) {
		struct rank *rank = &world->ranks[number];
		g_autoptr(GArray) rivals = world_rivals(world, number);

		if (rivals->len == 1) {
			if (!admitted)
				world_note_decision(world, NULL);
			world_note_admitted(world, number);
			world_admit_thread(world, number, g_array_index(rivals, guint32, 0));
			admitted = true;
		} else if (rivals->len > 1 && rank->turn != rank->calls.count) {
			rank->turn = (guint32)rank->calls.count;
			trace_append_ask(&world->trace, world_turn_id(world, number), 0, NULL, 0);
		}
	}
	return world_tell_answer(world, admitted);
}

GArray *world_loose_threads(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];
	GArray *views = g_array_new(false, true, sizeof(struct thread_view));

	if (!rank->threads || count_lines(rank, is_waiting) == 0 || count_lines(rank, is_busy) == 0)
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

	world_tell(world, &(struct world_step){.kind = WORLD_STEP_ASLEEP, .rank = number});
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
	world_tell(world, &(struct world_step){.kind = WORLD_STEP_AWAKE});
	for (int number = 0; number < world->options.ranks; number++)
		world_wake(world, number);
}

void world_lines_copy(struct rank *rank)
{
	GPtrArray *from = rank->lines;

	rank->lines = g_ptr_array_new_full(from->len, line_free);
	for (guint i = 0; i < from->len; i++) {
		struct line *line = g_memdup2(from->pdata[i], sizeof(*line));

		line->waited = g_array_copy(line->waited);
		world_places_copy(line);
		line->kept.done = g_memdup2(line->kept.done,
		                            line->kept.count * sizeof(*line->kept.done));
		g_ptr_array_add(rank->lines, line);
	}
	rank->line = line_at(rank, rank->focus);
}
