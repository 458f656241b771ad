/* Delta debugging: of several things that together show an effect, finds few that still show it.
 *
 * The algorithm ddmin of A. Zeller and R. Hildebrandt, "Simplifying and Isolating Failure-Inducing
 * Input", IEEE Transactions on Software Engineering 28(2), 2002. The result is 1-minimal: without
 * any one of the remaining things the test fails. No I/O. */
#ifndef MATCHPOINT_EXPLORER_DDMIN_H
#define MATCHPOINT_EXPLORER_DDMIN_H

#include <glib.h>
#include <stdbool.h>

/* Whether the things with these indices (guint, ascending) show the effect. It is never called
 * twice in a row with the same indices. To end the search early, it may return false for everything
 * from some moment on; the result has then still been seen to show the effect. */
typedef bool (*ddmin_test)(const GArray *kept, gpointer user);

/* Returns the indices that are needed, of 0 to count - 1 (guint, ascending); free with
 * g_array_unref. All of them together must show the effect. */
GArray *ddmin(guint count, ddmin_test shows, gpointer user);

#endif
