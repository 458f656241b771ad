/* Finds the moment of a process that was interrupted somewhere. */
#ifndef MATCHPOINT_SCHEDULER_BACKWARDS_IDENTIFY_H
#define MATCHPOINT_SCHEDULER_BACKWARDS_IDENTIFY_H

#include "keepers.h"
#include "moment.h"
#include "traced.h"

/* The moment of the process, which stands still, and came from `earlier`: the first one, since
 * there or since its last mark, at which the general registers and all writable memory are equal.
 * NULL: none was found, or the user has interrupted. */
struct moment *identify(struct keepers *keepers, struct traced *process,
                        const struct moment *earlier);

#endif
