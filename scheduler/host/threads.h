/* Whether the threads of a rank that are outside of MPI could still do something.
 *
 * Only for ranks that may call MPI from several threads: such a rank has come to rest when each of
 * its threads waits in MPI, or for another thread (pthread_join, a mutex, a condition variable, a
 * barrier of OpenMP). The latter is told from /proc: the thread sleeps in a futex without a time
 * limit (the shim itself waits with one), and no thread of the rank has run while all of them were
 * looked at. */
#ifndef MATCHPOINT_SCHEDULER_HOST_THREADS_H
#define MATCHPOINT_SCHEDULER_HOST_THREADS_H

#include "host.h"

/* Looks twice at each of these threads of a process. */
enum threads_state threads_look(pid_t process, struct thread_view *views, guint count);

/* All threads of a process that are there now but its first (struct thread_view, the caller's). */
GArray *threads_others(pid_t process);

#endif
