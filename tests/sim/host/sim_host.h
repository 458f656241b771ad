/* A host (scheduler/host/host.h) without any process: time is a number, ranks are values
 * (fake_rank.h), what they say comes after a while drawn by chance, and now and then something goes
 * wrong. The same seed does the same again. */
#ifndef MATCHPOINT_TESTS_SIM_HOST_SIM_HOST_H
#define MATCHPOINT_TESTS_SIM_HOST_SIM_HOST_H

#include "../fake_rank.h"
#include "scheduler/host/host.h"

/* What can go wrong; each happens at most once to a host. */
enum sim_fault {
	SIM_RANK_KILLED,      /* a rank, by something outside */
	SIM_KEEPER_KILLED,    /* a parked process; its copies die with it */
	SIM_KILLED_PARKING,   /* a rank that is told to park */
	SIM_CRASH_PARKING,    /* the same, but it has a handler that tells of a signal first */
	SIM_HAZARD,           /* a rank says that it cannot be copied */
	SIM_NO_FORK,          /* a keeper cannot make a copy */
	SIM_COPY_FAILS,       /* a copy ends before it has said anything */
	SIM_STARVED,          /* ranks are killed for want of memory, some again and again */
	SIM_NO_MEMORY,        /* the memory of a snapshot cannot be copied */
	SIM_KILLED_ENDING,    /* a rank that is told to end, before it has printed */
	SIM_FRAME_CUT,        /* a rank is killed while it says something */
	SIM_FRAME_BROKEN,     /* what a rank says cannot be understood */
	SIM_JOB_EXITS,        /* the launcher ends before any rank has come */
	SIM_JOB_HANGS,        /* nobody ever comes */
	SIM_RANK_ABSENT,      /* one rank ends before MPI_Init, and the others wait */
	SIM_LAUNCHER_KILLED,  /* and with it its ranks */
	SIM_NO_JOB,           /* the launcher cannot be started */
	SIM_SLOW,             /* answers take up to seconds */
	SIM_NO_HOLD,          /* a rank at its end says that it cannot stay */
	SIM_HELD_KILLED,      /* a rank that stays */
	SIM_NO_REWIND,        /* it says that it cannot be rewound */
	SIM_KILLED_REWINDING, /* and another one does not say anything */
	SIM_KILLED_REWOUND,   /* a rank that has been, while it says so */
	SIM_NO_ROOM,          /* what those that stay share cannot be rewritten */
	SIM_NO_IMAGE,         /* a rank cannot keep an image of itself */
	SIM_KILLED_IMAGING,   /* one that is told to keep one */
	SIM_FORGETFUL, /* when a rank was killed (those from here on): the launcher does not tell */
	SIM_LATE,      /* nor ends before seconds have passed */
	SIM_HELD_OPEN, /* when any rank has died: something else keeps its connection open */
	SIM_FAULTS
};

extern const char *const sim_fault_names[SIM_FAULTS];

struct sim_options {
	const struct random_program *program;
	guint64 seed;
	guint faults; /* bits: those that may happen */
	bool at_once; /* and do, at the first opportunity */
	bool forks;   /* its kernel lets no rank be rewound */
	bool by_hand; /* somebody at the prompt asks for snapshots */
	const char
		*directory; /* where the ranks' output is written; there, and removed by others */
	gint64 longest;     /* microseconds after which it is taken to hang */
};

/* A directory for hosts, empty. If it is still there when the process exits, it goes with all that
 * is in it, unless another one was made since. */
char *sim_directory_new(void);

struct host *sim_host_new(const struct sim_options *options);
void sim_host_free(struct host *host);

/* Bits: those that did. */
guint sim_host_happened(struct host *host);
gint64 sim_host_time(struct host *host); /* microseconds */
/* How many times a rank was rewound in place. */
guint sim_host_rewound(struct host *host);
/* How many images ranks have kept, and how many times one has gone back to one. */
guint sim_host_images(struct host *host);
guint sim_host_images_used(struct host *host);
/* Processes that are still there: none should be, when the session is over. */
guint sim_host_processes(struct host *host);

/* What rank `rank` prints when it is told to end, or comes to its end: what it knows of its
 * operations, as text; and back, false: that is none. */
char *sim_print_rank(const struct fake_rank *rank);
bool sim_parse_rank(const struct random_program *program, const char *text,
                    struct fake_rank *ret_rank);

#endif
