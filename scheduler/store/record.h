/* What is kept of an exploration: the records that the session fills, the store writes and the
 * reports read back. Plain data, no behaviour.
 *
 * Ownership: a record owns its arrays, and an array its elements (they are made by the *_new and
 * *_init functions below with the right free functions). `const char *` members that are names (of
 * functions, files, kinds) are interned (g_intern_string) and never freed, so that struct place and
 * struct record_message are values to be copied at will. Ranks are ranks in MPI_COMM_WORLD. */
#ifndef MATCHPOINT_SCHEDULER_STORE_RECORD_H
#define MATCHPOINT_SCHEDULER_STORE_RECORD_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "explorer/choice.h"
#include "finding_kind.h"

/* A place in the program: file and line when its debugging information tells, else the function
 * (or, without a symbol, the module) and the offset in bytes within it. All NULL or 0: unknown. */
struct place {
	const char *directory; /* absolute, where the compiler saw the file; NULL: not known */
	const char *file;      /* base name; NULL: not known */
	uint32_t line;         /* from 1; 0 when file is NULL */
	const char *function;  /* or the module's base name; NULL: not known */
	uint64_t offset;       /* within function; 0 when file is known */
};

/* "solver.c:121", "work+0x2f", "?"; free with g_free. */
char *place_print(const struct place *place);
/* GHashFunc and GEqualFunc for keys that point to a struct place. */
unsigned place_hash(const void *place);
int place_key_equal(const void *one, const void *other);
bool place_equal(const struct place *one, const struct place *other);

/* One function of a call stack, and the place in it where the next inner one is called. A stack is
 * a GArray of these, the innermost first: the place of the MPI call. Those of the C library and of
 * MPI are left out, those that the compiler has inlined are not, and of more than
 * RECORD_FRAMES_MAX the outermost are missing. */
struct record_frame {
	const char *function; /* as the source names it; else its symbol; NULL: not known */
	struct place place;
	bool told; /* of an interpreted program: the call is said to stand here. What is further in
	              is the interpreter's. Of no frame: it stands at the innermost one */
};
#define RECORD_FRAMES_MAX 32

/* Whether two call stacks (GArray of struct record_frame) are the same. */
bool record_frames_equal(const GArray *one, const GArray *other);

/* Where a call of an interleaving stands: the number, from 1, of its stack among all stacks that
 * are known. */
struct record_stack {
	int32_t rank;
	uint32_t call; /* 0: where a signal struck the rank */
	uint32_t stack;
};

/* The source around a place, as it was when the program was run. */
struct record_excerpt {
	uint32_t first; /* number of the first line, from 1 */
	char *text;     /* lines, each with its newline; UTF-8 */
};

/* Bit set of bufferings; the numbers are those of enum buffering in explorer/path.h. */
#define RECORD_ZERO (1u << 1)
#define RECORD_INFINITE (1u << 2)
#define RECORD_PER_SEND (1u << 3)
#define RECORD_BUFFERINGS (RECORD_ZERO | RECORD_INFINITE | RECORD_PER_SEND)

/* One alternative of a choice. Make it with record_message_of. */
struct record_message {
	struct taken taken;
	/* said by `taken`, too: */
	int32_t source; /* of a message; -1: an answer */
	int32_t tag;
	uint32_t call, sub; /* the send's name; an answer's: the call that started the (first)
	                         request reported, or 0 */
	struct place place; /* of that call */
	const char
		*answer; /* "no", "yes", "#1", ... as in a path, or "thread 1"; NULL: a message */
	const char
		*requests; /* of an answer that reports any: the calls that started them, "3,4" */
};

/* With all that `taken` says; the rest unknown. */
struct record_message record_message_of(const struct taken *taken);

/* What is taken, for people: "rank 2's message (solver.c:140)", "the request of call 3
 * (solver.c:12)", "no"; free with g_free. */
char *record_alternative_print(const struct record_message *alternative);

/* A choice taken. For people it is told by a call: that of the point; of a lock, that of the rank
 * that gets it; of a turn, the one that is made next. */
struct record_choice {
	struct point point;
	int32_t rank;
	uint32_t call, sub;
	const char *function; /* MPI_Recv, MPI_Probe, ... */
	struct place place;
	uint32_t stack; /* as in struct record_call; of a blame; known to readers */
	struct record_message taken;
	bool is_first;        /* a replay takes it where its path says nothing; not stored */
	GArray *alternatives; /* of struct record_message, without the one taken; in a blame the
	                         first is the one that goes well */
};

struct record_match {
	int32_t rank; /* of the receive */
	uint32_t call, sub;
	int32_t source;
	uint32_t send_call, send_sub;
	int32_t tag;
};

/* What a call does first; the numbers are those of enum wire_op_kind in common/wire.h. */
enum record_call_kind {
	RECORD_CALL_OTHER, /* starts no communication: completes requests, asks */
	RECORD_CALL_SEND,
	RECORD_CALL_RECEIVE,
	RECORD_CALL_PROBE,
	RECORD_CALL_MPROBE,
	RECORD_CALL_COLLECTIVE,
	RECORD_CALL_KINDS
};

/* Whose calls an operation must wait for until it is complete. */
enum record_wait {
	RECORD_WAIT_NOBODY,
	RECORD_WAIT_ROOT,  /* of the collective */
	RECORD_WAIT_ALL,   /* its members */
	RECORD_WAIT_LOWER, /* its members of lower rank in the communicator */
	RECORD_WAIT_MATCH, /* of a send: the receive that takes it */
	RECORD_WAITS
};

/* One MPI call of one rank. A call that starts several operations (Sendrecv, Startall) is told by
 * its first; the matches know them all. */
struct record_call {
	int32_t rank;
	uint32_t call;      /* its number, as in struct record_match */
	uint8_t kind;       /* enum record_call_kind */
	uint8_t operations; /* that it starts; 255: so many or more */
	const char *function;
	struct place place;
	uint32_t stack;                 /* number of its stack in the store; 0: none was taken */
	uint64_t communicator;          /* its number; 0: the call concerns none */
	const char *communicator_name;  /* "MPI_COMM_WORLD", "MPI_Comm_split of ..."; several
	                                  communicators may have the same; NULL: none */
	const char *communicator_group; /* "2,0,1": the ranks in MPI_COMM_WORLD of its ranks 0, 1,
	                                   2; "0,1|2": of both groups of an intercommunicator;
	                                   NULL: not known, or the caller alone */
	int32_t peer;        /* destination, source or root, a rank in MPI_COMM_WORLD; -1: any, or
	                        none */
	int32_t peer_given;  /* the same as the program gave it: a rank in the communicator */
	int32_t tag;         /* -1: any; of the lock of a window: 0 exclusive, 1 shared */
	uint64_t bytes;      /* sent, or room for */
	uint32_t collective; /* the calls that meet in one collective have the same number, from 1;
	                        0: no collective */
	uint32_t completed;  /* call of this rank in which it learnt that the (last) operation is
	                        complete: itself, or a Wait or Test; 0: none did, or nobody waits
	                        for it */
	uint8_t waits;       /* enum record_wait: of the (last) operation */
	const char *asked;   /* of one that can be told of its requests in more than one way
	                        (Waitany, Test, ...): the calls that started these, "3,4", as it
	                        lists them; of MPI_Cancel: the one; NULL: no such call */
};

/* How a rank came to its end. */
enum record_end {
	RECORD_END_NONE, /* it has not: it waits, or runs */
	RECORD_END_WELL,
	RECORD_END_EXIT,   /* with a status other than 0: `code` */
	RECORD_END_EARLY,  /* without MPI_Finalize, with the status `code`; -1: not known */
	RECORD_END_SIGNAL, /* `code` */
	RECORD_END_ABORT,  /* by MPI_Abort, which was given `code` */
	RECORD_END_ERROR,  /* an error of MPI's that the program did not ask to be told of */
	RECORD_END_THREAD, /* a thread called MPI that must not */
	RECORD_ENDS
};

/* A rank at the end of an interleaving: a line of the roll-call. */
struct record_rank {
	int32_t rank;
	uint32_t call;        /* the call it waits in, or its last; 0: none */
	const char *function; /* of that call; NULL: none */
	char *arguments;      /* "source=1, tag=7", as shown between parentheses; may be NULL */
	struct place place;
	uint32_t stack;    /* at that place, as in struct record_call; of those in a finding, and of
	                      crashes; known to readers */
	GArray *waits_for; /* of int32_t, ascending; empty when it waits for nobody in particular */
	bool bystander;    /* not part of what is wrong: waits for those who are, or ended well */
	enum record_end end;
	int32_t code; /* of that end; 0: it has none */
	char *ended;  /* the same for people: "ended", "exited with status 3", "killed by SIGABRT",
	                 "called MPI_Abort(1)"; NULL: it still waits */
	char *does;   /* its part in a finding that ends nothing: "sends 4 MPI_INT", by that
	                      call at that place; else NULL */
};

/* What a call was given, where that is what a finding is about. */
struct record_given {
	int32_t rank;
	uint32_t call;
	uint64_t count;        /* of elements; 0: the finding is not about it */
	const char *type;      /* "MPI_INT"; NULL: likewise, or it is none of MPI's own */
	const char *reduction; /* "MPI_SUM"; NULL: likewise */
};

/* One interleaving. */
struct record_execution {
	uint32_t id;              /* from 1, without gaps, in the order explored */
	uint32_t buffering;       /* one of RECORD_BUFFERINGS */
	enum finding_kind status; /* the kind of its first finding: one that ended it, if any */
	GArray *findings;         /* of uint32_t, ids */
	char *path;               /* with its buffering */
	GPtrArray *choices;       /* of struct record_choice, in the order taken */
	GArray *matches;          /* of struct record_match */
	GArray *calls;      /* of struct record_call, by rank and call, each rank's numbered from 1
	                       without gaps; empty unless they are kept: of
	                       the interleavings that showed a finding first, of the first under
	                       each buffering that ended well, and of run and replay */
	GArray *exits;      /* of int32_t by rank: exit status, 128 + signal as a shell tells it, or
	                       -1 for a rank that had to be ended by matchpoint */
	GPtrArray *outputs; /* of GBytes by rank: standard output */
	GPtrArray *errors;  /* of GBytes by rank: standard error */
	GPtrArray *ranks;   /* of struct record_rank: the roll-call; may be empty when all ended
	                       well */
};

/* One of the ways in which interleavings end well. */
struct record_outcome {
	uint32_t number;    /* from 1: what the first interleaving leaves */
	uint32_t count;     /* interleavings that leave the same, as far as it is compared */
	uint32_t execution; /* the first of them */
	char *path;         /* its path, with its buffering */
	char *place;        /* where it differs from the first: "rank 0's output, line 3"; NULL: the
	                  first itself */
	char *line;         /* that line, shortened and printable; NULL: it has none there */
	char *instead;      /* the first outcome's */
};

/* Something wrong, shown by one or more interleavings. */
struct record_finding {
	uint32_t id; /* from 1 */
	enum finding_kind kind;
	uint32_t count;      /* interleavings that show it */
	uint32_t bufferings; /* under which it occurs */
	char *path;          /* the first interleaving that showed it; without a buffering when it
	                        shows under any */
	char *message;       /* one line: what is wrong */
	bool replayed;       /* its path was followed again, to the end */
	bool reproduced;     /* and that ended the same way; always, where nothing is replayed */
	bool struck;         /* not replayed to the end: something outside ended that, each time */
	GPtrArray *ranks;    /* of struct record_rank: the roll-call, or who did what; a rank may
	                        then be in it more than once */
	GArray *given; /* of struct record_given: what the calls that do not fit together say */
	GPtrArray *outcomes;         /* of struct record_outcome, by number; empty but in
	                                outcome-differs */
	struct record_choice *blame; /* the choice it needs, or NULL */
	/* known to readers: */
	uint32_t variant_of; /* the first finding of the same kind at the same places, where
	                        other ranks or partners stand there; 0: it is the first itself */
	GPtrArray *variants; /* those (struct record_finding, not its own); NULL: none */
	uint32_t together;   /* interleavings that show it or one of them */
};

struct record_exploration {
	const char *command;  /* "explore", "run", "replay" or "minimize" */
	GStrv program;        /* argv, NULL-terminated */
	char *directory;      /* where it was started */
	char *machine;        /* its host name */
	char *standard_input; /* the file for rank 0, as it was named; NULL: none */
	int32_t ranks;
	uint32_t bufferings;     /* those explored */
	uint32_t shard, shards;  /* --shard 2/3: 2 and 3; 0 and 3: all shards, merged; 0 and
	                                 0: explored as a whole */
	bool threads;            /* several threads of a rank called MPI */
	bool random;             /* --random: random walks, so not every interleaving */
	uint64_t seed;           /* of these; at most INT64_MAX */
	const char *backtrack;   /* "snapshot" or "rerun" */
	char *backtrack_reason;  /* why auto reruns; NULL: nothing to explain */
	const char *collectives; /* --collectives, interned */
	char *version;           /* matchpoint's own */
	char *mpi;               /* first line of MPI_Get_library_version */
	GPtrArray *notes;        /* of char *: what was not explored or could not be controlled;
	                                 a sentence each, without a full stop */
	/* known at the end */
	bool complete;
	char *incomplete_reason; /* "stopped by --max-time 10"; NULL when complete */
	uint64_t interleavings;  /* as many executions as the store holds */
	uint64_t runs;           /* with --random: walks that came to their end, whether to an
	                            interleaving of their own or not */
	uint64_t states;         /* --search states: so many, at rest and at ends; else 0 */
	uint64_t merged;         /* runs that ended in a state that was known */
	uint64_t wasted;
	double seconds;
};

/* `answer` of a struct record_message, back; false: it is none. */
bool record_answer_read(const char *answer, struct taken *ret_taken);

/* The choice itself. */
struct choice record_choice_made(const struct record_choice *choice);

struct record_choice *record_choice_new(void);
struct record_choice *record_choice_copy(const struct record_choice *choice);
void record_choice_free(struct record_choice *choice);

struct record_rank *record_rank_new(int32_t rank);
struct record_rank *record_rank_copy(const struct record_rank *rank);
void record_rank_free(struct record_rank *rank);

struct record_execution *record_execution_new(void);
/* The same arrays, which nobody changes from now on, under one more record. */
struct record_execution *record_execution_share(const struct record_execution *execution);
void record_execution_free(struct record_execution *execution);

struct record_finding *record_finding_new(enum finding_kind kind);
void record_finding_free(struct record_finding *finding);

struct record_exploration *record_exploration_new(void);
void record_exploration_free(struct record_exploration *exploration);

/* Whether a signal struck the rank. */
bool record_rank_crashed(const struct record_rank *rank);

/* Whether it tells who did what, and the interleaving went on. */
bool record_finding_is_remark(const struct record_finding *finding);

/* Two findings with equal keys are one: kind, and for each rank that is no bystander where it
 * stands or how it ended; what was done where, whoever did it; for kinds without a roll-call, the
 * message. Free with g_free. */
char *record_finding_key(const struct record_finding *finding);

typedef struct record_choice RecordChoice;
typedef struct record_rank RecordRank;
typedef struct record_execution RecordExecution;
typedef struct record_finding RecordFinding;
typedef struct record_exploration RecordExploration;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordChoice, record_choice_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordRank, record_rank_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordExecution, record_execution_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordFinding, record_finding_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordExploration, record_exploration_free)

#endif
