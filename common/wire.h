/* The protocol between the shim in each rank and the scheduler: one Unix stream socket for each
 * rank process, messages in both directions.
 *
 * A frame is: u32 length of what follows, u16 type, fields. All integers are little-endian and of
 * fixed width, written field by field. A string is u32 length + bytes, a list u32 count + elements.
 * The decoder trusts nothing: a frame that is too long, too short or has bytes left over is an
 * error.
 *
 * WIRE_VERSION goes up with every change of the layout. HELLO carries it, and the scheduler refuses
 * any other version. Libc only: this file is linked into the shim, the scheduler and the fuzz
 * targets. */
#ifndef MATCHPOINT_COMMON_WIRE_H
#define MATCHPOINT_COMMON_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi_codes.h"
#include "wire_access.h"
#include "wire_indices.h"
#include "wire_park.h"
#include "wire_processes.h"
#include "wire_use.h"

#define WIRE_VERSION 49
#define WIRE_FRAME_MAX (64u << 20)

/* Bytes: a send of this size or more is reported when it is matched, since it needs both ranks. */
#define WIRE_LARGE_MESSAGE 8192u

/* Bytes: the data of a larger nonblocking receive is in the program's buffer when MPI puts it
 * there. Larger buffers of pending operations are sampled for changes. */
#define WIRE_STAGED_MOST (64u << 20)
#define WIRE_COMPARED_MOST (16u << 10)

#define WIRE_ANY (-1)      /* any source, any tag */
#define WIRE_NOBODY (-3)   /* in place of a rank: MPI_PROC_NULL */
#define WIRE_AWAITED 0     /* the receiver waits for this message and nothing else */
#define WIRE_ARRIVES (-3)  /* the data of this receive must be visible when the rank continues */
#define WIRE_COMM_WORLD 1u /* well-known communicator numbers; WIRE_COMM introduces others */
#define WIRE_COMM_SELF 2u

enum wire_type {
	/* rank to scheduler */
	WIRE_HELLO = 1, /* first message on a connection; answered by WELCOME */
	WIRE_CALL,      /* an MPI call; answered by GO when `wait` is not WIRE_WAIT_NONE */
	WIRE_COMM,      /* a communicator (or a scope of collectives) before its first use */
	WIRE_ERROR,     /* MPI returned an error; if fatal, the rank waits for END */
	WIRE_STACK,     /* before a CALL, if stacks are wanted: the stack of the call */
	WIRE_PARKED,    /* answer to PARK: the process is a keeper now */
	WIRE_CHILD,     /* from a keeper: a child was forked, or has ended */
	WIRE_ENDING,  /* the process ends, by exit() or a deadly signal; or END to flush is done */
	WIRE_TOUCHED, /* the program has changed the buffer of an active operation */
	WIRE_LEFT, /* before MPI_Finalize and ENDING: what the program has not freed, if anything */
	WIRE_THREAD,   /* a thread that may call MPI has begun, or is about to end */
	WIRE_ENTER,    /* a thread is about to make a call; answered by ADMIT (one of several) */
	WIRE_ACCESSES, /* accesses to windows since the rank's last message; not a call */
	WIRE_DIGEST,   /* answer to LOOK: what the program of a waiting rank can observe */
	WIRE_OVERLAP,  /* two operations under way use the same bytes */
	WIRE_MISUSE,   /* the rank has made a call that MPI allows and the standard does not */
	WIRE_CONTENTS, /* before a CALL, if contents are wanted: those of a message it sends */
	WIRE_HELD, /* the rank is at its end and stays, to be rewound; or (also in answer to REWIND)
	              why it cannot, and it is gone */
	WIRE_SEAL, /* before a CALL, if states are compared: the call's arguments */
	WIRE_STATE,      /* answer to TELL: the state of a rank that waits for GO */
	WIRE_NAMED,      /* the program has named a communicator or window */
	WIRE_IMAGED,     /* answer to IMAGE: the number of the image */
	WIRE_PARTITIONS, /* a partitioned send is started, or partitions of it are ready */
	WIRE_RETURNED,   /* what Waitany or its kin has returned, if MPI had a part in it */
	WIRE_NEEDS,      /* a spawn lacks processes; the rank waits for END */
	WIRE_RING,       /* the rank offers to report through memory (report_ring.h) */
	WIRE_BELL,       /* look into this memory */
	/* scheduler to rank */
	WIRE_WELCOME = 64,
	WIRE_BIND, /* post this receive (or nonblocking collective) to MPI now, in this order; of a
	              send: it is matched or probed, so post it if it was put off */
	WIRE_GO,   /* the pending call may complete */
	WIRE_END,  /* flush the program's standard streams if asked to, then _exit(status) */
	WIRE_PARK, /* become a keeper; only while a call is pending */
	WIRE_RESTORE, /* to a keeper: fork a child into a new world */
	WIRE_RESUME,  /* to a keeper: be a rank again, in your own world */
	WIRE_ADMIT,   /* this thread may make its call now; it gets the rank's next number */
	WIRE_RELEASE, /* to a keeper: finish PMI with the job launcher, then _exit(status) */
	WIRE_LOOK,    /* send DIGEST; only while a call is pending */
	WIRE_FORWARD, /* move the clocks that the program reads forward */
	WIRE_REWIND,  /* to a held or waiting rank: go back to an image, or to your birth, in this
	                 world. Answered by HELLO, or by HELD. WELCOME follows HELLO; or it comes
	                 right behind REWIND, if `follows` is set or no images are asked for */
	WIRE_TELL,    /* send STATE; only while a call is pending */
	WIRE_IMAGE,   /* take an image of yourself, to be rewound to; only while a call is pending.
	                 Answered by IMAGED; then wait for WELCOME, unless `goes_on` */
	WIRE_FORGET,  /* this image will not be used again: to one of the ranks that have it */
	WIRE_DRIVE,   /* drive MPI's progress again (struct wire_state: idle) */
};

/* Whether an order of this type leaves the rank unchanged, for the program and for MPI. */
bool wire_moves_nothing(uint16_t type);

/* In place of the call in an awaited name: only the rank itself could complete it. */
#define WIRE_NEVER UINT32_MAX /* `sub` is then the call that started the request, or 0 */

/* An operation of one rank: the call that started it, and which of the call's operations. */
struct wire_name {
	uint32_t call;
	uint32_t sub;
};

struct wire_hello {
	uint32_t version;
	uint32_t world;  /* MATCHPOINT_WORLD, or from RESTORE */
	int32_t rank;    /* PMI_RANK, or -1 if the environment has none; exact if restored */
	int32_t pid;     /* the kernel's */
	uint64_t inside; /* address of the process's struct wire_blocking_call */
	bool restored;
	char *program; /* /proc/self/exe */
	char *mpi;     /* first line of MPI_Get_library_version; empty if restored */
};

/* Not sent: the scheduler reads it from a rank's memory. The call that MPI carries out now by
 * itself. */
struct wire_blocking_call {
	uint32_t function; /* enum mpi_call; 0: none */
	uint32_t times;    /* number of such calls so far */
	uint64_t site;     /* return address in the program */
	bool met;          /* a reported collective whose members have all called */
	bool driven; /* waits for no rank: a reported call that drives MPI's progress, in steps, or
	                a call that computes */
	uint32_t steps; /* number of steps so far; a step takes long only in functions of the
	                   program */
};

/* Equal to enum buffering of explorer/path.h. */
enum wire_buffering {
	WIRE_BUFFERING_ZERO = 1,
	WIRE_BUFFERING_INFINITE = 2,
	WIRE_BUFFERING_PER_SEND = 3, /* sends are copied, but each waits for GO */
};

/* Which atomic operations on windows ask for the words that they use, so that their order is a
 * choice (MPI 3.1, section 11.7.1). */
enum wire_atomics {
	WIRE_ATOMICS_NONE,    /* none: MPI decides their order */
	WIRE_ATOMICS_REPLACE, /* the program makes none that fetches: only MPI_REPLACE */
	WIRE_ATOMICS_READS,   /* all; those that only read share their words */
	WIRE_ATOMICS_SUMS,    /* all; those with MPI_SUM that do not fetch share their words */
};

/* What the scheduler wants. Constant for an exploration; but each world sets the buffering. */
struct wire_welcome {
	uint8_t buffering;     /* enum wire_buffering */
	bool every_call_waits; /* no call is acknowledged ahead of time (prompt, tests) */
	bool synchronous_collectives;
	bool stacks;     /* each CALL comes with a STACK */
	bool contents;   /* each CALL comes with the CONTENTS of what it sends (prompt) */
	bool states;     /* the rank may be asked for its state, in this world or in a later one */
	bool seals;      /* each CALL comes with a SEAL; only if `states` */
	bool images;     /* the rank may get IMAGE; in a later world also if `states` */
	bool rewinds;    /* a restored rank that ends well is held (HELD) */
	uint8_t atomics; /* enum wire_atomics */
	uint32_t ahead;  /* calls with a lower number are known to return: the rank need not wait in
	                   them if it knows by itself what they wait for */
	bool hurries;    /* the rank may go on without GO (shim/request/proven.h) */
	uint64_t idle_time;     /* microseconds that its world has stood still so far, in all */
	uint32_t uneven_clocks; /* not 0: clocks that the program reads run unevenly, in another
	                           way for each number */
};

enum wire_op_kind {
	WIRE_SEND = 1,
	WIRE_RECEIVE,
	WIRE_PROBE,
	WIRE_MPROBE,
	WIRE_COLLECTIVE, /* collectives, creating and freeing communicators, Finalize */
	WIRE_LOCK, /* of the window `comm` at target `peer`; WIRE_ANY: a shared lock at all targets.
	              `mode` is an enum wire_lock_mode. Complete when granted */
	WIRE_UNLOCK, /* of a lock that this rank holds there; `tag`: enum wire_unordered, of the
	                atomic operations that the rank has made without asking for their words */
};

/* Above the last: accumulates with one MPI_Op were made, and no others; its code is added. */
enum wire_unordered {
	WIRE_UNORDERED_NONE = 0,
	WIRE_UNORDERED_ANY, /* MPI decides their order, and it may matter */
	WIRE_UNORDERED_ONE_OP,
};

/* Tags of a window's own messages, for MPI_Win_post, start, complete and wait. */
enum wire_window_tag { WIRE_EXPOSED = 0, WIRE_COMPLETED };

/* `sub` in the name of a WIRE_UNLOCK for a lock that MPI has refused: above those of all locks that
 * the rank asked for. */
enum { WIRE_LOCK_REFUSED = 1 << 24 };

/* The last two: an atomic operation asks for the words of the window that it uses: `bytes` bytes,
 * `tag` bytes behind displacement `counts` (an int64_t, in the target's units), in elements of
 * `reduction` bytes, 0: not known. Those that ask with SHARE commute. It gives them back with the
 * same mode: with a hash of what it has fetched in `counts`, 0: nothing, and in `tag` whether it
 * has changed the window. */
enum wire_lock_mode {
	WIRE_LOCK_EXCLUSIVE = 0,
	WIRE_LOCK_SHARED,
	WIRE_LOCK_UPDATE,
	WIRE_LOCK_SHARE,
	WIRE_LOCK_MODES
};

enum wire_send_mode { WIRE_STANDARD = 0, WIRE_SYNCHRONOUS, WIRE_BUFFERED, WIRE_READY };

/* Bytes of an attached buffer that a message takes besides its own: MPICH's MPI_BSEND_OVERHEAD. */
#define WIRE_BUFFER_OVERHEAD 96u

/* `count` elements of a basic type, one after the other. */
struct wire_run {
	uint16_t basic; /* type code (mpi_codes.h) */
	uint64_t count;
};

/* The basic types of some data, in their order (MPI 3.1, section 4.1). */
struct wire_types {
	uint16_t basic;        /* the type of all data; 0: see runs */
	uint32_t run_count;    /* 0, and no basic type: not to be compared */
	struct wire_run *runs; /* repeated as often as the bytes require */
};

/* The ranks with which a member of a collective exchanges data. */
enum wire_partners {
	WIRE_WITH_NOBODY = 0,
	WIRE_WITH_EACH,   /* each rank of the group that messages go to */
	WIRE_WITH_LISTED, /* ranks in that group, in any order, with repetitions: neighbours, a
	                     root. Or WIRE_NOBODY */
};

/* What a member sends to or expects from them: amounts and types, one for all or one for each. */
struct wire_side {
	uint8_t partners; /* enum wire_partners */
	uint32_t peer_count;
	int32_t *peers; /* WIRE_WITH_LISTED */
	uint32_t part_count;
	uint64_t *bytes;
	uint32_t type_count;
	struct wire_types *types;
};

/* In place of a collective's root: there is none. In the root's group of an intercommunicator (MPI
 * 3.1, section 5.2.2): the root itself (MPI_ROOT), and the others (MPI_PROC_NULL). */
enum wire_root { WIRE_NO_ROOT = -1, WIRE_ROOT_ITSELF = -2, WIRE_ROOT_BESIDE = -3 };

struct wire_op {
	struct wire_name name;
	uint8_t kind;
	uint8_t mode;      /* of sends and locks */
	bool nonblocking;  /* the program holds a request for it */
	bool joined;       /* completes only together with the operation before it in the call */
	bool whole;        /* a collective: every member waits for all, because the shim has no
	                      communicator of its own for it */
	uint16_t function; /* enum mpi_call of a persistent collective, which MPI_Start does not
	                      show; else 0 */
	uint64_t comm;
	int32_t peer;   /* rank in the (remote) group of comm: destination, source or WIRE_ANY; a
	                   collective's root, or an enum wire_root */
	int32_t tag;    /* or WIRE_ANY */
	uint64_t bytes; /* sent, or room for a message */
	struct wire_types types; /* of `bytes` */
	/* Members of a collective must agree on these, too; 0: not compared. */
	bool same_data;    /* bytes and types */
	uint8_t reduction; /* enum op_code */
	uint64_t counts; /* hash of the counts or other arguments; of an intercommunicator, those of
	                    one group. Of a buffered send: the number of the attached buffer, from
	                    1, and its size in the low half */
	struct wire_side sends, receives; /* compared between two members */
};

enum wire_wait {
	WIRE_WAIT_NONE = 0, /* credit: reported, no answer (unless every_call_waits) */
	WIRE_WAIT_ALL,      /* GO when all of `waited` can complete */
	WIRE_WAIT_ANY,      /* GO with exactly one */
	WIRE_WAIT_SOME,     /* GO with at least one */
	WIRE_TEST_ALL,      /* GO, with all or none */
	WIRE_TEST_ANY,      /* GO, with at most one */
	WIRE_TEST_SOME,     /* GO, with those that can complete */
	WIRE_CANCEL,        /* GO with `waited`[0] if withdrawn, with none if matched */
	WIRE_FREE,          /* credit: the program frees the request; the operation continues */
	WIRE_ABORT,         /* MPI_Abort, error code in `status`; answered only by END */
	WIRE_WAIT_TAKEN,    /* GO when the messages of all sends in `waited` are received */
	WIRE_FETCH,         /* credit: the program begins to receive the message that its matched
	                       probe `waited`[0] took (MPI_Mrecv, MPI_Imrecv) */
};

/* Hash of all that the program can observe when its pending call returns (digest.h). */
struct wire_digest {
	uint64_t hash[2]; /* both 0: unknown */
};

/* One MPI call: what it starts and what it waits for. A blocking call waits for what it starts. A
 * call that proceeds in steps sends the same number twice (Intercomm_create). */
struct wire_call {
	uint32_t call;
	uint32_t thread;   /* 0: the thread that called MPI_Init */
	uint16_t function; /* enum mpi_call, of the generated mpi_calls.h */
	uint8_t wait;
	bool marked;    /* in a region where the order of messages does not matter (region.h) */
	bool ahead;     /* the rank waits neither for BIND nor for GO (struct wire_welcome) */
	int32_t status; /* ABORT: its argument; Init, Finalize and spawns: wire_processes.h */
	uint64_t site;  /* return address in the program */
	bool timed;     /* the program has read a clock since its last call */
	bool by_rule;   /* some of what Waitany and its kin may report is decided by the rank or by
	                   MPI, and is reported first */
	bool real_time; /* `timed`, and threads or children of the program may depend on the time */
	uint32_t busy;  /* microseconds that the program computed since its last call, if that was a
	                   poll answered "not yet"; else 0 */
	uint32_t op_count;
	struct wire_op *ops;
	uint32_t waited_count;
	struct wire_name *waited;
	/* Of Waitany and its kin (wire_returns_indices): of each request in `waited`, its index in
	 * the program's array, from 0; then those of requests that the call returns whatever the
	 * answer is. Both ascend. Empty: those in `waited` begin the array, without gaps. */
	uint32_t place_count;
	uint32_t *places;             /* or WIRE_UNDEFINED, or WIRE_TOLD_LATER, alone */
	uint64_t room;                /* FETCH: bytes that the message may have */
	struct wire_types room_types; /* FETCH: of `room` */
	bool has_digest;              /* of a poll, as GO asked for it: `digest` is valid */
	struct wire_digest digest;    /* as in answer to LOOK */
};

/* Kinds of objects that a program must free or complete before MPI_Finalize. Error handlers and
 * info objects: before it ends. */
enum wire_object {
	WIRE_OBJECT_REQUEST = 1, /* nonblocking: must be completed */
	WIRE_OBJECT_PERSISTENT,  /* persistent: must be freed */
	WIRE_OBJECT_COMMUNICATOR,
	WIRE_OBJECT_DATATYPE,
	WIRE_OBJECT_GROUP,
	WIRE_OBJECT_WINDOW,
	WIRE_OBJECT_FILE,
	WIRE_OBJECT_MESSAGE, /* of MPI_Mprobe: must be received */
	WIRE_OBJECT_OP,
	WIRE_OBJECT_ERRHANDLER,
	WIRE_OBJECT_KEYVAL,
	WIRE_OBJECT_INFO,
	WIRE_OBJECT_COUNT
};

/* `count` objects of one kind that one call of the program made, and that were not freed. */
struct wire_left {
	uint8_t kind;      /* enum wire_object */
	uint16_t function; /* enum mpi_call */
	uint64_t site;     /* return address in the program */
	uint32_t count;
};

struct wire_objects {
	uint32_t count;
	struct wire_left *left;
};

struct wire_comm {
	uint64_t comm;
	uint32_t local_count, remote_count; /* remote_count 0: an intracommunicator */
	int32_t *local, *remote;            /* world ranks, in rank order */
	int32_t my_rank;                    /* rank of this process in `local` */
	uint32_t window; /* of a window, sent by its lowest world rank: the window's number among
	                    those with this lowest rank, from 1; else 0 */
	uint32_t unit;   /* of a window: this process's displacement unit in bytes; else 0 */
	char *name;      /* how it was created: "MPI_Comm_split of MPI_COMM_WORLD" */
	uint64_t stands_for; /* another number of this communicator, for some of its operations
	                        (persistent collectives, partitioned messages); else 0 */
	uint16_t function;   /* enum mpi_call: what the program calls to make it */
	uint64_t site;       /* return address of that call in the program */
	char *argument;      /* that tells it from others of the same call, as text: "tag=7",
	                        "\"org.example\""; empty: none */
};

/* MPI_Comm_set_name, MPI_Win_set_name. */
struct wire_named {
	uint64_t comm;
	char *name; /* empty: the name was removed */
};

struct wire_error {
	uint32_t call;
	uint32_t started; /* the call whose operation failed, if another */
	uint16_t function;
	uint64_t site;
	int32_t error_class; /* the library's number; for logs alone */
	bool fatal;   /* the program's error handler is MPI_ERRORS_ARE_FATAL or MPI_ERRORS_ABORT */
	bool refused; /* not an error of the program: matchpoint cannot control the call; call 0:
	                 cannot go back over what the program does */
	bool threads; /* not an error of MPI: this thread must not call MPI now; fatal */
	char *text;   /* MPI_Error_string */
};

/* A line of an interpreted program. */
struct wire_line {
	char *function;
	char *file; /* as the interpreter names it; not always a file */
	uint32_t line;
};

struct wire_stack {
	uint32_t call;
	uint32_t count;
	uint64_t *frames; /* return addresses, innermost first: the call's site, then outwards.
	                     Without frames of MPI and of an interpreter; the outermost may be
	                     missing */
	uint32_t inner;   /* number of frames further in than the lines; the rest is further out */
	bool extension;   /* the inner frames belong to the interpreter: modules that extend it */
	uint32_t line_count;
	struct wire_line *lines; /* innermost first */
};

/* A message, packed (MPI 3.1, section 4.2) as its sender has it when the send starts. */
struct wire_contents {
	struct wire_name name;   /* of the send */
	uint64_t bytes;          /* of the whole message */
	struct wire_types types; /* of `bytes` */
	char *first;             /* first bytes, two hexadecimal digits each */
};

/* Sent before the process ends. So its status is known where no process can wait for it, and the
 * place of a crash can be examined while the process is still there (it then waits for END). */
struct wire_ending {
	int32_t status; /* argument of exit() */
	int32_t signal; /* the deadly signal; 0: exit() */
	uint32_t call;  /* the reported call in which it struck; 0: in none, or not known */
	uint32_t count;
	uint64_t *frames; /* where the signal struck, innermost first; empty for exit() */
};

struct wire_touched {
	struct wire_name name; /* of the operation; call 0: it works on a file, and has none */
	uint16_t function;     /* without a name: the call that began it, enum mpi_call */
	uint64_t site;         /* and its return address in the program */
	uint32_t noticed;      /* call that completes it, or the latest one; 0: it has no number */
	uint16_t by_function;  /* without a number: the same of that call */
	uint64_t by_site;
	uint8_t kind; /* enum wire_use */
	uint8_t how;  /* enum wire_touch */
};

/* An operation that uses memory of its rank. */
struct wire_user {
	struct wire_name name; /* call 0: one-sided, on a file, or the program itself: no name */
	uint16_t function;     /* enum mpi_call */
	uint64_t site;         /* return address in the program */
	uint8_t kind;          /* enum wire_use */
	bool writes;           /* to the bytes that both use */
};

struct wire_overlap {
	struct wire_user users[2]; /* the earlier one first */
};

enum wire_misuse_why {
	WIRE_MISUSE_FREE,     /* frees the request of an active collective */
	WIRE_MISUSE_CANCEL,   /* cancels it */
	WIRE_MISUSE_REQUEST,  /* one-sided, with a request, while no lock is held */
	WIRE_MISUSE_TYPES,    /* one-sided: the types may not match, or the data may not fit, at its
	                        destination; the scheduler decides */
	WIRE_MISUSE_OVERLAP,  /* receives into a datatype that contains a byte twice */
	WIRE_MISUSE_CHILD,    /* a process that the rank has forked calls MPI */
	WIRE_MISUSE_FINALIZE, /* MPI_Finalize by a thread that has not initialised MPI */
	WIRE_MISUSE_COMMUTES, /* reduces with an operation that is declared commutative, and op(a,b)
	                         differs from op(b,a) */
	WIRE_MISUSE_UNTRIED,  /* no misuse: such an operation could not be tried */
	WIRE_MISUSE_COUNT
};

struct wire_amount {
	uint64_t bytes;
	struct wire_types types;
};

struct wire_misuse {
	uint8_t why;                        /* enum wire_misuse_why */
	uint32_t call;                      /* 0: a call without a number */
	uint16_t function;                  /* enum mpi_call */
	uint64_t site;                      /* return address in the program */
	struct wire_amount moved, expected; /* of WIRE_MISUSE_TYPES */
	/* Of WIRE_MISUSE_COMMUTES: */
	char *difference; /* the first, as words */
	uint16_t maker;   /* enum mpi_call that made the operation; 0: see above */
	uint64_t made_at; /* return address in the program */
};

/* A partitioned send (MPI 4.0, section 4.2). */
struct wire_partitions {
	uint64_t comm;        /* of its messages (struct wire_op) */
	uint32_t call;        /* that has started it */
	uint32_t count;       /* it starts, with so many partitions, none ready; 0: it goes on */
	uint32_t first, last; /* these are ready now, unless it starts */
};

/* A thread of a rank in which several threads may call MPI at the same time. */
struct wire_thread {
	uint32_t thread; /* in order of creation, from 1 */
	int32_t id;      /* the kernel's */
	bool ended;
};

/* What the call will send or receive, as far as it takes part in matching. */
struct wire_enter {
	uint32_t thread;
	bool sends, receives; /* receives: or probes */
	uint64_t comm;        /* the process's own handle */
	int32_t dest, send_tag;
	int32_t source, receive_tag; /* or WIRE_ANY */
};

/* The arguments of a call, as far as they can matter later. */
struct wire_seal {
	uint32_t call;
	bool hides; /* since its last seal the rank has made calls whose effect is hidden inside
	               MPI: attributes, datatypes, buffers */
	bool knows_contents;
	uint64_t arguments[2];
	uint64_t contents[2]; /* hash of the data that it sends */
};

/* The state of a rank as a hash of its memory, registers and files (state.h). */
struct wire_state {
	uint64_t hash[2];
	bool idle;    /* nothing of its own is under way in MPI: it does nothing, and drives no
	                 progress, until an order moves it, or DRIVE */
	char *hazard; /* why the state is unknown; or empty */
};

struct wire_bind {
	struct wire_name name;
	int32_t source; /* in the communicator's (remote) group; -1 for a collective; of a send:
	                   WIRE_AWAITED, or -1; of a receive bound before: WIRE_ARRIVES */
	int32_t tag;
	uint64_t bytes; /* of the message that a receive takes */
};

struct wire_go {
	uint32_t call;
	uint32_t count;
	uint32_t *done; /* indices into `waited`; of WAIT_ALL empty: all of them */
	bool look;      /* send the digest along with the next call, if that is a poll: it would be
	                   asked for (LOOK) */
};

struct wire_end {
	bool flush;
	int32_t status;
	bool hold; /* END: stay if you can be rewound, and send HELD */
};

/* An offer of memory (report_ring.h). */
struct wire_ring {
	uint32_t descriptor; /* of the rank's process: leads to the memory */
	uint64_t key;        /* at its beginning, so that no other file is taken for it */
};

struct wire_message {
	uint16_t type;
	union {
		struct wire_hello hello;
		struct wire_call call;
		struct wire_comm comm;
		struct wire_named named;
		struct wire_error error;
		struct wire_stack stack;
		struct wire_parked parked;
		struct wire_child child;
		struct wire_ending ending;
		struct wire_touched touched;
		struct wire_overlap overlap;
		struct wire_misuse misuse;
		struct wire_partitions partitions;
		struct wire_returned returned;
		struct wire_needs needs;
		struct wire_ring ring;
		struct wire_objects objects; /* LEFT */
		struct wire_thread thread;
		struct wire_enter enter;
		struct wire_accesses accesses;
		struct wire_digest digest;
		struct wire_seal seal;
		struct wire_state state;
		struct wire_contents contents;
		struct wire_welcome welcome;
		struct wire_bind bind;
		struct wire_go go;
		uint32_t admitted; /* ADMIT: the thread */
		uint32_t forward;  /* FORWARD: milliseconds */
		uint32_t forget;   /* FORGET: the image */
		struct wire_rewind rewind;
		struct wire_image image;
		struct wire_imaged imaged;
		struct wire_held held;
		struct wire_end end; /* END and RELEASE */
		struct wire_restore restore;
	};
};

/* A byte buffer that grows. Zero-initialised: empty. */
struct wire_buffer {
	uint8_t *bytes;
	size_t count, capacity;
	bool failed; /* memory ran out at some time: the contents are invalid */
};

void wire_buffer_release(struct wire_buffer *buffer);

/* Appends one frame. Does not change the message. */
void wire_encode(struct wire_buffer *buffer, const struct wire_message *message);

/* Appends the contents of another buffer. */
void wire_append(struct wire_buffer *buffer, const struct wire_buffer *more);

/* Length of the first frame, with its length field. 0: more bytes are needed; -1: not a frame. */
long wire_frame_length(const uint8_t *bytes, size_t count);
/* The type (enum wire_type) of a complete frame. */
uint16_t wire_frame_type(const uint8_t *bytes);

/* Decodes exactly one frame. 0, or -1: then there is nothing to release. The message owns all that
 * it points to. */
int wire_decode(const uint8_t *bytes, size_t count, struct wire_message *ret_message);
void wire_message_release(struct wire_message *message);

/* Functions that get the fields of a message in order, by name: to print it, or (`fills`) to make
 * it. The fields of a list element, or of one of two structs, come between two calls of `group`:
 * the first has the name ("" for an element) and `begins`. The length of a list comes before it,
 * under the list's name. */
struct wire_visitor {
	bool fills; /* the functions set the values; strings are malloc'ed, lists get room for their
	               length */
	void (*number)(void *user, const char *name, int64_t *value);
	void (*text)(void *user, const char *name, char **value);
	void (*name)(void *user, const char *name, struct wire_name *value);
	void (*group)(void *user, const char *name, bool begins);
};

/* Visits a message of type message->type. If the visitor does not fill, the message is only read.
 * -1: a value is impossible; a message that was filled must be released all the same. */
int wire_visit(struct wire_message *message, const struct wire_visitor *visitor, void *user);

#endif
