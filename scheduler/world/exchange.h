/* The data that members of a collective give to each other, compared two by two: what one sends to
 * another must be what that one expects of it, in amount and type signature (MPI 3.1, section 5.1;
 * types as in types.h). Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_EXCHANGE_H
#define MATCHPOINT_SCHEDULER_WORLD_EXCHANGE_H

#include <glib.h>
#include <stdbool.h>

#include "types.h"

struct exchange;

/* Whether what a member tells of it makes sense; `group`: how many ranks the group has that its
 * messages go to. */
bool exchange_is_sound(const struct wire_op *op, guint group);

/* Of what is sound; to be given to exchange_unref. NULL: there is nothing to compare. */
struct exchange *exchange_of(const struct wire_op *op);
struct exchange *exchange_ref(struct exchange *exchange); /* NULL is legal */
void exchange_unref(struct exchange *exchange);           /* NULL is legal */

/* Whether it sends something, be it empty, to the member of this rank. */
bool exchange_reaches(const struct exchange *exchange, int to);

enum exchange_fault {
	EXCHANGE_FITS,
	EXCHANGE_AMOUNT,
	EXCHANGE_TYPE,     /* and perhaps the amount */
	EXCHANGE_NEIGHBOR, /* only one of the two has the other as its neighbour */
};

struct exchange_difference {
	enum exchange_fault fault;
	struct types sent, expected; /* no bytes: nothing */
};

/* From one member, whose rank the other knows as `from`, to that one, which is `to` to it. */
struct exchange_difference exchange_compare(const struct exchange *sender, int from,
                                            const struct exchange *receiver, int to);

#endif
