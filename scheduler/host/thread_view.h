/* A thread of a rank as seen from outside, through /proc (threads.h). */
#ifndef MATCHPOINT_SCHEDULER_HOST_THREAD_VIEW_H
#define MATCHPOINT_SCHEDULER_HOST_THREAD_VIEW_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/* What is known of a thread between two calls of threads_look. All zeros before the first. */
struct thread_view {
	pid_t id;
	bool waits;       /* in MPI, for the scheduler; it may hold locks while it runs */
	bool ended;       /* has reported its end, but the kernel may still list it */
	guint64 switches; /* how often it was put to sleep and woken */
};

#endif
