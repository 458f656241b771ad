/* Bounds on some of the choices, as the user gives them: on those of a rank, on those of the calls
 * made at a place, and on those in the regions that a program marks with MPI_Pcontrol. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_BOUNDS_H
#define MATCHPOINT_SCHEDULER_WORLD_BOUNDS_H

#include <glib.h>
#include <stdbool.h>

#include "scheduler/store/record.h"

enum bound_kind {
	BOUND_RANK,   /* choices of a rank; who gets the lock of a window is no rank's choice */
	BOUND_SITE,   /* choices of calls made at a place of the program */
	BOUND_REGION, /* choices of calls made in a marked region: the default alone, and the user
	                 vouches that the others change nothing */
};

struct bound {
	enum bound_kind kind;
	guint32 most; /* choices that may be other than the default */
	int rank;     /* RANK */
	char *file;   /* SITE: a name, or the end of a path; owned */
	guint32 line; /* SITE */
};

/* Of "R=K" (NULL-terminated, or NULL: none), "FILE:LINE=K", and whether regions are minded, for so
 * many ranks. An array of struct bound, which frees what its elements own; NULL with `error` set
 * (what is wrong with which option). */
GArray *bounds_parse(char *const *ranks, char *const *sites, bool regions, int rank_count,
                     GError **error);

/* Whether the bound, a SITE, is on calls made there: names of files are compared, and as much of
 * the path as was given. */
bool bound_is_at(const struct bound *bound, const struct place *place);

/* The option as it was given: "--bound-rank 0=1"; and what it lets through in words: "at most 1
 * deviation of rank 0". Free both with g_free. */
char *bound_print(const struct bound *bound);
char *bound_words(const struct bound *bound);

#define BOUNDS_ERROR (bounds_error_quark())
GQuark bounds_error_quark(void);

#endif
