/* The state of an execution (run.h): a world (world.h), its processes and connections, and the plan
 * that it follows. Only for the files that implement it; all others include execution.h. */
#ifndef MATCHPOINT_SCHEDULER_EXECUTION_EXECUTION_INTERNAL_H
#define MATCHPOINT_SCHEDULER_EXECUTION_EXECUTION_INTERNAL_H

#include <stdbool.h>

#include "execution.h"
#include "run_ahead.h"
#include "scheduler/liveness/liveness.h"
#include "scheduler/snapshot/placement.h"
#include "scheduler/snapshot/state_fingerprint.h"

struct world_step;

/* What a rank that ended wrongly has written to standard error (execution_reports.c). */
struct rank_errors {
	bool asked;                   /* the host was */
	struct errors_question *open; /* and has not answered yet; NULL: it has */
	char *text;                   /* kept of a start that may fail; NULL: not read */
};

struct execution {
	struct runs *runs;
	struct run_result result;
	void *owner;
	struct placement placement;
	struct world *world;
	struct host_job *job;  /* that started the ranks; NULL: none, or the runs have it */
	double before;         /* seconds before its beginning, or its last image */
	gint64 idle_time;      /* total so far (struct wire_welcome) */
	guint32 uneven_clocks; /* likewise */
	bool saves;            /* see struct run_request */
	bool restarts;         /* from a checkpoint on disk, and its world is not rebuilt yet */
	bool no_image;         /* an image was tried, and refused */
	struct strategy *strategy;
	struct position *target; /* position that was asked for */
	GArray *plan;            /* struct choice: still to be made */
	GArray *promises;        /* struct choice: that it has given up; NULL: none */
	guint made_before;       /* number of choices before that */
	bool passed_by;          /* polls were answered "no" while promises kept back choices */
	bool moved;              /* a rank has reported something since */
	struct rank_end *ends;
	struct rank_errors *errors;  /* by rank */
	bool asks_errors;            /* right now: an answer at once is no news */
	bool stacks;                 /* calls come with call stacks */
	bool stacked;                /* so did all calls from the beginning */
	struct run_ahead *run_ahead; /* ranks that need not wait up to the target; NULL: none */
	struct snapshot *parking;
	char *hazard;             /* why that was; NULL: not known */
	bool no_parking;          /* a snapshot was tried, and is not safe here */
	enum snapshot_wish wish;  /* for a snapshot before it goes on */
	gint64 asked;             /* since when it waits for an answer; 0: it does not */
	gint64 waited;            /* total wait for answers since start or restore */
	struct host_timer *timer; /* paces answers to polls that find nothing */
	struct liveness liveness;
	gint64 ending_since; /* when ending began */
	int job_status;
	gint64 over_since;                    /* when every process was gone */
	struct state_fingerprint fingerprint; /* of this rest, if its strategy compares states */
};

/* Removes the choices from the plan that its world has made already. */
void execution_forget_made(struct execution *execution);
/* Events follow from what its world, which is new, is asked and does. `execution_on_step` emits
 * them (world_watch.h). */
void execution_watch_steps(const struct execution *execution);
void execution_on_step(void *execution, const struct world_step *step);

/* Keeps a call stack, if the client wants stacks. `place`: where to show it; NULL: at its call. */
void execution_note_stack(struct execution *execution, int rank, const struct wire_stack *stack,
                          const struct place *place);

/* A deadly signal has struck the rank: keeps the place, the stack, and what a sanitizer has
 * reported, as soon as the host has read that (execution_reports.c). The place of a leak is where
 * the memory was allocated. */
void execution_note_crash(struct execution *execution, int rank, const struct wire_ending *ending);
/* Before the verdict, the same of ranks that sanitizers have ended by an exit. Returns whether all
 * is known. If not, execution_advance is called when the host has answered: host_operations'
 * rank_output, which sets a limit for that. */
bool execution_reports_known(struct execution *execution);
/* The ranks are, or will be, in another world: late answers are dropped. */
void execution_forget_reports(struct execution *execution);
/* Without enough processes or memory MPI does not start: then nothing can be explored. Returns
 * whether that was so, and reports it. */
bool execution_report_mpi_failed(struct execution *execution);

#endif
