/* Bounds that the user sets on some of the choices: on those of a rank, on those of calls made at a
 * place, and on those in regions that a program marks with MPI_Pcontrol. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_BOUNDS_H
#define MATCHPOINT_SCHEDULER_WORLD_BOUNDS_H

#include <glib.h>
#include <stdbool.h>

#include "scheduler/store/record.h"

enum bound_kind {
	BOUND_RANK,   /* choices of a rank; the grant of a window's lock is no rank's choice */
	BOUND_SITE,   /* choices of calls made at a place in the program */
	BOUND_REGION, /* choices of calls made in a marked region: only the default; the user
	                 asserts that the others change nothing */
};

struct bound {
	enum bound_kind kind;
	guint32 most; /* maximal number of choices that differ from the default */
	int rank;     /* RANK */
	char *file;   /* SITE: a name, or the end of a path; owned */
	guint32 line; /* SITE */
};

/* Parses "R=K" and "FILE:LINE=K" options (NULL-terminated; NULL: none), for `rank_count` ranks;
 * `regions`: marked regions are bounded. Returns an array of struct bound, which frees what its
 * elements own. NULL: `error` is set, and says which option is wrong and why. */
GArray *bounds_parse(char *const *ranks, char *const *sites, bool regions, int rank_count,
                     GError **error);

/* Whether the bound, a SITE, applies to calls made at this place. Compares file names, and as much
 * of the path as was given. */
bool bound_is_at(const struct bound *bound, const struct place *place);

/* The option as given, "--bound-rank 0=1"; and its meaning, "at most 1 deviation of rank 0". Free
 * both with g_free. */
char *bound_print(const struct bound *bound);
char *bound_words(const struct bound *bound);

#define BOUNDS_ERROR (bounds_error_quark())
GQuark bounds_error_quark(void);

#endif
