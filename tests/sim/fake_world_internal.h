/* What fake_world.c (ranks and what they do) and fake_points.c (choices) share. */
#ifndef MATCHPOINT_TESTS_SIM_FAKE_WORLD_INTERNAL_H
#define MATCHPOINT_TESTS_SIM_FAKE_WORLD_INTERNAL_H

#include "../../explorer/answer.h"
#include "../../scheduler/matcher.h"
#include "fake_world.h"

struct world {
	const struct random_program *program;
	enum program_buffering buffering;
	guint some;    /* as in explorer_options; world_new: as many as there are */
	GRand *random; /* shared by all worlds of an exploration */
	struct matcher *matcher;
	struct trace trace;
	GArray *choices; /* of struct choice: those made */
	guint8 place[PROGRAM_MAX_RANKS];
	guint32 calls[PROGRAM_MAX_RANKS];
	guint8 *states;            /* [instruction], as in an outcome */
	guint8 *reporters;         /* [instruction], as in an outcome, but of any wait */
	guint32 *call;             /* [instruction]: its number, or 0 */
	bool *learnt;              /* [instruction]: its rank knows that it is complete */
	enum answer_kind *decided; /* [instruction]: ANSWER_EARLY or ANSWER_LATE, or 0 */
	guint64 steps;
};

static inline const struct instruction *world_at(const struct world *world, int index)
{
	return &world->program->instructions[index];
}

struct world *world_new(const struct random_program *program, enum program_buffering buffering,
                        GRand *random);
struct world *world_copy(const struct world *from);
void world_free(void *world);
/* Deterministic progress, ranks in any order, until nothing moves. */
void world_run(struct world *world);

struct op_id world_id_of(const struct world *world, int index);
int world_index_of(const struct world *world, struct op_id id);
void world_note(struct world *world, struct event event);
void world_note_match(struct world *world, struct match match, bool chosen);
void world_settle(struct world *world);

bool world_is_active(const struct world *world, int index);
/* A standard send, or a collective, that completes as is chosen for it. */
bool world_is_decided_for(const struct world *world, int index);
/* To this collective. */
bool world_all_have_come(const struct world *world, int index);
bool world_is_complete(const struct world *world, int index);
/* Its rank takes notice that the nonblocking operation is complete. */
void world_report(struct world *world, int index, int reporter);

/* The operations that a question is about (int: indices of instructions). */
GArray *world_asked(const struct world *world, int question);

/* Every choice that can be made now, as explorer_rest wants them. */
GArray *world_open(const struct world *world);
bool world_allows(const struct world *world, const struct choice *choice);
void world_choose(struct world *world, const struct choice *choice);

#endif
