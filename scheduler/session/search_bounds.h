/* The bounds of an exploration on some of its choices (world/bounds.h): which choices count against
 * which bound, and their words in the verdict. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_SEARCH_BOUNDS_H
#define MATCHPOINT_SCHEDULER_SESSION_SEARCH_BOUNDS_H

#include "coverage.h"
#include "scheduler/execution/run.h"
#include "session.h"

/* The bounds for the explorer (struct explorer_bound); free with g_array_unref. */
GArray *search_bounds(const struct session_options *options);

/* Options of a search with these bounds, which must outlive it. */
struct explorer_options search_bounds_explorer(const struct session_options *options,
                                               const GArray *bounds);

/* Marks in each open choice the bounds that it counts against. Returns the bounds that any choice
 * counts against, one bit each. */
guint64 search_bounds_mark(const struct session_options *options, const struct execution *execution,
                           GArray *open);

/* What bounds that cut something left out, in words; and what --some did. Free with g_free. */
char *search_bounds_words(const struct session_options *options);
char *search_bounds_sets(const struct session_options *options);

/* Adds notes on bounds that no choice counted against, and on others that need one. `met`: one bit
 * each. */
void search_bounds_note(const struct session_options *options, const struct left_out *left_out,
                        guint64 met, GPtrArray *notes);

#endif
