/* What executions have shown of the program that the verdict mentions: the limits that they met
 * (store/limit.h). */
#ifndef MATCHPOINT_SCHEDULER_SESSION_PROGRAM_FACTS_H
#define MATCHPOINT_SCHEDULER_SESSION_PROGRAM_FACTS_H

#include <stdbool.h>

#include "scheduler/execution/run.h"

struct program_facts;

struct program_facts *program_facts_new(void);
void program_facts_free(struct program_facts *facts);

/* Adds what this execution has shown so far. */
void program_facts_add(struct program_facts *facts, const struct execution *execution);
/* Adds only that threads were not waited for, if they were not. */
void program_facts_add_hurried(struct program_facts *facts, const struct execution *execution);
/* Adds what sanitizers have printed in an interleaving without ending it. */
void program_facts_add_printed(struct program_facts *facts, const struct record_execution *record);

/* Whether MPI_THREAD_MULTIPLE was granted in an execution. */
bool program_facts_threads(const struct program_facts *facts);
/* LIMIT_BIT of each limit that an execution met. */
guint64 program_facts_limits(const struct program_facts *facts);
/* The extreme of collectives that alone was tried, where the other one makes a difference; LIMITS:
 * there is none. */
enum limit program_facts_collectives(const struct program_facts *facts);
/* Why an execution may not repeat: its threads were not waited for. NULL: this was not the case. */
const char *program_facts_hurried(const struct program_facts *facts);

/* The first report of a sanitizer after which its rank went on; NULL: none. */
const char *program_facts_survived(const struct program_facts *facts);

/* Saves for a session that continues this one, and restores. */
void program_facts_save(const struct program_facts *facts, GVariantDict *state);
void program_facts_restore(struct program_facts *facts, GVariantDict *state);

#endif
