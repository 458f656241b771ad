/* Sessions that follow paths, on the simulated host: one interleaving again (replay), and a finding
 * with the fewest choices that show it (minimize). What is not as it must be is told in words, to
 * be freed with g_free; NULL: all is well. */
#ifndef MATCHPOINT_TESTS_SIM_SESSION_SIM_ALONG_H
#define MATCHPOINT_TESTS_SIM_SESSION_SIM_ALONG_H

#include "../host/sim_host.h"
#include "scheduler/session/session.h"

/* Under which conditions: the host's options, and how the session goes back. The directory is made,
 * and removed again. */
struct sim_along {
	struct sim_options sim;
	enum backtrack backtrack;
	bool conflicts; /* accesses to windows do, in the interleaving that is replayed */
	bool once;      /* no other interleaving has its outcome, in which they may or may not */
	bool unawaited; /* threads were not waited for where the path was found: it may be time's */
	guint happened; /* bits: the faults that did, so far */
	guint sessions; /* that were carried out, so far */
};

/* The interleaving of this path has this outcome, and is told so; where something goes wrong it may
 * be told that it could not be followed to its end, and why. */
char *sim_replay(struct sim_along *along, const char *path, GBytes *outcome);

/* The path shows this finding, a deadlock, in the store of an exploration. The least that is found
 * shows it, and does not any more without any one of its choices; the one that ends well does. */
char *sim_minimize(struct sim_along *along, const struct record_finding *finding);

/* The outcome that an interleaving of the store has; NULL, with *ret_problem (g_free) set: it has
 * none that can be. */
GBytes *sim_outcome(const struct random_program *program, const struct record_execution *execution,
                    char **ret_problem);

/* Whether a session says that threads were not waited for: what they would have done next was
 * decided without them, so that which calls come next there depends on time. */
bool sim_unawaited(const struct record_exploration *exploration);

/* Removes a store's directory, in which nothing else is. */
void sim_remove_store(const char *directory);

#endif
