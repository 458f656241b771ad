/* The world of scheduler/world/ with the ranks of a random program (fake_rank.h), connected
 * directly: the world gets each message at once. Ranks move in a random order. */
#ifndef MATCHPOINT_TESTS_SIM_PLAY_H
#define MATCHPOINT_TESTS_SIM_PLAY_H

#include "fake_rank.h"
#include "scheduler/world/matcher.h"
#include "scheduler/world/world.h"

struct play_options {
	const struct random_program *program;
	enum program_buffering buffering;
	guint some;    /* as in world_options */
	GRand *random; /* shared by all plays, as is the next one */
	struct communicators *comms;
	bool every_call_waits; /* no call is reported without waiting */
};

struct play {
	struct play_options options;
	struct world *world;
	struct fake_rank ranks[PROGRAM_MAX_RANKS];
	struct fake_memory memory;
	guint64 steps; /* steps of ranks */
};

struct play *play_new(const struct play_options *options);
/* Only at rest. */
struct play *play_copy(const struct play *from);
void play_free(void *play);

/* Runs until rest: only a choice can move anything. */
void play_run(struct play *play);
/* Makes the choice if the rules allow it. false: they do not. */
bool play_choose(struct play *play, const struct choice *choice);
/* The open points at rest (struct open_choice); free with open_choices_free. */
GArray *play_open(struct play *play);

/* The choices made so far (struct choice). */
const GArray *play_choices(const struct play *play);
GBytes *play_outcome(const struct play *play);
/* Whether accesses to windows conflict in it. */
bool play_conflicts(const struct play *play);
/* The instruction whose call has this point. */
int play_instruction(const struct play *play, const struct point *point);

#endif
