/* The world of scheduler/world/ with the ranks of a random program (fake_rank.h), and nothing in
 * between: what a rank says is heard at once. Ranks move in an order drawn by chance. */
#ifndef MATCHPOINT_TESTS_SIM_PLAY_H
#define MATCHPOINT_TESTS_SIM_PLAY_H

#include "fake_rank.h"
#include "scheduler/world/matcher.h"
#include "scheduler/world/world.h"

struct play_options {
	const struct random_program *program;
	enum program_buffering buffering;
	guint some;    /* as in world_options */
	GRand *random; /* these two are shared by all that are played */
	struct communicators *comms;
	bool every_call_waits; /* none is only told */
};

struct play {
	struct play_options options;
	struct world *world;
	struct fake_rank ranks[PROGRAM_MAX_RANKS];
	struct fake_memory memory;
	guint64 steps; /* of ranks */
};

struct play *play_new(const struct play_options *options);
/* At rest alone. */
struct play *play_copy(const struct play *from);
void play_free(void *play);

/* Goes on until nothing moves but by choice. */
void play_run(struct play *play);
/* Makes the choice, if the rules allow it. */
bool play_choose(struct play *play, const struct choice *choice);
/* What is open at rest (struct open_choice); free with open_choices_free. */
GArray *play_open(struct play *play);

/* The choices that were made (struct choice). */
const GArray *play_choices(const struct play *play);
GBytes *play_outcome(const struct play *play);
/* Whether accesses to windows conflict in it. */
bool play_conflicts(const struct play *play);
/* The instruction at whose call there is a choice. */
int play_instruction(const struct play *play, const struct point *point);

#endif
