/* What world.c (state and progress), world_report.c (what ranks say), world_doubt.c (whether it can
 * be), world_rest.c (answers at rest), world_window.c (locks) and world_describe.c (words for
 * people) share. Nobody else includes it. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_INTERNAL_H
#define MATCHPOINT_SCHEDULER_WORLD_INTERNAL_H

#include "../explorer/explorer.h"
#include "matcher.h"
#include "threads.h"
#include "types.h"
#include "windows.h"
#include "world.h"

/* An operation whose completion its rank has not learnt of yet. */
struct live {
	struct wire_name name;
	guint8 kind; /* enum wire_op_kind */
	gboolean matched, cancelled, nonblocking;
	gboolean arrived;         /* a receive: its data was ordered to be there */
	gboolean joined;          /* with the operation before it, as one request */
	gboolean observed;        /* to be removed */
	gboolean waits_for_match; /* sends */
	gboolean is_decided_for;  /* sends and collectives that complete as is chosen for each */
	int decided;              /* enum answer_kind ANSWER_EARLY or ANSWER_LATE of these, or 0 */
	gboolean by_choice;       /* receives that are matched only by choice */
	enum event_order order;   /* collectives: whom this member waits for */
	guint64 instance;         /* collectives */
	guint64 comm;
	gint32 peer, tag; /* as the program gave them */
	struct types types;
};

/* A message that is longer than its receive has room for. */
struct truncated {
	struct op_id send, receive; /* call 0: there is none */
	struct types sent, received;
};

/* A thread of a rank that has several (world_threads.c), by its number. The fields of the one in
 * focus stand in struct rank instead. */
struct line {
	pid_t id; /* the kernel's, while it may be there; 0: not known */
	struct wire_enter enter; /* PHASE_ENTERING */
	enum world_phase phase;
	gboolean ends_mpi;
	guint8 wait;
	guint32 call;
	guint16 function;
	GArray *waited;
	enum open_question question;
	guint32 asked;
	guint complete;
};

#define WORLD_THREADS_MAX 10000u

/* A poll, and how it was answered. */
struct poll {
	guint64 identity; /* the same: the same question asked again */
	guint64 site;
	guint64 key; /* of world->impatience */
	struct op_id point;
	gboolean chosen; /* it was told "no" by choice */
};

/* The polls of a rank, all of them told "no", between which it did nothing else (world_polls.c). */
struct streak {
	GArray *polls;        /* struct poll: the last round */
	guint rounds;         /* that have led back to the same poll */
	guint64 last;         /* identity of the last poll of the first round */
	GArray *known;        /* guint64: places in the program where a round was closed before */
};

struct rank {
	struct streak streak;
	GArray *lines; /* struct line; NULL: one thread alone */
	guint32 turn;  /* the last call after which it was asked whose turn it is */
	guint focus;   /* which of them what follows is of, up to `complete` */
	enum world_phase phase;
	gboolean finalized;
	gboolean ends_mpi; /* the call it waits in is the last of MPI's */
	guint8 wait;       /* enum wire_wait of the pending call; PHASE_BLOCKED */
	guint32 call;
	guint16 function;
	GArray *waited;              /* struct wire_name */
	enum open_question question; /* what the pending call asks */
	guint32 asked;               /* the last call with a question */
	guint complete; /* so many of `waited`, from the first, are known to be complete */
	GArray *live;   /* struct live, ascending by name */
	struct truncated truncated; /* the last one received */
	GArray *entered; /* collectives (guint64) that its last call was let into, and may be in */
	GArray *calls;  /* struct world_call; [call - 1] */
	GArray *left;   /* struct wire_left */
};

/* A message on its way: what a receive bound to it must ask MPI for. */
struct message {
	struct op_id id;
	guint64 comm;
	gint32 tag;
	struct types types;
	gboolean recalled; /* its sender has tried to cancel it */
};

struct world {
	struct world_options options;
	struct communicators *comms;
	struct world_orders orders;
	void *user;
	struct rank *ranks;
	int running; /* ranks absent or running */
	struct matcher *matcher;
	struct collectives *collectives;
	GHashTable *messages; /* struct message, by id, not yet taken */
	GArray *matches;      /* scratch */
	GArray *choices;
	GArray *plain; /* gboolean by choice: a receive that names its source took its message */
	GPtrArray *alternatives; /* GArray of struct op_id, by choice; shared with copies */
	struct trace trace;
	struct remarks *remarks;
	GArray *failures; /* of collectives (world_caught.c) */
	struct windows *locks;
	struct rma_log *accesses;
	struct rma_doubts doubts;
	GHashTable *impatience; /* polls told "not yet": by world_points.c's key, how often */
	struct world_idle idle;
	gboolean started;          /* ranks may leave MPI_Init */
	gboolean collectives_wait; /* some collective was taken to wait for more than it must */
	gboolean collectives_matter; /* one could be left before all have come */
	gboolean deferred; /* some rank may go on, but not before the others are at rest */
	gboolean lets_go;  /* deferred ranks, now */
	gboolean by_rule;
	gboolean windows;
	gboolean any_tag; /* somebody has received from any tag */
	gboolean locked;  /* some rank has asked for a lock, or started an access epoch */
	gboolean atomics; /* some rank's atomic operations were ordered by MPI alone */
};

/* Order of calls, then of operations in a call: <0, 0, >0. */
int world_compare_names(struct wire_name a, struct wire_name b);

struct live *world_find_live(const struct world *world, int rank, struct wire_name name);
/* The other half of a joined operation, or NULL. */
struct live *world_find_joined(const struct world *world, int rank, const struct live *live);
void world_remove_live(struct world *world, int rank, const struct live *live);
/* Removes the operation of this name, if it lives, and what is joined with it. */
void world_forget(struct world *world, int rank, struct wire_name name);
gboolean world_completable(const struct world *world, int rank, const struct live *live);
/* Without regard to the other half. */
gboolean world_half_completable(const struct world *world, int rank, const struct live *live);

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
/* Of the threads that wait to be admitted (guint32), the first one and those with whose calls its
 * own races; and the question, if there are several, which of them comes first. */
GArray *world_rivals(const struct world *world, int rank);
struct op_id world_turn_id(const struct world *world, int rank);
void world_admit_thread(struct world *world, int rank, guint32 thread);
/* Threads that slept may be awake: something has happened in their rank. */
void world_wake(struct world *world, int rank);
/* The rank will do nothing more, with all its threads. */
void world_leave(struct world *world, int rank, enum world_phase phase);
gboolean world_is_over(const struct world *world, int rank);
void world_copy_lines(struct rank *rank);
void world_free_lines(struct rank *rank);

/* The pending call asks about its requests: notes the question, if it has more than one answer. */
void world_ask(struct world *world, int rank);
/* Whether the pending call is an Iprobe or Improbe. */
gboolean world_is_probe_poll(const struct world *world, int rank);
/* Whether the pending poll can be told "not yet" by choice, not only when nothing else can move;
 * and whether that comes before all other answers: so that it is seen whether it makes any
 * difference. What it was told by the choice made last; and that a call was made, which may be one
 * more poll. */
gboolean world_may_say_no(const struct world *world, int rank);
gboolean world_says_no_first(const struct world *world, int rank);
void world_note_answer(struct world *world, int rank, gboolean yes);
void world_note_poll(struct world *world, int rank, const struct wire_call *call);
/* The waited operations of a blocked rank that can complete (guint32), as indices. */
GArray *world_completable_indices(const struct world *world, int rank);
/* MPI_Cancel has come before the match: the receive is withdrawn, and the rank goes on. */
void world_withdraw_receive(struct world *world, int rank, struct live *live);

/* What is impossible in what a rank says of a call of the line in focus; NULL: it can be. */
const char *world_doubt(const struct world *world, int rank, const struct wire_call *call);
/* Sets `error` ("rank 1 said something impossible: ..."). Returns FALSE. */
gboolean world_refuse(GError **error, int rank, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* The rank's pending call is let into this collective. */
void world_note_entered(struct world *world, int rank, const struct live *live);
GArray *world_failures_new(void);
/* Whom a rank waits for that is in PHASE_CAUGHT; of another one nobody. */
void world_mark_caught(const struct world *world, int rank, gboolean *waits);

/* Makes all deterministic matches and lets go whom they set free. */
void world_settle(struct world *world);
void world_on_match(struct world *world, const struct match *match, gboolean chosen);

/* A rank asks for a lock, and waits for grants (or `live` is complete). FALSE: there are too many
 * windows. */
gboolean world_lock(struct world *world, int rank, const struct wire_op *op, struct live *live);
/* Returns how many places the rank has given back. */
guint world_unlock(struct world *world, int rank, const struct wire_op *op);
/* A place of a lock (explorer/lock.h) was granted. */
void world_on_grant(struct world *world, const struct match *match);

/* Remarks on a message whose types are not those that the receive expects. */
void world_compare_types(struct world *world, const struct match *match,
                         const struct message *message, const struct live *receive);

static inline struct op_id world_op_id(int rank, struct wire_name name)
{
	return (struct op_id){rank, name.call, name.sub};
}

/* The name of a pending question: such calls start nothing that could have it. */
static inline struct op_id world_question_id(const struct world *world, int rank)
{
	return (struct op_id){rank, world->ranks[rank].call, 0};
}

static inline gboolean world_is_poll(guint8 wait)
{
	return wait == WIRE_TEST_ALL || wait == WIRE_TEST_ANY || wait == WIRE_TEST_SOME;
}

#endif
