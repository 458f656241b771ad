/* What an outcome costs: how many of its choices were not the default, counted for each bound.
 *
 * Worked out by trying, with nothing of explorer/: a node's choices are made in worlds, and what a
 * late alternative needs is what cannot be left away without it becoming impossible. */
#ifndef MATCHPOINT_TESTS_SIM_COSTS_H
#define MATCHPOINT_TESTS_SIM_COSTS_H

#include "exploration.h"

/* Fills in `count` figures for the outcome to which these choices (struct choice) lead. */
void outcome_costs(const struct random_program *program, enum program_buffering buffering,
                   const uint64_t *bounds_of, const GArray *choices, guint count, guint *ret_costs);

#endif
