/* A moment: an instant of a replayed process, as a recipe for getting there. A replay is
 * deterministic, so the recipe always leads to the same state of the program. Pure.
 *
 * A moment is a mark (agent_marks.h), and legs, which are followed one after the other from there.
 * The process passes no further mark on its way. Moments are values: they are copied, and freed. */
#ifndef MATCHPOINT_SCHEDULER_BACKWARDS_MOMENT_H
#define MATCHPOINT_SCHEDULER_BACKWARDS_MOMENT_H

#include <glib.h>
#include <stdbool.h>

enum point_kind { /* the numbers are those of the protocol's Z packets */
	          POINT_SOFTWARE,
	          POINT_HARDWARE, /* may be where no instruction begins: it is never met there */
	          POINT_WRITE,
	          POINT_READ,
	          POINT_ACCESS,
};

/* Where or why a process is to stop. */
struct point {
	enum point_kind kind;
	guint64 address;
	guint64 size; /* bytes, of a watchpoint */
};

static inline bool point_is_watch(const struct point *point)
{
	return point->kind >= POINT_WRITE;
}

enum leg_kind {
	LEG_STEPS,   /* `count` single steps */
	LEG_ARRIVAL, /* go on until the process has arrived at `pc` count + 1 times */
	LEG_TRIGGER, /* go on until a watchpoint of `watches` has triggered count + 1 times */
	LEG_FAULT,   /* go on until the process is to get a signal that ends it */
};

struct leg {
	enum leg_kind kind;
	guint64 count;
	guint64 pc;
	struct point watches[4]; /* unused ones are zero */
};

struct moment {
	guint64 mark;
	guint leg_count;
	struct leg *legs;
};

struct moment *moment_new(guint64 mark);
struct moment *moment_copy(const struct moment *moment);
void moment_free(struct moment *moment); /* NULL is legal */
typedef struct moment Moment;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Moment, moment_free)

/* Adds a leg at the end. Merges it with the last one, where the two are one: steps after steps,
 * arrivals after arrivals at the same pc. A leg of no steps is not added. */
void moment_add(struct moment *moment, const struct leg *leg);
/* The moment without its last leg. It must have one. */
struct moment *moment_without_last(const struct moment *moment);

bool leg_equal(const struct leg *left, const struct leg *right);
bool moment_equal(const struct moment *left, const struct moment *right);

/* Whether `from` is on the way to `to`: then what is left of the way, with from's mark; else
 * NULL. */
struct moment *moment_rest(const struct moment *from, const struct moment *to);

/* For logs: "12 arrival 401136 #3, 17 steps". Free with g_free. */
char *moment_print(const struct moment *moment);

#endif
