/* The cost of an outcome: the number of its choices that are not the default, counted for each
 * bound.
 *
 * Computed by trial, without explorer/: the choices of a node are made in worlds; a late
 * alternative needs the choices whose removal makes it impossible. */
#ifndef MATCHPOINT_TESTS_SIM_COSTS_H
#define MATCHPOINT_TESTS_SIM_COSTS_H

#include "exploration.h"

/* Fills in `count` costs of the outcome that these choices (struct choice) lead to. */
void outcome_costs(const struct random_program *program, enum program_buffering buffering,
                   const uint64_t *bounds_of, const GArray *choices, guint count, guint *ret_costs);

#endif
