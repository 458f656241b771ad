/* Measures the total time of something that one thread does repeatedly. */
#ifndef MATCHPOINT_SCHEDULER_TOOLS_STOPWATCH_H
#define MATCHPOINT_SCHEDULER_TOOLS_STOPWATCH_H

#include <glib.h>
#include <time.h>

/* All zeros at first. Microseconds: elapsed, and of the thread's own processor time. */
struct stopwatch {
	gint64 wall, computing;
	guint times;
};

static inline gint64 stopwatch_computing(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (gint64)now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

/* Calls must not be nested. */
static inline void stopwatch_start(struct stopwatch *watch)
{
	watch->wall -= g_get_monotonic_time();
	watch->computing -= stopwatch_computing();
}

static inline void stopwatch_stop(struct stopwatch *watch)
{
	watch->wall += g_get_monotonic_time();
	watch->computing += stopwatch_computing();
	watch->times++;
}

#endif
