/* The contract between the shim in each rank and the scheduler: one Unix stream socket per rank
 * process, messages in both directions.
 *
 * Frame: u32 length of what follows, u16 type, fields. All integers little-endian and of fixed
 * width, written field by field; strings are u32 length + bytes; lists u32 count + elements. The
 * decoder trusts nothing: a frame that is too long, too short or has bytes left over is an error.
 *
 * WIRE_VERSION goes up with every change of the layout; HELLO carries it, and the scheduler
 * refuses another one. Libc only: this file is linked into the shim, the scheduler and the fuzz
 * targets. */
#ifndef MATCHPOINT_COMMON_WIRE_H
#define MATCHPOINT_COMMON_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire_access.h"

#define WIRE_VERSION 34
#define WIRE_FRAME_MAX (64u << 20)

/* A send of at least so many bytes is told when it is matched: such messages need both ranks. */
#define WIRE_LARGE_MESSAGE 8192u

#define WIRE_ANY (-1)      /* any source, any tag */
#define WIRE_AWAITED 0     /* the receiver waits for this message and nothing else */
#define WIRE_ARRIVES (-3)  /* the data of this receive is to be seen when the rank goes on */
#define WIRE_COMM_WORLD 1u /* well-known communicator numbers; others come from WIRE_COMM */
#define WIRE_COMM_SELF 2u

enum wire_type {
	/* rank to scheduler */
	WIRE_HELLO = 1, /* first message on a connection; answered by WELCOME */
	WIRE_CALL,      /* an MPI call; answered by GO when `wait` is not WIRE_WAIT_NONE */
	WIRE_COMM,      /* a communicator (or a scope of collectives) before its first use */
	WIRE_ERROR,     /* MPI returned an error; when fatal the rank waits for END */
	WIRE_STACK,     /* before a CALL, when stacks are wanted: where it stands */
	WIRE_PARKED,    /* answer to PARK: the process is a keeper now */
	WIRE_CHILD,     /* keeper: a child was forked, or has ended */
	WIRE_ENDING,  /* the process is about to end: exit(), or a deadly signal; or, told by END to
	                   flush, it has done so */
	WIRE_TOUCHED, /* the program has changed the buffer of an active operation */
	WIRE_LEFT,    /* before MPI_Finalize, and before ENDING: what the program has not freed,
	                   if anything */
	WIRE_THREAD,  /* a thread that may call MPI has begun, or is about to end */
	WIRE_ENTER,   /* a thread is about to make a call; answered by ADMIT (one of several) */
	WIRE_ACCESSES, /* what the rank has done to windows since its last message: no call */
	WIRE_DIGEST,   /* answer to LOOK: what a rank goes by that waits for GO */
	WIRE_OVERLAP,  /* two operations under way use the same bytes */
	WIRE_MISUSE,   /* the rank has made a call that MPI lets pass and the standard does not */
	WIRE_CONTENTS, /* before a CALL, when contents are wanted: of a message that it sends */
	WIRE_HELD,     /* the rank is at its end and stays to be rewound, or says why it cannot be
	                   (also in answer to REWIND), and is gone */
	WIRE_SEAL,     /* before a CALL, when states are compared: what it was given */
	WIRE_STATE,    /* answer to TELL: the state of a rank that waits for GO */
	WIRE_NAMED,    /* the program has given a communicator or window a name */
	WIRE_IMAGED,   /* answer to IMAGE: the number of the image */
	/* scheduler to rank */
	WIRE_WELCOME = 64,
	WIRE_BIND,    /* post this receive (or nonblocking collective) to MPI now, in this order;
	                 of a send: it is matched or probed: post it if that was put off */
	WIRE_GO,      /* the pending call may complete */
	WIRE_END,     /* flush the program's standard streams if asked to, then _exit(status) */
	WIRE_PARK,    /* become a keeper (only while a call is pending) */
	WIRE_RESTORE, /* keeper: fork a child into a new world */
	WIRE_RESUME,  /* keeper: be a rank again, in your own world */
	WIRE_ADMIT,   /* this thread may make its call now: it gets the rank's next number */
	WIRE_RELEASE, /* keeper: finish with the job launcher (PMI finalize), then _exit(status) */
	WIRE_LOOK,    /* tell what you go by: DIGEST (only while a call is pending) */
	WIRE_FORWARD, /* put the clocks that the program reads forward by so much */
	WIRE_REWIND,  /* held, or at rest: be again what you were in an image, or when you began,
	                 in this world; answered by HELLO, or by HELD. WELCOME comes after HELLO;
	                 right behind REWIND where `follows` says so, or no images are asked for */
	WIRE_TELL,    /* tell your state: STATE (only while a call is pending) */
	WIRE_IMAGE,   /* keep what you are now, to be rewound to: IMAGED (likewise), then wait for
	                 WELCOME unless told to go on */
	WIRE_FORGET,  /* this image will not be asked for any more, by one of those who had it */
	WIRE_DRIVE,   /* drive MPI's progress again (struct wire_state: still) */
};

/* An order that leaves the rank as it is, as far as the program and MPI go by it. */
bool wire_moves_nothing(uint16_t type);

/* In place of the call in a name that is waited for: what only the rank itself could still do. */
#define WIRE_NEVER UINT32_MAX

/* An operation within one rank: the call that started it, and which of several. */
struct wire_name {
	uint32_t call;
	uint32_t sub;
};

struct wire_hello {
	uint32_t version;
	uint32_t world; /* from MATCHPOINT_WORLD, or from RESTORE */
	int32_t rank;   /* PMI_RANK, or -1 when the environment does not say; exact when restored */
	int32_t pid;    /* the real one */
	uint64_t inside; /* address of its struct wire_blocking_call */
	bool restored;
	char *program; /* /proc/self/exe */
	char *mpi;     /* MPI_Get_library_version's first line; empty when restored */
};

/* Not sent but read from a rank's memory: the call that MPI carries out by itself just now. */
struct wire_blocking_call {
	uint32_t function; /* enum mpi_call; 0: none */
	uint32_t times;    /* how many such calls have begun */
	uint64_t site;     /* return address in the program */
	bool met;          /* a collective that was reported: all its members have come */
	bool driven;       /* waits for nobody: a reported call that drives MPI's progress, in
	                      steps, or one that computes */
	uint32_t steps; /* how many have begun; one takes long in functions of the program alone */
};

/* Equal to enum buffering of explorer/path.h. */
enum wire_buffering {
	WIRE_BUFFERING_ZERO = 1,
	WIRE_BUFFERING_INFINITE = 2,
	WIRE_BUFFERING_PER_SEND = 3, /* sends are copied, and yet each waits for GO */
};

/* What the scheduler wants; constant for an exploration but for buffering: each world sets it. */
struct wire_welcome {
	uint8_t buffering;     /* enum wire_buffering */
	bool every_call_waits; /* no call is acknowledged ahead of time (the prompt, tests) */
	bool synchronous_collectives;
	bool stacks;    /* each CALL comes with a STACK */
	bool contents;  /* and with the CONTENTS of what it sends (the prompt) */
	bool states;    /* each CALL comes with a SEAL */
	bool images;    /* the rank may be asked for images (IMAGE) */
	bool rewinds;   /* a restored rank that ends well is held (HELD) */
	uint32_t ahead; /* calls with a lower number are known to return: the rank need not wait
	                    in them where it can tell by itself what they wait for */
	uint64_t
		idle_time; /* microseconds: for how long its world has stood still so far, in all */
};

enum wire_op_kind {
	WIRE_SEND = 1,
	WIRE_RECEIVE,
	WIRE_PROBE,
	WIRE_MPROBE,
	WIRE_COLLECTIVE, /* collectives, communicator creation and freeing, Finalize */
	WIRE_LOCK,       /* of the window `comm` at target `peer`; any: a shared one at all targets;
	                    the mode is an enum wire_lock_mode. Complete when granted */
	WIRE_UNLOCK,     /* of what this rank holds there; tag 1: it has made atomic operations
	                    whose order the locks do not settle */
};

/* Tags of a window's own messages, for post, start, complete and wait. */
enum wire_window_tag { WIRE_EXPOSED = 0, WIRE_COMPLETED };

/* The step of a WIRE_UNLOCK by which a lock that MPI has refused is given back: beyond those of all
 * that it asked for. */
enum { WIRE_LOCK_REFUSED = 1 << 24 };

enum wire_lock_mode { WIRE_LOCK_EXCLUSIVE = 0, WIRE_LOCK_SHARED };

enum wire_send_mode { WIRE_STANDARD = 0, WIRE_SYNCHRONOUS, WIRE_BUFFERED, WIRE_READY };

/* Bytes that a message takes in an attached buffer besides its own: MPICH's MPI_BSEND_OVERHEAD. */
#define WIRE_BUFFER_OVERHEAD 96u

#define WIRE_OWN_REDUCTION 255u /* made by MPI_Op_create */

/* So many elements of a basic type, in a row. */
struct wire_run {
	uint16_t basic; /* low half of MPICH's handle; its high byte is the size in bytes */
	uint64_t count;
};

/* The basic types of which data consists, in their order (MPI 3.1, section 4.1). */
struct wire_types {
	uint16_t basic;        /* all of it; 0: see runs */
	uint32_t run_count;    /* 0 with no basic type: not to be compared */
	struct wire_run *runs; /* again and again, as many times as the bytes warrant */
};

/* With whom a member of a collective exchanges data. */
enum wire_partners {
	WIRE_WITH_NOBODY = 0,
	WIRE_WITH_EACH,   /* of the group that messages go to */
	WIRE_WITH_LISTED, /* ranks in that group, in any order, some more than once: neighbours, a
	                     root. What is no rank (MPI_PROC_NULL) stands for nobody */
};

/* What it sends to them, or expects from them: amounts and types, one for all or one for each. */
struct wire_side {
	uint8_t partners; /* enum wire_partners */
	uint32_t peer_count;
	int32_t *peers; /* WIRE_WITH_LISTED */
	uint32_t part_count;
	uint64_t *bytes;
	uint32_t type_count;
	struct wire_types *types;
};

/* In place of a collective's root: there is none; in the root's group of an intercommunicator (MPI
 * 3.1, section 5.2.2) the root itself (MPI_ROOT) and the others (MPI_PROC_NULL). */
enum wire_root { WIRE_NO_ROOT = -1, WIRE_ROOT_ITSELF = -2, WIRE_ROOT_BESIDE = -3 };

struct wire_op {
	struct wire_name name;
	uint8_t kind;
	uint8_t mode;      /* sends, locks */
	bool nonblocking;  /* the program holds a request for it */
	bool joined;       /* complete only together with the operation before it in the call */
	uint16_t function; /* enum mpi_call of a persistent collective, which MPI_Start does not
	                       tell; else 0 */
	uint64_t comm;
	int32_t peer;            /* rank in the (remote) group of comm: destination, source or
	                       WIRE_ANY; a collective's root, or an enum wire_root */
	int32_t tag;             /* or WIRE_ANY */
	uint64_t bytes;          /* sent, or room for */
	struct wire_types types; /* of these bytes */
	/* What the members of a collective must agree on besides; 0: not to be compared. */
	bool same_data;    /* bytes and types */
	uint8_t reduction; /* low byte of MPICH's handle, or WIRE_OWN_REDUCTION */
	uint64_t counts;   /* hash of the counts or other arguments; those of one group of an
	                       intercommunicator. Of a buffered send: which buffer, counted from 1,
	                       and in the low half its size */
	struct wire_side sends, receives; /* in which they must agree two by two */
};

enum wire_wait {
	WIRE_WAIT_NONE = 0, /* credit: reported, no answer (unless every_call_waits) */
	WIRE_WAIT_ALL,      /* GO when all of `waited` can complete */
	WIRE_WAIT_ANY,      /* GO with exactly one */
	WIRE_WAIT_SOME,     /* GO with at least one */
	WIRE_TEST_ALL,      /* GO, with all or none */
	WIRE_TEST_ANY,      /* GO, with at most one */
	WIRE_TEST_SOME,     /* GO, with those that can complete */
	WIRE_CANCEL,        /* GO with `waited`[0] when withdrawn, with none when matched */
	WIRE_FREE,          /* credit: the program forgets the request; the operation goes on */
	WIRE_ABORT,         /* MPI_Abort, error code in `status`; never answered but by END */
	WIRE_WAIT_TAKEN,    /* GO when the messages of all sends in `waited` are received */
	WIRE_FETCH,         /* credit: the program begins to receive the message that its matched
	                       probe `waited`[0] took (MPI_Mrecv, MPI_Imrecv) */
};

/* Bits. */
enum wire_finalize {
	WIRE_SESSIONS_OPEN = 1,
	WIRE_THREADS_IN_TURN = 2, /* the program has made threads, with MPI_THREAD_SERIALIZED */
};

/* One MPI call: what it starts and what it waits for. A blocking call waits for what it starts. The
 * same call number may come twice when a call proceeds in steps (Intercomm_create). */
struct wire_call {
	uint32_t call;
	uint32_t thread;   /* 0: the one that called MPI_Init */
	uint16_t function; /* enum mpi_call of the generated mpi_calls.h */
	uint8_t wait;
	bool marked;    /* made where the program says that order does not matter: region.h */
	bool ahead;     /* the rank waits neither for BIND nor for GO: see struct wire_welcome */
	int32_t status; /* ABORT: its argument; Init: 1 when MPI grants MPI_THREAD_MULTIPLE;
	                    Finalize: enum wire_finalize */
	uint64_t site;  /* return address in the program */
	bool timed;     /* the program has asked what time it is since the call before */
	bool by_rule;   /* some of what Waitany or its kin may report is the rank's own or MPI's
	                   matter, and reported first */
	bool real_time; /* timed: and threads or children of the program may go by the time */
	uint32_t busy;  /* microseconds computed since a poll was told "no", if that was the
	                      call before; else 0 */
	uint32_t op_count;
	struct wire_op *ops;
	uint32_t waited_count;
	struct wire_name *waited;
};

/* Kinds of objects that a program must free or complete before MPI_Finalize (error handlers and
 * info objects: before it ends). */
enum wire_object {
	WIRE_OBJECT_REQUEST = 1, /* nonblocking: to be completed */
	WIRE_OBJECT_PERSISTENT,  /* persistent requests: to be freed */
	WIRE_OBJECT_COMMUNICATOR,
	WIRE_OBJECT_DATATYPE,
	WIRE_OBJECT_GROUP,
	WIRE_OBJECT_WINDOW,
	WIRE_OBJECT_FILE,
	WIRE_OBJECT_MESSAGE, /* of MPI_Mprobe: to be received */
	WIRE_OBJECT_OP,
	WIRE_OBJECT_ERRHANDLER,
	WIRE_OBJECT_KEYVAL,
	WIRE_OBJECT_INFO,
	WIRE_OBJECT_COUNT
};

/* So many objects of one kind, made by one call of the program and left. */
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
	uint32_t local_count, remote_count; /* remote: 0 for an intracommunicator */
	int32_t *local, *remote;            /* world ranks, in rank order */
	int32_t my_rank;                    /* this process's rank in local */
	uint32_t window; /* of a window, told by the lowest world rank in it: which one it is, from
	                    1, of those of which that is the lowest; else 0 */
	char *name;      /* what created it: "MPI_Comm_split of MPI_COMM_WORLD" */
};

/* MPI_Comm_set_name, MPI_Win_set_name. */
struct wire_named {
	uint64_t comm;
	char *name; /* empty: it has none again */
};

struct wire_error {
	uint32_t call;
	uint16_t function;
	uint64_t site;
	int32_t error_class;
	bool fatal; /* the program's error handler is MPI_ERRORS_ARE_FATAL (or MPI_ERRORS_ABORT) */
	bool refused; /* no error of the program's: matchpoint cannot control the call; without one:
	                 what it does cannot be gone back from */
	bool threads; /* no error of MPI's: a thread calls it that must not, then; fatal */
	char *text;   /* MPI_Error_string */
};

/* A line of a program that is interpreted. */
struct wire_line {
	char *function;
	char *file; /* as the interpreter names it: not every one is a file */
	uint32_t line;
};

struct wire_stack {
	uint32_t call;
	uint32_t count;
	uint64_t *frames; /* return addresses, innermost first: the call's site, then outwards,
	                     without those in MPI and in an interpreter; the outermost may be left
	                     out */
	uint32_t
		inner; /* so many of them are further in than the lines, and the rest further out */
	bool extension; /* those further in are the interpreter's: modules that extend it */
	uint32_t line_count;
	struct wire_line *lines; /* innermost first */
};

/* A message, packed (MPI 3.1, section 4.2) as its sender has it when it starts to send it. */
struct wire_contents {
	struct wire_name name;   /* of the send */
	uint64_t bytes;          /* in all */
	struct wire_types types; /* of these */
	char *first;             /* the first of them, two hexadecimal digits each */
};

/* A shared mapping of a parked process, as found in /proc/self/maps. */
struct wire_mapping {
	uint64_t start, length, offset; /* bytes */
	uint64_t device, inode;
	uint32_t protection; /* PROT_* */
};

struct wire_parked {
	char *hazard;  /* why this process must not be restored from here, or empty */
	bool unshared; /* what a copy puts back outside its memory nobody else can see */
	uint32_t count;
	struct wire_mapping *mappings;
};

struct wire_child {
	uint32_t world;
	int32_t pid;
	bool ended;
	int32_t status; /* as waitpid tells it; when ended */
};

/* Before the process goes: so that the way it ended is known where nobody can wait for it, and the
 * place of a crash can be looked up while it is still there (the rank waits for END then). */
struct wire_ending {
	int32_t status; /* of exit() */
	int32_t signal; /* or the deadly signal; 0: exit() */
	uint32_t count;
	uint64_t *frames; /* where the signal struck, innermost first; empty for exit() */
};

enum wire_use {
	WIRE_USE_SEND,
	WIRE_USE_RECEIVE,
	WIRE_USE_COLLECTIVE,
	WIRE_USE_ONE_SIDED, /* its own memory, not the window */
	WIRE_USE_COUNT
};

/* Told at the completion. */
struct wire_touched {
	struct wire_name name; /* of the operation */
	uint32_t noticed;      /* the call that completes it */
	uint8_t kind;          /* enum wire_use */
};

/* An operation that uses memory of its rank. */
struct wire_user {
	struct wire_name name; /* call 0: a one-sided call, which has none, but what follows */
	uint16_t function;     /* enum mpi_call */
	uint64_t site;         /* return address in the program */
	uint8_t kind;          /* enum wire_use */
	bool writes;           /* to what both use */
};

struct wire_overlap {
	struct wire_user users[2]; /* the one that began first, first */
};

enum wire_misuse_why {
	WIRE_MISUSE_FREE,    /* the request of a collective under way is freed */
	WIRE_MISUSE_CANCEL,  /* or cancelled */
	WIRE_MISUSE_REQUEST, /* one-sided, with a request, and no lock is held */
	WIRE_MISUSE_TYPES,   /* one-sided: what moves is not what is named where it goes; or is, as
	                        the scheduler says */
	WIRE_MISUSE_OVERLAP, /* it receives into a datatype that has a byte twice */
	WIRE_MISUSE_CHILD,   /* a process that the rank has forked calls MPI */
	WIRE_MISUSE_COUNT
};

struct wire_amount {
	uint64_t bytes;
	struct wire_types types;
};

struct wire_misuse {
	uint8_t why;                        /* enum wire_misuse_why */
	uint32_t call;                      /* 0: it has no number, but what follows */
	uint16_t function;                  /* enum mpi_call */
	uint64_t site;                      /* return address in the program */
	struct wire_amount moved, expected; /* TYPES */
};

/* Of a rank that may call MPI from several threads at a time. */
struct wire_thread {
	uint32_t thread; /* in the order in which they were created, from 1 */
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

/* Of all that the program goes by when its pending call returns (digest.h). */
struct wire_digest {
	uint64_t hash[2]; /* both 0: it cannot be told */
};

/* What a call was given, as far as it can make a difference later. */
struct wire_seal {
	uint32_t call;
	bool hides; /* since the seal before the rank has made calls whose effect MPI keeps, where
	               it cannot be seen: attributes, datatypes, buffers */
	bool knows_contents;
	uint64_t arguments[2];
	uint64_t contents[2]; /* a hash of what it sends */
};

/* The state of a rank as a hash: its memory, registers, files (state.h). */
struct wire_state {
	uint64_t hash[2];
	bool idle; /* nothing of its own is under way in MPI: until it gets an order that moves it
	               (or DRIVE) it does nothing, and drives no progress either */
	char *hazard; /* why it cannot be told, or empty */
};

/* Which file of the new world holds the clone of which of the keeper's mappings: file is the N in
 * `<directory>/clone.N`, at the mapping's own offset. */
struct wire_clone {
	uint64_t start, length, offset;
	uint32_t protection;
	uint32_t file;
};

struct wire_restore {
	uint32_t world;
	int32_t rank;
	char *directory; /* the new world's, absolute */
	uint32_t count;
	struct wire_clone *clones;
};

struct wire_bind {
	struct wire_name name;
	int32_t source; /* in the communicator's (remote) group; -1 for a collective; of a send:
	                   WIRE_AWAITED, or -1; of a receive bound before: WIRE_ARRIVES */
	int32_t tag;
};

struct wire_go {
	uint32_t call;
	uint32_t count;
	uint32_t *done; /* indices into `waited`; for WAIT_ALL empty: all of them */
};

struct wire_end {
	bool flush;
	int32_t status;
	bool hold; /* END: if it can be rewound it stays, and says so (HELD) */
};

struct wire_held {
	bool unshared; /* it has opened nothing since it was parked */
	char *hazard;  /* why it cannot be rewound, or empty */
};

struct wire_image {
	bool goes_on; /* who is still may obey what comes, others wait for WELCOME */
};

#define WIRE_IMAGES_MAX (1u << 16) /* a rank's numbers of images are lower */

struct wire_imaged {
	uint32_t image; /* from 1; the same again where the rank has not moved since; 0: none */
	bool idle;      /* whenever it is this image, as in struct wire_state: so it need not be
	                   asked for another image, nor rewound to this one. WELCOME may come right
	                   before an order that moves it */
	uint64_t bytes; /* that all images which the rank keeps take by now */
	char *hazard;   /* why not, or empty */
};

struct wire_rewind {
	uint32_t world;
	uint32_t image; /* 0: what it was when it began */
	bool follows;   /* WELCOME does, and what the rank does first */
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

/* A growing byte buffer; zero-initialised is empty. */
struct wire_buffer {
	uint8_t *bytes;
	size_t count, capacity;
	bool failed; /* out of memory at some time: the contents are unusable */
};

void wire_buffer_release(struct wire_buffer *buffer);

/* Appends one frame. The message is only read. */
void wire_encode(struct wire_buffer *buffer, const struct wire_message *message);

/* Appends what another buffer holds. */
void wire_append(struct wire_buffer *buffer, const struct wire_buffer *more);

/* Length of the first frame including its length field, 0 when more bytes are needed to tell or to
 * complete it, or -1 when it can be no frame. */
long wire_frame_length(const uint8_t *bytes, size_t count);
/* The type (enum wire_type) of a frame that is complete. */
uint16_t wire_frame_type(const uint8_t *bytes);

/* Decodes exactly one frame; 0, or -1 with nothing to release. What the message points to is owned
 * by the message. */
int wire_decode(const uint8_t *bytes, size_t count, struct wire_message *ret_message);
void wire_message_release(struct wire_message *message);

/* Is shown the fields of a message one after the other, by name: to print it, or (`fills`) to make
 * it. What is in a list, or in a struct of which there are two, comes between two calls of
 * `group`, the first with its name ("": an element) and `begins`; before a list its length, by the
 * list's name. */
struct wire_visitor {
	bool fills; /* sets the values; strings with malloc, and lists get room for their length */
	void (*number)(void *user, const char *name, int64_t *value);
	void (*text)(void *user, const char *name, char **value);
	void (*name)(void *user, const char *name, struct wire_name *value);
	void (*group)(void *user, const char *name, bool begins);
};

/* Goes through a message of message->type; one that is not filled is only read. -1: some value is
 * impossible; a message that was filled is to be released all the same. */
int wire_visit(struct wire_message *message, const struct wire_visitor *visitor, void *user);

#endif
