/* Reduces a finding's path to the fewest choices that still show it, and finds the good
 * interleaving that differs least from it. It drives a scripted session (session.h). Points that a
 * path does not name take the first candidate, as in every replay. */
#ifndef MATCHPOINT_SCHEDULER_REPRODUCE_MINIMIZE_H
#define MATCHPOINT_SCHEDULER_REPRODUCE_MINIMIZE_H

#include <stdbool.h>

#include "explorer/path.h"
#include "scheduler/store/record.h"

struct session;

struct minimize {
	/* input; borrowed */
	const struct record_finding *finding; /* NULL: the first that `path` shows */
	const struct path *path;
	const struct path *reference; /* outcome-differs: the path of the outcome it differs from */
	const GPtrArray *well;        /* struct path: other good interleavings; or NULL */
	guint tries_most;

	/* output; free with minimize_clear */
	char *failed;       /* why the finding did not show; NULL: it did */
	guint tries;        /* number of interleavings carried out */
	guint choices;      /* number of choices made in the finding's interleaving */
	bool cut;           /* tries_most was reached, or a try was cut short: may not be minimal */
	struct path *least; /* the minimized path */
	GPtrArray *forced;  /* struct record_choice: the choices of `least` */
	struct path *good;  /* the minimized good path that differs least; NULL: not known */
	guint difference;   /* number of choices in which `good` must differ */
};

/* `conduct` of struct session_options; `data` is a struct minimize. */
void minimize_conduct(struct session *session, void *data);

void minimize_clear(struct minimize *minimize);

#endif
