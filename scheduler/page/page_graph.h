/* Brings what a page shows (page_state.h) up to what a world has done since the last time: looked
 * up when there is somebody to show it to, so that a call costs nothing more. */
#ifndef MATCHPOINT_SCHEDULER_PAGE_PAGE_GRAPH_H
#define MATCHPOINT_SCHEDULER_PAGE_PAGE_GRAPH_H

#include "page_state.h"
#include "scheduler/verdict/verdict.h"

struct page_graph;

/* `state` outlives it. */
struct page_graph *page_graph_new(struct page_state *state, int ranks);
void page_graph_free(struct page_graph *graph); /* NULL is legal */

/* `number` names the world, as events do. A world that goes on from where the last one stood, as
 * copies do, is shown as the same. `stacks` (GArray of struct record_frame, innermost first) by
 * number - 1. `roll_call` (struct record_rank): where each rank has come to
 * its end; NULL: they are still there. */
void page_graph_follow(struct page_graph *graph, guint32 number, const struct verdict_facts *facts,
                       const GPtrArray *stacks, const GPtrArray *roll_call);

#endif
