/* Sessions that follow paths, on the simulated host: replay of one interleaving, and minimize,
 * which finds the fewest choices that show a finding. Functions return the problem as text, to be
 * freed with g_free. NULL: no problem. */
#ifndef MATCHPOINT_TESTS_SIM_SESSION_SIM_ALONG_H
#define MATCHPOINT_TESTS_SIM_SESSION_SIM_ALONG_H

#include "../host/sim_host.h"
#include "scheduler/session/session.h"

/* The conditions: the host's options, and the way of going back. The directory is made and removed
 * again. */
struct sim_along {
	struct sim_options sim;
	enum backtrack backtrack;
	bool conflicts; /* accesses to windows conflict in the replayed interleaving */
	bool once;      /* no other interleaving has its outcome; otherwise they may or may not
	                 * conflict */
	bool unawaited; /* the path was found without waiting for threads: it may depend on time */
	guint happened; /* bits: the faults that occurred so far */
	guint sessions; /* sessions run so far */
};

/* The interleaving of this path must have this outcome. Where a fault occurs, the session may
 * report instead that the path could not be followed to its end, and why. */
char *sim_replay(struct sim_along *along, const char *path, GBytes *outcome);

/* The path shows this finding, a deadlock, in the store of an exploration. The minimal path must
 * show it, and must not without any one of its choices. The nearest path without the finding must
 * end normally. */
char *sim_minimize(struct sim_along *along, const struct record_finding *finding);

/* The outcome of an interleaving in the store. NULL, with *ret_problem (g_free) set: it has none
 * that is possible. */
GBytes *sim_outcome(const struct random_program *program, const struct record_execution *execution,
                    char **ret_problem);

/* Whether a rank has no output at all. Every rank of a program prints something. */
bool sim_lacks_output(const struct record_execution *execution);

/* Whether a session reports that threads were not waited for: their next calls were not known to
 * the decision, so the order of calls there depends on time. */
bool sim_unawaited(const struct record_exploration *exploration);

/* Whether it reports that the output of some interleaving may be cut short. */
bool sim_output_cut(const struct record_exploration *exploration);

/* Removes the directory of a store, which contains nothing else. */
void sim_remove_store(const char *directory);

#endif
