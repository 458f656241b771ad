/* How many interleavings each execution of a session stands for. An execution of the tree stands
 * for itself. Of the executions that come to one end of a search over states
 * (explorer/state_search.h), the first stands for all interleavings that come to that end, and the
 * others for none. So what a set of executions shows, as many interleavings show as the set stands
 * for. Numbers are exact up to 10^18 (RECORD_BEYOND). */
#ifndef MATCHPOINT_SCHEDULER_SESSION_STATE_COUNTS_H
#define MATCHPOINT_SCHEDULER_SESSION_STATE_COUNTS_H

#include "explorer/path.h"
#include "scheduler/store/record.h"

struct state_counts;

struct state_counts *state_counts_new(void);
void state_counts_free(struct state_counts *counts);

/* The next execution has been added, under this buffering. Executions are numbered from 1. */
void state_counts_add(struct state_counts *counts, enum buffering buffering);

/* This execution has come to this end (its number in the graph of states). Of several, the first
 * counts. 0 is none: ignored. */
void state_counts_end(struct state_counts *counts, enum buffering buffering, guint end,
                      guint32 execution);

/* Executions come to no ends any more: each stands for itself. */
void state_counts_forget_ends(struct state_counts *counts);

/* When all executions are added: what is known of the states under this buffering. `ways`: guint64
 * by end (state_graph_count); NULL: no number is known, and executions stand for themselves. */
void state_counts_weigh(struct state_counts *counts, enum buffering buffering,
                        enum record_counts how, const GArray *ways);

/* RECORD_COUNTS_EXECUTIONS as long as nothing is weighed. */
enum record_counts state_counts_how(const struct state_counts *counts);

/* The number of all interleavings; of those that an execution stands for. */
guint64 state_counts_all(const struct state_counts *counts);
guint64 state_counts_of(const struct state_counts *counts, guint32 execution);

/* For reports, in the store's `common` (scheduler/store/schema.h). */
void state_counts_insert(const struct state_counts *counts, GVariantDict *common);

/* For a session that continues this one. */
void state_counts_save(const struct state_counts *counts, GVariantDict *state);
void state_counts_restore(struct state_counts *counts, GVariantDict *state);

#endif
