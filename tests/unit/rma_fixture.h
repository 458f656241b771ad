/* Accesses to windows, added to a log as the scheduler adds them, with a trace. */
#ifndef MATCHPOINT_TESTS_UNIT_RMA_FIXTURE_H
#define MATCHPOINT_TESTS_UNIT_RMA_FIXTURE_H

#include "explorer/trace.h"
#include "scheduler/world/rma_log.h"

enum { RMA_STORY_RANKS = 4 /* at most */, RMA_STORY_WINDOW = 77 };

/* The reports of one world, in the order in which the scheduler receives them. */
struct rma_story {
	struct rma_log *log;
	struct trace trace;
	guint32 calls[RMA_STORY_RANKS];
};

/* Every window is of all ranks. */
static inline int rma_fixture_target(void *user, guint64 window, int rank, int target)
{
	(void)user;
	(void)window;
	(void)rank;
	return target;
}

/* One access of a rank, after `events` events of the trace. */
static inline void rma_fixture_tell(struct rma_log *log, int rank, gsize events,
                                    struct wire_access access)
{
	const struct wire_accesses one = {1, &access};

	rma_log_add(log, rank, events, &one, rma_fixture_target, NULL);
}

static inline void rma_story_add(struct rma_story *story, int rank, struct wire_access access)
{
	access.window = RMA_STORY_WINDOW;
	rma_fixture_tell(story->log, rank, trace_count(&story->trace), access);
}

/* Each rank has a window that begins at address `base`, in units of a byte. */
static inline void rma_story_begin(struct rma_story *story, int ranks, gint64 base)
{
	*story = (struct rma_story){.log = rma_log_new()};
	trace_init(&story->trace);
	for (int rank = 0; rank < ranks; rank++)
		rma_story_add(story, rank,
		              (struct wire_access){.kind = WIRE_ACCESS_WINDOW,
		                                   .target = WIRE_ANY,
		                                   .displacement = base,
		                                   .unit = 1});
}

static inline void rma_story_end(struct rma_story *story)
{
	rma_log_free(story->log);
	trace_release(&story->trace);
}

/* Appends the event as the rank's next call. Returns that call. */
static inline struct op_id rma_story_event(struct rma_story *story, int rank, struct event event)
{
	event.op.id = (struct op_id){rank, ++story->calls[rank], 0};
	trace_append(&story->trace, &event);
	return event.op.id;
}

static inline void rma_story_again(struct rma_story *story, enum event_kind kind, struct op_id id,
                                   struct op_id other)
{
	struct event event = {.kind = kind, .op.id = id, .other = other};

	trace_append(&story->trace, &event);
}

#endif
