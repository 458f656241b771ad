/* Collective calls of one world: who has arrived, who may leave, and whether the members agree.
 *
 * The n-th collective call of every member on a communicator belongs to the same instance (MPI 3.1,
 * section 5.1: all members call collectives on a communicator in the same order). Pure. */
#ifndef MATCHPOINT_SCHEDULER_COLLECTIVES_H
#define MATCHPOINT_SCHEDULER_COLLECTIVES_H

#include <glib.h>

#include "../explorer/trace.h"
#include "types.h"

struct collectives;

/* One member's call. */
struct collective_call {
	struct op_id id;
	guint64 comm;
	guint16 function;  /* enum mpi_call */
	int root;          /* world rank, or -1 */
	int given_root;    /* the same as a rank of the communicator */
	struct types types;
	gboolean same_data; /* the types are to be compared */
	guint8 reduction;   /* as in struct wire_op; 0: not to be compared */
	guint64 counts;     /* a hash; 0: not to be compared */
};

/* In what two members' calls differ. */
enum collective_part {
	PART_OPERATION = 1 << 0, /* the others are not looked at then */
	PART_ROOT = 1 << 1,
	PART_REDUCTION = 1 << 2,
	PART_COUNT = 1 << 3, /* of elements */
	PART_TYPE = 1 << 4,
	PART_COUNTS = 1 << 5, /* the array of counts, or arguments of another kind */
};
guint collectives_differ(const struct collective_call *one, const struct collective_call *other);

struct collectives *collectives_new(void);
struct collectives *collectives_copy(const struct collectives *collectives);
void collectives_free(struct collectives *collectives);

/* A member (one of `count` world ranks at `members`) has made its call; returns the number of the
 * instance it belongs to. */
guint64 collectives_arrive(struct collectives *collectives, const struct collective_call *call,
                           const int *members, int count);

/* Whether `rank` may leave the instance when it has to wait for these members' arrivals. Never when
 * the members disagree. */
gboolean collectives_may_leave(const struct collectives *collectives, guint64 instance, int rank,
                               enum event_order order);

gboolean collectives_complete(const struct collectives *collectives, guint64 instance);

/* The members' ids of an instance in member order; id.call is 0 for those that have not arrived. */
const struct op_id *collectives_calls(const struct collectives *collectives, guint64 instance,
                                      int *ret_count);
int collectives_position(const struct collectives *collectives, guint64 instance, int rank);

/* The disagreement that came first ("rank 0 calls MPI_Bcast, rank 2 calls MPI_Reduce" is made of
 * it); FALSE: all agree so far. */
struct collective_mismatch {
	struct collective_call first, other;
};
gboolean collectives_mismatch(const struct collectives *collectives,
                              struct collective_mismatch *ret);

#endif
