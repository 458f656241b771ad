/* Outcomes of a program as text. */
#ifndef MATCHPOINT_TESTS_SIM_PRINTED_H
#define MATCHPOINT_TESTS_SIM_PRINTED_H

#include "random_program.h"

/* By enum program_buffering; names as on the command line. */
extern const char *const program_buffering_names[];

/* For the end-to-end tests: prints the number of ranks, then a line for each outcome found by brute
 * force. Each starts with its buffering: zero with collectives that wait, infinite with those that
 * do not, per-send with a choice for each call. */
void print_all_outcomes(struct random_program *program);

/* The outcomes (GBytes) that are keys of `all` and not of `others`, a line each. */
void print_difference(const struct random_program *program, GHashTable *all, GHashTable *others,
                      const char *what);

/* Prints what each thread of a program with threads does; -1: any. */
void print_threads(const struct random_program *program);

#endif
