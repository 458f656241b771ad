/* One program under whole sessions, on the simulated host: sim_trial.c (its sessions, shards, what
 * is done with what they find), sim_found.c (what they have written down, against brute force). */
#ifndef MATCHPOINT_TESTS_SIM_SESSION_SIM_TRIAL_H
#define MATCHPOINT_TESTS_SIM_SESSION_SIM_TRIAL_H

#include "../brute_force.h"
#include "../host/sim_host.h"
#include "scheduler/session/session.h"

#define MEMORY_RAN_OUT "memory ran out"
#define NOT_WAITED_FOR "threads that ran for long without calling MPI"
#define SPLIT_OTHERWISE "split the tree differently"
#define NOT_CHOSEN "the order of a rank's threads is not controlled"

/* What a program is made of. */
enum program_kind {
	KIND_MESSAGES,
	KIND_WINDOWS,
	KIND_THREADS,
	KINDS,
};

extern const char *const program_kind_names[KINDS];

struct totals {
	guint sessions, outcomes, too_large, too_long, again, failed, struck;
	guint happened[SIM_FAULTS], disk_full, rewound, shards, replayed, minimized;
	guint images, images_used;
	guint programs[KINDS];
	guint64 states, merged; /* sessions that compared states found so many */
};

/* What is to happen, instead of what chance has. */
struct scenario {
	const char *name;
	guint64 seed; /* of the program, one of messages */
	enum program_buffering buffering;
	bool states;    /* are compared */
	bool by_chance; /* each fault in its own time, not at once */
	guint count;
	struct {
		guint faults; /* bits */
		guint64 most; /* interleavings; 0: no bound */
		enum backtrack backtrack;
	} rounds[2];
};

struct trial {
	const struct scenario *scenario; /* NULL: chance */
	guint64 seed; /* that was given: those of threads may be drawn from a part of it */
	const struct random_program *program;
	enum program_buffering buffering;
	enum session_order order;
	bool wanders;        /* random walks, which are never complete */
	bool states;         /* equal states once, */
	bool watches;        /* as soon as some come up */
	guint shard, shards; /* this one of so many, each a store of its own; 0: all in one */
	GRand *random;
	GHashTable *expected; /* outcomes (GBytes) that can be */
	GHashTable *needed;   /* those of them that are found when it is complete */
	GHashTable *found;    /* outcomes, and the path (char *) of each */
	char *directory;
	GHashTable *conflicting; /* those of the expected in which accesses to windows conflict */
	bool deadlocks;          /* some of the expected are */
	bool told_conflict;      /* by the store */
	bool told_complete;      /* by the store */
	bool told_split;         /* that parts of it were divided differently */
	bool starved;   /* memory has run out, and may be said to have ended interleavings */
	bool slow;      /* answers have taken so long that threads may not have been waited for */
	bool unawaited; /* some session says that threads were not waited for */
	bool hurried;   /* some session was stopped by the clock */
	bool blind;     /* and has no output of what it found: it says so */
	bool gave_up; /* says that it has, or that there are too many interleavings, or why it could
	               * not follow one */
	guint repeated, rounds;
	GString *history; /* what happened, in words */
	enum program_kind kind;
	bool no_faults;
};

/* Ends the test: tells what is wrong, and how it is shown again. */
G_NORETURN G_GNUC_PRINTF(2, 3) void trial_fail(const struct trial *trial, const char *format, ...);

/* Reads the store, and fails if it has what cannot be: sets `found`, `repeated` and
 * `told_complete`. */
void trial_read_store(struct trial *trial);
/* Fails if a finding is not there, or was not reproduced (struct record_finding). */
void trial_check_findings(struct trial *trial, const GPtrArray *findings);
/* Fails unless all that is expected has been found, each once. */
void trial_check_complete(struct trial *trial);

/* Draws the program of this kind and seed, and tries it: as the scenario has it, or (NULL) chance.
 * `size`: messages meant, 0: as drawn. */
struct trial_options {
	enum program_kind kind;
	guint64 seed;
	int size;
	bool no_faults;
	const struct scenario *scenario;
};
void trial_run(const struct trial_options *options, struct totals *totals);

/* What was wrong once, and whatever may go wrong, at once (sim_scenarios.c). */
void scenarios_run(struct totals *totals);

#endif
