/* Executions that became no interleaving, or are none of the program's: plans that it did not
 * follow, runs that the search did not need, what something outside has ended, memory that ran
 * out. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_MISHAPS_H
#define MATCHPOINT_SCHEDULER_SESSION_MISHAPS_H

#include <stdbool.h>

#include "scheduler/run/run.h"

struct host;
struct mishaps;

/* `host` outlives it. */
struct mishaps *mishaps_new(struct host *host);
void mishaps_free(struct mishaps *mishaps);

/* Something outside has ended an execution, in these words; it is begun again. */
void mishaps_add_struck(struct mishaps *mishaps, const char *what);

/* Whether the kernel has killed processes for want of memory since this was made. */
bool mishaps_memory_ran_out(const struct mishaps *mishaps);

/* An execution is over. `starved`: for want of memory, twice. */
void mishaps_add(struct mishaps *mishaps, const struct execution *execution, bool starved);

/* One that has come to its end was not needed, after all. */
void mishaps_add_wasted(struct mishaps *mishaps);

/* As mishaps_add for one that another shard accounts for. What counts here is that memory ran out:
 * what lies below it is not known. */
void mishaps_add_shared(struct mishaps *mishaps, bool starved);

/* Whether that was so. */
bool mishaps_have_starved(const struct mishaps *mishaps);

/* What the ranks of an interleaving of this number printed may be cut short. */
void mishaps_add_cut(struct mishaps *mishaps, guint64 interleaving);

/* Something outside has ended each replay of this finding ("deadlock #1"), in the words of the
 * second ("rank 0, by SIGKILL"). */
void mishaps_add_unreplayed(struct mishaps *mishaps, const char *finding, const char *what);

guint64 mishaps_wasted(const struct mishaps *mishaps);

/* Why the program did not follow a plan, the last one; NULL: it has followed all. */
const char *mishaps_lost_reason(const struct mishaps *mishaps);

/* Why the exploration is not complete, for plans that were not followed (`hurried`: of
 * program_facts_hurried), and for memory that ran out; NULL: not for that. Free with g_free. */
char *mishaps_lost_words(const struct mishaps *mishaps, const char *hurried);
char *mishaps_starved_words(const struct mishaps *mishaps);

/* Adds notes (char *) on what was explored again, on what could not be replayed, and on output that
 * may be cut short. */
void mishaps_note(const struct mishaps *mishaps, GPtrArray *notes);

/* For a session that goes on from here, and back from it. */
void mishaps_save(const struct mishaps *mishaps, GVariantDict *state);
void mishaps_recall(struct mishaps *mishaps, GVariantDict *state);

#endif
