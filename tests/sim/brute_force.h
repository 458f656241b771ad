/* All outcomes of a random program, by walking through every global state there is.
 *
 * Nothing is assumed but the two rules of MPI 3.1, section 3.5, and what it says of requests
 * (section 3.7): any rank may take its next step, any pair that the rules allow may be matched, a
 * poll may say "no" whenever it likes, at any time, in any order. Waitsome and Testsome report any
 * of the complete requests, up to so many. No matcher, no search: this is what both are measured
 * against. */
#ifndef MATCHPOINT_TESTS_SIM_BRUTE_FORCE_H
#define MATCHPOINT_TESTS_SIM_BRUTE_FORCE_H

#include "random_program.h"

/* An outcome as bytes: for each thread the instruction it stands at (its last one + 1: it
 * ended); for each instruction its state (random_program.h); for each instruction the test or
 * wait that reported it (its index + 1) or 0. */
GBytes *outcome_new(const struct random_program *program, const guint8 *places,
                    const guint8 *states, const guint8 *reporters);

/* One line: "0.3<-1.3 0.4~2.3; ended 0 2": call 3 of rank 0 took the message of rank 1's call
 * 3, its call 4, a probe, saw that of rank 2's call 3 (in the order of the receivers' calls); and
 * the ranks that came to their end. "0.5:#3,4" is a test or wait that reported what calls 3 and 4
 * started, "0.6:no" a poll that was told so, "0.3:cancelled" a receive. Two runs with the same line
 * have the same outcome. */
char *outcome_describe(const struct random_program *program, GBytes *outcome);

enum brute_force_steps {
	STEPS_IN_TURN,  /* of several threads of a rank one after another makes a call, when
	                   nothing else moves; whose calls race (docs/choices.md) in every order;
	                   then of the first call of which anything can become whatever can, "no"
	                   alone last: no search finds less */
	STEPS_AWAITED,  /* the same, and what can become something may also wait for a rank that has
	                   nothing for it yet, while all else goes on */
	STEPS_ANY_TIME, /* every order of steps and matches */
	STEPS_FIRST,    /* a pair is matched, in every order, only when no rank can take a step: far
	                   fewer states, and the same outcomes (the tests compare the two) */
};

/* Whether no two threads of a rank receive what the other could, or send what one receive could
 * take, so that it is all the same which comes first: then all of STEPS_AWAITED is found. */
bool threads_are_apart(const struct random_program *program);

/* The set (of GBytes) of outcomes; NULL: more than `most` states. Of several complete requests at
 * most `some` are reported together, or, where nothing moves but by choice, all. */
GHashTable *brute_force(const struct random_program *program, enum program_buffering buffering,
                        enum brute_force_steps steps, guint some, guint most);

/* The set of those outcomes in which accesses to windows conflict: some order of the same steps
 * brings two of them together (MPI 3.1, section 11.7). NULL as above. */
GHashTable *brute_force_conflicts(const struct random_program *program,
                                  enum program_buffering buffering, guint most);

/* Whether some rank does not come to its end in it; how many of a set are such. */
bool outcome_is_deadlock(const struct random_program *program, GBytes *outcome);
guint outcomes_deadlocks(const struct random_program *program, GHashTable *outcomes);

/* Whether some rank waits for a lock in vain. Which of such ranks would have it first is a choice,
 * and no part of the outcome: it may come twice. */
bool outcome_lacks_lock(const struct random_program *program, GBytes *outcome);

/* Whether two sets of outcomes (their keys) are the same. */
bool outcomes_equal(GHashTable *left, GHashTable *right);

#endif
