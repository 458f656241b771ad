/* Whether the threads of a rank that are outside of MPI could still do something.
 *
 * Only for ranks that may call MPI from several threads: such a rank has come to rest when each of
 * its threads waits in MPI, or for another thread (pthread_join, a mutex, a condition variable, a
 * barrier of OpenMP). The latter is told from /proc: the thread sleeps in a futex without a time
 * limit (the shim itself waits with one), and no thread of the rank has run while all of them were
 * looked at. */
#ifndef MATCHPOINT_SCHEDULER_THREADS_H
#define MATCHPOINT_SCHEDULER_THREADS_H

#include <glib.h>
#include <sys/types.h>

/* What is known of a thread between two looks; zero-initialised before the first. */
struct thread_view {
	pid_t id;
	gboolean waits;   /* in MPI, for the scheduler: it may hold locks as long as it moves */
	gboolean ended;   /* has said so; it still counts until the kernel has let it go */
	guint64 switches; /* how often it has been put to sleep and woken */
};

enum threads_state {
	THREADS_MOVE,   /* some run, or will by themselves */
	THREADS_LINGER, /* all sleep, some until a time has passed */
	THREADS_LISTEN, /* all sleep, some until something comes from outside (a pipe, a signal) */
	THREADS_SLEEP,  /* all wait for other threads */
};

/* Looks twice at each of these threads of a process. */
enum threads_state threads_look(pid_t process, struct thread_view *views, guint count);

#endif
