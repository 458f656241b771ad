/* The locks of windows in one world: which rank holds a lock, and which asks for one (MPI 3.1,
 * section 11.5.3).
 *
 * A lock consists of places, each of which one rank holds at a time (explorer/lock.h). An exclusive
 * lock asks for the target's place first. Once it has that, it asks for all places in which other
 * ranks could hold a shared lock. So of two ranks that ask for exclusive locks, one gets all
 * places. An atomic operation takes the words that it uses one after the other, each as a lock.
 * Pure: grants are decided elsewhere. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_WINDOWS_H
#define MATCHPOINT_SCHEDULER_WORLD_WINDOWS_H

#include <glib.h>
#include <stdbool.h>

#include "common/state_hash.h"
#include "explorer/lock.h"

struct windows;

#define WINDOWS_ALL (-1) /* as a target: a shared lock at every rank */

/* A rank's request for a lock; ranks are ranks in MPI_COMM_WORLD. */
struct lock_wish {
	int rank;
	guint64 comm;             /* the window */
	struct lock_place window; /* its `window` and `first` */
	int target;
	bool shared;
	const int *members;
	int count;
	gint32 first_word, last_word; /* an atomic operation needs these; 0: a lock */
	gint32 element;               /* the words of each of its elements, from the first on */
	guint32 sub;                  /* of the first claim */
};

/* A place that a lock needs; `sub` numbers the claims of one call, from 0. */
struct lock_claim {
	gint32 place;
	guint32 sub;
};

enum lock_progress {
	LOCK_WAITS,   /* for more grants */
	LOCK_CLAIMS,  /* windows_claims returns further claims */
	LOCK_GRANTED, /* the rank has the lock */
};

struct windows *windows_new(int ranks);
struct windows *windows_copy(const struct windows *windows);
void windows_free(struct windows *windows);

/* Whether the rank already holds a lock at that target (WINDOWS_ALL: at any). */
bool windows_holds(const struct windows *windows, int rank, guint64 comm, int target);

/* Whether the rank holds a lock there, and others may hold one at the same time. */
bool windows_shares(const struct windows *windows, int rank, guint64 comm, int target);

/* Whether the rank has asked for a lock that is not granted yet. */
bool windows_asks(const struct windows *windows, int rank);

/* A rank asks for a lock; it must not wait for another one. false: there are too many windows to
 * number the places. */
bool windows_ask(struct windows *windows, const struct lock_wish *wish);

/* A rank asks for a lock that it already holds. Nothing is claimed, and nothing is given back if
 * MPI refuses the lock. windows_was_again returns whether the rank's last request was such, and
 * clears that. */
void windows_ask_again(struct windows *windows, int rank);
bool windows_was_again(struct windows *windows, int rank);

/* What the rank must claim now (struct lock_claim); valid until the next call. */
const GArray *windows_claims(const struct windows *windows, int rank);

/* If the place is free and not on offer yet, puts it on offer and returns the number of the next
 * grant, from 1; else 0. */
guint32 windows_offer(struct windows *windows, gint32 place);

/* Grants the place on offer to this rank, which has claimed it. */
enum lock_progress windows_grant(struct windows *windows, gint32 place, int rank);

/* A rank gives back the lock that it holds at the target of a window: appends the places (struct
 * lock_grant, in the order claimed). Nothing appended: it holds none there. */
struct lock_grant {
	gint32 place;
	guint32 grant; /* number of the grant */
};
void windows_release(struct windows *windows, int rank, guint64 comm, int target, GArray *ret);
/* The same for the words that it holds. */
void windows_release_words(struct windows *windows, int rank, GArray *ret);

/* MPI may let a rank go on before it has the lock (MPI 3.1, section 11.5.3).
 *
 * windows_note_flush: the rank's accesses to this window are complete at their targets, so MPI has
 * waited for its locks there. windows_note_effect: the rank does something that others notice.
 * windows_early: whether a rank did so before it was known to have a lock that another rank asked
 * for as well, so that the effect could have come earlier. */
void windows_note_flush(struct windows *windows, int rank, guint64 comm);
void windows_note_effect(struct windows *windows, int rank);
bool windows_early(const struct windows *windows);

/* Marks the ranks for which a rank that asks for a lock waits: waits[rank of MPI_COMM_WORLD]. */
void windows_mark_holders(const struct windows *windows, int rank, bool *waits);

/* Whether several elements of one atomic operation were used by other ranks, too. MPI may then mix
 * the operations, element by element; here each is made as a whole. */
bool windows_mix(const struct windows *windows);

/* How often the place was granted so far; 0: not yet. */
guint32 windows_grants(const struct windows *windows, gint32 place);

/* Adds to `ret` which locks are held and asked for, and what was asked for so far. */
void windows_fingerprint(const struct windows *windows, struct state_hash *ret);

/* Whether the order of its grants makes a difference: both shared and exclusive locks have asked
 * for the place, or it is a target's own; a word's own, if several ranks have asked for it, and not
 * always after another word that they share. */
bool windows_contended(const struct windows *windows, gint32 place);

#endif
