/* What a SARIF file holds at most, so that GitHub's code scanning takes it: more than 10 MB
 * compressed, 25,000 results of a run, 1,000 locations or 10,000 thread flow locations of a result
 * are refused, and of the results only 5,000 are kept (docs.github.com, "SARIF support for code
 * scanning"; runs, rules and tags stay far below their limits). */
#ifndef MATCHPOINT_REPORTS_SARIF_LIMITS_H
#define MATCHPOINT_REPORTS_SARIF_LIMITS_H

#include <glib.h>
#include <stdbool.h>

#define SARIF_BYTES_MAX 10000000u /* compressed with gzip */
#define SARIF_RESULTS_MAX 5000u
#define SARIF_LOCATIONS_MAX 1000u
#define SARIF_STEPS_MAX 10000u

struct sarif_limits {
	guint results;   /* of the run */
	guint locations; /* of a result, its own among them */
	guint steps;     /* of a result: its thread flows' locations */
	guint frames;    /* of a result's stacks */
	guint text;      /* bytes of one text */
};

/* What was left out for them. */
struct sarif_left_out {
	guint results, locations, ranks, stacks, paths;
};

/* For so many findings: details are shared out, so that many findings have few each. */
struct sarif_limits sarif_limits_for(guint findings);

/* Halves the details, or if they are small already the results; false: nothing is left to halve. */
bool sarif_limits_tighten(struct sarif_limits *limits);

/* The text, valid UTF-8, with at most `most` of its bytes; a cut is said at its end. Free with
 * g_free. */
char *sarif_limits_cut(const char *text, gsize most);

/* Is it at most `most` bytes when compressed with gzip? */
bool sarif_limits_fit(const char *text, gsize most);

/* "left out to stay within code scanning's limits: 3 results, ..."; NULL: nothing is. Free with
 * g_free. */
char *sarif_limits_words(const struct sarif_left_out *left_out);

#endif
