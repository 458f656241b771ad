/* Ranks that repeat an atomic operation on a window until its result changes (MPI 3.1, section
 * 11.3.4): a lock of the program's own, or a flag that is awaited.
 *
 * An operation that has fetched the same several times, while no other rank has changed any word
 * that its loop uses, would fetch it again. So the rank sleeps, until another rank changes such a
 * word. A loop consists of such operations alone, and of calls that lock and unlock windows. Pure.
 */
#ifndef MATCHPOINT_SCHEDULER_WORLD_WORD_SPINS_H
#define MATCHPOINT_SCHEDULER_WORLD_WORD_SPINS_H

#include <glib.h>
#include <stdbool.h>

#include "common/state_hash.h"
#include "common/wire.h"

struct word_spins;

/* An operation that a rank wants to make: the words (explorer/lock.h) that it uses, and where it is
 * in the program. The target is a rank of MPI_COMM_WORLD. */
struct word_use {
	guint64 site;
	guint64 comm;
	int target;
	gint32 first, last;
};

struct word_spins *word_spins_new(int ranks);
struct word_spins *word_spins_copy(const struct word_spins *spins);
void word_spins_free(struct word_spins *spins);

/* A rank wants to make an operation. Whether it is to sleep, as that has fetched the same more than
 * `most` times. */
bool word_spins_ask(struct word_spins *spins, int rank, const struct word_use *use, guint most);

/* The rank sleeps with this request; valid until it is woken. NULL: it does not sleep. */
void word_spins_sleep(struct word_spins *spins, int rank, const struct wire_op *op);
const struct wire_op *word_spins_sleeper(const struct word_spins *spins, int rank);
void word_spins_wake(struct word_spins *spins, int rank);

/* Nothing else can move: the next rank that sleeps makes its operation once more. -1: none sleeps.
 */
int word_spins_next(struct word_spins *spins);

/* The rank has made its operation. `fetched`: a hash of the result; 0: there is none. `changed`:
 * the window has other contents now. Appends the ranks (int) that sleep and use a word that has
 * changed. Returns whether the operation shows that something else than such operations has changed
 * the word: it was made as nothing else could move, and fetched something new. */
bool word_spins_done(struct word_spins *spins, int rank, guint64 fetched, bool changed,
                     GArray *ret_woken);

/* The rank makes another call: its loop, if it was in one, is over. */
void word_spins_end(struct word_spins *spins, int rank);

/* Whether the rank's last operations have fetched the same more than once. */
bool word_spins_turns(const struct word_spins *spins, int rank);

/* Adds all of it to the hash of a state. */
void word_spins_fingerprint(const struct word_spins *spins, struct state_hash *ret);

#endif
