/* A watcher is called for each thing that a world is asked to do, and for each thing that it does
 * then: to log it, to show it, or to record it. A world that is asked the same in the same order
 * does the same, so the requests are a recording of it (scheduler/execution/recorder.h). A new
 * world has no watcher. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_WORLD_WATCH_H
#define MATCHPOINT_SCHEDULER_WORLD_WORLD_WATCH_H

#include <stdbool.h>

#include "world.h"

/* The function of world.h that was called, or its effect. */
enum world_step_kind {
	/* requests; watched before they are carried out */
	WORLD_STEP_HEARD,     /* a report of `rank`: `message` */
	WORLD_STEP_START,     /* world_start */
	WORLD_STEP_FAILED,    /* world_failed: rank, call */
	WORLD_STEP_STOPPED,   /* world_rank_stopped: rank */
	WORLD_STEP_ENDED,     /* world_rank_ended: rank */
	WORLD_STEP_MOVES,     /* world_rank_moves: rank, if it was in PHASE_CAUGHT */
	WORLD_STEP_CAUGHT,    /* world_hold_stuck */
	WORLD_STEP_ASLEEP,    /* world_threads_sleep: rank */
	WORLD_STEP_AWAKE,     /* world_threads_wake */
	WORLD_STEP_LETS_GO,   /* world_release_deferred */
	WORLD_STEP_READY,     /* world_answer_ready */
	WORLD_STEP_ADMIT,     /* world_admit */
	WORLD_STEP_CHOOSE,    /* world_choose: choice */
	WORLD_STEP_OPEN,      /* world_open_choices */
	WORLD_STEP_POLLS,     /* world_answer_polls: `choices` */
	WORLD_STEP_CONFLICTS, /* world_find_conflicts */
	WORLD_STEP_HOLD,      /* world_hold: rank, from this call on */
	WORLD_STEP_UNHOLD,    /* world_let_held_go */
	/* effects */
	WORLD_STEP_CALLED,   /* rank, call: the report was accepted */
	WORLD_STEP_ORDERED,  /* bind, go or admit for `rank`: `message` */
	WORLD_STEP_CHOSEN,   /* choice: it was made; what it takes is filled in */
	WORLD_STEP_MATCHED,  /* receive, and the send whose message it takes or finds; `yes`: it
	                        was chosen. Of a lock's place: the request granted */
	WORLD_STEP_TOGETHER, /* the last member of a collective has come: the calls */
	WORLD_STEP_OFFERED,  /* `open`: the result of world_open_choices */
	WORLD_STEP_REMARKED, /* remark */
	WORLD_STEP_ANSWERED, /* `yes`: the result of the function */
};

struct world_step {
	enum world_step_kind kind;
	int rank;
	guint32 call;
	bool yes;
	const struct wire_message *message;
	struct choice choice;
	struct op_id receive, send;
	const GArray *choices; /* struct choice */
	const GArray *open;    /* struct open_choice of explorer/explorer.h */
	const struct remark *remark;
	const struct op_id *calls; /* call 0: that member of the communicator made none */
	int call_count;
};

/* From now on, `watch` is called with the world's `user` as given to world_new or world_copy; NULL:
 * no watcher. It must not change the world. A copy of a world has no watcher. */
void world_watch(struct world *world, void (*watch)(void *user, const struct world_step *step));

#endif
