/* What the files of brute force share: brute_force.c (steps, matches, requests), brute_windows.c
 * (one-sided communication), brute_threads.c (ranks of several threads). Nobody else includes
 * it. */
#ifndef MATCHPOINT_TESTS_SIM_BRUTE_INTERNAL_H
#define MATCHPOINT_TESTS_SIM_BRUTE_INTERNAL_H

#include "brute_force.h"

/* A global state: places of the lines, then the states of the instructions, then who has taken
 * notice of their completion (index + 1), then what brute_windows.c or brute_threads.c
 * knows, then which sends completed early before a matched probe's message was received. */
struct walk {
	const struct random_program *program;
	enum program_buffering buffering;
	enum brute_force_steps steps;
	guint some;
	gsize size;
	gsize early; /* where that begins; 0: no matched probes */
	GHashTable *seen;
	GPtrArray *stack; /* of GBytes */
	GHashTable *outcomes;
	GHashTable *conflicting; /* those of them in which accesses conflict */
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

static inline guint8 *brute_copy_with(const struct walk *walk, const guint8 *state, int index,
                                      int value)
{
	guint8 *copy = g_memdup2(state, walk->size);

	copy[walk->program->lines + index] = (guint8)value;
	return copy;
}

/* The first instruction of the line of another. */
static inline int brute_first(const struct walk *walk, int index)
{
	return walk->program->line_first[line_of(walk->program, index)];
}

/* A state that is possible. */
void brute_reach(struct walk *walk, const guint8 *state);

/* Whether the two rules let a receive or probe have a message. */
bool brute_may_match(const struct walk *walk, const guint8 *state, int receive, int send);
/* It gets each one of this rank (-1: of any) that they do. false: there are none. */
bool brute_match_from(struct walk *walk, const guint8 *state, int receive, int source);

/* --- one-sided communication, of programs that make windows --- */

/* Bytes more that a state has. */
gsize brute_windows_size(const struct random_program *program);
/* What a put, get or accumulate does, in a state that is being made. */
void brute_access(const struct walk *walk, guint8 *state, int index);
/* Whether two accesses that conflict are under way, or about to be; whether there were such before
 * this state. */
bool brute_conflicts(const struct walk *walk, const guint8 *state);
bool *brute_conflicted(const struct walk *walk, guint8 *state);
/* Whether what MPI_Win_start or MPI_Win_wait waits for has been done. */
bool brute_exposure_ready(const struct walk *walk, const guint8 *state, int index);
/* Who asks for a lock gets more of it, in every way; true: only this has to be looked at, since
 * nothing else could make a difference to it. *moved becomes true if anybody could. */
bool brute_take_places(struct walk *walk, const guint8 *state, bool *moved);

/* --- ranks of several threads --- */

/* STEPS_IN_TURN, STEPS_AWAITED. */
bool brute_in_turn(const struct walk *walk);
/* Bytes more that a state has. */
gsize brute_threads_size(const struct random_program *program);
/* Whether it matters when a thread carries it out: it sends or receives. */
bool brute_is_ordered(const struct instruction *own);
/* The how manieth of those of its rank it was, from 1; 0: not carried out, or not one. */
int brute_when(const struct walk *walk, const guint8 *state, int index);
/* Whether a rank has carried out one before the other, which it has. */
bool brute_is_before(const struct walk *walk, const guint8 *state, int one, int other);
/* In a state that is being made: the instruction is carried out now. */
void brute_note_call(const struct walk *walk, guint8 *state, int index);
/* Threads of the rank besides the first that have begun, and not ended. */
int brute_living(const struct walk *walk, const guint8 *state, int rank);
/* Whether the thread is there, and need not wait for its turn. */
bool brute_may_go(const struct walk *walk, const guint8 *state, int line);
/* Threads that wait for their turn get it, now that nothing else moves (world.h): where there is
 * one in its rank; where calls race, any of them. false: there are none. */
bool brute_admit(struct walk *walk, const guint8 *state);
bool brute_take_turns(struct walk *walk, const guint8 *state);
/* A receive or probe waits for a rank, any of those that have no message for it yet; nothing else
 * becomes of it then. If no message comes it is no outcome. */
void brute_postpone(struct walk *walk, const guint8 *state, int index);
bool brute_is_postponed(const struct walk *walk, const guint8 *state, int index);
void brute_stop_waiting(const struct walk *walk, guint8 *state, int index);
/* Whether something is awaited; if nothing else moves, it does not come. */
bool brute_waits_in_vain(const struct walk *walk, const guint8 *state);
/* The first message that is awaited and there is taken. false: there is none. */
bool brute_take_awaited(struct walk *walk, const guint8 *state);

#endif
