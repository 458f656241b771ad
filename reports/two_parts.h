/* The mistake of two receives from any source where one message was meant: a header that one rank
 * has sent, and a body that another has. Pure. */
#ifndef MATCHPOINT_REPORTS_TWO_PARTS_H
#define MATCHPOINT_REPORTS_TWO_PARTS_H

#include "scheduler/store/record.h"

/* "rank 0 receives from rank 1 at farm.c:15, then from rank 2 at farm.c:16: ..." Both ranks
 * could have been taken at both places, and each sends from one place what the first receive takes,
 * and from another what the second takes. `choices`: those of an interleaving that shows the
 * finding with this choice to blame. Free with g_free. NULL: it is not this mistake. */
char *two_parts_print(const struct record_choice *blame, const GPtrArray *choices);

#endif
