/* Whole sessions with one program, on the simulated host: sim_trial.c (its sessions, shards, replay
 * and minimize), sim_found.c (compares what was stored with brute force). */
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
	guint happened[SIM_FAULTS], disk_full, rewound, early_parks, shards, replayed, minimized;
	guint images, images_used;
	guint programs[KINDS];
	guint64 states, merged; /* found by sessions with state search */
	guint counted;          /* programs whose interleavings were counted by states */
};

/* A prescribed sequence of faults, instead of a random one. */
struct scenario {
	const char *name;
	guint64 seed; /* of the program, of kind messages */
	enum program_buffering buffering;
	bool states;    /* state search */
	bool by_chance; /* each fault at its own time, not at once */
	guint count;
	struct {
		guint faults; /* bits */
		guint64 most; /* interleavings; 0: no bound */
		enum backtrack backtrack;
	} rounds[2];
};

struct trial {
	const struct scenario *scenario; /* NULL: random */
	guint64 seed; /* as given; programs with threads may be drawn from a part of it */
	const struct random_program *program;
	enum program_buffering buffering;
	enum session_order order;
	bool wanders;        /* random walks, which are never complete */
	bool states;         /* state search, */
	bool watches;        /* once equal states occur */
	guint shard, shards; /* this one of `shards`, each with its own store; 0: all in one */
	GRand *random;
	GHashTable *expected; /* possible outcomes (GBytes) */
	GHashTable *needed;   /* the outcomes that a complete search must find */
	GHashTable *found;    /* outcome to its path (char *) */
	GHashTable *stored;   /* interleavings (GBytes): their choices, and what they show */
	char *directory;
	GHashTable *conflicting; /* the expected outcomes in which accesses to windows conflict */
	bool deadlocks;          /* some expected outcomes are deadlocks */
	bool reports_conflict;   /* the store has a conflict */
	bool reports_complete;   /* the store is complete */
	bool reports_split;      /* the store reports that parts were divided differently */
	bool reports_number;     /* of interleavings, from states */
	bool reports_cut;        /* output of interleavings may be cut short */
	guint64 interleavings, deadlocked; /* what it reports: in all, with a deadlock */
	bool starved;   /* memory ran out, and may be reported to have ended interleavings */
	bool slow;      /* answers took so long that threads may not have been waited for */
	bool unawaited; /* some session reports that threads were not waited for */
	bool hurried;   /* some session was stopped by its time limit */
	bool blind;     /* ... and stored no output of what it found, which it reports */
	bool gave_up;   /* it reports that it gave up, that there are too many interleavings, or why
	                 * it could not follow one */
	guint repeated; /* outcomes with several interleavings */
	guint doubled;  /* interleavings that are stored again */
	guint rounds;
	GString *history; /* events, as text */
	enum program_kind kind;
	bool no_faults;
};

/* Ends the test. Prints the problem and the command that repeats it. */
G_NORETURN G_GNUC_PRINTF(2, 3) void trial_fail(const struct trial *trial, const char *format, ...);

/* Reads the store and fails if it contains something impossible. Sets `found`, `stored`,
 * `repeated`, `doubled` and `reports_complete`. */
void trial_read_store(struct trial *trial);
/* Fails if a finding is impossible or was not reproduced (struct record_finding), although threads
 * were waited for. */
void trial_check_findings(struct trial *trial, const GPtrArray *findings);
/* Fails unless everything expected has been found, each once. */
void trial_check_complete(struct trial *trial);
/* Fails unless interleavings that states stand for are as many as are expected, in all and with a
 * deadlock. */
void trial_check_counts(const struct trial *trial, struct totals *totals);

/* Draws the program of this kind and seed and tries it: as the scenario prescribes, or at random
 * (NULL). `size`: the intended number of messages; 0: as drawn. */
struct trial_options {
	enum program_kind kind;
	guint64 seed;
	int size;
	bool no_faults;
	const struct scenario *scenario;
};
void trial_run(const struct trial_options *options, struct totals *totals);

/* Runs scenarios that once failed, and each fault at the first opportunity (sim_scenarios.c). */
void scenarios_run(struct totals *totals);

#endif
