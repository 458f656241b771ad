/* A choice taken, a list of them, and the same list as one line of text.
 *
 * Text form (a path):
 *
 *   mp1:n4:0.3=1,2.5/1=3          any buffering, collectives async
 *   mp1:n4:zero:0.3=1             under zero buffering
 *   mp1:n4:zero:sync:             no choice, zero buffering, all collectives are barriers
 *   mp1:n3:per-send:0.2=late,1.4=no
 *
 * Without "sync" or "per-call" members leave collectives as early as the standard lets them. Paths
 * say so (or "async", under zero buffering) only where some member could leave one early.
 *
 * 0.3=1 reads: call 3 of rank 0 takes the message of rank 1 (which of rank 1's is settled by the
 * matching rules); 2.5/1=3: the second receive (sub 1) of rank 2's call 5. An answer (answer.h) can
 * stand in the place of the rank: 0.5=#1 is a Waitany that reports the second of its active
 * requests. 0.4/turn=#1: after call 4 of rank 0 its thread 1 makes the next one.
 *
 * w1.0.3=2: the third grant of the lock of window 1 at target 0 goes to rank 2; w1.0r2.3=1: of
 * what rank 2 needs for a shared lock there, the third grant goes to rank 1; w1@2.3.1=3: window 1
 * of those whose lowest rank is 2 (lock.h). */
#ifndef MATCHPOINT_EXPLORER_PATH_H
#define MATCHPOINT_EXPLORER_PATH_H

#include <glib.h>

#include "operation.h"

enum buffering { BUFFERING_ANY = 0, BUFFERING_ZERO, BUFFERING_INFINITE, BUFFERING_PER_SEND };

/* How long members stay in collectives that do not order all before all (MPI 3.1, section 5.1). */
enum collective_mode {
	COLLECTIVES_ANY,      /* not said: as ASYNC, or it does not matter */
	COLLECTIVES_ASYNC,    /* until those have come whose data they need */
	COLLECTIVES_SYNC,     /* until all have come */
	COLLECTIVES_PER_CALL, /* a choice for each call: ANSWER_EARLY or ANSWER_LATE */
	COLLECTIVES_BOTH,     /* not of one interleaving: the extremes together, see below */
};

/* What is in force under a buffering. COLLECTIVES_BOTH pairs what waits with what waits: sync under
 * zero buffering, else async. */
enum collective_mode collective_mode_under(enum collective_mode asked, enum buffering buffering);

/* "async", "sync", "per-call", "both"; ANY: NULL. false: none of these words. */
const char *collective_mode_word(enum collective_mode collectives);
bool collective_mode_from_word(const char *word, enum collective_mode *ret);

struct choice {
	/* Where more than one thing is possible: a receive, probe, Wait, Test, send or lock. */
	struct op_id point;
	/* A message, whose call and sub are 0 when only read from a path; or an answer. */
	struct op_id taken;
};

struct path {
	int ranks;
	enum buffering buffering;
	enum collective_mode collectives; /* not BOTH */
	GArray *choices; /* of struct choice, in the order taken; owned */
};

struct path *path_new(int ranks, enum buffering buffering, enum collective_mode collectives);
struct path *path_copy(const struct path *path);
void path_free(struct path *path);

/* The text of a path; free with g_free. */
char *path_print(const struct path *path);

/* NULL with `error` set (what is wrong, at which column) when the text is no path. */
struct path *path_parse(const char *text, GError **error);

#define PATH_ERROR (path_error_quark())
GQuark path_error_quark(void);
enum path_error { PATH_ERROR_SYNTAX, PATH_ERROR_VERSION };

#endif
