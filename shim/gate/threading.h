/* The threads of a rank with MPI_THREAD_MULTIPLE.
 *
 * If there is more than one, a thread makes a call only when the scheduler admits it: one thread at
 * a time, and never before every rank is at rest. So the calls of a rank have one order, which
 * depends only on the choices made, and are numbered in that order. A thread that waits in the gate
 * lets the others in. With one thread none of this applies, and nothing is locked.
 *
 * The scheduler assumes that a thread that sleeps without a time limit waits for another thread of
 * the program (scheduler/host/threads.h). So nothing here may sleep without a limit.
 *
 * Threads are numbered in order of creation (pthread_create and thrd_create are interposed); 0 is
 * the thread that initialised MPI. Creating a thread counts as a call here. */
#ifndef MATCHPOINT_SHIM_GATE_THREADING_H
#define MATCHPOINT_SHIM_GATE_THREADING_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/wire.h"

/* MPI has granted MPI_THREAD_MULTIPLE to the calling thread: reports the existing threads. */
void threading_start(void);

/* Whether more than one thread of the program may call MPI. A thread that has ended counts until
 * another thread has been admitted. */
bool threading_are_many(void);

/* The scheduler has admitted a thread: to be called before anything that it sent later is
 * obeyed. */
void threading_note_turn(void);

/* The number of the calling thread. */
uint32_t threading_self(void);

/* What the calling thread's next call will send or receive; `thread` need not be set. */
void threading_announce(const struct wire_enter *envelope);

/* Around a call: waits until the calling thread is admitted, and keeps the others out. Nests. */
void threading_enter(const void *site);
void threading_leave(void);

/* Whether the calling thread keeps the others out. */
bool threading_keep_out(void);

/* Let the others in: for a moment (take_back gets the result of let_in), or until
 * threading_wake. */
unsigned threading_let_in(void);
void threading_take_back(unsigned held);
void threading_wait(void);
void threading_wake(void);

/* Locks a mutex of the shim. */
void threading_lock(pthread_mutex_t *mutex);

/* The calling thread initialises MPI. */
void threading_be_first(void);

/* At the begin and end of a controlled call; of nested calls, the outermost counts. The call must
 * be allowed at the level of thread support that MPI provides (MPI 3.1, section 12.4.3). Does not
 * return if it is not. */
void threading_check_level(const void *site);
void threading_check_over(void);

/* The same for a call that passes to MPI uncontrolled. */
void threading_check_moment(const void *site);

#endif
