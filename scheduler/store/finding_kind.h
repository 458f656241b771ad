/* The kinds of findings, and what there is to know of each: the one table of them. verdict/ finds
 * them, and the world (remarks.h) those with which the interleaving goes on. Stores hold their
 * names. */
#ifndef MATCHPOINT_SCHEDULER_STORE_FINDING_KIND_H
#define MATCHPOINT_SCHEDULER_STORE_FINDING_KIND_H

#include <stdbool.h>

enum finding_kind {
	FINDING_NONE, /* what an interleaving shows in which nothing is wrong */
	FINDING_ABORT,
	FINDING_BUFFER_MODIFIED,
	FINDING_BUFFER_OVERLAP,
	FINDING_BUFFER_READ,
	FINDING_COLLECTIVE_MISMATCH,
	FINDING_CRASH,
	FINDING_DEADLOCK,
	FINDING_ERROR_RETURNED,
	FINDING_EXIT,
	FINDING_LEAK,
	FINDING_LIVELOCK,
	FINDING_MISUSE,
	FINDING_MPI_ERROR,
	FINDING_NATIVE_DIFFERS,
	FINDING_OUTCOME_DIFFERS,
	FINDING_RMA_CONFLICT,
	FINDING_RMA_RANGE,
	FINDING_STALL,
	FINDING_THREAD_LEVEL,
	FINDING_TYPE_MISMATCH,
	FINDING_NOT_REPRODUCIBLE,
	FINDING_UNKNOWN,  /* to this version: read from a store */
	FINDING_RECORDED, /* no finding: a recorded run, in which nothing was looked for */
	FINDING_KINDS
};

/* Which part of a finding's text says all there is to say. */
enum finding_text {
	FINDING_TEXT_BOTH,      /* its message, then the roll-call */
	FINDING_TEXT_ROLL_CALL, /* the roll-call alone, unless it is empty */
	FINDING_TEXT_MESSAGE,   /* the message alone */
};

/* What a program of nothing but MPI calls needs besides them to show the finding (minimize
 * --emit-c). */
enum finding_emit {
	FINDING_EMIT_CALLS,  /* nothing: the calls go wrong by themselves */
	FINDING_EMIT_ASSERT, /* an assertion: what goes wrong is in the program, not in its calls */
	FINDING_EMIT_HANG,   /* the calls that hang, each of them */
	FINDING_EMIT_LEAVE,  /* the calls that make what is left behind */
	FINDING_EMIT_WRITE,  /* a write to the buffer of the operation */
};

/* A kind is one row of finding_kind.c. Reports, --help, completion and docs/reference are made of
 * it. Texts are whole sentences in plain English; NULL is only allowed where it is said. */
struct finding_kind_info {
	const char *name;     /* "deadlock"; of FINDING_NONE "ok" */
	const char *summary;  /* a sentence: when it is found */
	const char *help;     /* what to look for, one paragraph */
	const char *detail;   /* what exactly counts, and what is not seen; NULL: no more */
	const char *no_calls; /* why MPI calls alone do not show it; NULL: they do */
	enum finding_emit emit;
	enum finding_text text;
	bool ends;           /* the interleaving goes no further */
	bool can_be_ignored; /* with --ignore */
	bool compares;       /* interleavings: none of them shows it alone */
	bool beyond_choices; /* it depends on more than choices: it is not replayed, and its path
	                         not shortened */
	bool native;         /* the program shows it without control: it has no path */
	bool any_call;       /* which rank shows it first, and in which calls the ranks then are, is
	                         a matter of time */
	bool may_be_memory;  /* it may come of too little memory in the machine */
	bool unexplained_end; /* its message does not say how a rank has ended */
};

/* Never NULL. */
const struct finding_kind_info *finding_kind_info(enum finding_kind kind);
const char *finding_kind_name(enum finding_kind kind);

/* FINDING_UNKNOWN: none has this name. */
enum finding_kind finding_kind_find(const char *name);

#endif
