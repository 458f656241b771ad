/* The bounds of an exploration on some of its choices (world/bounds.h): which choices count for
 * which, and what the verdict says of them. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_SEARCH_BOUNDS_H
#define MATCHPOINT_SCHEDULER_SESSION_SEARCH_BOUNDS_H

#include "coverage.h"
#include "scheduler/run/run.h"
#include "session.h"

/* As the explorer takes them (struct explorer_bound; unref it). */
GArray *search_bounds(const struct session_options *options);

/* The search with these bounds, which outlive it. */
struct explorer_options search_bounds_explorer(const struct session_options *options,
                                               const GArray *bounds);

/* Tells each open choice for which of them it counts. Returns those for which some does, a bit
 * each. */
guint64 search_bounds_mark(const struct session_options *options, const struct execution *execution,
                           GArray *open);

/* What is left within them, in words (free with g_free): NULL, all; and what of that is due to
 * --some. */
char *search_bounds_words(const struct session_options *options, const struct left_out *left_out);
char *search_bounds_sets(const struct session_options *options);

/* Adds notes on bounds that no choice counted for, and on others that need a word. `met`: a bit
 * each. */
void search_bounds_note(const struct session_options *options, const struct left_out *left_out,
                        guint64 met, GPtrArray *notes);

#endif
