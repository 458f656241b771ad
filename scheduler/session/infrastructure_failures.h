/* Executions that are not interleavings of the program: plans that it did not follow, runs that the
 * search did not need, executions ended from outside, memory exhaustion. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_INFRASTRUCTURE_FAILURES_H
#define MATCHPOINT_SCHEDULER_SESSION_INFRASTRUCTURE_FAILURES_H

#include <stdbool.h>

#include "scheduler/execution/run.h"

struct host;
struct infrastructure_failures;

/* `host` must outlive it. */
struct infrastructure_failures *infrastructure_failures_new(struct host *host);
void infrastructure_failures_free(struct infrastructure_failures *failures);

/* Something outside has ended an execution, which begins again. `what` describes it. */
void infrastructure_failures_add_struck(struct infrastructure_failures *failures, const char *what);

/* Whether the kernel has killed processes for lack of memory since this object was created. */
bool infrastructure_failures_memory_ran_out(const struct infrastructure_failures *failures);

/* An execution has ended. `starved`: memory ran out in it twice. */
void infrastructure_failures_add(struct infrastructure_failures *failures,
                                 const struct execution *execution, bool starved);

/* An execution that has ended turned out to be unnecessary. */
void infrastructure_failures_add_wasted(struct infrastructure_failures *failures);

/* The same for an execution that another shard counts. Only memory exhaustion counts here: what
 * lies below it is not known. */
void infrastructure_failures_add_shared(struct infrastructure_failures *failures, bool starved);

/* Whether memory ran out in an interleaving. */
bool infrastructure_failures_have_starved(const struct infrastructure_failures *failures);

/* The output of the ranks may be cut short in the interleaving of this number. */
void infrastructure_failures_add_cut(struct infrastructure_failures *failures,
                                     guint64 interleaving);

/* Each replay of this finding ("deadlock #1") was ended from outside. `what` describes the second
 * one ("rank 0, by SIGKILL"). */
void infrastructure_failures_add_unreplayed(struct infrastructure_failures *failures,
                                            const char *finding, const char *what);

guint64 infrastructure_failures_wasted(const struct infrastructure_failures *failures);
/* Those beyond this number were not wasted. */
void infrastructure_failures_limit_wasted(struct infrastructure_failures *failures, guint64 most);

/* The reason why the program did not follow a plan, for the last such plan; NULL: it followed
 * all. */
const char *infrastructure_failures_lost_reason(const struct infrastructure_failures *failures);

/* Why the exploration is incomplete: plans that were not followed (`hurried`: from
 * program_facts_hurried), and memory exhaustion. NULL: not for this reason. Free with g_free. */
char *infrastructure_failures_lost_words(const struct infrastructure_failures *failures,
                                         const char *hurried);
char *infrastructure_failures_starved_words(const struct infrastructure_failures *failures);

/* Adds a limit (limits_add) if output may be cut short. */
void infrastructure_failures_limits(const struct infrastructure_failures *failures,
                                    GPtrArray *limits);

/* Adds notes (char *) on executions that were explored again, and findings that could not be
 * replayed. */
void infrastructure_failures_note(const struct infrastructure_failures *failures, GPtrArray *notes);

/* Saves for a session that continues this one, and restores. */
void infrastructure_failures_save(const struct infrastructure_failures *failures,
                                  GVariantDict *state);
void infrastructure_failures_restore(struct infrastructure_failures *failures, GVariantDict *state);

#endif
