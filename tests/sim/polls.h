/* Programs that poll in loops: the search against brute force. */
#ifndef MATCHPOINT_TESTS_SIM_POLLS_H
#define MATCHPOINT_TESTS_SIM_POLLS_H

#include <glib.h>

#include "random_program.h"

/* Explores so many random programs, from this seed on: each order of successful answers exactly
 * once, whatever the order of visits, and however the search is taken apart. Programs with more
 * than `states` global states are left out. */
void compare_polls(struct random_program *(*draw)(guint64 seed), gint64 first_seed, int count,
                   int states);

#endif
