/* Executions that became no interleaving, or are none of the program's: plans that it did not
 * follow, runs that the search did not need, what something outside has ended, memory that ran
 * out. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_INFRASTRUCTURE_FAILURES_H
#define MATCHPOINT_SCHEDULER_SESSION_INFRASTRUCTURE_FAILURES_H

#include <stdbool.h>

#include "scheduler/run/run.h"

struct host;
struct infrastructure_failures;

/* `host` outlives it. */
struct infrastructure_failures *infrastructure_failures_new(struct host *host);
void infrastructure_failures_free(struct infrastructure_failures *failures);

/* Something outside has ended an execution, in these words; it is begun again. */
void infrastructure_failures_add_struck(struct infrastructure_failures *failures, const char *what);

/* Whether the kernel has killed processes for want of memory since this was made. */
bool infrastructure_failures_memory_ran_out(const struct infrastructure_failures *failures);

/* An execution is over. `starved`: for want of memory, twice. */
void infrastructure_failures_add(struct infrastructure_failures *failures,
                                 const struct execution *execution, bool starved);

/* One that has come to its end was not needed, after all. */
void infrastructure_failures_add_wasted(struct infrastructure_failures *failures);

/* As infrastructure_failures_add for one that another shard accounts for. What counts here is that memory ran out:
 * what lies below it is not known. */
void infrastructure_failures_add_shared(struct infrastructure_failures *failures, bool starved);

/* Whether that was so. */
bool infrastructure_failures_have_starved(const struct infrastructure_failures *failures);

/* What the ranks of an interleaving of this number printed may be cut short. */
void infrastructure_failures_add_cut(struct infrastructure_failures *failures,
                                     guint64 interleaving);

/* Something outside has ended each replay of this finding ("deadlock #1"), in the words of the
 * second ("rank 0, by SIGKILL"). */
void infrastructure_failures_add_unreplayed(struct infrastructure_failures *failures,
                                            const char *finding, const char *what);

guint64 infrastructure_failures_wasted(const struct infrastructure_failures *failures);

/* Why the program did not follow a plan, the last one; NULL: it has followed all. */
const char *infrastructure_failures_lost_reason(const struct infrastructure_failures *failures);

/* Why the exploration is not complete, for plans that were not followed (`hurried`: of
 * program_facts_hurried), and for memory that ran out; NULL: not for that. Free with g_free. */
char *infrastructure_failures_lost_words(const struct infrastructure_failures *failures,
                                         const char *hurried);
char *infrastructure_failures_starved_words(const struct infrastructure_failures *failures);

/* Adds notes (char *) on what was explored again, on what could not be replayed, and on output that
 * may be cut short. */
void infrastructure_failures_note(const struct infrastructure_failures *failures, GPtrArray *notes);

/* For a session that goes on from here, and back from it. */
void infrastructure_failures_save(const struct infrastructure_failures *failures,
                                  GVariantDict *state);
void infrastructure_failures_restore(struct infrastructure_failures *failures, GVariantDict *state);

#endif
