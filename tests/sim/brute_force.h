/* All outcomes of a random program, found by a walk through every global state.
 *
 * The walk assumes only the two matching rules of MPI 3.1, section 3.5, and the rules for requests
 * (section 3.7): any rank may take its next step; any pair that the rules allow may be matched; a
 * poll may be answered "no" at any time; in any order. Waitsome and Testsome report any subset of
 * the complete requests, up to a given size. The walk uses neither matcher nor search: both are
 * tested against it. */
#ifndef MATCHPOINT_TESTS_SIM_BRUTE_FORCE_H
#define MATCHPOINT_TESTS_SIM_BRUTE_FORCE_H

#include "random_program.h"

/* An outcome as bytes. For each thread: the instruction it has reached (its last one + 1: it
 * ended). For each instruction: its state (random_program.h). For each instruction: the test or
 * wait that reported it (index + 1), or 0. */
GBytes *outcome_new(const struct random_program *program, const guint8 *places,
                    const guint8 *states, const guint8 *reporters);

/* One line, as "0.3<-1.3 0.4~2.3; ended 0 2". Call 3 of rank 0 took the message of rank 1's call 3;
 * its call 4, a probe, saw that of rank 2's call 3. Calls are in the order of the receivers' calls;
 * at the end are the ranks that ended. "0.5:#3,4" is a test or wait that reported the operations of
 * calls 3 and 4; "0.6:no" is a poll that was answered "no"; "0.3:cancelled" is a cancelled receive.
 * Two runs with the same line have the same outcome. Free with g_free. */
char *outcome_describe(const struct random_program *program, GBytes *outcome);

enum brute_force_steps {
	STEPS_IN_TURN,  /* the threads of a rank make calls one at a time, when nothing else moves;
	                 * calls that race (docs/choices.md) in every order; then the first call
	                 * with an outcome other than "no" gets each possible one, "no" last. The
	                 * least that any search must find */
	STEPS_AWAITED,  /* the same; in addition a receive may wait for a rank that has no message
	                 * for it yet, while everything else continues */
	STEPS_ANY_TIME, /* every order of steps and matches */
	STEPS_FIRST,    /* pairs are matched, in every order, only when no rank can take a step: far
	                 * fewer states and the same outcomes (the tests compare the two) */
};

/* Whether no two threads of a rank compete: neither receives what the other looks for, and no
 * receive could take sends of both. Then their order does not matter, and the search finds all
 * outcomes of STEPS_AWAITED. */
bool threads_are_apart(const struct random_program *program);

/* The set of outcomes (GBytes). NULL: more than `most` states. At most `some` of several complete
 * requests are reported together; at rest also all of them. */
GHashTable *brute_force(const struct random_program *program, enum program_buffering buffering,
                        enum brute_force_steps steps, guint some, guint most);

/* The set of the outcomes in which accesses to windows conflict: some order of the same steps
 * brings two of them together (MPI 3.1, section 11.7). NULL: as above. */
GHashTable *brute_force_conflicts(const struct random_program *program,
                                  enum program_buffering buffering, guint most);

/* Whether some rank does not end in this outcome; the number of such outcomes in a set. */
bool outcome_is_deadlock(const struct random_program *program, GBytes *outcome);
guint outcomes_deadlocks(const struct random_program *program, GHashTable *outcomes);

/* Whether some rank waits for a lock that it never gets. Which of several such ranks would get it
 * first is a choice but no part of the outcome, so the outcome may occur twice. */
bool outcome_lacks_lock(const struct random_program *program, GBytes *outcome);

/* Whether two sets of outcomes (their keys) are the same. */
bool outcomes_equal(GHashTable *left, GHashTable *right);

#endif
