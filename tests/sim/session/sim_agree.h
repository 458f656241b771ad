/* Compares sessions of the same program that differ in the search: the tree, and auto, which leaves
 * the tree when equal states occur. Ranks add up what they receive, so there are equal states. Both
 * must find the same, in equally many interleavings. */
#ifndef MATCHPOINT_TESTS_SIM_SESSION_SIM_AGREE_H
#define MATCHPOINT_TESTS_SIM_SESSION_SIM_AGREE_H

#include <glib.h>

/* Prints what differs, and the command that repeats it, and exits. */
void agree_run(guint64 first_seed, guint programs);

#endif
