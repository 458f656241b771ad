/* What is decided at a rest: one list of rules, tried in turn. MATCHPOINT_LOG=rests shows which
 * decided. */
#ifndef MATCHPOINT_SCHEDULER_EXECUTION_RULES_H
#define MATCHPOINT_SCHEDULER_EXECUTION_RULES_H

#include "execution.h"

/* Decides for an execution at rest, until something has to be waited for. */
void rules_decide(struct execution *execution);
/* A rank is not at rest, because it waits for what ranks at rest do next: decides for these,
 * once. */
void rules_decide_beside(struct execution *execution);

/* Asks the strategy about an end at which nothing can be decided. */
enum explorer_step rules_ask_of_end(struct execution *execution);
/* The strategy has decided that this is the end. The ranks are not ended. */
void rules_take_end(struct execution *execution, enum explorer_step step);

#endif
