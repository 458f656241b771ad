/* What the end-to-end tests ask for: the outcomes of a program as text. */
#ifndef MATCHPOINT_TESTS_SIM_PRINTED_H
#define MATCHPOINT_TESTS_SIM_PRINTED_H

#include "random_program.h"

/* By enum program_buffering: as on the command line. */
extern const char *const program_buffering_names[];

/* The number of ranks, then each outcome by brute force on a line, behind its buffering: zero with
 * collectives that wait, infinite with those that do not, per-send with a choice for each call. */
void print_all_outcomes(struct random_program *program);

#endif
