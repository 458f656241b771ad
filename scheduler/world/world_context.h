/* What the files of a world know of it that carry one subject (what is in messages, types, doubts,
 * mismatches, one-sided communication, locks, ranks that are caught), and have done for it. Its
 * state is in world_internal.h, and not for them. */
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

/* Its parts, each the subject of a module of its own. */
const struct communicators *world_comms(const struct world *world);
const struct collectives *world_collectives(const struct world *world);
struct matcher *world_matcher(struct world *world);
struct message_contents *world_kept_contents(const struct world *world);
struct windows *world_locks(const struct world *world);
struct entered *world_entered(const struct world *world);
/* struct moded_send (send_modes.h); NULL: with windows ranks may know of each other by memory. */
const GArray *world_moded_sends(const struct world *world);
void world_note_lack_of_room(struct world *world);

/* For a remark: who has made that call, which `does` so. */
struct remark_party world_party(const struct world *world, struct op_id id, const char *does);

/* What has happened so far, by which another event goes on. */
void world_append_event(struct world *world, const struct event *event);
/* Before its next call the rank may have learnt what others have done so far (world_hold.c). */
void world_note_learnt(struct world *world, int rank);
/* Some rank's atomic operations were ordered by MPI alone. */
void world_note_atomics(struct world *world);

/* Tell who watches a step (const struct world_step *), a report or an order (const struct
 * wire_message *). These are made only if anybody does: hence macros. */
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

/* Order of calls, then of operations in a call: <0, 0, >0. */
int world_compare_names(struct wire_name a, struct wire_name b);

static inline struct op_id world_op_id(int rank, struct wire_name name)
{
	return (struct op_id){rank, name.call, name.sub};
}

/* The operation of this name has not been seen to be complete, and no request stands for it. */
bool world_lives_without_request(const struct world *world, int rank, struct wire_name name);

/* Of the line in focus: its phase, and the last call it has told of. */
enum world_phase world_line_phase(const struct world *world, int rank);
guint32 world_line_call(const struct world *world, int rank);
/* Between PHASE_RUNNING and one in which the rank is at rest. */
void world_change_phase(struct world *world, int rank, enum world_phase phase);

/* "0", "MPI_ROOT", "none": a root, or an enum wire_root; free with g_free. */
char *world_root_print(gint32 root);

/* Sets `error` ("rank 1 said something impossible: ..."). Returns false. */
bool world_refuse(GError **error, int rank, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* What is impossible in what a rank says of a call of the line in focus; NULL: it can be. */
const char *world_validation(const struct world *world, int rank, const struct wire_call *call);

/* Whom a rank waits for that is in PHASE_CAUGHT; of another one nobody. */
void world_mark_stuck(const struct world *world, int rank, bool *waits);

/* A rank asks for a lock, and waits for grants, unless it holds it already (`ret_held`). false:
 * there are too many windows. */
bool world_lock(struct world *world, int rank, const struct wire_op *op, bool *ret_held);
/* Returns how many places the rank has given back. */
guint world_unlock(struct world *world, int rank, const struct wire_op *op);
/* A place of a lock of this window was granted. Whether that was the last one it waited for. */
bool world_grant_place(struct world *world, const struct match *match, guint64 comm);

#endif
