/* The state of an execution (run.h): a world (world.h), processes and connections behind it, and
 * the plan it follows. It is for the files that carry it on; all others have execution.h. */
#ifndef MATCHPOINT_SCHEDULER_RUN_EXECUTION_INTERNAL_H
#define MATCHPOINT_SCHEDULER_RUN_EXECUTION_INTERNAL_H

#include <stdbool.h>

#include "absent_ranks.h"
#include "delivery_timeout.h"
#include "execution.h"
#include "livelock_detector.h"
#include "livelock_policy.h"
#include "process_group.h"
#include "run_ahead.h"
#include "stall.h"
#include "state_fingerprint.h"

struct execution {
	struct runs *runs;
	struct run_result result;
	void *owner;
	guint32 number; /* of the world */
	char *directory;
	struct world *world;
	bool launched;               /* processes of the launcher's, not restored copies */
	struct host_job *job;        /* that started them; NULL: none, or gone over to the runs */
	struct snapshot *from;       /* whose copies the ranks are */
	struct held_ranks *held;     /* ranks that are held; NULL: none are */
	struct process_group *group; /* which processes its ranks are; NULL: not known */
	struct snapshot *image;      /* that they are being rewound to; NULL: none */
	double before;               /* seconds behind where it began, or was kept last */
	gint64 idle_time;            /* so far, in all (struct wire_welcome) */
	bool no_image;               /* one was tried, and could not be taken */
	struct strategy *strategy;
	struct position *target;  /* where it was to go */
	GArray *plan;             /* struct choice still to be made */
	GArray *promises;         /* that it has let go of (struct choice); NULL: none */
	guint made_before;        /* choices, before that */
	bool passed_by;           /* what promises kept back, by polls that were told "no" */
	gint64 started;           /* of start or restore: times are the host's */
	gint64 restored;          /* when all ranks stood; 0: they do not yet, or were started */
	bool rewound;             /* they were restored in place */
	bool moved;               /* a rank has told of something it does since */
	struct host_link **links; /* by rank; NULL: not connected, or gone */
	pid_t *pids;              /* by rank; 0: unknown */
	pid_t *parents;           /* of the launcher's ranks, when they connected; likewise */
	bool *welcomed;           /* by rank: before it is connected (held_ranks.c) */
	struct rank_end *ends;
	int connected;
	bool stacks;                 /* calls come with them */
	bool stacked;                /* and so did all from the beginning */
	struct run_ahead *run_ahead; /* who need not wait on the way to the target; NULL: nobody */
	struct snapshot *parking;
	bool no_parking; /* a snapshot was tried and is not safe here */
	bool wanted;     /* a snapshot is, before it goes on, */
	bool named;      /* by somebody who will be back */
	gint64 asked;    /* since when it has waited for an answer; 0: it does not */
	gint64 waited;   /* for answers, so far, since it was started or restored */
	struct absent_ranks absent;
	struct stall *stall;
	struct host_timer *timer; /* polls that find nothing are answered slowly */
	bool timing;
	bool asking;          /* how a rank ended */
	gint64 asking_since;  /* 0: it has not asked */
	gint64 trouble_since; /* when a rank had failed in its start; 0: none has */
	gint64 heard;         /* the last message */
	gint64 looked;        /* for ranks that died without a word */
	gint64 ending_since;  /* when its end began */
	gint64 orphaned;      /* when the launcher ended before its ranks; 0: it has not */
	int job_status;
	gint64 over_since; /* when every process was gone */
	struct thread_rest threads;
	struct delivery_timeout timeout;   /* of ranks that are held back */
	struct livelock_policy policy;     /* with polls that find nothing */
	struct livelock_detector detector; /* of those who poll so */
	struct state_fingerprint
		fingerprint; /* of the rest at hand, if its strategy compares states */
};

/* Takes the body over, or NULL. */
void execution_set_process_group(struct execution *execution, struct process_group *group);

#endif
