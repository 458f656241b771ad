/* A path: choices in the order taken, and under which conditions, as one line of text.
 *
 *   mp1:n4:0.3=1,2.5/1=3          any buffering, collectives async
 *   mp1:n4:zero:0.3=1             under zero buffering
 *   mp1:n4:zero:sync:             no choice, zero buffering, all collectives are barriers
 *   mp1:n3:per-send:0.2=late,1.4=no
 *
 * Without "sync" or "per-call" members leave collectives as early as the standard lets them. Paths
 * say so (or "async", under zero buffering) only where some member could leave one early. What
 * choices look like stands in choice.h. */
#ifndef MATCHPOINT_EXPLORER_PATH_H
#define MATCHPOINT_EXPLORER_PATH_H

#include <stdbool.h>

#include "choice.h"

enum buffering { BUFFERING_ANY = 0, BUFFERING_ZERO, BUFFERING_INFINITE, BUFFERING_PER_SEND };

/* How long members stay in collectives that do not order all before all (MPI 3.1, section 5.1). */
enum collective_mode {
	COLLECTIVES_ANY,      /* not said: as ASYNC, or it does not matter */
	COLLECTIVES_ASYNC,    /* until those have come whose data they need */
	COLLECTIVES_SYNC,     /* until all have come */
	COLLECTIVES_PER_CALL, /* a choice for each call: TAKEN_EARLY or TAKEN_LATE */
	COLLECTIVES_BOTH,     /* not of one interleaving: the extremes together, see below */
};

/* What is in force under a buffering. COLLECTIVES_BOTH pairs what waits with what waits: sync under
 * zero buffering, else async. */
enum collective_mode collective_mode_under(enum collective_mode asked, enum buffering buffering);

/* "async", "sync", "per-call", "both"; ANY: NULL. false: none of these words. */
const char *collective_mode_word(enum collective_mode collectives);
bool collective_mode_from_word(const char *word, enum collective_mode *ret);

struct path {
	int ranks;
	enum buffering buffering;
	enum collective_mode collectives; /* not BOTH */
	GArray *choices;                  /* of struct choice, in the order taken; owned */
};

struct path *path_new(int ranks, enum buffering buffering, enum collective_mode collectives);
/* The same with a copy of these choices. */
struct path *path_of_choices(int ranks, enum buffering buffering, enum collective_mode collectives,
                             const GArray *choices);
void path_free(struct path *path);

/* What a replay takes where a path names none: zero, but infinite without any choice, as a run. */
enum buffering path_usual_buffering(const GArray *choices);

/* The text of a path; free with g_free. */
char *path_print(const struct path *path);

/* The text of this path with other choices (struct choice); the caller's. NULL: it is no path. */
char *path_with_choices(const char *text, const GArray *choices);

/* NULL with `error` set (what is wrong, at which column) when the text is no path. */
struct path *path_parse(const char *text, GError **error);
/* The same for a text that begins with one; *ret_end stands behind it. */
struct path *path_parse_start(const char *text, const char **ret_end, GError **error);
/* Says what is wrong `at` a place in the text; false, for returning it. */
bool path_fail(const char *text, const char *at, const char *what, GError **error);

#define PATH_ERROR (path_error_quark())
GQuark path_error_quark(void);
enum path_error { PATH_ERROR_SYNTAX, PATH_ERROR_VERSION };

#endif
