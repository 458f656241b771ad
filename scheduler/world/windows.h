/* The locks of windows in one world: who holds what, who asks for what (MPI 3.1, section 11.5.3).
 *
 * A lock is taken as places, each of which one rank holds at a time (explorer/lock.h). An exclusive
 * lock asks for the target's place first and, once it has that, for all those in which other
 * ranks could hold a shared one; so of two that ask for exclusive locks one gets all of them. Pure:
 * who is granted a place is decided elsewhere. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_WINDOWS_H
#define MATCHPOINT_SCHEDULER_WORLD_WINDOWS_H

#include <glib.h>
#include <stdbool.h>

#include "common/state_hash.h"
#include "explorer/lock.h"

struct windows;

#define WINDOWS_ALL (-1) /* as a target: a shared lock at every rank */

/* What a rank asks for; ranks are ranks in MPI_COMM_WORLD. */
struct lock_wish {
	int rank;
	guint64 comm;             /* the window */
	struct lock_place window; /* its `window` and `first` */
	int target;
	bool shared;
	const int *members;
	int count;
};

/* A place that a lock needs; `sub` tells the claims of one call apart, from 0. */
struct lock_claim {
	gint32 place;
	guint32 sub;
};

enum lock_progress {
	LOCK_WAITS,   /* for more grants */
	LOCK_CLAIMS,  /* windows_claims has more to ask for */
	LOCK_GRANTED, /* the rank has it */
};

struct windows *windows_new(int ranks);
struct windows *windows_copy(const struct windows *windows);
void windows_free(struct windows *windows);

/* Whether the rank holds a lock at that target already (at any, for WINDOWS_ALL). */
bool windows_holds(const struct windows *windows, int rank, guint64 comm, int target);

/* Whether it holds one, and others may hold one at the same time. */
bool windows_shares(const struct windows *windows, int rank, guint64 comm, int target);

/* Whether the rank has asked for a lock that it has not got yet. */
bool windows_asks(const struct windows *windows, int rank);

/* A rank asks; it has asked for nothing else that is not granted. false: there are too many windows
 * to number the places. */
bool windows_ask(struct windows *windows, const struct lock_wish *wish);

/* A rank asks for what it holds already: nothing is claimed, and if MPI refuses the lock nothing is
 * given back. Tells whether its last request was such, once. */
void windows_ask_again(struct windows *windows, int rank);
bool windows_was_again(struct windows *windows, int rank);

/* What the rank has to claim now (struct lock_claim), valid until the next call. */
const GArray *windows_claims(const struct windows *windows, int rank);

/* If the place is free and not on offer yet, puts it on offer and returns the number of the grant
 * to come, from 1; else 0. */
guint32 windows_offer(struct windows *windows, gint32 place);

/* The place on offer goes to this rank, which has claimed it. */
enum lock_progress windows_grant(struct windows *windows, gint32 place, int rank);

/* A rank gives back what it holds at the target of a window: fills in the places (struct
 * lock_grant, in the order claimed). Empty: it holds nothing there. */
struct lock_grant {
	gint32 place;
	guint32 grant; /* which one it was */
};
void windows_release(struct windows *windows, int rank, guint64 comm, int target, GArray *ret);

/* Marks those whom a rank that asks for a lock waits for, waits[rank of MPI_COMM_WORLD]. */
void windows_mark_holders(const struct windows *windows, int rank, bool *waits);

/* How often the place was granted so far; 0: nobody has asked for it. */
guint32 windows_grants(const struct windows *windows, gint32 place);

/* Who holds and asks for what, and what has been asked for. Adds it to `ret`. */
void windows_fingerprint(const struct windows *windows, struct state_hash *ret);

/* Whether both shared and exclusive locks have asked for the place, or it is a target's own; who
 * gets it makes a difference then. */
bool windows_contended(const struct windows *windows, gint32 place);

#endif
