/* Limits of a SARIF file for GitHub's code scanning. It refuses files of more than 10 MB
 * compressed, more than 25,000 results in a run, and more than 1,000 locations or 10,000 thread
 * flow locations in a result. It keeps only 5,000 of the results (docs.github.com, "SARIF
 * support for code scanning"). Runs, rules and tags stay far below their limits. */
#ifndef MATCHPOINT_REPORTS_SARIF_LIMITS_H
#define MATCHPOINT_REPORTS_SARIF_LIMITS_H

#include <glib.h>
#include <stdbool.h>

#define SARIF_BYTES_MAX 10000000u /* compressed with gzip */
#define SARIF_RESULTS_MAX 5000u
#define SARIF_LOCATIONS_MAX 1000u
#define SARIF_STEPS_MAX 10000u

struct sarif_limits {
	guint results;   /* in the run */
	guint locations; /* in a result, its own included */
	guint steps;     /* in a result: locations of its thread flows */
	guint frames;    /* in the stacks of a result */
	guint text;      /* bytes of one text */
};

/* Counts of what was left out because of the limits. */
struct sarif_left_out {
	guint results, locations, ranks, stacks, paths;
};

/* The limits for this number of findings. The total of details is fixed: the more findings, the
 * fewer details for each. */
struct sarif_limits sarif_limits_for(guint findings);

/* Halves the details, or the results if the details are small already. False: nothing is left to
 * halve. */
bool sarif_limits_tighten(struct sarif_limits *limits);

/* The text as valid UTF-8, cut to at most `most` bytes. A cut is marked at the end. Free with
 * g_free. */
char *sarif_limits_cut(const char *text, gsize most);

/* Whether the text has at most `most` bytes when compressed with gzip. */
bool sarif_limits_fit(const char *text, gsize most);

/* "left out to stay within code scanning's limits: 3 results, ..."; NULL: nothing was left out.
 * Free with g_free. */
char *sarif_limits_words(const struct sarif_left_out *left_out);

#endif
