#include "search_back.h"

#include "debug_registers.h"

#define LONGEST_INSTRUCTION 15
#define STEPS_AT_ONCE 1500
#define STEPS_BETWEEN_KEEPERS 250
#define MOST_STEPS 800000
/* A point that is passed so often is no help in getting near. */
#define TOO_HOT 2000

/* --- the last event --------------------------------------------------------------------------- */

/* On the way from its mark to the moment. */
static bool search_legs(struct keepers *keepers, const struct moment *to, const GArray *points,
                        struct event *event, GError **error)
{
	g_autoptr(Moment) mark = moment_new(to->mark);
	struct traced *traced = mover_go(keepers, mark, error);
	bool is_done = traced && mover_follow(traced, to, points, event, error);

	keepers_end(keepers, traced);
	return is_done;
}

static bool search_marks(struct keepers *keepers, guint64 from, guint64 to, const GArray *points,
                         struct event *event, GError **error)
{
	g_autoptr(Moment) mark = moment_new(from);
	struct traced *traced = mover_go(keepers, mark, error);
	bool is_done = traced && mover_follow_marks(traced, from, to, points, event, error);

	keepers_end(keepers, traced);
	return is_done;
}

bool search_back_event(struct keepers *keepers, const struct moment *from, const GArray *points,
                       struct event *ret_event, GError **error)
{
	guint64 end = from->mark, width = 1;
	struct moment *before;

	*ret_event = (struct event){0};
	if (points->len == 0)
		return true;
	if (from->leg_count > 0 && !search_legs(keepers, from, points, ret_event, error))
		goto failed;
	while (!ret_event->moment && end > 0) {
		guint64 begin = end > width ? end - width : 0;

		if (!search_marks(keepers, begin, end, points, ret_event, error))
			goto failed;
		end = begin;
		width *= 2;
	}
	if (!ret_event->moment || !ret_event->watched)
		return true;
	if (!search_back_step(keepers, ret_event->moment, NULL, &before, error))
		goto failed;
	moment_free(ret_event->moment);
	ret_event->moment = before;
	return true;
failed:
	event_clear(ret_event);
	return false;
}

/* --- the instruction before, where it is also the one before in memory ------------------------ */

/* Candidates for the address of the instruction that was executed before. */
struct candidates {
	guint64 address[LONGEST_INSTRUCTION + 3];
	guint count;
};

/* Lengths by how frequent they are. For the first instruction of a function: the calls that may
 * have led to it. */
static void find_candidates(struct traced *traced, struct candidates *ret_candidates)
{
	static const guint8 lengths[LONGEST_INSTRUCTION] = {3, 5,  4,  2,  7,  6,  1, 8,
	                                                    9, 10, 11, 12, 13, 14, 15};
	static const guint8 calls[] = {5, 2, 3};
	struct user_regs_struct registers;
	guint64 back;

	traced_get_registers(traced, &registers);
	back = traced_read_word(traced, registers.rsp);
	for (guint i = 0; i < LONGEST_INSTRUCTION; i++) {
		ret_candidates->address[ret_candidates->count++] = registers.rip - lengths[i];
		if (i >= 2 && i < 2 + G_N_ELEMENTS(calls))
			ret_candidates->address[ret_candidates->count++] = back - calls[i - 2];
	}
}

/* Whether one step from `moment` leads to where the leg ends, which is at this pc. */
static bool leads_there(struct keepers *keepers, const struct moment *moment, const struct leg *leg,
                        guint64 pc)
{
	g_autoptr(GArray) points = g_array_new(false, false, sizeof(struct point));
	struct traced *traced = mover_go(keepers, moment, NULL);
	struct stop stop = {.kind = STOP_GONE};
	bool is_there;

	mover_add_points(leg, points);
	if (traced)
		stop = traced_step(traced, points);
	is_there = (stop.kind == STOP_STEP || stop.kind == STOP_POINT) && stop.pc == pc;
	if (is_there && leg->kind == LEG_TRIGGER)
		is_there = stop.watched != 0;
	if (is_there && leg->kind == LEG_FAULT)
		is_there = traced_step(traced, points).kind == STOP_FAULT;
	keepers_end(keepers, traced);
	return is_there;
}

/* Runs from `base` to the end of the leg. Where one of the points is the last thing that is arrived
 * at before, *ret_last is the way to there from base. A hardware breakpoint is met only where an
 * instruction begins, so nothing need be decoded. Returns 1: done; 0: given up; -1: error. */
static int find_last(struct keepers *keepers, const struct moment *base, const struct leg *leg,
                     const GArray *points, struct leg *ret_last, bool *ret_found, GError **error)
{
	struct traced *traced = mover_go(keepers, base, error);
	g_autofree guint64 *counts = g_new0(guint64, points->len);
	guint64 seen = 0, stops = 0;
	bool is_met = false;
	struct stop stop;

	*ret_found = false;
	if (!traced)
		return -1;
	traced_stop_before(traced, base->mark + 1);
	while (!is_met && stops++ < TOO_HOT) {
		stop = traced_run(traced, points);
		is_met = mover_is_met(leg, &stop, &seen);
		if (stop.kind != STOP_POINT)
			break;
		if (stop.watched && !is_met)
			*ret_found = false;
		for (guint i = 0; i < points->len && !is_met && stop.arrived; i++) {
			if (g_array_index(points, struct point, i).address != stop.pc)
				continue;
			*ret_found = leg->kind != LEG_ARRIVAL || stop.pc != leg->pc;
			*ret_last = (struct leg){
				.kind = LEG_ARRIVAL, .pc = stop.pc, .count = counts[i]++};
		}
	}
	keepers_end(keepers, traced);
	if (!is_met && stop.kind == STOP_INTERRUPTED) {
		g_set_error_literal(error, MOVER_ERROR, MOVER_INTERRUPTED, "interrupted");
		return -1;
	}
	return is_met;
}

/* The moment before `from`, if the instruction before is found quickly. False: error. */
static bool step_in_memory(struct keepers *keepers, const struct moment *from,
                           struct moment **ret_moment, GError **error)
{
	const struct leg *leg = &from->legs[from->leg_count - 1];
	g_autoptr(Moment) base = moment_without_last(from);
	g_autoptr(Moment) found = NULL;
	struct traced *traced = mover_go(keepers, from, error);
	struct candidates candidates = {0};
	struct user_regs_struct registers;

	if (!traced)
		return false;
	traced_get_registers(traced, &registers);
	find_candidates(traced, &candidates);
	keepers_end(keepers, traced);
	for (guint next = 0; next < candidates.count;) {
		g_autoptr(GArray) points = g_array_new(false, false, sizeof(struct point));
		struct debug_registers plan;
		struct leg last;
		bool is_found;
		int result;

		mover_add_points(leg, points);
		while (next < candidates.count) {
			struct point point = {POINT_HARDWARE, candidates.address[next], 1};

			g_array_append_val(points, point);
			debug_registers_plan(points, true, &plan);
			if (!debug_registers_have(&plan, point.address)) {
				g_array_set_size(points, points->len - 1);
				break;
			}
			next++;
		}
		result = find_last(keepers, base, leg, points, &last, &is_found, error);
		if (result < 0)
			return false;
		if (result == 0)
			return true;
		if (!is_found)
			continue;
		found = moment_copy(base);
		moment_add(found, &last);
		if (leads_there(keepers, found, leg, registers.rip))
			*ret_moment = g_steal_pointer(&found);
		return true;
	}
	return true;
}

/* --- the instruction before, by steps from somewhere near ------------------------------------- */

/* Steps from `start` to the end of the leg. */
struct approach {
	struct moment *start;
	struct leg leg;      /* what is left from start on; its count falls as start comes nearer */
	GArray *pcs;         /* of guint64: passed on the steps, in order */
	guint64 seen;        /* of the leg's count, on these steps */
	struct trace *trace; /* of these steps; NULL: none is wanted */
};

/* Leaves a keeper after `steps` of many steps from `start`, now and then. */
static bool keep_on_way(struct keepers *keepers, struct traced *traced, const struct moment *start,
                        guint64 steps, GError **error)
{
	struct leg leg = {.kind = LEG_STEPS, .count = steps};
	g_autoptr(Moment) at = NULL;

	if (steps % STEPS_BETWEEN_KEEPERS != 0 || steps >= STEPS_AT_ONCE)
		return true;
	at = moment_copy(start);
	moment_add(at, &leg);
	return keepers_keep(keepers, traced, at, error);
}

static bool fail_to_step(const struct stop *stop, GError **error)
{
	const bool is_interrupted = stop->kind == STOP_INTERRUPTED;

	g_set_error(error, MOVER_ERROR, is_interrupted ? MOVER_INTERRUPTED : MOVER_LOST, "%s",
	            is_interrupted ? "interrupted" : "lost while stepping");
	return false;
}

/* Returns 1: the leg has ended, after *ret_steps steps; 0: it has not; -1: error. */
static int step_towards(struct keepers *keepers, struct approach *approach, struct traced *traced,
                        guint64 limit, guint64 *ret_steps, GError **error)
{
	g_autoptr(GArray) points = g_array_new(false, false, sizeof(struct point));
	struct user_regs_struct registers;
	struct stop stop;

	g_array_set_size(approach->pcs, 0);
	if (approach->trace)
		trace_begin(approach->trace, approach->start);
	approach->seen = 0;
	mover_add_points(&approach->leg, points);
	traced_get_registers(traced, &registers);
	stop.pc = registers.rip;
	for (guint64 i = 0; i < limit; i++) {
		if (!keep_on_way(keepers, traced, approach->start, i, error))
			return -1;
		if (approach->trace)
			trace_note(approach->trace, traced);
		g_array_append_val(approach->pcs, stop.pc);
		stop = traced_step(traced, points);
		*ret_steps = i + (stop.kind != STOP_FAULT);
		if (mover_is_met(&approach->leg, &stop, &approach->seen))
			return 1;
		if (stop.kind != STOP_STEP && stop.kind != STOP_POINT) {
			fail_to_step(&stop, error);
			return -1;
		}
	}
	return 0;
}

static int by_count(gconstpointer left, gconstpointer right)
{
	const guint64 *a = left, *b = right;

	if (a[1] != b[1])
		return a[1] < b[1] ? -1 : 1;
	return a[2] > b[2] ? -1 : a[2] < b[2];
}

/* The addresses passed on the steps, the rarest first, of these the last; without the leg's own. */
static GArray *rarest(const struct approach *approach)
{
	GArray *rare = g_array_new(false, false, 3 * sizeof(guint64)); /* pc, count, last index */
	g_autoptr(GHashTable) index = g_hash_table_new(NULL, NULL);

	for (guint i = 0; i < approach->pcs->len; i++) {
		guint64 pc = g_array_index(approach->pcs, guint64, i);
		gsize at = (gsize)g_hash_table_lookup(index, (gpointer)pc);
		guint64 entry[3] = {pc, 1, i};

		if (approach->leg.kind == LEG_ARRIVAL && pc == approach->leg.pc)
			continue;
		if (at == 0) {
			g_array_append_vals(rare, entry, 1);
			g_hash_table_insert(index, (gpointer)pc, (gpointer)(gsize)rare->len);
		} else {
			guint64 *known = (guint64 *)(void *)rare->data + 3 * (at - 1);

			known[1]++;
			known[2] = i;
		}
	}
	g_array_sort(rare, by_count);
	return rare;
}

#define MOST_HELPERS 16

struct helper {
	guint64 pc;
	guint64 hits; /* since the steps */
	guint64 left; /* of the leg's count, at the last hit */
};

/* The process stands after the steps, before the end of the leg. Which of the addresses does it
 * pass last before that? Makes the approach start there. Returns 1: nearer; 0: no help; -1:
 * error. */
static int come_nearer(struct approach *approach, struct traced *traced, guint64 steps,
                       GError **error)
{
	g_autoptr(GArray) rare = rarest(approach);
	g_autoptr(GArray) points = g_array_new(false, false, sizeof(struct point));
	struct helper helpers[MOST_HELPERS], *last = NULL, dropped = {0};
	guint count = MIN(rare->len, MOST_HELPERS);
	guint64 left = approach->leg.count - approach->seen, seen = 0;
	struct leg leg = approach->leg, to = {.kind = LEG_STEPS, .count = steps};

	leg.count = left;
	mover_add_points(&leg, points);
	for (guint i = 0; i < count; i++) {
		struct point point = {POINT_SOFTWARE, ((guint64 *)(void *)rare->data)[3 * i], 1};

		helpers[i] = (struct helper){.pc = point.address};
		g_array_append_val(points, point);
	}
	for (;;) {
		struct stop stop = traced_run(traced, points);

		if (mover_is_met(&leg, &stop, &seen))
			break;
		if (stop.kind != STOP_POINT) {
			g_set_error_literal(error, MOVER_ERROR,
			                    stop.kind == STOP_INTERRUPTED ? MOVER_INTERRUPTED
			                                                  : MOVER_LOST,
			                    "interrupted, or lost on the way");
			return -1;
		}
		for (guint i = 0; i < count && stop.arrived; i++) {
			if (helpers[i].pc != stop.pc)
				continue;
			last = &helpers[i];
			last->hits++;
			last->left = left - seen;
			if (last->hits < TOO_HOT)
				break;
			dropped = *last;
			last->pc = 0;
			last = NULL;
			for (guint k = 0; k < points->len; k++) {
				if (g_array_index(points, struct point, k).address == stop.pc)
					g_array_remove_index(points, k--);
			}
			break;
		}
	}
	if (!last && dropped.hits)
		last = &dropped;
	if (!last)
		return 0;
	moment_add(approach->start, &to);
	to = (struct leg){.kind = LEG_ARRIVAL, .pc = last->pc, .count = last->hits - 1};
	moment_add(approach->start, &to);
	approach->leg.count = last->left;
	return 1;
}

/* The start of the approach: the same thing one time earlier, if it was met before. */
static void begin_approach(struct approach *approach, const struct moment *from)
{
	approach->start = moment_without_last(from);
	approach->leg = from->legs[from->leg_count - 1];
	approach->pcs = g_array_new(false, false, sizeof(guint64));
	if (approach->leg.kind != LEG_FAULT && approach->leg.count > 0) {
		struct leg earlier = approach->leg;

		earlier.count--;
		moment_add(approach->start, &earlier);
		approach->leg.count = 0;
	}
}

static bool step_from_near(struct keepers *keepers, const struct moment *from, struct trace *trace,
                           struct moment **ret_moment, GError **error)
{
	struct approach approach = {.trace = trace};
	guint64 limit = STEPS_AT_ONCE, steps = 0;
	int result = 0;

	begin_approach(&approach, from);
	while (result == 0) {
		struct traced *traced = mover_go(keepers, approach.start, error);

		if (!traced) {
			result = -1;
			break;
		}
		traced_stop_before(traced, from->mark + 1);
		result = step_towards(keepers, &approach, traced, limit, &steps, error);
		if (result == 0) {
			int nearer = come_nearer(&approach, traced, steps, error);

			if (nearer < 0)
				result = -1;
			else if (nearer == 0)
				limit *= 8;
		}
		keepers_end(keepers, traced);
		if (result == 0 && limit > MOST_STEPS) {
			g_set_error_literal(error, MOVER_ERROR, MOVER_LOST,
			                    "the instruction before is too far from any other");
			result = -1;
		}
	}
	if (result > 0 && steps == 0) {
		/* A fault where the approach began. */
		if (!search_back_step(keepers, approach.start, NULL, ret_moment, error))
			result = -1;
	} else if (result > 0) {
		struct leg back = {.kind = LEG_STEPS, .count = steps - 1};

		*ret_moment = moment_copy(approach.start);
		moment_add(*ret_moment, &back);
	}
	moment_free(approach.start);
	g_array_unref(approach.pcs);
	return result > 0;
}

/* --- the instruction before, after steps ------------------------------------------------------ */

/* Makes the last steps of the moment, which ends with some, once more, for the trace. */
static bool trace_steps(struct keepers *keepers, const struct moment *to, struct trace *trace,
                        GError **error)
{
	g_autoptr(GArray) none = g_array_new(false, false, sizeof(struct point));
	g_autoptr(Moment) start = moment_without_last(to);
	const guint64 all = to->legs[to->leg_count - 1].count, left = MIN(all, STEPS_AT_ONCE - 1);
	struct leg before = {.kind = LEG_STEPS, .count = all - left};
	struct traced *traced;
	bool is_done;

	moment_add(start, &before);
	traced = mover_go(keepers, start, error);
	is_done = traced != NULL;
	if (is_done)
		trace_begin(trace, start);
	for (guint64 i = 0; i <= left && is_done; i++) {
		struct stop stop = {.kind = STOP_STEP};

		is_done = keep_on_way(keepers, traced, start, i, error);
		trace_note(trace, traced);
		if (is_done && i < left)
			stop = traced_step(traced, none);
		if (stop.kind != STOP_STEP && stop.kind != STOP_POINT)
			is_done = fail_to_step(&stop, error);
	}
	keepers_end(keepers, traced);
	return is_done;
}

bool search_back_step(struct keepers *keepers, const struct moment *from, struct trace *trace,
                      struct moment **ret_moment, GError **error)
{
	struct leg *last;

	*ret_moment = NULL;
	if (from->leg_count == 0) {
		struct leg entry = {.kind = LEG_ARRIVAL, .pc = keepers_entry(keepers)};

		if (from->mark == 0)
			return true;
		/* Before a mark the process stands where it is about to pass it. */
		*ret_moment = moment_new(from->mark - 1);
		moment_add(*ret_moment, &entry);
		return true;
	}
	last = &from->legs[from->leg_count - 1];
	if (last->kind == LEG_STEPS) {
		struct leg fewer = *last;

		fewer.count--;
		*ret_moment = moment_without_last(from);
		moment_add(*ret_moment, &fewer);
		if (!trace || fewer.count == 0 || trace_find(trace, *ret_moment)
		    || trace_steps(keepers, *ret_moment, trace, error))
			return true;
		g_clear_pointer(ret_moment, moment_free);
		return false;
	}
	if (!trace && debug_registers_work() && !step_in_memory(keepers, from, ret_moment, error))
		return false;
	return *ret_moment || step_from_near(keepers, from, trace, ret_moment, error);
}
