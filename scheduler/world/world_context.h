/* What files may use of a world that treat one subject: contents of messages, types, validation of
 * reports, mismatches, one-sided communication, locks, stuck collectives. The world's state is in
 * world_internal.h, which they do not include. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_WORLD_CONTEXT_H
#define MATCHPOINT_SCHEDULER_WORLD_WORLD_CONTEXT_H

#include <stdbool.h>

#include "world.h"
#include "world_watch.h"

struct entered;
struct match;
struct matcher;
struct message_contents;
struct windows;

/* Its parts, each a module of its own. */
const struct communicators *world_comms(const struct world *world);
const struct collectives *world_collectives(const struct world *world);
struct matcher *world_matcher(struct world *world);
struct message_contents *world_kept_contents(const struct world *world);
struct windows *world_locks(const struct world *world);
struct word_spins *world_spins(const struct world *world);
struct entered *world_entered(const struct world *world);
/* struct moded_send (send_modes.h). NULL: the world has windows, through which ranks may know of
 * each other without messages. */
const GArray *world_moded_sends(const struct world *world);

/* A party of a remark: the rank and place of that call, and what it `does`. */
struct remark_party world_party(const struct world *world, struct op_id id, const char *does);

/* Appends an event to the trace. */
void world_append_event(struct world *world, const struct event *event);
/* Notes that the rank may learn what others have done so far, before its next call
 * (world_hold.c). */
void world_note_learnt(struct world *world, int rank);
/* This limit has touched the world. */
void world_limit(struct world *world, enum limit limit);

/* Call the watcher with a step (const struct world_step *), a report or an order (const struct
 * wire_message *). They are macros so that the arguments are evaluated only if there is a
 * watcher. */
bool world_is_watched(const struct world *world);
void world_tell_watcher(const struct world *world, const struct world_step *step);
#define world_tell(world, ...)                                  \
	do {                                                    \
		if (world_is_watched(world))                    \
			world_tell_watcher(world, __VA_ARGS__); \
	} while (0)
#define world_tell_heard(world, number, ...)                             \
	world_tell(world, &(struct world_step){.kind = WORLD_STEP_HEARD, \
	                                       .rank = (number),         \
	                                       .message = __VA_ARGS__})
#define world_tell_order(world, number, ...)                               \
	world_tell(world, &(struct world_step){.kind = WORLD_STEP_ORDERED, \
	                                       .rank = (number),           \
	                                       .message = __VA_ARGS__})

static inline bool world_tell_answer(const struct world *world, bool yes)
{
	world_tell(world, &(struct world_step){.kind = WORLD_STEP_ANSWERED, .yes = yes});
	return yes;
}

/* Order by call, then by operation in the call: <0, 0, >0. */
int world_compare_names(struct wire_name a, struct wire_name b);

static inline struct op_id world_op_id(int rank, struct wire_name name)
{
	return (struct op_id){rank, name.call, name.sub};
}

/* Whether the operation of this name is not known to its rank as complete, and has no request. */
bool world_lives_without_request(const struct world *world, int rank, struct wire_name name);
/* Whether this is a matched probe whose message no MPI_Mrecv has begun to receive. */
bool world_has_probed(const struct world *world, int rank, struct wire_name probe);

/* The phase of the line in focus, and its last reported call. */
enum world_phase world_line_phase(const struct world *world, int rank);
guint32 world_line_call(const struct world *world, int rank);
/* Switches between PHASE_RUNNING and a phase in which the rank is at rest. */
void world_change_phase(struct world *world, int rank, enum world_phase phase);

/* A root, or an enum wire_root: "0", "MPI_ROOT", "none". Free with g_free. */
char *world_root_print(gint32 root);

/* Sets `error` ("rank 1 made an impossible report: ..."). Returns false. */
bool world_refuse(GError **error, int rank, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* Validates a reported call of the line in focus. Returns what is impossible in it; NULL:
 * nothing. */
const char *world_validation(const struct world *world, int rank, const struct wire_call *call);

/* Marks the ranks for which a rank in PHASE_CAUGHT waits; does nothing for other ranks. */
void world_mark_stuck(const struct world *world, int rank, bool *waits);

static inline bool world_is_poll(guint8 wait)
{
	return wait == WIRE_TEST_ALL || wait == WIRE_TEST_ANY || wait == WIRE_TEST_SOME;
}

/* Whether it asks for the words of an atomic operation, or gives them back. */
static inline bool world_is_of_words(const struct wire_op *op)
{
	return (op->kind == WIRE_LOCK || op->kind == WIRE_UNLOCK) && op->mode >= WIRE_LOCK_UPDATE;
}

/* A rank asks for a lock, and waits for grants unless it already holds the lock (`ret_held`).
 * The same for the words of an atomic operation at `site`. false: there are too many windows. */
bool world_lock(struct world *world, int rank, const struct wire_op *op, guint64 site,
                bool *ret_held);
/* Returns the number of places that the rank gave back. */
guint world_unlock(struct world *world, int rank, const struct wire_op *op);
/* Nothing else can move: a rank that waits until a word changes makes its operation once more.
 * Returns it; -1: no rank waits so. */
int world_pass_spin(struct world *world);
/* Atomic operations were made whose order MPI decides (enum wire_unordered). */
void world_note_unordered(struct world *world, gint32 which);
/* A place of a lock of this window was granted. Returns whether it was the last one waited for. */
bool world_grant_place(struct world *world, const struct match *match, guint64 comm);

#endif
