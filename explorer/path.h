/* A path: choices in the order taken, and the conditions, as one line of text.
 *
 *   mp1:n4:0.3=1,2.5/1=3          any buffering, collectives async
 *   mp1:n4:zero:0.3=1             under zero buffering
 *   mp1:n4:zero:sync:             no choice, zero buffering, all collectives are barriers
 *   mp1:n3:per-send:0.2=late,1.4=no
 *   mp1:n4:nodes3+1:0.3=1         on two virtual nodes (nodes.h)
 *
 *   mp1:n4:worlds1+3by0.1:0.3=0.1:1   rank 0 spawns three (rank_name.h)
 *
 * Without "sync" or "per-call", members leave collectives as early as the standard allows. A path
 * contains one of these words (or "async", under zero buffering) only if some member could leave
 * early. choice.h describes the text of choices. */
#ifndef MATCHPOINT_EXPLORER_PATH_H
#define MATCHPOINT_EXPLORER_PATH_H

#include <stdbool.h>

#include "choice.h"

enum buffering { BUFFERING_ANY = 0, BUFFERING_ZERO, BUFFERING_INFINITE, BUFFERING_PER_SEND };

/* How long members stay in collectives that do not order all before all (MPI 3.1, section 5.1). */
enum collective_mode {
	COLLECTIVES_ANY,      /* not given: as ASYNC, or it does not matter */
	COLLECTIVES_ASYNC,    /* until the members have entered whose data they need */
	COLLECTIVES_SYNC,     /* until all members have entered */
	COLLECTIVES_PER_CALL, /* a choice for each call: TAKEN_EARLY or TAKEN_LATE */
	COLLECTIVES_BOTH,     /* not for one interleaving: combines the extremes, see below */
};

/* The mode to use under a buffering. COLLECTIVES_BOTH becomes sync under zero buffering, else
 * async: then either everything waits or nothing does. */
enum collective_mode collective_mode_under(enum collective_mode asked, enum buffering buffering);

/* collective_mode_word: "async", "sync", "per-call", "both"; ANY: NULL. collective_mode_from_word
 * returns false for any other word. */
const char *collective_mode_word(enum collective_mode collectives);
bool collective_mode_from_word(const char *word, enum collective_mode *ret);

struct path {
	int ranks;
	const char *nodes;              /* from nodes_parse; NULL: all ranks are on one node */
	const struct rank_names *names; /* of the text, or the current ones */
	enum buffering buffering;
	enum collective_mode collectives; /* not BOTH */
	GArray *choices;                  /* owned; struct choice, in the order taken */
};

struct path *path_new(int ranks, const char *nodes, enum buffering buffering,
                      enum collective_mode collectives);
/* A path with a copy of these choices. */
struct path *path_of_choices(int ranks, const char *nodes, enum buffering buffering,
                             enum collective_mode collectives, const GArray *choices);
void path_free(struct path *path);

/* The buffering of a replay if the path names none: zero; infinite if it has no choice, as in a
 * run. */
enum buffering path_usual_buffering(const GArray *choices);

/* The text of a path; free with g_free. */
char *path_print(const struct path *path);

/* The text of this path with other choices (struct choice); free with g_free. NULL: `text` is not a
 * path. */
char *path_with_choices(const char *text, const GArray *choices);

/* NULL and `error` set (the fault and its column) if the text is not a path. */
struct path *path_parse(const char *text, GError **error);
/* The same for a text that begins with a path; *ret_end is the position after it. */
struct path *path_parse_start(const char *text, const char **ret_end, GError **error);
/* Sets `error`: what is wrong at position `at` of the text. Returns false. */
bool path_fail(const char *text, const char *at, const char *what, GError **error);

#define PATH_ERROR (path_error_quark())
GQuark path_error_quark(void);
enum path_error { PATH_ERROR_SYNTAX, PATH_ERROR_VERSION };

#endif
