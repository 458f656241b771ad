/* A host (scheduler/host/host.h) without processes. Time is a number; ranks are values
 * (fake_rank.h); their messages arrive after a random time; from time to time a fault occurs. The
 * same seed gives the same run. */
#ifndef MATCHPOINT_TESTS_SIM_HOST_SIM_HOST_H
#define MATCHPOINT_TESTS_SIM_HOST_SIM_HOST_H

#include "../fake_rank.h"
#include "scheduler/host/host.h"

/* Faults. Each occurs at most once per host. */
enum sim_fault {
	SIM_RANK_KILLED,      /* a rank is killed from outside */
	SIM_KEEPER_KILLED,    /* a parked process is killed; its copies die with it */
	SIM_KILLED_PARKING,   /* a rank is killed when ordered to park */
	SIM_CRASH_PARKING,    /* the same, but its handler reports a signal first */
	SIM_HAZARD,           /* a rank reports that it cannot be copied */
	SIM_NO_FORK,          /* a keeper cannot make a copy */
	SIM_COPY_FAILS,       /* a copy ends before it has sent anything */
	SIM_STARVED,          /* ranks are killed for want of memory, some repeatedly */
	SIM_NO_MEMORY,        /* the memory of a snapshot cannot be copied */
	SIM_KILLED_ENDING,    /* a rank is killed when ordered to end, before it has printed */
	SIM_FRAME_CUT,        /* a rank is killed while it sends a message */
	SIM_FRAME_BROKEN,     /* a message of a rank is malformed */
	SIM_JOB_EXITS,        /* the launcher ends before any rank has connected */
	SIM_JOB_HANGS,        /* no rank ever connects */
	SIM_RANK_ABSENT,      /* one rank ends before MPI_Init; the others wait */
	SIM_LAUNCHER_KILLED,  /* the launcher is killed, and its ranks with it */
	SIM_NO_JOB,           /* the launcher cannot be started */
	SIM_SLOW,             /* answers take up to seconds */
	SIM_NO_HOLD,          /* a rank at its end reports that it cannot be held */
	SIM_HELD_KILLED,      /* a held rank is killed */
	SIM_NO_REWIND,        /* a held rank reports that it cannot be rewound */
	SIM_KILLED_REWINDING, /* the same, and another one does not answer */
	SIM_KILLED_REWOUND,   /* a rewound rank is killed while it reports that */
	SIM_NO_ROOM,          /* memory shared by held ranks cannot be rewritten */
	SIM_NO_IMAGE,         /* a rank cannot keep an image */
	SIM_KILLED_IMAGING,   /* a rank is killed when ordered to keep an image */
	SIM_FORGETFUL,     /* after a rank was killed, the launcher does not report it (this and the
	                * next: only then) */
	SIM_LATE,          /* the launcher ends only seconds later */
	SIM_HELD_OPEN,     /* after a rank died, something else keeps its connection open */
	SIM_LONG,          /* ranks of some worlds compute for long: snapshots are worth it */
	SIM_LATE_HELLO,    /* rewound ranks that got their first orders with REWIND report long
	                     * after the others that they are there; again and again */
	SIM_PARENT_KILLED, /* the keeper of a rank that parks is killed */
	SIM_FAULTS
};

extern const char *const sim_fault_names[SIM_FAULTS];

struct sim_options {
	const struct random_program *program;
	guint64 seed;
	guint faults;          /* bits: the faults that may occur */
	bool at_once;          /* faults occur at the first opportunity */
	bool forks;            /* the simulated kernel lets no rank be rewound */
	bool forgets;          /* ranks keep only sums of what they have received */
	bool by_hand;          /* snapshots are requested at the prompt */
	const char *directory; /* for the ranks' output; the caller makes and removes it */
	gint64 longest;        /* microseconds; a session that takes longer hangs */
};

/* An empty directory for hosts; free with g_free. If it exists when the process exits, it is
 * removed with its contents, unless another one was made since. */
char *sim_directory_new(void);

struct host *sim_host_new(const struct sim_options *options);
void sim_host_free(struct host *host);

/* Bits: the faults that occurred. */
guint sim_host_happened(struct host *host);
gint64 sim_host_time(struct host *host); /* microseconds */
/* The number of ranks rewound in place. */
guint sim_host_rewound(struct host *host);
/* The number of images that ranks have kept, and of returns to one. */
guint sim_host_images(struct host *host);
guint sim_host_images_used(struct host *host);
/* How often the ranks were ordered to park before one that was rewound had sent HELLO. */
guint sim_host_early_parks(struct host *host);
/* The number of live processes: 0 after the session. */
guint sim_host_processes(struct host *host);

/* The text that a rank prints when it is ordered to end, or ends: what it knows about its
 * operations; free with g_free. The second parses it; false: it is no such text. */
char *sim_print_rank(const struct fake_rank *rank);
/* The rank as it would be if it kept only the sum of what it has received and need not know. */
struct fake_rank sim_forget(const struct fake_rank *rank);
bool sim_parse_rank(const struct random_program *program, const char *text,
                    struct fake_rank *ret_rank);

#endif
