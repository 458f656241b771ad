/* The kinds of findings, and what there is to know of each: the one table of them. They are found
 * by verdict/, and by the world (remarks.h) when the interleaving goes on. Stores have their
 * names. */
#ifndef MATCHPOINT_SCHEDULER_STORE_FINDING_KIND_H
#define MATCHPOINT_SCHEDULER_STORE_FINDING_KIND_H

#include <stdbool.h>

enum finding_kind {
	FINDING_NONE, /* what an interleaving shows in which nothing is wrong */
	FINDING_ABORT,
	FINDING_BUFFER_MODIFIED,
	FINDING_BUFFER_OVERLAP,
	FINDING_COLLECTIVE_MISMATCH,
	FINDING_CRASH,
	FINDING_DEADLOCK,
	FINDING_EXIT,
	FINDING_LEAK,
	FINDING_LIVELOCK,
	FINDING_MISUSE,
	FINDING_MPI_ERROR,
	FINDING_OUTCOME_DIFFERS,
	FINDING_RMA_CONFLICT,
	FINDING_RMA_RANGE,
	FINDING_STALL,
	FINDING_THREAD_LEVEL,
	FINDING_TYPE_MISMATCH,
	FINDING_NOT_REPRODUCIBLE,
	FINDING_UNKNOWN, /* to this version: read from a store */
	FINDING_KINDS
};

struct finding_kind_info {
	const char *name;     /* "deadlock"; of FINDING_NONE "ok" */
	const char *summary;  /* a sentence: when it is found */
	const char *help;     /* what to look for, one paragraph */
	const char *no_calls; /* why MPI calls alone do not show it; NULL: they do */
	bool ends;            /* the interleaving goes no further */
	bool between_calls;   /* what goes wrong is in the program, not in what it calls */
	bool can_be_ignored;  /* with --ignore */
};

/* Never NULL. */
const struct finding_kind_info *finding_kind_info(enum finding_kind kind);
const char *finding_kind_name(enum finding_kind kind);

/* FINDING_UNKNOWN: none has this name. */
enum finding_kind finding_kind_find(const char *name);

#endif
