/* Whether the threads of a rank that are outside of MPI can still do something.
 *
 * This is for ranks that may call MPI from several threads. Such a rank is at rest when each of
 * its threads waits in MPI, or for another thread (pthread_join, a mutex, a condition variable, a
 * barrier of OpenMP). A thread waits for another one if /proc shows that it sleeps in a futex
 * without a time limit, and no thread of the rank has run while all were read. The shim itself
 * waits with a time limit. */
#ifndef MATCHPOINT_SCHEDULER_HOST_THREADS_H
#define MATCHPOINT_SCHEDULER_HOST_THREADS_H

#include "host.h"

/* Reads the state of each of these threads twice. */
enum threads_state threads_look(pid_t process, struct thread_view *views, guint count);

/* Returns all threads that a process has now, except its first (struct thread_view; owned by the
 * caller). */
GArray *threads_others(pid_t process);

#endif
