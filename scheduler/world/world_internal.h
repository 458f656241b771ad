/* The state of a world: what the files share that carry it on, world.c (progress), world_report.c
 * (what ranks say), world_threads.c, world_points.c and world_polls.c (what is open), world_rest.c,
 * world_hold.c and world_arrival.c (who is let go, and when), world_fingerprint.c (its name) and
 * world_describe.c (words for people). Whoever carries one subject alone has world_context.h. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_WORLD_INTERNAL_H
#define MATCHPOINT_SCHEDULER_WORLD_WORLD_INTERNAL_H

#include <stdbool.h>

#include "collectives.h"
#include "common/state_hash.h"
#include "communicators.h"
#include "contents.h"
#include "entered.h"
#include "explorer/explorer.h"
#include "given_names.h"
#include "matcher.h"
#include "types.h"
#include "windows.h"
#include "world.h"
#include "world_context.h"
#include "world_rma.h"
#include "world_types.h"

/* An operation whose completion its rank has not learnt of yet. */
struct live {
	struct wire_name name;
	guint8 kind; /* enum wire_op_kind */
	bool matched, cancelled, nonblocking;
	bool arrived;           /* a receive: its data was ordered to be there */
	bool joined;            /* with the operation before it, as one request */
	bool observed;          /* to be removed */
	bool waits_for_match;   /* sends */
	bool is_decided_for;    /* sends and collectives that complete as is chosen for each */
	int decided;            /* TAKEN_EARLY or TAKEN_LATE of these, or 0 */
	bool by_choice;         /* receives that are matched only by choice */
	enum event_order order; /* collectives: whom this member waits for */
	guint64 instance;       /* collectives */
	guint64 comm;
	gint32 peer, tag; /* as the program gave them */
	struct types types;
};

/* The blocking collective that a thread was let into by its last call; whom it waits for there. */
struct request_subset {
	guint64 instance;
	enum event_order order; /* NONE: nobody, or it was none */
	int root;               /* ROOT: in MPI_COMM_WORLD; -1: not known */
};

/* A thread of a rank, with the call for which it waits, by its number (world_threads.c). */
struct line {
	pid_t id;                /* the kernel's, while it may be there; 0: not known */
	struct wire_enter enter; /* PHASE_ENTERING */
	enum world_phase phase;
	bool ends_mpi; /* the call it waits in is the last of MPI's */
	bool slept;    /* it was not in MPI when all else stood still, or is new; no call since */
	guint8 wait;   /* enum wire_wait of the pending call; PHASE_BLOCKED */
	guint32 call;
	guint32 entered; /* its next call was begun before the rank had made more calls than these;
	                    UINT32_MAX: it is not known when */
	guint16 function;
	GArray *waited;              /* struct wire_name */
	enum open_question question; /* what the pending call asks */
	guint32 asked;               /* the last call with a question */
	guint complete; /* so many of `waited`, from the first, are known to be complete */
	struct request_subset together;
	struct wire_go kept; /* PHASE_HELD */
};

#define WORLD_THREADS_MAX 10000u

/* A poll, and how it was answered. */
struct poll {
	guint64 identity; /* the same: the same question asked again */
	guint64 site;
	guint64 key; /* of world->impatience */
	struct op_id point;
	bool chosen; /* it was told "no" by choice */
};

/* The polls of a rank, all of them told "no", between which it did nothing else (world_polls.c). */
struct streak {
	GArray *polls; /* struct poll: the last round */
	guint rounds;  /* that have led back to the same poll */
	guint64 last;  /* identity of the last poll of the first round */
	GArray *known; /* guint64: places in the program where a round was closed before */
};

struct rank {
	struct streak streak;
	GPtrArray *lines;  /* struct line, owned; one at least */
	guint focus;       /* the number of `line` */
	struct line *line; /* the one that the world looks at (world_focus) */
	bool threads;      /* it has told of its threads, which are admitted one by one */
	guint32 turn;      /* the last call after which it was asked whose turn it is */
	bool finalized;
	GArray *live;                    /* struct live, ascending by name */
	struct truncated truncated;      /* the last one received */
	struct chunks calls;             /* struct world_call; [call - 1] */
	guint32 noted_call, noted_stack; /* world_note_stack */
	guint32 held_from;
	bool went_into_call;      /* it is over, and had not come out of its last call */
	GArray *left;             /* struct wire_left */
	GArray *seals;            /* by call, of world_fingerprint.c; NULL: none are told */
	struct state_hash hidden; /* the choices before calls whose effect MPI keeps */
};

/* A message on its way: what a receive bound to it must ask MPI for. */
struct message {
	struct op_id id;
	guint64 comm;
	gint32 peer; /* rank in comm */
	gint32 tag;
	struct types types;
	bool recalled; /* its sender has tried to cancel it */
};

struct world {
	struct world_options options;
	struct communicators *comms;
	struct given_names *names;
	struct world_orders orders;
	void *user;
	void (*watch)(void *user, const struct world_step *step); /* NULL: nobody does */
	struct rank *ranks;
	int running; /* ranks absent or running */
	struct matcher *matcher;
	struct collectives *collectives;
	GHashTable *messages; /* struct message, by id, not yet taken */
	struct message_contents *contents;
	GArray *matches; /* scratch */
	GArray *choices;
	GArray *plain; /* bool by choice: a receive that names its source took its message */
	GArray *first; /* bool by choice: what a replay takes where its path says nothing */
	GPtrArray *alternatives; /* GArray of struct taken, by choice; shared with copies */
	struct trace trace;
	struct cut_notes cut_notes;
	struct remarks *remarks;
	bool may_lack_room;  /* see world_may_lack_room */
	GArray *moded_sends; /* struct moded_send (send_modes.h) */
	struct entered *entered;
	struct windows *locks;
	struct world_rma *rma;
	GHashTable *impatience; /* polls told "not yet": by world_points.c's key, how often */
	struct world_idle idle;
	bool started;            /* ranks may leave MPI_Init */
	bool collectives_wait;   /* some collective was taken to wait for more than it must */
	bool collectives_matter; /* one could be left before all have come */
	bool deferred;           /* some rank may go on, but not before the others are at rest */
	bool lets_go;            /* deferred ranks, now */
	bool let_go_unsettled;   /* some were, while others were not at rest */
	bool by_rule;
	bool windows;
	bool any_tag; /* somebody has received from any tag */
	bool locked;  /* some rank has asked for a lock, or started an access epoch */
	bool atomics; /* some rank's atomic operations were ordered by MPI alone */
	bool held;    /* calls of some rank have been held, or are to be */
};

/* Orders to a rank. */
void world_bind(struct world *world, int rank, const struct wire_bind *bind);
void world_go(struct world *world, int rank, const struct wire_go *go);

struct live *world_find_live(const struct world *world, int rank, struct wire_name name);
/* The other half of a joined operation, or NULL. */
struct live *world_find_joined(const struct world *world, int rank, const struct live *live);
void world_remove_live(struct world *world, int rank, const struct live *live);
/* Removes the operation of this name, if it lives, and what is joined with it. */
void world_forget(struct world *world, int rank, struct wire_name name);
bool world_completable(const struct world *world, int rank, const struct live *live);
/* Without regard to the other half. */
bool world_half_completable(const struct world *world, int rank, const struct live *live);

/* The message of a send if it is neither matched nor recalled, or NULL. */
const struct message *world_find_message(const struct world *world, int rank,
                                         struct wire_name name);

/* Which of these indices into `waited` Waitany and Testany report. */
guint32 world_oldest(const struct rank *rank, const guint32 *indices, guint count);

/* Lets the pending call of a rank return, with these indices into `waited` done (NULL: all). */
void world_release(struct world *world, int rank, const guint32 *done, guint count);

/* Lets pending calls return if that follows from the state alone, whenever it is looked at: all
 * that one waits for is complete. */
void world_try_release(struct world *world, int rank);

/* How many lines a rank has; puts another one in focus (which was so before), or that whose call is
 * pending. */
guint world_lines(const struct world *world, int rank);
guint world_focus(struct world *world, int rank, guint line);
void world_focus_call(struct world *world, int rank, guint32 call);
/* The thread whose line that is, as events tell it; that of a rank's event. */
uint8_t world_thread_in_focus(const struct world *world, int rank);
uint8_t world_event_thread(const struct world *world, const struct event *event);
/* The line in focus makes a call: what other threads of its rank have learnt until then, it may
 * have learnt of them, if it was not in MPI at a rest before. */
void world_note_woken(struct world *world, int rank, guint32 call);

/* Remarks on a call just made, of a rank that has told of its threads: what others do beside it. */
void world_look_at_threads(struct world *world, int rank, const struct wire_call *call);
/* Of the threads that wait to be admitted (guint32), the first one and those with whose calls its
 * own races; and the question, if there are several, which of them comes first. */
GArray *world_rivals(const struct world *world, int rank);
struct op_id world_turn_id(const struct world *world, int rank);
void world_admit_thread(struct world *world, int rank, guint32 thread);
/* Threads that slept may be awake: something has happened in their rank. */
void world_wake(struct world *world, int rank);
/* The rank will do nothing more, with all its threads. */
void world_leave(struct world *world, int rank, enum world_phase phase);
bool world_is_over(const struct world *world, int rank);
/* Of a new rank; of a copy of a rank, which else shares them. */
void world_lines_init(struct rank *rank);
void world_lines_copy(struct rank *rank);

/* The pending call asks about its requests: notes the question, if it has more than one answer. */
void world_ask(struct world *world, int rank);
/* Whether the pending call is an Iprobe or Improbe. */
bool world_is_probe_poll(const struct world *world, int rank);
/* Whether the pending poll can be told "not yet" by choice, not only when nothing else can move;
 * and whether that comes before all other answers: so that it is seen whether it makes any
 * difference. What it was told by the choice made last; and that a call was made, which may be one
 * more poll. */
bool world_may_say_no(const struct world *world, int rank);
bool world_says_no_first(const struct world *world, int rank);
void world_note_answer(struct world *world, int rank, bool yes);
void world_note_poll(struct world *world, int rank, const struct wire_call *call);
/* The waited operations of a blocked rank that can complete (guint32), as indices. */
GArray *world_completable_indices(const struct world *world, int rank);
/* MPI_Cancel has come before the match: the receive is withdrawn, and the rank goes on. */
void world_withdraw_receive(struct world *world, int rank, struct live *live);

/* Whether this order is kept until the rank is not held any more; gives those that need not be
 * kept; notes a collective that the rank is let into (world_hold.c). */
bool world_keep_go(struct world *world, int rank, const struct wire_go *go);
void world_let_unheld_go(struct world *world);
/* Whether threads wait to be admitted, and are not since the rank has made all calls that it may;
 * whether one of them would be without a question. */
bool world_turn_is_held(const struct world *world, int rank);
bool world_keeps_out(const struct world *world, int rank);
/* Where ranks have threads, whether a call is held that could return: then it is no full rest. */
bool world_holds_up_rest(const struct world *world);
/* Whether anything may be decided at rest; to be told (`point` NULL: it is no choice) before what
 * is decided. */
bool world_may_decide(const struct world *world);
void world_note_decision(struct world *world, const struct op_id *point);
/* That a thread of this rank is admitted by what was noted last. */
void world_note_admitted(struct world *world, int rank);
/* Whether the rank waits in the last call that it has made. */
bool world_is_in_blocking_call(const struct world *world, int rank);
void world_note_together(struct world *world, int rank, const struct live *live);

/* The pending call of a rank is answered for want of anything else, in the round that is noted
 * next. */
void world_note_rest(struct world *world, int rank);
void world_note_round(struct world *world);

/* Lets those go who were held back until all are at rest; whether there were any. */
bool world_let_go(struct world *world);

/* Makes all deterministic matches and lets go whom they set free. */
void world_settle(struct world *world);
void world_on_match(struct world *world, const struct match *match, bool chosen);

/* A place of a lock (explorer/lock.h) was granted. */
void world_on_grant(struct world *world, const struct match *match);

/* The name of a pending question: such calls start nothing that could have it. */
static inline struct op_id world_question_id(const struct world *world, int rank)
{
	return (struct op_id){rank, world->ranks[rank].line->call, 0};
}

static inline bool world_is_poll(guint8 wait)
{
	return wait == WIRE_TEST_ALL || wait == WIRE_TEST_ANY || wait == WIRE_TEST_SOME;
}

#endif
