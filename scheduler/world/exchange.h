/* The data that members of a collective exchange, compared for each two of them. What one sends to
 * the other must be what the other expects from it, in amount and type signature (MPI 3.1, section
 * 5.1; types as in types.h). Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_EXCHANGE_H
#define MATCHPOINT_SCHEDULER_WORLD_EXCHANGE_H

#include <glib.h>
#include <stdbool.h>

#include "types.h"

struct exchange;

/* Whether a member's report of it is consistent. `group`: size of the group that its messages go
 * to. */
bool exchange_is_sound(const struct wire_op *op, guint group);

/* From a consistent report; release with exchange_unref. NULL: there is nothing to compare. */
struct exchange *exchange_of(const struct wire_op *op);
struct exchange *exchange_ref(struct exchange *exchange); /* NULL is allowed */
void exchange_unref(struct exchange *exchange);           /* NULL is allowed */

/* Whether it sends something, possibly empty, to the member of this rank. */
bool exchange_reaches(const struct exchange *exchange, int to);

enum exchange_fault {
	EXCHANGE_FITS,
	EXCHANGE_AMOUNT,
	EXCHANGE_TYPE,     /* and possibly the amount */
	EXCHANGE_NEIGHBOR, /* only one of the two names the other as its neighbour */
};

struct exchange_difference {
	enum exchange_fault fault;
	struct types sent, expected; /* no bytes: nothing */
};

/* Compares data from one member, `from` to the other, with what the other, `to` to the first,
 * expects. */
struct exchange_difference exchange_compare(const struct exchange *sender, int from,
                                            const struct exchange *receiver, int to);

#endif
