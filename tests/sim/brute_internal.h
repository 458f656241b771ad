/* What the files of brute force share: brute_force.c (steps, matches, requests), brute_windows.c
 * (one-sided communication). Nobody else includes it. */
#ifndef MATCHPOINT_TESTS_SIM_BRUTE_INTERNAL_H
#define MATCHPOINT_TESTS_SIM_BRUTE_INTERNAL_H

#include "brute_force.h"

/* A global state: places of the ranks, then the states of the instructions, then who has taken
 * notice of their completion (index + 1), then what brute_windows.c knows. */
struct walk {
	const struct random_program *program;
	enum program_buffering buffering;
	enum brute_force_steps steps;
	guint some;
	gsize size;
	GHashTable *seen;
	GPtrArray *stack; /* of GBytes */
	GHashTable *outcomes;
};

static inline const struct instruction *brute_at(const struct walk *walk, int index)
{
	return &walk->program->instructions[index];
}

static inline const guint8 *brute_states(const struct walk *walk, const guint8 *state)
{
	return state + walk->program->ranks;
}

static inline const guint8 *brute_reporters(const struct walk *walk, const guint8 *state)
{
	return state + walk->program->ranks + walk->program->count;
}

static inline guint8 *brute_copy_with(const struct walk *walk, const guint8 *state, int index,
                                      int value)
{
	guint8 *copy = g_memdup2(state, walk->size);

	copy[walk->program->ranks + index] = (guint8)value;
	return copy;
}

/* A state that is possible. */
void brute_reach(struct walk *walk, const guint8 *state);

/* --- one-sided communication, of programs that make windows --- */

/* Bytes more that a state has. */
gsize brute_windows_size(const struct random_program *program);
/* What a put, get or accumulate does, in a state that is being made. */
void brute_access(const struct walk *walk, guint8 *state, int index);
/* Whether what MPI_Win_start or MPI_Win_wait waits for has been done. */
bool brute_exposure_ready(const struct walk *walk, const guint8 *state, int index);
/* Who asks for a lock gets more of it, in every way; true: only this has to be looked at, since
 * nothing else could make a difference to it. *moved becomes true if anybody could. */
bool brute_take_places(struct walk *walk, const guint8 *state, bool *moved);

#endif
