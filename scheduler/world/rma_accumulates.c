#include "rma_accumulates.h"

#include "common/mpi_codes.h"
#include "types.h"

/* Whether both use the same elements, so that each element is updated as a whole. */
static bool elements_fit(const struct rma_accumulate *one, const struct rma_accumulate *other)
{
	guint16 basic = one->access->basic, other_basic = other->access->basic;
	guint64 size = type_code_size(basic);
	struct types first = {size, basic, NULL},
		     second = {type_code_size(other_basic), other_basic, NULL};

	if (basic == 0 || other_basic == 0 || size == 0)
		return true;
	return first.bytes == second.bytes && types_match(&first, &second)
	       && (one->first - other->first) % size == 0;
}

/* Whether MPI keeps two accumulates of one rank in order. */
static bool are_ordered(guint8 window, guint8 older, guint8 newer)
{
	bool reads = older & WIRE_ACCESS_READS, writes = older & WIRE_ACCESS_WRITES;
	bool then_reads = newer & WIRE_ACCESS_READS, then_writes = newer & WIRE_ACCESS_WRITES;

	return !(window & WIRE_WINDOW_NO_RAW && writes && then_reads)
	       && !(window & WIRE_WINDOW_NO_WAR && reads && then_writes)
	       && !(window & WIRE_WINDOW_NO_WAW && writes && then_writes);
}

bool rma_may_meet(const struct rma_place *place, const struct rma_accumulate *older,
                  const struct rma_accumulate *newer)
{
	const struct wire_access *a = older->access, *b = newer->access;
	guint8 window = place ? place->flags : 0;

	if (!(a->flags & b->flags & WIRE_ACCESS_ATOMIC))
		return false;
	if (older->rank == newer->rank && a->window == b->window
	    && are_ordered(window, a->flags, b->flags))
		return true;
	if (!elements_fit(older, newer))
		return false;
	if (a->reduction == b->reduction || ((a->flags | b->flags) & WIRE_ACCESS_SWAP))
		return true;
	return !(window & WIRE_WINDOW_SAME_OP)
	       && (!(a->flags & WIRE_ACCESS_WRITES) || !(b->flags & WIRE_ACCESS_WRITES));
}
