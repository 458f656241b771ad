/* Lines that are not the same when an interleaving is run again. Pure.
 *
 * Such a line may vary in every interleaving (a time), or under some choices only (memory that was
 * never initialised, used on one path). The second is a mistake of the program. For each such line
 * this remembers which value it had in each interleaving, a few interleavings to run again, and
 * what came of that. A line is suspect if it was the same again in one interleaving, and not in
 * another. The caller makes sure, by running both some more times. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_VARYING_LINES_H
#define MATCHPOINT_SCHEDULER_SESSION_VARYING_LINES_H

#include <stdbool.h>

#include "scheduler/store/record.h"

#define VARYING_LINES_NONE G_MAXUINT

struct varying_lines;

/* Looks at the first `texts` texts: those of ranks, not of files. */
struct varying_lines *varying_lines_new(guint texts);
void varying_lines_free(struct varying_lines *lines); /* NULL is allowed */

/* An interleaving ended well with these texts (GBytes; NULL: a missing file). `outcome`: what
 * outcomes_add returned, or VARYING_LINES_NONE; interleavings of one outcome differ only in lines
 * that vary. Call it for each interleaving, in the same order as outcomes_add. */
void varying_lines_add(struct varying_lines *lines, const GPtrArray *texts,
                       const struct record_execution *execution, const GArray *choices,
                       guint outcome);

/* --- examples: interleavings that can be run again -------------------------------------------- */

/* The first interleaving of an outcome. */
guint varying_lines_example(const struct varying_lines *lines, guint outcome);

const struct record_execution *varying_lines_first(const struct varying_lines *lines,
                                                   guint example);
const GArray *varying_lines_choices(const struct varying_lines *lines, guint example);

/* An example was run again, and left these texts. */
void varying_lines_check(struct varying_lines *lines, guint example, const GPtrArray *texts);

/* The example that shows best, when run again, whether a line varies in every interleaving;
 * VARYING_LINES_NONE: no such line is left, or no example. */
guint varying_lines_candidate(const struct varying_lines *lines);

/* --- suspects --------------------------------------------------------------------------------- */

struct varying_suspect {
	guint index;           /* internal */
	guint text, line;      /* from 0 */
	guint steady, erratic; /* examples in which it was the same again, and was not */
};

/* The first suspect line in the order of texts and lines. false: none is. */
bool varying_lines_suspect(const struct varying_lines *lines, struct varying_suspect *ret_suspect);

/* Whether the line is in these texts as it is in the steady example. */
bool varying_lines_is_steady(const struct varying_lines *lines,
                             const struct varying_suspect *suspect, const GPtrArray *texts);

/* Whether the erratic example had, when it was first run, the line of the steady one. */
bool varying_lines_met(const struct varying_lines *lines, const struct varying_suspect *suspect);

/* The line is taken for one that varies in every interleaving. */
void varying_lines_acquit(struct varying_lines *lines, const struct varying_suspect *suspect);

/* For each interleaving, in order: whether it has the steady line (bool). */
GArray *varying_lines_steady_in(const struct varying_lines *lines,
                                const struct varying_suspect *suspect);

/* --- for merges ------------------------------------------------------------------------------- */

/* The lines that varied in each interleaving that was run again, at least two (or the only one):
 * triples (text, line, whether all lines from it on are meant). Free with g_variant_unref. */
#define VARYING_LINES_EVERYWHERE "a(uub)"
GVariant *varying_lines_everywhere(const struct varying_lines *lines);

/* The suspect line and a hash of it in the steady example. Free with g_variant_unref. */
#define VARYING_LINES_SUSPECT "(uubt)"
GVariant *varying_lines_print(const struct varying_lines *lines,
                              const struct varying_suspect *suspect);

/* A hash of a line in these texts, or of all lines from it on. */
guint64 varying_lines_hash(const GPtrArray *texts, guint text, guint line, bool rest);

/* --- for the verdict -------------------------------------------------------------------------- */

/* The first line that varies and is not suspect. false: none. */
bool varying_lines_first_everywhere(const struct varying_lines *lines, guint *ret_text,
                                    guint *ret_line);

#endif
