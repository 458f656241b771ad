/* A thread of a rank as it is seen from outside, through /proc (threads.h). */
#ifndef MATCHPOINT_SCHEDULER_HOST_THREAD_VIEW_H
#define MATCHPOINT_SCHEDULER_HOST_THREAD_VIEW_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/* What is known of a thread between two looks; zero-initialised before the first. */
struct thread_view {
	pid_t id;
	bool waits;       /* in MPI, for the scheduler: it may hold locks as long as it moves */
	bool ended;       /* has said so; it still counts until the kernel has let it go */
	guint64 switches; /* how often it has been put to sleep and woken */
};

#endif
