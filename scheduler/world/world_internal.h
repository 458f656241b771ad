/* The state of a world, shared by the files that advance it: world.c (progress), world_report.c
 * (reports of ranks), world_threads.c, world_points.c and world_polls.c (open choices),
 * world_rest.c, world_hold.c and world_arrival.c (which rank goes on, and when),
 * world_fingerprint.c (its fingerprint) and world_describe.c (texts). Files that treat only one
 * subject use world_context.h instead. */
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
#include "made_comms.h"
#include "matcher.h"
#include "partitions.h"
#include "types.h"
#include "windows.h"
#include "world.h"
#include "world_context.h"
#include "world_rma.h"
#include "world_types.h"

/* An operation of which its rank does not know yet that it is complete. */
struct live {
	struct wire_name name;
	guint8 kind; /* enum wire_op_kind */
	bool matched, cancelled, nonblocking;
	bool arrived;           /* a receive: an order has put its data into the buffer */
	bool joined;            /* with the operation before it, as one request */
	bool probed;            /* a send: a matched probe took its message, and no MPI_Mrecv has
	                           begun to receive it */
	bool observed;          /* seen complete by its rank; to be removed */
	bool waits_for_match;   /* sends */
	bool is_decided_for;    /* sends and collectives whose early or late completion is a
	                           choice */
	int decided;            /* TAKEN_EARLY or TAKEN_LATE; 0: not decided yet */
	bool by_choice;         /* receives that are matched only by choice */
	enum event_order order; /* collectives: which members this one waits for */
	guint64 instance;       /* collectives */
	guint64 comm;
	gint32 peer, tag; /* as given by the program */
	struct types types;
};

/* The blocking collective that a thread's last call let it into, and which members it waits for
 * there. */
struct request_subset {
	guint64 instance;
	enum event_order order; /* NONE: for no member, or there is no such collective */
	int root;               /* ORDER_ROOT: rank in MPI_COMM_WORLD; -1: not known */
};

/* A thread of a rank, and the call for which it waits (world_threads.c). */
struct line {
	struct wire_enter enter; /* PHASE_ENTERING */
	enum world_phase phase;
	bool ends_mpi;     /* the pending call is the last MPI call */
	bool awaits_spawn; /* in the pending call, the process waits to be spawned */
	bool slept;        /* it was outside MPI at a rest, or is new, and has made no call since */
	guint8 wait;       /* enum wire_wait of the pending call; PHASE_BLOCKED */
	enum open_question question : 8; /* what the pending call asks */
	guint16 function;
	guint32 call;
	guint32 entered; /* number of calls of the rank when its next call was begun, at most;
	                    UINT32_MAX: not known */
	pid_t id;        /* the kernel's thread ID, while the thread may exist; 0: not known */
	GArray *waited;  /* struct wire_name */
	struct line_places
		*places; /* of its last call, if that returns indices (world_returned.c) */
	guint32 asked;   /* the last call with a question */
	guint complete;  /* so many of `waited`, from the first, are known to be complete */
	struct request_subset together;
	struct wire_go kept; /* order to give later; PHASE_HELD */
};

#define WORLD_THREADS_MAX 10000u

/* A poll, and how it was answered. */
struct poll {
	guint64 identity; /* equal: the same question is asked again */
	guint64 site;
	guint64 key; /* in world->impatience */
	struct op_id point;
	guint32 call;
	bool chosen;                 /* it was answered "no" by choice */
	bool had_others;             /* it could have been answered otherwise at once */
	bool is_forgiven;            /* that does not count in world->impatience any more */
	bool timed;                  /* the rank has read a clock before it */
	guint64 digest[2];           /* of the rank's state in it; 0, 0: not known */
	enum open_question question; /* NONE: it looks for a message */
	GBytes *names;               /* struct wire_name: what the question is about */
	struct operation probe;      /* what it looks for */
};

/* Whether it is known in which state the rank made it. */
static inline bool poll_has_state(const struct poll *poll)
{
	return poll->digest[0] != 0 || poll->digest[1] != 0;
}

/* A message found by a poll that leaves it where it is. */
struct loop_found {
	guint64 identity, digest[2];
	struct op_id send;
	bool in_loop; /* the digest is the loop's, not that of the poll */
};

/* A loop of polls that go round without effect (world_loops.h). */
struct loop {
	GArray *polls;      /* struct poll, by call: the next one first; empty: no loop */
	guint64 digest[2];  /* of the state in which the rank came back */
	guint32 period;     /* calls of a round */
	bool is_open;       /* the rank waits where the next answer is chosen */
	struct taken given; /* what was chosen for a later poll, and its call; 0: nothing */
	guint32 given_at;
	GArray *found; /* struct loop_found, since the rank last did more than poll */
};

/* Consecutive polls of a rank that were all answered "no", with no other call between them
 * (world_polls.c). */
struct streak {
	GArray *polls; /* struct poll; the last round, or two */
	guint most;    /* polls until the rank counts as changed by each round; 0: not known */
	bool timed;    /* the rank has read a clock meanwhile */
	bool own;      /* it has called something between that concerns only itself */
	guint rounds;  /* number of times that they came back to the same poll */
	guint64 last;  /* identity of the last poll of the first round */
	GArray *known; /* guint64; places in the program where a round was closed before */
	/* guint64: keys in world->impatience that answers "no" in earlier streaks count for, since
	 * a round began (world_rounds.h); NULL: none */
	GArray *earlier;
};

/* Consecutive calls of a rank that returned at once and concern only itself, and polls in vain
 * (world_immediate.c). */
struct immediate {
	guint64 calls, next; /* so many; after how many they are held again */
	guint held;          /* calls held in the look that goes on; 0: none goes on */
	bool is_own;         /* the call reported last concerns only the rank */
	bool is_held;        /* the pending call waits until all ranks are at rest */
};

struct rank {
	struct streak streak;
	struct immediate immediate;
	struct loop loop;
	bool is_looked_at; /* it waits in a poll and is asked for a digest; counts as running */
	struct poll looked_at;
	bool is_to_tell;   /* its last poll was looked at: GO asks for the digest of the next one */
	GPtrArray *lines;  /* struct line, owned; at least one */
	guint focus;       /* index of `line` */
	struct line *line; /* the line in focus (world_focus) */
	bool threads;      /* it has reported its threads, which are admitted one by one */
	bool finalized;
	guint32 turn;        /* the last call after which a choice between its threads was noted */
	GArray *live;        /* struct live, ascending by name */
	GArray *truncated;   /* struct truncated */
	struct chunks calls; /* struct world_call; [call - 1] */
	struct chunks *returned;         /* struct world_returned; NULL: none yet */
	guint32 noted_call, noted_stack; /* from world_note_stack */
	guint32 held_from;
	bool certain;         /* the answer to its pending call may have become that */
	bool went_into_call;  /* it is over, and was inside its last call */
	guint64 access_epoch; /* window of the access epoch begun last (MPI_Win_start); 0: none */
	GArray *left;         /* struct wire_left */
	GArray *seals;        /* struct sealed of world_fingerprint.c, by call; NULL: none */
	struct state_hash hidden; /* the choices made before calls whose effect MPI itself keeps */
	guint32 unsealed;         /* the last call without a seal; 0: none */
	guint unsealed_choices;   /* of the world, made before that call */
};

/* A message under way: the arguments with which a bound receive asks MPI for it. */
struct message {
	struct op_id id;
	guint64 comm;
	gint32 peer; /* rank in comm */
	gint32 tag;
	struct types types;
	bool recalled;      /* its sender has tried to cancel it */
	bool seen;          /* a probe has reported it, and left it where it is */
	struct op_id probe; /* the matched probe that took it; call 0: none */
};

struct world {
	struct world_options options;
	struct communicators *comms;
	struct given_names *names;
	struct made_comms *made;
	struct partitions *partitions;
	struct world_orders orders;
	void *user;
	void (*watch)(void *user, const struct world_step *step); /* NULL: no watcher */
	struct rank *ranks;
	int running; /* number of ranks (of one with threads: of threads) that are absent or
	                running */
	struct matcher *matcher;
	struct collectives *collectives;
	GHashTable *messages; /* struct message, by id, not yet received */
	GHashTable *probed;   /* those that a matched probe took, by its id; not owned */
	struct message_contents *contents;
	GArray *matches; /* scratch */
	GArray *choices;
	GArray *plain; /* bool by choice: a receive that names its source took its message */
	GArray *first; /* bool by choice: it is the default of a replay */
	GPtrArray *alternatives; /* GArray of struct taken, by choice; shared with copies */
	struct trace trace;
	struct cut_notes cut_notes;
	struct remarks *remarks;
	GArray *moded_sends; /* struct moded_send (send_modes.h) */
	struct entered *entered;
	struct windows *locks;
	struct word_spins *spins;
	gint32 unordered; /* enum wire_unordered: atomic operations so far */
	struct world_rma *rma;
	struct world_rounds *rounds;
	GHashTable *impatience; /* polls answered "not yet": count by livelock_policy_key */
	struct world_idle idle;
	bool started;            /* ranks may leave MPI_Init */
	bool collectives_matter; /* some collective could be left before all had come */
	bool deferred;           /* some rank could go on, but waits until the others are at rest */
	bool lets_go;            /* deferred ranks are being released now */
	guint64 limits;          /* see world_limits; without what is found at the end */
	bool windows;
	bool any_tag; /* some rank has looked for messages of any tag */
	bool held;    /* some rank has been held, or is to be */
	bool certain; /* some rank's answer may be (world_certain.c) */
};

/* Orders to a rank. */
void world_bind(struct world *world, int rank, const struct wire_bind *bind);
void world_go(struct world *world, int rank, const struct wire_go *go);

struct live *world_find_live(const struct world *world, int rank, struct wire_name name);
/* The other half of a joined operation; NULL: none. */
struct live *world_find_joined(const struct world *world, int rank, const struct live *live);
void world_remove_live(struct world *world, int rank, const struct live *live);
/* Removes the operation of this name, if it is there, and the operation joined with it. */
void world_forget(struct world *world, int rank, struct wire_name name);
bool world_completable(const struct world *world, int rank, const struct live *live);
/* The same, without regard to the other half. */
bool world_half_completable(const struct world *world, int rank, const struct live *live);

/* The message of a send if it is neither received nor recalled; else NULL. */
const struct message *world_find_message(const struct world *world, int rank,
                                         struct wire_name name);

/* The one of these indices into `waited` that Waitany and Testany report. */
guint32 world_oldest(const struct wire_name *names, const guint32 *indices, guint count);

/* Lets the pending call of a rank return, with these indices into `waited` done (NULL: all). */
void world_release(struct world *world, int rank, const guint32 *done, guint count);

/* Lets pending calls return if that follows from the state alone, at whatever moment: everything
 * waited for is complete. */
void world_try_release(struct world *world, int rank);

/* The rank asks which requests are complete, and something may have changed. */
void world_note_asking(struct world *world, int rank);

/* Lines of a rank: their number; put one in focus (returns the index of the previous one); put the
 * one in focus whose pending call this is. */
guint world_lines(const struct world *world, int rank);
guint world_focus(struct world *world, int rank, guint line);
void world_focus_call(struct world *world, int rank, guint32 call);
/* The thread of the line in focus, as in events; the thread of an event of a rank. */
uint8_t world_thread_in_focus(const struct world *world, int rank);
uint8_t world_event_thread(const struct world *world, const struct event *event);
/* The line in focus makes a call. If it was outside MPI at the last rest, it may have learnt from
 * other threads of its rank whatever these know. */
void world_note_woken(struct world *world, int rank, guint32 call);

/* Remarks on a call just made by a rank with threads, if another thread's call must not run beside
 * it. */
void world_look_at_threads(struct world *world, int rank, const struct wire_call *call);
/* Of the threads that wait to be admitted (guint32): the first one, and those whose calls race with
 * it. world_turn_id names the question which of several comes first. */
GArray *world_rivals(const struct world *world, int rank);
struct op_id world_turn_id(const struct world *world, int rank);
void world_admit_thread(struct world *world, int rank, guint32 thread);
/* Something has happened in the rank: threads that slept may be awake. */
void world_wake(struct world *world, int rank);
/* The rank, with all its threads, does nothing more. */
void world_leave(struct world *world, int rank, enum world_phase phase);
bool world_is_over(const struct world *world, int rank);
/* Lines of a new rank; lines of a copied rank, which would otherwise share them with the
 * original. */
void world_lines_init(struct rank *rank);
void world_lines_copy(struct rank *rank);

/* All open points, unseen by a watcher; with `only`, at least what is open at that point. */
GArray *world_list_open(struct world *world, const struct point *only);
/* If the pending call asks about its requests, and several answers are possible, notes the
 * question. */
void world_ask(struct world *world, int rank);
/* Whether the pending call is an Iprobe or Improbe. */
bool world_is_probe_poll(const struct world *world, int rank);
/* Whether the pending poll can be answered "not yet" by choice, not only when nothing else can
 * move; whether that answer is the first alternative, to find out whether it makes a difference.
 * The other two note the answer that the last choice gave, and a call just made, which may be one
 * more poll. */
bool world_may_say_no(const struct world *world, int rank);
bool world_says_no_first(const struct world *world, int rank);
void world_note_answer(struct world *world, int rank, bool yes);
void world_note_yes(struct world *world, int rank); /* the same, if it was no choice */
void world_note_found(struct world *world, int rank, struct op_id send); /* a probe's "yes" */
/* Whether the pending call is a poll that may have several answers. */
bool world_asks(const struct world *world, int rank);
/* Whether the rank was told before that all is complete that the pending poll asks about. Whether
 * the poll must be answered "yes", for that reason or because it looks for a message that a probe
 * has reported. */
bool world_knows_all(const struct world *world, int rank);
bool world_must_say_yes(const struct world *world, int rank);
/* Whether a probe, which may be answered "not yet", has come to a message that a probe of its rank
 * has reported. */
bool world_looks_for_seen(const struct world *world, struct op_id probe);
/* A round begins (world_rounds.h): answers "no" before it do not count any more if they are
 * excused. */
void world_excuse_polls(struct world *world, bool excused);
/* Withdraws the probes that a poll has started. `told`: the trace is to show it. */
void world_withdraw_probes(struct world *world, int rank, bool told);
/* Gives the pending poll an answer other than a message. */
void world_give_answer(struct world *world, int rank, const struct taken *answer);
/* Appends to the alternatives how this question about requests can be answered now, except "no". It
 * is asked so many calls later than at the choice's point. */
void world_add_answers(const struct world *world, int rank, enum open_question question,
                       const struct wire_name *names, guint count, guint ahead,
                       struct open_choice *choice);
/* The operations of these requests, as entries of EVENT_ASK (struct asked). */
GArray *world_asked(const struct world *world, int rank, const struct wire_name *names,
                    guint count);
void world_note_poll(struct world *world, int rank, const struct wire_call *call);
/* The rank has made this poll, in a state that is known. Takes ownership of what it has. */
void world_add_poll(struct world *world, int rank, struct poll *poll);
/* The rank has made another call than polls, and such as concern only itself. */
void world_end_polls(struct world *world, int rank);
/* Before and after the operations of the call are matched: holds it if the rank seems to make such
 * calls for ever; counts it (world_immediate.c). */
void world_hold_immediate(struct world *world, int rank, const struct wire_call *call);
void world_note_immediate(struct world *world, int rank, const struct wire_call *call);
void world_end_immediate(struct world *world, int rank); /* something else has happened */
/* The operations waited for by a blocked rank that can complete, as indices (guint32). */
GArray *world_completable_indices(const struct world *world, int rank);
/* Whether this one can. */
bool world_can_complete(const struct world *world, int rank, struct wire_name name);
/* MPI_Cancel comes before the match: withdraws the receive, and lets the rank go on. */
void world_withdraw_receive(struct world *world, int rank, struct live *live);

/* Returns whether this order is kept because the rank is held. world_let_unheld_go gives the orders
 * that need not be kept any more (world_hold.c). */
bool world_keep_go(struct world *world, int rank, const struct wire_go *go);
void world_let_unheld_go(struct world *world);
/* Whether threads wait to be admitted, but are not because the rank has made all calls that it may;
 * whether one of them would otherwise be admitted without a choice. */
bool world_turn_is_held(const struct world *world, int rank);
bool world_keeps_out(const struct world *world, int rank);
/* Whether some rank has threads and a call is held that could return: then it is no full rest. */
bool world_holds_up_rest(const struct world *world);
/* Whether anything may be decided at rest. Call world_note_decision before each decision; `point`
 * is NULL if it is no choice. */
bool world_may_decide(const struct world *world);
void world_note_decision(struct world *world, const struct op_id *point);
/* Notes that the last noted decision admits a thread of this rank. */
void world_note_admitted(struct world *world, int rank);
/* Whether the rank waits in the last call that it has made.
 *
 * world_note_together notes a collective that the rank is let into (world_hold.c). */
bool world_is_in_blocking_call(const struct world *world, int rank);
void world_note_together(struct world *world, int rank, const struct live *live);

/* Notes that the rank's pending call is answered because nothing else can move. world_note_round
 * then notes the round of such answers. */
void world_note_rest(struct world *world, int rank);
void world_note_round(struct world *world);

/* Releases the ranks that were deferred until all are at rest. Returns whether there were any. */
bool world_let_go(struct world *world);

/* Makes all deterministic matches, and lets ranks go on that can. */
void world_settle(struct world *world);
void world_on_match(struct world *world, const struct match *match, bool chosen);

/* The call of the rank begins to receive the message that its matched probe took. Returns the rank
 * whose send may be complete by that. */
int world_fetch(struct world *world, int rank, const struct wire_call *call);

/* A place of a lock (explorer/lock.h) was granted. */
void world_on_grant(struct world *world, const struct match *match);

/* The name of a pending question. No operation has it, since such calls start none. */
static inline struct op_id world_question_id(const struct world *world, int rank)
{
	return (struct op_id){rank, world->ranks[rank].line->call, 0};
}

/* What the pending call waits for or asks about. */
static inline const struct wire_name *world_names(const struct rank *rank)
{
	return (const struct wire_name *)(const void *)rank->line->waited->data;
}

#endif
