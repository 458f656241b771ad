/* The records of an exploration: the session fills them, the store writes them, and the reports
 * read them back. Plain data, no behaviour.
 *
 * Ownership: a record owns its arrays, and an array its elements (the *_new and *_init functions
 * below set the right free functions). `const char *` members that are names (of functions, files,
 * kinds) are interned (g_intern_string) and never freed, so struct place and struct record_message
 * are values that can be copied. Ranks are ranks in MPI_COMM_WORLD. */
#ifndef MATCHPOINT_SCHEDULER_STORE_RECORD_H
#define MATCHPOINT_SCHEDULER_STORE_RECORD_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "explorer/choice.h"
#include "explorer/program_parts.h"
#include "explorer/rank_name.h"
#include "finding_kind.h"
#include "limit.h"

/* A place in the program: file and line if debugging information has them; otherwise the function
 * (or, without a symbol, the module) and the offset in bytes within it. All NULL or 0: unknown. */
struct place {
	const char *directory; /* absolute, where the compiler found the file; NULL: not known */
	const char *file;      /* base name; NULL: not known */
	uint32_t line;         /* from 1; 0 when file is NULL */
	const char *function;  /* or the module's base name; NULL: not known */
	uint64_t offset;       /* within function; 0 when file is known */
};

/* Returns the text as a terminal may get it: valid UTF-8, with ? for control characters but tab and
 * newline, and for characters that change the direction of text or cannot be seen. Names of files,
 * programs and functions, as they are stored and compared, have gone through this; output of ranks
 * does when it is shown. `length`: -1 if it ends in NUL. Free with g_free. */
char *record_printable(const char *text, gssize length);

/* "solver.c:121", "work+0x2f", "?"; free with g_free. */
char *place_print(const struct place *place);
/* GHashFunc and GEqualFunc for keys that point to a struct place. */
unsigned place_hash(const void *place);
int place_key_equal(const void *one, const void *other);
bool place_equal(const struct place *one, const struct place *other);

/* One function of a call stack, and the place in it that calls the next inner one. A stack is a
 * GArray of these, the innermost first: the place of the MPI call. Frames of the C library and of
 * MPI are left out; inlined functions are included. Of more than RECORD_FRAMES_MAX frames the
 * outermost are missing. */
struct record_frame {
	const char *function; /* its name in the source, else its symbol; NULL: not known */
	struct place place;
	bool told; /* interpreted program: the call is reported here; inner frames are the
		    * interpreter's. No frame has it: the call is reported at the innermost frame */
};
#define RECORD_FRAMES_MAX 32

/* Whether two call stacks (GArray of struct record_frame) are the same. */
bool record_frames_equal(const GArray *one, const GArray *other);

/* The stack of a call of an interleaving: its number, from 1, among all known stacks. */
struct record_stack {
	int32_t rank;
	uint32_t call; /* 0: where a signal hit the rank */
	uint32_t stack;
};

/* The source around a place, as it was when the program ran. */
struct record_excerpt {
	uint32_t first; /* number of the first line, from 1 */
	char *text;     /* lines, each with its newline; UTF-8 */
};

/* Bit set of bufferings, numbered as enum buffering in explorer/path.h. */
#define RECORD_ZERO (1u << 1)
#define RECORD_INFINITE (1u << 2)
#define RECORD_PER_SEND (1u << 3)
#define RECORD_BUFFERINGS (RECORD_ZERO | RECORD_INFINITE | RECORD_PER_SEND)

/* One alternative of a choice. Make it with record_message_of. */
struct record_message {
	struct taken taken;
	/* also in `taken`: */
	int32_t source; /* of a message; -1: an answer */
	int32_t tag;
	uint32_t call, sub; /* of the send; of an answer: the call that started the (first) request
			     * reported, or 0 */
	struct place place; /* of that call */
	const char
		*answer; /* "no", "yes", "#1", ... as in a path, or "thread 1"; NULL: a message */
	const char *requests; /* of an answer that reports requests: the calls that started them,
			    * "3,4" */
};

/* Sets what `taken` contains; the rest is unknown. */
struct record_message record_message_of(const struct taken *taken);

/* The alternative in words: "rank 2's message (solver.c:140)", "the request of call 3
 * (solver.c:12)", "no"; free with g_free. */
char *record_alternative_print(const struct record_message *alternative);

/* A choice taken. Reports represent it by a call: that of the point; for a lock, that of the rank
 * that gets it; for a turn, the call made next. */
struct record_choice {
	struct point point;
	int32_t rank;
	uint32_t call, sub;
	const char *function; /* MPI_Recv, MPI_Probe, ... */
	struct place place;
	uint32_t stack; /* as in struct record_call; in a blame only; set by the reader */
	struct record_message taken;
	bool is_first;        /* a replay takes it by default; not stored */
	GArray *alternatives; /* of struct record_message, without the one taken; in a blame the
			       * first ends well */
};

struct record_match {
	int32_t rank; /* of the receive */
	uint32_t call, sub;
	int32_t source;
	uint32_t send_call, send_sub;
	int32_t tag;
};

/* What a call does first, numbered as enum wire_op_kind in common/wire.h. */
enum record_call_kind {
	RECORD_CALL_OTHER, /* starts no communication: completes or queries requests */
	RECORD_CALL_SEND,
	RECORD_CALL_RECEIVE,
	RECORD_CALL_PROBE,
	RECORD_CALL_MPROBE,
	RECORD_CALL_COLLECTIVE,
	RECORD_CALL_KINDS
};

/* The calls that an operation must wait for until it is complete. */
enum record_wait {
	RECORD_WAIT_NOBODY,
	RECORD_WAIT_ROOT,  /* of the collective */
	RECORD_WAIT_ALL,   /* its members */
	RECORD_WAIT_LOWER, /* its members of lower rank in the communicator */
	RECORD_WAIT_MATCH, /* of a send: the receive that takes it */
	RECORD_WAITS
};

/* One MPI call of one rank. A call that starts several operations (Sendrecv, Startall) is described
 * by its first; the matches have all of them. */
struct record_call {
	int32_t rank;
	uint32_t call;      /* its number, as in struct record_match */
	uint8_t kind;       /* enum record_call_kind */
	uint8_t operations; /* number that it starts; 255: 255 or more */
	const char *function;
	struct place place;
	uint32_t stack;                 /* number of its stack in the store; 0: none was taken */
	uint64_t communicator;          /* its number; 0: none involved */
	const char *communicator_name;  /* "MPI_COMM_WORLD", "MPI_Comm_split of ..."; not unique;
					 * NULL: none */
	const char *communicator_group; /* "2,0,1": the ranks in MPI_COMM_WORLD of its ranks 0, 1,
	                                   2; "0,1|2": of both groups of an intercommunicator;
	                                   NULL: not known, or the caller alone */
	int32_t peer;        /* destination, source or root, a rank in MPI_COMM_WORLD; -1: any, or
	                        none */
	int32_t peer_given;  /* the same as the program passed it: a rank in the communicator */
	int32_t tag;         /* -1: any; of the lock of a window: 0 exclusive, 1 shared */
	uint64_t bytes;      /* sent, or size of the receive buffer */
	uint32_t collective; /* the same number, from 1, in all calls of one collective; 0: no
			      * collective */
	uint32_t completed;  /* call of this rank that returned the completion of the (last)
			      * operation: itself, or a Wait or Test; 0: none did, or nothing waits
			      * for it */
	uint8_t waits;       /* enum record_wait: of the (last) operation */
	uint32_t thread;     /* as in struct record_rank */
	const char *asked;   /* for calls that can return requests in several ways (Waitany, Test,
			      * ...): the calls that started them, "3,4", in the order of the list;
			      * for MPI_Cancel: the one; NULL: no such call */
	const char *indices; /* for MPI_Waitany, Testany, Waitsome and Testsome: those that it
			      * returned, "0,3", from 0 in the program's array, ascending;
			      * RECORD_UNDEFINED; "": none, or it has not returned; NULL: not known,
			      * or no such call */
};

/* In place of indices: MPI_UNDEFINED, as no request was active. */
#define RECORD_UNDEFINED "undefined"

/* Whether the call is of MPI_Waitany or its kin, which return indices. */
bool record_returns_indices(const struct record_call *call);

/* How a rank ended. */
enum record_end {
	RECORD_END_NONE, /* it waits or runs */
	RECORD_END_WELL,
	RECORD_END_EXIT,   /* with a status other than 0: `code` */
	RECORD_END_EARLY,  /* without MPI_Finalize, with the status `code`; -1: not known */
	RECORD_END_SIGNAL, /* `code` */
	RECORD_END_ABORT,  /* by MPI_Abort, which was given `code` */
	RECORD_END_ERROR,  /* an MPI error for which the program has set no handler */
	RECORD_END_THREAD, /* a thread that must not call MPI did */
	RECORD_ENDS
};

/* A rank at the end of an interleaving: a line of the roll-call. */
struct record_rank {
	int32_t rank;
	uint32_t call;        /* the call it waits in, or its last; 0: none */
	uint32_t thread;      /* that makes this call: 1 the main thread, n + 1 thread n of those
			       * that it has created; 0: one thread of the rank calls MPI */
	const char *function; /* of that call; NULL: none */
	char *arguments;      /* "source=1, tag=7", as shown between parentheses; may be NULL */
	struct place place;
	uint32_t stack;    /* at that place, as in struct record_call; only in findings and for
			    * crashes; set by the reader */
	GArray *waits_for; /* of int32_t, ascending; empty: it waits for no particular rank */
	bool bystander;    /* not part of what is wrong: waits for ranks that are, or ended well */
	enum record_end end;
	int32_t code; /* of that end; 0: it has none */
	char *ended;  /* the same in words: "ended", "exited with status 3", "killed by SIGABRT",
		       * "called MPI_Abort(1)"; NULL: it still waits */
	char *does;   /* its part in a finding that ends nothing: "sends 4 MPI_INT", by that call at
		       * that place; else NULL */
};

/* The arguments of a call that a finding is about. */
struct record_given {
	int32_t rank;
	uint32_t call;
	uint64_t count;        /* of elements; 0: not part of the finding */
	const char *type;      /* "MPI_INT"; NULL: likewise, or not a predefined type */
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
			     * without gaps. Empty unless kept: for interleavings that showed a
			     * finding first, for the first under each buffering that ended well,
			     * and in run and replay */
	GArray *exits;      /* of int32_t by rank: exit status, 128 + signal as in a shell, or -1
			     * for a rank that matchpoint ended, or of a recorded run */
	GPtrArray *outputs; /* of GBytes by rank: standard output */
	GPtrArray *errors;  /* of GBytes by rank: standard error */
	GPtrArray *ranks;   /* of struct record_rank: the roll-call; may be empty if all ended
			     * well */
};

/* One outcome of interleavings that end well. */
struct record_outcome {
	uint32_t number;    /* from 1: that of the first interleaving */
	uint64_t count;     /* interleavings with the same outcome, as far as compared */
	uint32_t execution; /* the first of them */
	char *path;         /* its path, with its buffering */
	char *place;        /* where it differs from the first: "rank 0's output, line 3"; NULL: it
			     * is the first */
	char *line;         /* that line, shortened and printable; NULL: it has no such line */
	char *instead;      /* the line of the first outcome */
};

/* Something wrong, shown by one or more interleavings. */
struct record_finding {
	uint32_t id; /* from 1 */
	enum finding_kind kind;
	uint64_t count;      /* interleavings that show it; from the reader those that the
			      * executions stand for (record_counts) */
	uint32_t bufferings; /* under which it occurs */
	char *path;          /* the first interleaving that showed it; no buffering if it shows
			      * under any */
	char *message;       /* one line: what is wrong */
	bool replayed;       /* its path was replayed to the end */
	bool reproduced;     /* and the replay showed it again; true where nothing is replayed */
	bool struck;         /* not replayed to the end: each replay was ended from outside */
	GPtrArray *ranks;    /* of struct record_rank: the roll-call, or who did what (then a rank
			      * may occur more than once) */
	GArray *given;       /* of struct record_given: the arguments that do not match */
	GPtrArray *outcomes; /* of struct record_outcome, by number; only in
				      * outcome-differs */
	struct record_choice *blame; /* the choice it needs, or NULL */
	/* set by the reader: */
	uint32_t variant_of; /* the first finding of the same kind at the same places, with other
			      * ranks or partners; 0: it is the first itself */
	GPtrArray *variants; /* its variants (struct record_finding, borrowed); NULL: none */
	uint64_t together;   /* interleavings that show it or a variant of it */
};

/* Numbers of interleavings beyond this one are not told apart from it: more than 10^18. */
#define RECORD_BEYOND ((uint64_t)1000000000000000001)

/* What the number of interleavings of an exploration is. */
enum record_counts {
	RECORD_COUNTS_EXECUTIONS, /* of executions in the store: each is one interleaving */
	RECORD_COUNTS_STATES,     /* of those that states stand for (explorer/state_graph.h) */
	RECORD_COUNTS_SOME,       /* the same; there may be more, as choices are left */
	RECORD_COUNTS_UNKNOWN,    /* states stand for a number that is not known: of executions */
};

struct record_exploration {
	const char *command;  /* "explore", "run", "replay" or "minimize" */
	GStrv program;        /* argv, NULL-terminated */
	char *directory;      /* where it was started */
	char *machine;        /* its host name */
	char *standard_input; /* the file for rank 0, as named; NULL: none */
	char *launcher;       /* --launcher, as given; NULL: the usual one */
	int32_t ranks;
	const char *nodes;       /* virtual nodes (explorer/nodes.h), interned; NULL: one node.
				  * Stands in the paths of its interleavings */
	uint32_t bufferings;     /* those explored */
	uint32_t shard, shards;  /* --shard 2/3: 2 and 3; 0 and 3: all shards, merged; 0 and 0: no
				  * shards */
	bool threads;            /* several threads of a rank called MPI */
	bool random;             /* --random: random walks, so not every interleaving */
	uint64_t seed;           /* of `random`; at most INT64_MAX */
	const char *backtrack;   /* "snapshot" or "rerun" */
	char *backtrack_reason;  /* why auto reruns; NULL: nothing to explain */
	const char *collectives; /* --collectives, interned */
	char *version;           /* of matchpoint */
	char *mpi;               /* first line of MPI_Get_library_version */
	GPtrArray *limits;       /* limits_new: what the verdict does not cover */
	GPtrArray *notes;        /* of char *: what else a reader should know; sentences without
				  * a full stop */
	/* set at the end: */
	bool complete;           /* nothing was left out */
	char *incomplete_reason; /* why not: "stopped by --max-time 10; ..."; NULL when complete */
	uint64_t interleavings;  /* RECORD_BEYOND: more than that */
	enum record_counts counts; /* what `interleavings` is; set by the reader */
	uint64_t runs;             /* --random: walks that have ended, with a new interleaving or
				  * not */
	uint64_t states;           /* --search states: number of states, at rest and at ends; else
				  * 0 */
	uint64_t merged;           /* runs that ended in a known state */
	uint64_t wasted;
	double seconds;
};

/* Reads `answer` of a struct record_message; false: it is not valid. */
bool record_answer_read(const char *answer, struct taken *ret_taken);

/* The choice as the explorer has it. */
struct choice record_choice_made(const struct record_choice *choice);

struct record_choice *record_choice_new(void);
struct record_choice *record_choice_copy(const struct record_choice *choice);
void record_choice_free(struct record_choice *choice);

struct record_rank *record_rank_new(int32_t rank);
struct record_rank *record_rank_copy(const struct record_rank *rank);
void record_rank_free(struct record_rank *rank);

struct record_execution *record_execution_new(void);
/* Another record with the same arrays, which must not change from now on. */
struct record_execution *record_execution_share(const struct record_execution *execution);
void record_execution_free(struct record_execution *execution);

struct record_finding *record_finding_new(enum finding_kind kind);
void record_finding_free(struct record_finding *finding);

struct record_exploration *record_exploration_new(void);
void record_exploration_free(struct record_exploration *exploration);
/* The programs (struct program_part); free with g_array_unref. One program: NULL. */
GArray *record_programs(const struct record_exploration *exploration);
/* The number of virtual nodes; 1: none. */
int record_nodes(const struct record_exploration *exploration);

/* "main thread", "thread 2", of the `thread` of a rank or call; NULL: it has none. Free with
 * g_free. */
char *record_thread_print(uint32_t thread);

/* Whether a signal ended the rank. */
bool record_rank_crashed(const struct record_rank *rank);

/* Whether it reports what ranks did while the interleaving went on. */
bool record_finding_is_remark(const struct record_finding *finding);

/* The key of a finding; findings with equal keys are one. It consists of the kind, and where each
 * rank that is no bystander waits or how it ended. For remarks: what was done where, by any rank.
 * For kinds without a roll-call: the message. Free with g_free. */
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
