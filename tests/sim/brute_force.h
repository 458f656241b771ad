/* All outcomes of a random program, by walking through every global state there is.
 *
 * Nothing is assumed but the two rules of MPI 3.1, section 3.5: any rank may take its next step and
 * any pair that the rules allow may be matched, at any time, in any order. No matcher, no search:
 * this is what both are measured against. */
#ifndef MATCHPOINT_TESTS_SIM_BRUTE_FORCE_H
#define MATCHPOINT_TESTS_SIM_BRUTE_FORCE_H

#include "random_program.h"

/* An outcome as bytes: for each rank the instruction it stands at (its last one + 1: it ended), for
 * each instruction 0: not carried out, 1: carried out, and matched with nothing, 2 + i: matched
 * with instruction i. */
GBytes *outcome_new(const struct random_program *program, const guint8 *places,
                    const guint8 *states);
char *outcome_describe(const struct random_program *program, GBytes *outcome);

enum brute_force_steps {
	STEPS_ANY_TIME, /* every order of steps and matches */
	STEPS_FIRST,    /* a pair is matched, in every order, only when no rank can take a step: far
	                   fewer states, and the same outcomes (the tests compare the two) */
};

/* The set (of GBytes) of outcomes; NULL: more than `most` states. */
GHashTable *brute_force(const struct random_program *program, bool infinite_buffering,
                        enum brute_force_steps steps, guint most);

#endif
