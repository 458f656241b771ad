/* Updates the state of a page (page_state.h) from a world's events. Called only while a page
 * watches, so that a call costs nothing otherwise. */
#ifndef MATCHPOINT_SCHEDULER_PAGE_PAGE_GRAPH_H
#define MATCHPOINT_SCHEDULER_PAGE_PAGE_GRAPH_H

#include "page_state.h"
#include "scheduler/verdict/verdict.h"

struct page_graph;

/* `state` must outlive the graph. */
struct page_graph *page_graph_new(struct page_state *state, int ranks);
void page_graph_free(struct page_graph *graph); /* NULL is legal */

/* Reads what world `number` has done since the last time. A world that continues the last one, as a
 * copy does, is shown as the same. `stacks` (GArray of struct record_frame, innermost first) are by
 * number - 1. `roll_call` (struct record_rank): where each rank has ended; NULL: the ranks still
 * run. */
void page_graph_follow(struct page_graph *graph, guint32 number, const struct verdict_facts *facts,
                       const GPtrArray *stacks, const GPtrArray *roll_call);

#endif
