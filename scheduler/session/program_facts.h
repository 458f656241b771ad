/* What interleavings have shown of the program that the verdict has a word on: what was left to
 * MPI, what was taken to be so, what could not be seen. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_PROGRAM_FACTS_H
#define MATCHPOINT_SCHEDULER_SESSION_PROGRAM_FACTS_H

#include <stdbool.h>

#include "scheduler/run/run.h"

struct program_facts;

struct program_facts *program_facts_new(void);
void program_facts_free(struct program_facts *facts);

/* What this execution has shown as far as it came. */
void program_facts_add(struct program_facts *facts, const struct execution *execution);

/* MPI_THREAD_MULTIPLE was granted in one of them. */
bool program_facts_threads(const struct program_facts *facts);
/* Why what one of them did may not be done again: threads were not waited for. NULL: not for that.
 */
const char *program_facts_hurried(const struct program_facts *facts);

/* For a session that goes on from here, and back from it. */
void program_facts_save(const struct program_facts *facts, GVariantDict *state);
void program_facts_restore(struct program_facts *facts, GVariantDict *state);

/* Adds notes (char *). `all`: all that was asked for was explored, so that what was not is of
 * interest. */
void program_facts_note(const struct program_facts *facts, bool all, GPtrArray *notes);

#endif
