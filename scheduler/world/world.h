/* One world: a set of ranks that run together, and what the scheduler knows of them.
 *
 * The world takes the ranks' reports, keeps matcher, collectives and trace, and gives orders (bind
 * this receive, go on) through a table of functions. It knows no sockets, no processes and no time,
 * so a test can drive it with its own ranks. The world makes deterministic progress at once. What
 * is left when every rank waits is decided by the caller, in this order:
 *
 *   world_admit           one of several threads may make its next call
 *   world_answer_ready    questions of the shim itself that can be answered "yes"
 *   world_choose          a choice of the plan, or one that the search makes
 *   world_answer_polls    "no" to polls, when nothing else can move
 */
#ifndef MATCHPOINT_SCHEDULER_WORLD_WORLD_H
#define MATCHPOINT_SCHEDULER_WORLD_WORLD_H

#include <glib.h>
#include <stdbool.h>

#include "collectives.h"
#include "common/wire.h"
#include "communicators.h"
#include "contents.h"
#include "explorer/cut.h"
#include "explorer/path.h"
#include "explorer/trace.h"
#include "remarks.h"
#include "rma.h"
#include "scheduler/store/limit.h"

struct world;

struct world_orders {
	void (*bind)(void *user, int rank, const struct wire_bind *bind);
	void (*go)(void *user, int rank, const struct wire_go *go);
	void (*admit)(void *user, int rank, guint32 thread);
	/* the rank, which waits in a poll, is to report a digest; not called without
	 * world_options.digests */
	void (*look)(void *user, int rank);
};

struct world_options {
	int ranks;
	enum buffering buffering;
	bool every_call_waits;
	enum collective_mode collectives; /* not BOTH */
	bool arrives_early;               /* see world_arrival.h */
	bool cancels;      /* the program calls MPI_Cancel: nonblocking receives that name their
	                  source are matched by choice, too */
	bool digests;      /* ranks can report a digest of their state (world_digest) */
	guint not_yet;     /* how often in a row a poll may be answered "not yet" by choice */
	guint some;        /* with at most so many complete requests, MPI_Waitsome may report each
	                  subset */
	const char *nodes; /* for paths (nodes.h); NULL: one node */
	bool hurries;      /* world_next_certain is called: this is the only interleaving */
};

enum world_phase {
	PHASE_ABSENT,  /* has not reported yet */
	PHASE_RUNNING, /* computes, or is on its way to the next call */
	PHASE_BLOCKED, /* waits for GO */
	PHASE_STOPPED, /* called MPI_Abort, met a fatal MPI error, or is crashing or exiting: the
	                  process is there, but does nothing more */
	PHASE_ENDED,   /* the process is gone, or about to go */
	PHASE_CAUGHT,  /* inside a collective that MPI carries out, and that apparently does not
	                  end (world_hold_stuck) */
	PHASE_HELD,    /* its call could return, but is held (world_hold) */
	/* only threads of a rank with several: */
	PHASE_ENTERING, /* waits until it is admitted */
	PHASE_ASLEEP,   /* waits for other threads, outside MPI */
};

/* What is kept of every call, for the reports. */
struct world_call {
	guint16 function;
	guint8 op_count;
	guint8 kind : 7; /* enum wire_op_kind of the first operation; 0: none */
	bool marked : 1; /* see struct wire_call */
	gint32 peer; /* as given by the program (rank in the communicator, WIRE_ANY); a root, or an
	                    enum wire_root */
	gint32 tag;  /* of a lock: enum wire_lock_mode */
	guint32 request; /* of MPI_Cancel: the call that started the operation to cancel; 0: none */
	guint64 comm;
	guint64 bytes; /* sent, or room for */
	guint64 site;
	guint32 thread;
	guint32 stack; /* number of its stack, set by world_note_stack; 0: none */
	guint32 subs;  /* the `sub` of each operation of this call is below this */
};

/* An index that MPI_Waitany, Testany, Waitsome or Testsome has returned (world_returned.h). */
struct world_returned {
	guint32 call;
	guint32 index; /* from 0; or one of these: MPI_UNDEFINED, not known */
};
#define WORLD_INDEX_UNDEFINED WIRE_UNDEFINED
#define WORLD_INDEX_UNKNOWN (WIRE_UNDEFINED - 1)

/* `comms` must outlive the world. Orders are given from within the functions below. */
struct world *world_new(const struct world_options *options, struct communicators *comms,
                        const struct world_orders *orders, void *user);
/* Gives orders to these from now on; to the same user. */
void world_give_orders(struct world *world, const struct world_orders *orders);
void world_free(struct world *world);

/* A copy of the world that goes on independently. Orders go to `user`; the copy has these options.
 * All ranks must be blocked or gone. */
struct world *world_copy(const struct world *world, const struct world_options *options,
                         void *user);

/* Reports of ranks. false: the report is impossible, and the world has not changed. `error` is set
 * and names the rank, which cannot be controlled any more. world_report takes any of them by the
 * type of the message, except a digest: the world may not have asked for one. */
bool world_report(struct world *world, int rank, const struct wire_message *message,
                  GError **error);
bool world_call(struct world *world, int rank, const struct wire_call *call, GError **error);
/* What the rank answers to the order `look`. */
bool world_digest(struct world *world, int rank, const struct wire_digest *digest, GError **error);
/* Whether the rank owes such an answer. */
bool world_looks_at(const struct world *world, int rank);
bool world_comm(struct world *world, int rank, const struct wire_comm *comm, GError **error);
bool world_named(struct world *world, int rank, const struct wire_named *named, GError **error);
bool world_thread(struct world *world, int rank, const struct wire_thread *thread, GError **error);
bool world_enter(struct world *world, int rank, const struct wire_enter *enter, GError **error);
bool world_touched(struct world *world, int rank, const struct wire_touched *touched,
                   GError **error);
bool world_overlap(struct world *world, int rank, const struct wire_overlap *overlap,
                   GError **error);
bool world_misuse(struct world *world, int rank, const struct wire_misuse *misuse, GError **error);
bool world_partitions(struct world *world, int rank, const struct wire_partitions *partitions,
                      GError **error);
bool world_told_indices(struct world *world, int rank, const struct wire_returned *returned,
                        GError **error);
/* The contents of a message that the rank is about to send. */
bool world_contents(struct world *world, int rank, const struct wire_contents *told,
                    GError **error);
/* The objects that a rank has not freed when it calls MPI_Finalize. */
bool world_objects(struct world *world, int rank, const struct wire_objects *objects,
                   GError **error);
/* The stack of the call that the rank reports next. */
void world_note_stack(struct world *world, int rank, guint32 call, guint32 stack);
/* MPI has returned an error to this call, and the program goes on. If the call was a collective,
 * its other members may never leave it. */
void world_failed(struct world *world, int rank, guint32 call);
void world_rank_stopped(struct world *world, int rank);
void world_rank_ended(struct world *world, int rank);

/* One-sided communication since the rank's last report. */
bool world_accesses(struct world *world, int rank, const struct wire_accesses *accesses,
                    GError **error);

/* Ranks are held in MPI_Init until this is called: the place of the first snapshot. */
void world_start(struct world *world);

/* Whether some rank has several threads; whether this rank has. */
bool world_has_threads(const struct world *world);
bool world_rank_has_threads(const struct world *world, int rank);
/* Whether the rank has more threads than one that may call MPI. */
bool world_rank_names_threads(const struct world *world, int rank);
/* The kernel's ID of a thread of the rank (struct world_call); 0: not known. */
pid_t world_thread_id(const struct world *world, int rank, guint32 thread);
/* Number of threads of the rank that wait to be admitted.
 *
 * world_loose_threads returns the threads of a rank (struct thread_view, threads.h) if some of them
 * wait in MPI, and others may be running; else an empty array. After world_threads_sleep, those
 * others count as at rest until something happens in their rank. */
guint world_threads_entering(const struct world *world, int rank);
GArray *world_loose_threads(const struct world *world, int rank);
void world_threads_sleep(struct world *world, int rank);
void world_threads_wake(struct world *world);

/* Call this after a time without reports. Some running ranks may be in a collective of which a
 * member has failed or is gone. They count as at rest from now on. Returns whether there were
 * any. */
bool world_hold_stuck(struct world *world);
/* The rank has reported something: if it was in PHASE_CAUGHT, it is not any more. */
void world_rank_moves(struct world *world, int rank);

#define WORLD_HOLDS_NOTHING G_MAXUINT32

/* Holds the calls of the rank from this number on: they do not return, though they are matched like
 * any others. WORLD_HOLDS_NOTHING, the initial value: no call is held.
 *
 * A collective that MPI carries out does not return elsewhere either before it returns in the held
 * ranks: a rank inside it would wait unseen. A rank with several threads admits none once it has
 * made that call. In such worlds nothing is decided and no thread is admitted while any rank is
 * held: whose turn it is follows from what all ranks have done that could go on.
 *
 * world_let_held_go releases held calls that need no longer be held. */
void world_hold(struct world *world, int rank, guint32 from);
void world_let_held_go(struct world *world);
guint32 world_held_from(const struct world *world, int rank);
/* The number of the call where the rank is, as in a cut (explorer/cut.h). */
guint32 world_place(const struct world *world, int rank);
/* Whether the rank waits in a call, held or not. */
bool world_waits(const struct world *world, int rank);
/* If the rank is held in a collective only because another rank is held there, that rank; else
 * -1. */
int world_held_with(const struct world *world, int rank);
/* Whether any call is held, or any thread kept from its next call (PHASE_HELD); whether this call
 * of the rank is held. */
bool world_holds(const struct world *world);
bool world_holds_call(const struct world *world, int rank, guint32 call);

/* No rank is running: all are blocked, held, stopped or gone. */
bool world_at_rest(const struct world *world);

/* At rest: whether all ranks are back in a state that this world was in before, after rounds of
 * polls (world_rounds.h); and whether nothing can lead out of these rounds: a livelock. */
bool world_has_returned(const struct world *world);
bool world_goes_round_for_ever(const struct world *world);

/* Whether some rank has made a window: ranks can then act on each other without a report. */
bool world_has_windows(const struct world *world);

/* Whether the rank holds a lock of this window at that target. */
bool world_holds_lock(const struct world *world, int rank, guint64 comm, int target);

/* Whether any such question was answered. */
bool world_answer_ready(struct world *world);

/* Admits a thread of each rank in which threads wait to be admitted and no choice is needed;
 * otherwise notes the question. Returns whether any thread was admitted. */
bool world_admit(struct world *world);

/* The next answer to a call that asks which requests are complete (MPI_Waitany and its kin), if the
 * answer that is the first alternative at rest is known by now: all requests are complete, or that
 * which was started first. So the order in which ranks are heard does not matter. A poll waits for
 * rest if "not yet" comes first there. Only with `hurries`; to be called after each report until it
 * returns false. */
bool world_next_certain(struct world *world, struct choice *ret_choice);

/* Makes the choice if the rules allow it now. Fills in call and sub of the send if they are 0. */
bool world_choose(struct world *world, struct choice *choice);
/* struct open_choice of explorer/explorer.h; free with open_choices_free */
GArray *world_open_choices(struct world *world);

/* Answers "no", except to polls that a choice of `plan` (struct choice) answers, and to polls that
 * can be answered "no" by choice. Returns whether any was answered. */
bool world_answer_polls(struct world *world, const GArray *plan);

/* What has happened since the last event that was no poll answered "no". */
struct world_idle {
	guint rounds;   /* rounds of such answers */
	guint spins;    /* those of them in which an atomic operation was repeated, and no poll */
	guint calls;    /* polls */
	guint64 busy;   /* microseconds that ranks computed between polls */
	bool timed;     /* some rank has read a clock */
	bool real;      /* the time read depends on more than the rank's calls */
	bool immediate; /* some rank makes only calls that return at once; one of them is held */
};
const struct world_idle *world_idle(const struct world *world);
/* Whether the rank has a single thread and waits for the answer to a poll, or world_repeats. */
bool world_polls(const struct world *world, int rank);
/* Whether it is held in a call that would return at once: it makes only such calls. */
bool world_repeats(const struct world *world, int rank);

const struct trace *world_trace(const struct world *world);
/* What the world's cuts depend on besides the trace. */
const struct cut_notes *world_cut_notes(const struct world *world);
const GArray *world_choices(const struct world *world); /* struct choice, in the order made */
/* Whether a path must contain this choice. It does not contain grants of a lock's place that make
 * no difference (windows_contended). */
bool world_choice_is_told(const struct world *world, guint index);
/* The same for an open point, as far as known now: a later request may change it.
 *
 * world_told_choices returns the choices that a path must contain (struct choice); free with
 * g_array_unref. */
bool world_point_is_told(const struct world *world, const struct point *point);
GArray *world_told_choices(const struct world *world);
/* Whether choice `index` is the default, which a replay makes if its path has no choice for it. */
bool world_choice_is_first(const struct world *world, guint index);
/* Those choices of world_told_choices that are not the default; free with g_array_unref. */
GArray *world_least_choices(const struct world *world);
/* What choice `index` could have taken instead at that moment (struct taken). */
const GArray *world_alternatives(const struct world *world, guint index);
const struct world_options *world_options(const struct world *world);

enum world_phase world_phase(const struct world *world, int rank);
bool world_finalized(const struct world *world, int rank); /* has left MPI_Finalize */
/* The process is not part of the program yet: it waits to be spawned (common/prelaunched.h). */
bool world_awaits_spawn(const struct world *world, int rank);
/* Whether only the shim knows the communicator: that of the job, or of two of its ranks. */
bool world_comm_is_internal(const struct world *world, guint64 comm);
guint32 world_calls(const struct world *world, int rank); /* number of its last call; 0: none */
/* NULL: there is no such call. */
const struct world_call *world_call_info(const struct world *world, int rank, guint32 call);
/* The indices that a rank's calls have returned, in the order in which they did. A call that is not
 * in it returned none: "not yet", or it has not returned. Valid until more is reported. */
gsize world_returned_count(const struct world *world, int rank);
const struct world_returned *world_returned_at(const struct world *world, int rank, gsize index);
/* The call's peer for a record. It is -1 for the root of an intercommunicator, since not all
 * members know it. */
gint32 world_peer_to_record(const struct communicators *comms, const struct world_call *call);

/* The calls in which a rank waits (guint32), by thread; free with g_array_unref. */
GArray *world_pending_calls(struct world *world, int rank);

/* The ranks for which a blocked rank waits in this call (0: in any), as gint32, ascending. Empty:
 * it waits for no rank in particular. Free with g_array_unref. */
GArray *world_waits_for(struct world *world, int rank, guint32 call);
/* How a communicator is to be shown in the arguments of a call of this function; free with
 * g_free. */
struct comm_words {
	char *(*print)(const void *user, guint64 comm, guint16 function);
	const void *user;
};

/* Arguments of the call, or of the first operation for which it still waits: "source=1, tag=7".
 * Free with g_free. */
char *world_arguments(struct world *world, int rank, guint32 call, const struct comm_words *words);
/* The program's name for a communicator or window (given_names.h), else its origin. Valid until the
 * program gives it another name. */
const char *world_comm_name(const struct world *world, guint64 comm);
/* The program's name alone; NULL: none. */
const char *world_given_name(const struct world *world, guint64 comm);
/* The number of the communicator that this number stands for (struct wire_comm): itself, or
 * another. */
guint64 world_comm_itself(const struct world *world, guint64 comm);
/* Where it was made, with its label. NULL: not by the program, or not known. */
const struct made_comm *world_made_comm(const struct world *world, guint64 comm);

/* A call of a collective that does not match another call; members as in struct record_given. */
struct world_given {
	struct op_id id;
	const char *type, *reduction;
};

/* Describes members of a collective that disagree, as a sentence; NULL: they agree. `ret_calls` may
 * be NULL. Free the text with g_free. */
char *world_mismatch(const struct world *world, const struct comm_words *words,
                     struct world_given ret_calls[2]);

/* The message too long for the receive that `rank` has started in this call, else the last one too
 * long at this rank: send and receive, the types sent, and the types that there is room for (free
 * both with g_free). false: there was none. */
bool world_truncated(const struct world *world, int rank, guint32 call, struct op_id ret_calls[2],
                     char *ret_types[2]);

/* What world_objects has reported of a rank (struct wire_left). */
const GArray *world_left(const struct world *world, int rank);

/* Messages that no receive has taken (struct op_id), by sender; free with g_array_unref. */
GArray *world_unreceived(const struct world *world);

/* The types in a message that no receive has taken yet: "2 MPI_INT". NULL: there is no such
 * message. Free with g_free. */
char *world_message_types(const struct world *world, struct op_id send);

/* The contents of a message, also of one that was received. NULL: not reported, or not kept any
 * more. Valid until the next report. */
const struct contents *world_message_contents(const struct world *world, struct op_id send);
/* The message that an operation has received or found; false: none. */
bool world_message_taken(const struct world *world, struct op_id receive, struct op_id *ret_send);

/* Call world_find_conflicts when the interleaving is over: it remarks on one-sided accesses that
 * conflict. world_finds_invalid then returns what could not be compared. */
void world_find_conflicts(struct world *world);
bool world_has_accesses(const struct world *world);
/* Whether some rank has a window whose memory others can reach, and does not report its loads and
 * stores; and whether some rank has one, and does. */
bool world_has_unseen(const struct world *world);
bool world_has_seen(const struct world *world);
const struct rma_uncertain *world_finds_invalid(const struct world *world);

/* Remarks on what is wrong but does not end the interleaving. */
void world_remark(struct world *world, const struct remark *remark);
/* The same for what the execution sees, and no report of a call told: recordings do not have it. */
void world_remark_seen(struct world *world, const struct remark *remark);
const struct remarks *world_remarks(const struct world *world);

/* What this world left out or could not check (LIMIT_BIT of store/limit.h). Complete once
 * world_find_conflicts has returned. */
guint64 world_limits(const struct world *world);

/* Whether there was a collective that a member may leave before all have come. If so, the option
 * `collectives` makes a difference. */
bool world_collectives_matter(const struct world *world);

#define WORLD_ERROR (world_error_quark())
GQuark world_error_quark(void);

#endif
