/* One world: a set of ranks that run together, and what the scheduler knows of them.
 *
 * The world takes the ranks' reports, keeps matcher, collectives and trace, and gives orders (bind
 * this receive, go on) through a table of functions. It knows neither sockets nor processes nor
 * time, so that a test can drive it with ranks of its own. Deterministic progress is made at once;
 * what is left when every rank stands still is decided by the caller, in this order:
 *
 *   world_admit           one of several threads may make its next call
 *   world_answer_ready    what the shim asks for itself, and can be answered with "yes"
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

struct world;

struct world_orders {
	void (*bind)(void *user, int rank, const struct wire_bind *bind);
	void (*go)(void *user, int rank, const struct wire_go *go);
	void (*admit)(void *user, int rank, guint32 thread);
};

struct world_options {
	int ranks;
	enum buffering buffering;
	bool every_call_waits;
	enum collective_mode collectives; /* not BOTH */
	bool arrives_early;               /* see world_arrival.h */
	bool cancels;  /* the program calls MPI_Cancel: nonblocking receives that name their
	                     source are matched by choice, too */
	guint not_yet; /* so often in a row a poll is told "not yet" although it may be otherwise */
	guint some;    /* every set of so many complete requests is reported by MPI_Waitsome */
};

enum world_phase {
	PHASE_ABSENT,  /* not heard of yet */
	PHASE_RUNNING, /* computing, or on its way to the next call */
	PHASE_BLOCKED, /* waits for GO */
	PHASE_STOPPED, /* called MPI_Abort, met a fatal MPI error, or is crashing or exiting: still
	                  there, but will do nothing more */
	PHASE_ENDED,   /* the process is gone, or about to go */
	PHASE_CAUGHT,  /* inside a collective that MPI carries out and that, as far as can be seen,
	                  will not end (world_hold_stuck) */
	PHASE_HELD,    /* its call could return, and is kept from it (world_hold) */
	/* of a thread of several */
	PHASE_ENTERING, /* waits until it is admitted */
	PHASE_ASLEEP,   /* waits for other threads, outside of MPI */
};

/* What is remembered of every call, for the reports. */
struct world_call {
	guint16 function;
	guint8 op_count;
	guint8 kind : 7; /* enum wire_op_kind of the first operation; 0: none */
	bool marked : 1; /* see struct wire_call */
	gint32 peer; /* as given by the program (rank in the communicator, WIRE_ANY); a root, or an
	                    enum wire_root */
	gint32 tag;  /* of a lock: enum wire_lock_mode */
	guint32 request; /* of MPI_Cancel: the call that started what it is about; 0: none */
	guint64 comm;
	guint64 bytes; /* sent, or room for */
	guint64 site;
	guint32 thread;
	guint32 stack; /* its number, whoever keeps them (world_note_stack); 0: none was told */
	guint32 subs;  /* operations of this call have names with a `sub` below this */
};

/* `comms` must outlive the world. The orders are given from within the functions below. */
struct world *world_new(const struct world_options *options, struct communicators *comms,
                        const struct world_orders *orders, void *user);
void world_free(struct world *world);

/* The same world again, for another future; orders go to `user`, with these options in force.
 * All ranks must be blocked or gone. */
struct world *world_copy(const struct world *world, const struct world_options *options,
                         void *user);

/* What ranks report. false: the report cannot be true, and nothing of it was believed (`error` set,
 * which names the rank); the rank cannot be controlled. */
bool world_call(struct world *world, int rank, const struct wire_call *call, GError **error);
bool world_comm(struct world *world, int rank, const struct wire_comm *comm, GError **error);
bool world_named(struct world *world, int rank, const struct wire_named *named, GError **error);
bool world_thread(struct world *world, int rank, const struct wire_thread *thread, GError **error);
bool world_enter(struct world *world, int rank, const struct wire_enter *enter, GError **error);
bool world_touched(struct world *world, int rank, const struct wire_touched *touched,
                   GError **error);
bool world_overlap(struct world *world, int rank, const struct wire_overlap *overlap,
                   GError **error);
bool world_misuse(struct world *world, int rank, const struct wire_misuse *misuse, GError **error);
/* What is in a message that the rank is about to send. */
bool world_contents(struct world *world, int rank, const struct wire_contents *told,
                    GError **error);
/* What a rank has not freed when it comes to MPI_Finalize. */
bool world_objects(struct world *world, int rank, const struct wire_objects *objects,
                   GError **error);
/* The stack of a call that the rank reports next. */
void world_note_stack(struct world *world, int rank, guint32 call, guint32 stack);
/* MPI has returned an error to a call, and the program goes on: of a collective that it was let
 * into, the others may not come out. */
void world_failed(struct world *world, int rank, guint32 call);
void world_rank_stopped(struct world *world, int rank);
void world_rank_ended(struct world *world, int rank);

/* One-sided communication since the rank's last report. */
bool world_accesses(struct world *world, int rank, const struct wire_accesses *accesses,
                    GError **error);

/* Ranks are held in MPI_Init until here: the place of the first snapshot. */
void world_start(struct world *world);

/* Whether some rank has several threads; and how to look at those of a rank (struct thread_view,
 * threads.h) if some of it wait in MPI and of others it is not known that they sleep (else empty).
 * Once told that these sleep, they are at rest until something happens in their rank. */
bool world_has_threads(const struct world *world);
bool world_rank_has_threads(const struct world *world, int rank);
/* How many of these wait to be admitted. */
guint world_threads_entering(const struct world *world, int rank);
GArray *world_loose_threads(const struct world *world, int rank);
void world_threads_sleep(struct world *world, int rank);
void world_threads_wake(struct world *world);

/* Nothing has been heard for a while: ranks that run, and were let into a collective of which a
 * member has failed or is gone, count as at rest from now on. Whether there were any. */
bool world_hold_stuck(struct world *world);
/* The rank has said something: it is not caught, or not any more. */
void world_rank_moves(struct world *world, int rank);

#define WORLD_HOLDS_NOTHING G_MAXUINT32

/* Calls of the rank from this number on do not return, though they are matched like any others
 * (WORLD_HOLDS_NOTHING: all do; so it begins). Nor does a collective that MPI carries out return
 * elsewhere before those who are kept in it do: who is inside it waits unseen. Of a rank with
 * several threads none is admitted once it has made that call. Where there are such ranks nothing
 * is decided, nor anybody admitted, while any rank is held: whose turn it is follows from what all
 * have done who could. Who is kept already, and must not be any more, goes with the second. */
void world_hold(struct world *world, int rank, guint32 from);
void world_let_held_go(struct world *world);
guint32 world_held_from(const struct world *world, int rank);
/* The call in which the rank stands, as a cut has it (explorer/cut.h). */
guint32 world_place(const struct world *world, int rank);
/* Whether the rank waits in a call to be let go, held or not. */
bool world_waits(const struct world *world, int rank);
/* Of a rank that is kept in a collective for somebody else's sake: who is held there; else -1. */
int world_held_with(const struct world *world, int rank);
/* Whether a call is kept from returning, or a thread from making its next (PHASE_HELD); whether
 * that call of the rank is. */
bool world_holds(const struct world *world);
bool world_holds_call(const struct world *world, int rank, guint32 call);

/* No rank is running: all are blocked, held, stopped or gone. */
bool world_at_rest(const struct world *world);

/* Whether some rank has made a window: ranks can act on each other unseen. */
bool world_has_windows(const struct world *world);

/* Whether some rank had to wait for a lock or an exposure; whether the order of some atomic
 * operations was MPI's. */
bool world_has_locked(const struct world *world);
/* Whether the rank holds a lock of this window at that target. */
bool world_holds_lock(const struct world *world, int rank, guint64 comm, int target);
bool world_has_atomics(const struct world *world);

/* Whether any of those questions was answered. */
bool world_answer_ready(struct world *world);

/* Of each rank in which threads wait to be admitted, the first one is. */
bool world_admit(struct world *world);

/* Makes the choice if the rules allow it now; fills in call and sub of the send when they are 0. */
bool world_choose(struct world *world, struct choice *choice);
/* struct open_choice of explorer/explorer.h; free with open_choices_free. */
GArray *world_open_choices(struct world *world);

/* Not those whom a choice of `plan` (struct choice) answers, or who can be told so by choice. */
bool world_answer_polls(struct world *world, const GArray *plan);

/* Since anything else than polls answered "no" has happened: */
struct world_idle {
	guint rounds; /* of such answers */
	guint calls;  /* polls */
	guint64 busy; /* microseconds that ranks have computed between them */
	bool timed;   /* some rank has asked what time it is */
	bool real;    /* and more than its calls goes by that */
};
const struct world_idle *world_idle(const struct world *world);
/* Whether the rank (of a single thread) waits for the answer to a poll. */
bool world_polls(const struct world *world, int rank);

const struct trace *world_trace(const struct world *world);
/* What its cuts depend on besides the trace. */
const struct cut_notes *world_cut_notes(const struct world *world);
const GArray *world_choices(const struct world *world); /* struct choice, in the order made */
/* Whether a path must tell this choice: not who gets a place of a lock that nobody else could have
 * had. Those that it must (struct choice); free with g_array_unref. */
bool world_choice_is_told(const struct world *world, guint index);
/* The same of a point that is open: as far as has been asked for yet. */
bool world_point_is_told(const struct world *world, const struct point *point);
GArray *world_told_choices(const struct world *world);
/* Whether choice number `index` is the one that a replay makes where its path says nothing. */
bool world_choice_is_first(const struct world *world, guint index);
/* The others of those that a path must tell; free with g_array_unref. */
GArray *world_least_choices(const struct world *world);
/* The messages that choice number `index` could have taken at that time besides (struct taken). */
const GArray *world_alternatives(const struct world *world, guint index);
const struct world_options *world_options(const struct world *world);

enum world_phase world_phase(const struct world *world, int rank);
bool world_finalized(const struct world *world, int rank); /* has left MPI_Finalize */
guint32 world_calls(const struct world *world, int rank);  /* its last call's number; 0: none */
/* NULL when there is no such call. */
const struct world_call *world_call_info(const struct world *world, int rank, guint32 call);
/* Its peer for a record: -1 in place of the root of an intercommunicator, which not all members
 * know. */
gint32 world_peer_to_record(const struct communicators *comms, const struct world_call *call);

/* The calls in which a rank waits (guint32), by thread. */
GArray *world_pending_calls(struct world *world, int rank);

/* Ranks for which a blocked rank waits in this call (0: in any), as gint32, ascending; empty:
 * nobody in particular. */
GArray *world_waits_for(struct world *world, int rank, guint32 call);
/* What a blocked rank waits for: "source=1, tag=7"; free with g_free. */
char *world_arguments(struct world *world, int rank, guint32 call);
/* How the program calls a communicator or window here (given_names.h), else its origin; valid until
 * it is given another name. */
const char *world_comm_name(const struct world *world, guint64 comm);

/* A call of a collective that does not fit to another, and as in struct record_given. */
struct world_given {
	struct op_id id;
	const char *type, *reduction;
};

/* Members of a collective call that disagree, as a sentence, and which two calls these are (may be
 * NULL); NULL: they agree. Free with g_free. */
char *world_mismatch(const struct world *world, struct world_given ret_calls[2]);

/* The last message too long for its receive at `rank`: which, what is sent, what there is room for
 * (free both with g_free). false: there was none. */
bool world_truncated(const struct world *world, int rank, struct op_id ret_calls[2],
                     char *ret_types[2]);

/* What world_objects has told of a rank (struct wire_left). */
const GArray *world_left(const struct world *world, int rank);

/* Messages that no receive has taken (struct op_id), by sender; free with g_array_unref. */
GArray *world_unreceived(const struct world *world);

/* What a message that no receive has taken yet consists of, "2 MPI_INT"; NULL: there is no such, or
 * that is not known. Free with g_free. */
char *world_message_types(const struct world *world, struct op_id send);

/* What is in a message, also one that has been received; NULL: that was not told, or is not kept
 * any more. Valid until the world hears of something. */
const struct contents *world_message_contents(const struct world *world, struct op_id send);
/* The message that an operation has received, or found; false: none. */
bool world_message_taken(const struct world *world, struct op_id receive, struct op_id *ret_send);

/* When the interleaving is over: remarks on the one-sided accesses that conflict. Whether there
 * were any accesses, and what could not be told of them. */
void world_find_conflicts(struct world *world);
bool world_has_accesses(const struct world *world);
const struct rma_uncertain *world_finds_invalid(const struct world *world);

/* What goes wrong without ending anything. */
void world_remark(struct world *world, const struct remark *remark);
const struct remarks *world_remarks(const struct world *world);

/* Whether something was decided by a fixed rule where the standard leaves several things open. */
bool world_answered_by_rule(const struct world *world);
/* Whether a buffered send was made where nobody knew that there was room for it (MPI 3.1, section
 * 3.6.1), as far as that was looked for (world_find_conflicts). */
bool world_may_lack_room(const struct world *world);

/* Whether some collective was taken to wait for all members although the standard lets
 * a member leave earlier. */
bool world_collectives_waited(const struct world *world);

/* Whether there was a collective that the standard lets a member leave before all have come, so
 * that it matters which `collectives` are in force. */
bool world_collectives_matter(const struct world *world);

#define WORLD_ERROR (world_error_quark())
GQuark world_error_quark(void);

#endif
