/* Delta debugging: of several things that together show something, as few as show it still.
 *
 * The algorithm ddmin of A. Zeller and R. Hildebrandt, "Simplifying and Isolating Failure-Inducing
 * Input", IEEE Transactions on Software Engineering 28(2), 2002. What it returns is 1-minimal:
 * without any one of the things left, the test fails. Pure. */
#ifndef MATCHPOINT_EXPLORER_DDMIN_H
#define MATCHPOINT_EXPLORER_DDMIN_H

#include <glib.h>
#include <stdbool.h>

/* Whether the things with these indices (guint, ascending) show it still. Never asked the same
 * twice in a row; may answer false to everything from some moment on, to come to an end: what is
 * returned then has still been seen to show it. */
typedef bool (*ddmin_test)(const GArray *kept, gpointer user);

/* Of the things 0 to count - 1, of which all together show it, those that are needed: guint,
 * ascending; free with g_array_unref. */
GArray *ddmin(guint count, ddmin_test shows, gpointer user);

#endif
