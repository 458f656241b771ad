#include "mover.h"

G_DEFINE_QUARK(mover - error - quark, mover_error)

void event_clear(struct event *event)
{
	moment_free(event->moment);
	*event = (struct event){0};
}

static bool lost(const struct stop *stop, GError **error)
{
	if (stop->kind == STOP_INTERRUPTED)
		g_set_error_literal(error, MOVER_ERROR, MOVER_INTERRUPTED, "interrupted");
	else
		g_set_error(error, MOVER_ERROR, MOVER_LOST,
		            "the replay went another way than before (stop %d, signal %d, at "
		            "%" G_GINT64_MODIFIER "x)",
		            (int)stop->kind, stop->signal, stop->pc);
	return false;
}

static bool is_one_of(const struct point *watches, guint count, guint64 address)
{
	for (guint i = 0; i < count; i++) {
		/* A long watchpoint triggers with the address of one of its pieces. */
		if (watches[i].size > 0 && address >= watches[i].address
		    && address < watches[i].address + watches[i].size)
			return true;
	}
	return false;
}

bool mover_is_met(const struct leg *leg, const struct stop *stop, guint64 *seen)
{
	switch (leg->kind) {
	case LEG_FAULT: return stop->kind == STOP_FAULT;
	case LEG_ARRIVAL:
		if (!stop->arrived || stop->pc != leg->pc)
			return false;
		break;
	case LEG_TRIGGER:
		if (!stop->watched
		    || !is_one_of(leg->watches, G_N_ELEMENTS(leg->watches), stop->watched))
			return false;
		break;
	case LEG_STEPS: g_return_val_if_reached(false);
	}
	return (*seen)++ == leg->count;
}

static void add_point(GArray *points, const struct point *point)
{
	for (guint i = 0; i < points->len; i++) {
		const struct point *other = &g_array_index(points, struct point, i);

		if (other->address == point->address && other->size == point->size
		    && point_is_watch(other) == point_is_watch(point)
		    && (!point_is_watch(point) || other->kind == point->kind))
			return;
	}
	g_array_append_val(points, *point);
}

void mover_add_points(const struct leg *leg, GArray *points)
{
	struct point arrival = {.kind = POINT_SOFTWARE, .address = leg->pc, .size = 1};

	if (leg->kind == LEG_ARRIVAL)
		add_point(points, &arrival);
	for (guint i = 0; leg->kind == LEG_TRIGGER && i < G_N_ELEMENTS(leg->watches); i++) {
		if (leg->watches[i].size > 0)
			add_point(points, &leg->watches[i]);
	}
}

struct leg mover_trigger_leg(const GArray *points, guint64 count)
{
	struct leg leg = {.kind = LEG_TRIGGER, .count = count};
	guint used = 0;

	for (guint i = 0; i < points->len && used < G_N_ELEMENTS(leg.watches); i++) {
		const struct point *point = &g_array_index(points, struct point, i);

		if (point_is_watch(point))
			leg.watches[used++] = *point;
	}
	return leg;
}

/* --- noting events ---------------------------------------------------------------------------- */

/* What is counted along one leg, or from one mark. */
struct notes {
	const GArray *points; /* those that are asked for; others may be inserted besides */
	struct event *event;
	struct moment *prefix; /* where counting began */
	GHashTable *arrivals;  /* by pc: the number, as a pointer */
	guint64 triggers;
	struct leg trigger; /* to count */
};

static void notes_begin(struct notes *notes, const struct moment *prefix)
{
	moment_free(notes->prefix);
	notes->prefix = moment_copy(prefix);
	g_hash_table_remove_all(notes->arrivals);
	notes->triggers = 0;
}

static bool is_asked_for(const GArray *points, guint64 pc)
{
	for (guint i = 0; i < points->len; i++) {
		const struct point *point = &g_array_index(points, struct point, i);

		if (!point_is_watch(point) && point->address == pc)
			return true;
	}
	return false;
}

static void notes_set(struct notes *notes, const struct leg *leg, guint64 watched)
{
	event_clear(notes->event);
	notes->event->moment = moment_copy(notes->prefix);
	moment_add(notes->event->moment, leg);
	notes->event->watched = watched;
}

/* Takes note of a stop. `steps`: how many from the prefix on, if they are counted. `is_end`: the
 * process has come to where the way ends. */
static void notes_take(struct notes *notes, const struct stop *stop, guint64 steps, bool is_end)
{
	struct leg leg = {.kind = LEG_STEPS, .count = steps};

	if (stop->watched && is_one_of(notes->trigger.watches, 4, stop->watched)) {
		guint64 number = notes->triggers++;

		if (stop->has_changed) {
			if (!steps) {
				leg = notes->trigger;
				leg.count = number;
			}
			notes_set(notes, &leg, stop->watched);
		}
	}
	if (stop->arrived && is_asked_for(notes->points, stop->pc)) {
		gpointer key = (gpointer)(gsize)stop->pc;
		gsize number = (gsize)g_hash_table_lookup(notes->arrivals, key);

		g_hash_table_insert(notes->arrivals, key, (gpointer)(number + 1));
		if (!steps)
			leg = (struct leg){.kind = LEG_ARRIVAL, .pc = stop->pc, .count = number};
		if (!is_end)
			notes_set(notes, &leg, 0);
	}
}

static void notes_init(struct notes *notes, const GArray *points, struct event *event)
{
	*notes = (struct notes){.points = points, .event = event};
	notes->arrivals = g_hash_table_new(NULL, NULL);
	notes->trigger = mover_trigger_leg(points, 0);
}

static void notes_clear(struct notes *notes)
{
	moment_free(notes->prefix);
	g_hash_table_unref(notes->arrivals);
}

/* --- following -------------------------------------------------------------------------------- */

static GArray *copy_points(const GArray *points)
{
	GArray *copy = g_array_new(false, false, sizeof(struct point));

	g_array_append_vals(copy, points->data, points->len);
	return copy;
}

static bool follow_steps(struct traced *traced, const struct leg *leg, bool is_last,
                         struct notes *notes, GError **error)
{
	for (guint64 i = 1; i <= leg->count; i++) {
		struct stop stop = traced_step(traced, notes->points);

		if (stop.kind != STOP_STEP && stop.kind != STOP_POINT)
			return lost(&stop, error);
		notes_take(notes, &stop, i, is_last && i == leg->count);
	}
	return true;
}

static bool follow_run(struct traced *traced, const struct leg *leg, bool is_last,
                       struct notes *notes, GError **error)
{
	g_autoptr(GArray) points = copy_points(notes->points);
	guint64 seen = 0;

	mover_add_points(leg, points);
	for (;;) {
		struct stop stop = traced_run(traced, points);
		bool is_met = mover_is_met(leg, &stop, &seen);

		if (stop.kind != STOP_POINT && !is_met)
			return lost(&stop, error);
		notes_take(notes, &stop, 0, is_met && is_last);
		if (is_met)
			return true;
	}
}

bool mover_follow(struct traced *traced, const struct moment *way, const GArray *points,
                  struct event *event, GError **error)
{
	g_autoptr(Moment) prefix = moment_new(way->mark);
	struct notes notes;
	bool is_done = true;

	notes_init(&notes, points, event);
	traced_stop_before(traced, way->mark + 1);
	for (guint i = 0; i < way->leg_count && is_done; i++) {
		const struct leg *leg = &way->legs[i];
		bool is_last = i + 1 == way->leg_count;

		notes_begin(&notes, prefix);
		if (leg->kind == LEG_STEPS)
			is_done = follow_steps(traced, leg, is_last, &notes, error);
		else
			is_done = follow_run(traced, leg, is_last, &notes, error);
		moment_add(prefix, leg);
	}
	notes_clear(&notes);
	return is_done;
}

bool mover_follow_marks(struct traced *traced, guint64 from, guint64 to, const GArray *points,
                        struct event *event, GError **error)
{
	g_autoptr(Moment) prefix = moment_new(from);
	struct notes notes;
	struct stop stop;

	notes_init(&notes, points, event);
	notes_begin(&notes, prefix);
	traced_stop_before(traced, to);
	while ((stop = traced_run(traced, points)).kind == STOP_POINT) {
		guint64 mark = traced_marks(traced);

		if (mark != prefix->mark) {
			prefix->mark = mark;
			notes_begin(&notes, prefix);
		}
		notes_take(&notes, &stop, 0, false);
	}
	notes_clear(&notes);
	return stop.kind == STOP_MARK || lost(&stop, error);
}

struct traced *mover_go(struct keepers *keepers, const struct moment *moment, GError **error)
{
	g_autoptr(GArray) none = g_array_new(false, false, sizeof(struct point));
	g_autoptr(Moment) rest = NULL;
	struct event event = {0};
	struct traced *traced = keepers_spawn(keepers, moment, &rest, error);

	if (traced && !mover_follow(traced, rest, none, &event, error)) {
		keepers_end(keepers, traced);
		traced = NULL;
	}
	event_clear(&event);
	return traced;
}

/* --- forward ---------------------------------------------------------------------------------- */

/* Begins anew at a mark, if one was passed. */
static bool follow_mark(struct traced *traced, struct moment **moment)
{
	guint64 mark = traced_marks(traced);

	if (mark == (*moment)->mark)
		return false;
	moment_free(*moment);
	*moment = moment_new(mark);
	return true;
}

static struct stop step_on(struct traced *traced, struct moment **moment, const GArray *points,
                           guint64 start, guint64 end)
{
	static const struct leg one = {.kind = LEG_STEPS, .count = 1};
	struct stop stop;

	do {
		stop = traced_step(traced, points);
		if (stop.kind == STOP_STEP || stop.kind == STOP_POINT) {
			if (!follow_mark(traced, moment))
				moment_add(*moment, &one);
		} else if (stop.kind == STOP_FAULT) {
			return stop; /* before the instruction, so where it was */
		}
	} while (stop.kind == STOP_STEP && stop.pc >= start && stop.pc < end);
	return stop;
}

struct stop mover_forward(struct traced *traced, struct moment **moment, const GArray *points,
                          bool steps, guint64 start, guint64 end)
{
	guint64 triggers = 0;
	struct stop stop;
	struct leg leg;

	traced_stop_before(traced, 0);
	if (steps)
		return step_on(traced, moment, points, start, end);
	for (;;) {
		stop = traced_run(traced, points);
		if (stop.kind != STOP_POINT && stop.kind != STOP_FAULT)
			return stop;
		if (follow_mark(traced, moment))
			triggers = 0;
		if (stop.watched && !stop.has_changed && !stop.arrived) {
			triggers++;
			continue;
		}
		break;
	}
	if (stop.kind == STOP_FAULT)
		leg = (struct leg){.kind = LEG_FAULT};
	else if (stop.arrived)
		leg = (struct leg){.kind = LEG_ARRIVAL, .pc = stop.pc};
	else
		leg = mover_trigger_leg(points, triggers);
	moment_add(*moment, &leg);
	return stop;
}
