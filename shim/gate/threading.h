/* The threads of a rank to which MPI has granted MPI_THREAD_MULTIPLE.
 *
 * While there is more than one, each makes its calls only when the scheduler admits it, one thread
 * at a time and never before every rank has come to rest: so the calls of a rank have one order,
 * which follows from the choices made and from nothing else, and are numbered in that order. A
 * thread that waits in the gate lets the others in. With one thread nothing of this applies, and
 * nothing is locked.
 *
 * The scheduler takes a thread that sleeps without a time limit to wait for another one of the
 * program's (scheduler/host/threads.h), so that nothing here may.
 *
 * Threads are told apart by the order of their creation (pthread_create and thrd_create are
 * interposed); 0 is the one that initialised MPI. Creating one counts as a call here. */
#ifndef MATCHPOINT_SHIM_GATE_THREADING_H
#define MATCHPOINT_SHIM_GATE_THREADING_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/wire.h"

/* MPI has granted MPI_THREAD_MULTIPLE to the calling thread: tells the scheduler of those that are
 * there already. */
void threading_start(void);

/* More than one thread of the program's may call MPI; one that has ended counts until another one
 * has been given its turn. */
bool threading_are_many(void);

/* A turn has been given: to be called when that is heard, before anything that is said later. */
void threading_note_turn(void);

/* Of the calling thread. */
uint32_t threading_self(void);

/* What the calling thread's next call will send or receive; `thread` need not be set. */
void threading_announce(const struct wire_enter *envelope);

/* Around a call: waits until the calling thread is admitted, and keeps the others out. Nests. */
void threading_enter(const void *site);
void threading_leave(void);

/* Whether the others are kept out by the calling thread. */
bool threading_keep_out(void);

/* Lets the others in for a moment (returns what take_back needs), or until threading_wake. */
unsigned threading_let_in(void);
void threading_take_back(unsigned held);
void threading_wait(void);
void threading_wake(void);

/* Locks a mutex of the shim's. */
void threading_lock(pthread_mutex_t *mutex);

/* The calling thread initialises MPI. */
void threading_be_first(void);

/* A controlled call begins (of this thread's, the outermost counts) and ends: what it does must be
 * right at the level of thread support that MPI provides (MPI 3.1, section 12.4.3). Does not return
 * if it is not. */
void threading_check_level(const void *site);
void threading_check_over(void);

/* The same for a call that goes to MPI unseen. */
void threading_check_moment(const void *site);

#endif
