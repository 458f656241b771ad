/* What ranks know of the choices made since some event of a trace: explorer/dependence.h, read from
 * there on. What depends on earlier events is left out, so a rank knows of what it is said to know,
 * and maybe of more. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_ROUND_KNOWLEDGE_H
#define MATCHPOINT_SCHEDULER_WORLD_ROUND_KNOWLEDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "explorer/trace.h"

struct round_knowledge;

/* The choices in question are those from event `since` on, the beginning of a round. */
struct round_knowledge *round_knowledge_new(const struct trace *trace, size_t from, size_t since);
void round_knowledge_free(struct round_knowledge *knowledge);

/* Whether all that the rank does next depends on all these choices. */
bool round_knowledge_has_all(const struct round_knowledge *knowledge, int rank);

/* Whether a poll since event `from` might have been answered otherwise by what has happened since
 * event `since`, or a receive since then have taken another message. The
 * order of the events before `since` makes no difference. */
bool round_may_differ(const struct trace *trace, size_t from, size_t since);

#endif
