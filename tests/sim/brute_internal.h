/* What the files of brute force share: brute_force.c (steps, matches, requests), brute_windows.c
 * (one-sided communication), brute_threads.c (ranks with several threads). Private to them. */
#ifndef MATCHPOINT_TESTS_SIM_BRUTE_INTERNAL_H
#define MATCHPOINT_TESTS_SIM_BRUTE_INTERNAL_H

#include <string.h>

#include "brute_force.h"
#include "state_set.h"

/* A walk through global states. A state is an array of bytes: the position of each line; the state
 * of each instruction; for each instruction the one that reported its completion (index + 1); then
 * the parts of brute_windows.c or brute_threads.c; then which sends completed early before a
 * matched probe's message was received. */
struct walk {
	const struct random_program *program;
	enum program_buffering buffering;
	enum brute_force_steps steps;
	guint some;
	gsize size;
	guint8 sends[EARLY - MATCHED]; /* the instructions that send */
	guint send_count;
	gsize early; /* where that begins; 0: no matched probes */
	struct state_set *seen;
	GPtrArray *stack; /* of states in `seen` */
	GHashTable *outcomes;
	GHashTable *conflicting; /* the outcomes in which accesses conflict */
};

static inline const struct instruction *brute_at(const struct walk *walk, int index)
{
	return &walk->program->instructions[index];
}

static inline const guint8 *brute_states(const struct walk *walk, const guint8 *state)
{
	return state + walk->program->lines;
}

static inline const guint8 *brute_reporters(const struct walk *walk, const guint8 *state)
{
	return state + walk->program->lines + walk->program->count;
}

/* A copy of the state, to be changed into the next one. There is one at a time: it is valid until
 * brute_reach, or the next copy. */
static inline guint8 *brute_copy(const struct walk *walk, const guint8 *state)
{
	return memcpy(state_set_draft(walk->seen), state, walk->size);
}

static inline guint8 *brute_copy_with(const struct walk *walk, const guint8 *state, int index,
                                      int value)
{
	guint8 *copy = brute_copy(walk, state);

	copy[walk->program->lines + index] = (guint8)value;
	return copy;
}

/* The first instruction of the line that has this instruction. */
static inline int brute_first(const struct walk *walk, int index)
{
	return walk->program->line_first[line_of(walk->program, index)];
}

/* Adds the latest copy to the walk: it is reachable. */
void brute_reach(struct walk *walk);

/* Not a probe; a matched probe receives. */
bool brute_is_receive(const struct instruction *instruction);
/* Whether the two rules allow this receive or probe to take this message. */
bool brute_may_match(const struct walk *walk, const guint8 *state, int receive, int send);
/* Adds a state for each message of rank `source` (-1: any) that the rules allow. false: there is
 * none. */
bool brute_match_from(struct walk *walk, const guint8 *state, int receive, int source);

/* Whether the message waits and is the first of its source that the probe fits, but for those that
 * receives before it may take. */
bool brute_is_there(const struct walk *walk, const guint8 *state, int probe, int send);

/* Whether this probe looks for a message that an earlier one of its rank has reported, and that was
 * not received since (MPI 3.1, section 3.8.1). A receive that may take the message does so at once,
 * or has taken another one: the message has arrived. Not known between threads of a rank. */
bool brute_must_find(const struct walk *walk, const guint8 *state, int index);

/* Whether the rank goes round a loop of polls, and none of them can report anything; nor, if all
 * ranks go round together, those of others. */
bool brute_goes_round(const struct walk *walk, const guint8 *state, int line);
bool brute_goes_round_alone(const struct walk *walk, const guint8 *state, int line);
/* Whether the line may end its round: all ranks have met. One line does it for all then. */
bool brute_may_end_round(const struct walk *walk, const guint8 *state, int line);
/* The line is at the end of a round of polls: it goes back, or on. */
void brute_end_round(const struct walk *walk, guint8 *state, int line);

/* --- one-sided communication, in programs with windows --- */

/* Additional bytes of a state. */
gsize brute_windows_size(const struct random_program *program);
/* Applies a put, get or accumulate to a state under construction. */
void brute_access(const struct walk *walk, guint8 *state, int index);
/* Whether two accesses that conflict are under way or about to start; whether there were such
 * accesses before this state. */
bool brute_conflicts(const struct walk *walk, const guint8 *state);
bool *brute_conflicted(const struct walk *walk, guint8 *state);
/* Adds the outcomes that differ from one in `conflicting` only in what was fetched: the order of
 * fetches, which brute force keeps, orders no accesses around them. */
void brute_disregard_fetches(const struct random_program *program, GHashTable *outcomes,
                             GHashTable *conflicting);
/* Whether the condition that MPI_Win_start or MPI_Win_wait waits for holds. */
bool brute_exposure_ready(const struct walk *walk, const guint8 *state, int index);
/* Ranks that ask for a lock get more of it, in every possible way. true: only this step has to be
 * examined, since nothing else could affect it. *moved becomes true if any lock advanced. */
bool brute_take_places(struct walk *walk, const guint8 *state, bool *moved);

/* --- ranks with several threads --- */

/* Whether threads take turns: STEPS_IN_TURN or STEPS_AWAITED. */
bool brute_in_turn(const struct walk *walk);
/* Additional bytes of a state. */
gsize brute_threads_size(const struct random_program *program);
/* Whether it matters when a thread executes this instruction: it sends or receives. */
bool brute_is_ordered(const struct instruction *own);
/* The position, from 1, of this instruction among the ordered ones that its rank has executed. 0:
 * not executed, or not ordered. */
int brute_when(const struct walk *walk, const guint8 *state, int index);
/* Whether a rank executed `one` before `other`; it has executed `one`. */
bool brute_is_before(const struct walk *walk, const guint8 *state, int one, int other);
/* Records in a state under construction that the instruction is executed now. */
void brute_note_call(const struct walk *walk, guint8 *state, int index);
/* The number of threads of the rank, without the first, that have begun and not ended. */
int brute_living(const struct walk *walk, const guint8 *state, int rank);
/* Whether the thread exists and need not wait for its turn. */
bool brute_may_go(const struct walk *walk, const guint8 *state, int line);
/* Gives turns to waiting threads, now that nothing else moves (world.h): one thread per rank; where
 * calls race, each of them in its own state. false: no thread waits. */
bool brute_admit(struct walk *walk, const guint8 *state);
bool brute_take_turns(struct walk *walk, const guint8 *state);
/* A receive or probe waits for a rank: any of those that have no message for it yet. Nothing else
 * happens to it then. If no message comes, the state is no outcome. */
void brute_postpone(struct walk *walk, const guint8 *state, int index);
bool brute_is_postponed(const struct walk *walk, const guint8 *state, int index);
void brute_stop_waiting(const struct walk *walk, guint8 *state, int index);
/* Whether a message is awaited. If nothing else moves, it does not come. */
bool brute_waits_in_vain(const struct walk *walk, const guint8 *state);
/* Takes the first awaited message that has arrived. false: there is none. */
bool brute_take_awaited(struct walk *walk, const guint8 *state);

#endif
