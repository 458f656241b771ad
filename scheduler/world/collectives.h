/* Collective calls of one world: which members have arrived, which may leave, and whether they
 * agree.
 *
 * The n-th collective call of each member on a communicator belongs to the same instance (MPI 3.1,
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
	bool same_data;            /* the types must agree */
	bool whole;                /* likewise, if it could be early; the program knows nothing of
	                              it */
	guint8 reduction;          /* as in struct wire_op; 0: not compared */
	guint64 counts;            /* a hash; 0: not compared */
	struct exchange *exchange; /* NULL: no data to compare between two members */
};

/* How two members' calls differ. */
enum collective_part {
	PART_OPERATION = 1 << 0, /* then the other parts are not compared */
	PART_ROOT = 1 << 1,
	PART_REDUCTION = 1 << 2,
	PART_COUNT = 1 << 3, /* of elements */
	PART_TYPE = 1 << 4,
	PART_COUNTS = 1 << 5, /* the array of counts, or other arguments */
	PART_DATA = 1 << 6,   /* that one sends to the other; compared if all else is equal */
};

struct collectives *collectives_new(void);
struct collectives *collectives_copy(const struct collectives *collectives);
void collectives_free(struct collectives *collectives);

/* The members, as world ranks; not owned, must outlive the collectives. */
struct collective_members {
	const int *ranks;
	int count;
	int first; /* size of the first group of an intercommunicator; else 0 */
};

/* A member has made its call; takes ownership of the call's exchange. Returns the number of its
 * instance. */
guint64 collectives_arrive(struct collectives *collectives, const struct collective_call *call,
                           const struct collective_members *members);

/* Whether `rank` may leave the instance, if it must wait for the arrival of the members that
 * `order` names. It may not if it disagrees with one of them, or, waiting for all, if any two
 * disagree. The order of arrival makes no difference. */
bool collectives_may_leave(const struct collectives *collectives, guint64 instance, int rank,
                           enum event_order order);

bool collectives_complete(const struct collectives *collectives, guint64 instance);

/* Number of instances so far; instances are numbered from 0. Whether members of an instance
 * disagree. */
guint64 collectives_count(const struct collectives *collectives);
bool collectives_disagrees(const struct collectives *collectives, guint64 instance);
/* Whether some members have said that all wait for all, and others not. */
bool collectives_are_uneven(const struct collectives *collectives, guint64 instance);

/* The members' calls of an instance, in member order; id.call is 0 for members that have not
 * arrived. */
const struct op_id *collectives_calls(const struct collectives *collectives, guint64 instance,
                                      int *ret_count);
int collectives_position(const struct collectives *collectives, guint64 instance, int rank);

/* A disagreement between two members, or of a member's data with what it expects from itself. If
 * there are several, the one reported does not depend on the order of arrival. */
struct collective_mismatch {
	struct collective_call first, other; /* valid as long as the collectives */
	guint parts;                         /* enum collective_part */
	struct exchange_difference data;     /* PART_DATA: from the first to the other */
	bool backwards;                      /* PART_DATA: from the other to the first */
};

/* false: all agree so far. */
bool collectives_mismatch(const struct collectives *collectives, struct collective_mismatch *ret);

#endif
