/* From a finding's path to the fewest choices that still show it, and to the interleaving that ends
 * well and differs least: a conductor of a session (session.h). Where a path names no choice, the
 * first candidate is taken, as in every replay. */
#ifndef MATCHPOINT_SCHEDULER_REPRODUCE_MINIMIZE_H
#define MATCHPOINT_SCHEDULER_REPRODUCE_MINIMIZE_H

#include <stdbool.h>

#include "explorer/path.h"
#include "scheduler/store/record.h"

struct session;

struct minimize {
	/* given; the caller's */
	const struct record_finding *finding; /* NULL: the first that `path` shows */
	const struct path *path;
	const struct path *reference; /* outcome-differs: the outcome that it differs from */
	const GPtrArray *well;        /* struct path: other interleavings that end well, or NULL */
	guint tries_most;

	/* found; to be cleared */
	char *failed;  /* why the finding was not shown; NULL: it was */
	guint tries;   /* interleavings carried out */
	guint choices; /* made in the finding's interleaving */
	bool cut;      /* tries_most was reached, or a try was cut short: it may not be the least */
	struct path *least; /* the path */
	GPtrArray *forced;  /* struct record_choice: the choices of `least` */
	struct path *good;  /* one that ends well: the least that differs least; NULL: none known */
	guint difference;   /* choices in which `good` had to be made to differ */
};

/* For struct session_options: `data` is a struct minimize. */
void minimize_conduct(struct session *session, void *data);

void minimize_clear(struct minimize *minimize);

#endif
