/* Collective calls of one world: who has arrived, who may leave, and whether the members agree.
 *
 * The n-th collective call of every member on a communicator belongs to the same instance (MPI 3.1,
 * section 5.1: all members call collectives on a communicator in the same order). Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_COLLECTIVES_H
#define MATCHPOINT_SCHEDULER_WORLD_COLLECTIVES_H

#include <glib.h>
#include <stdbool.h>

#include "exchange.h"
#include "explorer/trace.h"
#include "types.h"

struct collectives;

/* One member's call. */
struct collective_call {
	struct op_id id;
	guint64 comm;
	guint16 function; /* enum mpi_call */
	int root;         /* world rank; -1: none, or on an intercommunicator */
	int given_root;   /* a rank of the group that messages go to, or an enum wire_root */
	struct types types;
	bool same_data;            /* the types are to be compared */
	guint8 reduction;          /* as in struct wire_op; 0: not to be compared */
	guint64 counts;            /* a hash; 0: not to be compared */
	struct exchange *exchange; /* NULL: no data to be compared two by two */
};

/* In what two members' calls differ. */
enum collective_part {
	PART_OPERATION = 1 << 0, /* the others are not looked at then */
	PART_ROOT = 1 << 1,
	PART_REDUCTION = 1 << 2,
	PART_COUNT = 1 << 3, /* of elements */
	PART_TYPE = 1 << 4,
	PART_COUNTS = 1 << 5, /* the array of counts, or arguments of another kind */
	PART_DATA = 1 << 6,   /* that one sends to the other; looked at if all else is equal */
};

struct collectives *collectives_new(void);
struct collectives *collectives_copy(const struct collectives *collectives);
void collectives_free(struct collectives *collectives);

/* Those who take part, as world ranks; not owned, and to outlive all. */
struct collective_members {
	const int *ranks;
	int count;
	int first; /* so many of them are the first group of an intercommunicator; else 0 */
};

/* A member has made its call, whose exchange is taken over; returns the number of the instance it
 * belongs to. */
guint64 collectives_arrive(struct collectives *collectives, const struct collective_call *call,
                           const struct collective_members *members);

/* Whether `rank` may leave the instance when it has to wait for these members' arrivals: not when
 * it disagrees with one of them, or any of all if it waits for all. Who came first does not
 * matter. */
bool collectives_may_leave(const struct collectives *collectives, guint64 instance, int rank,
                           enum event_order order);

bool collectives_complete(const struct collectives *collectives, guint64 instance);

/* Instances so far: their numbers are below that. Whether members of one disagree. */
guint64 collectives_count(const struct collectives *collectives);
bool collectives_disagrees(const struct collectives *collectives, guint64 instance);

/* The members' ids of an instance in member order; id.call is 0 for those that have not arrived. */
const struct op_id *collectives_calls(const struct collectives *collectives, guint64 instance,
                                      int *ret_count);
int collectives_position(const struct collectives *collectives, guint64 instance, int rank);

/* A disagreement between two members, or of a member's data with what it expects of itself: of
 * several the same one whatever the order in which they came. */
struct collective_mismatch {
	struct collective_call first, other; /* valid as long as the collectives */
	guint parts;                         /* enum collective_part */
	struct exchange_difference data;     /* PART_DATA: from the first to the other */
	bool backwards;                      /* from the other to the first */
};

/* false: all agree so far. */
bool collectives_mismatch(const struct collectives *collectives, struct collective_mismatch *ret);

#endif
