/* Outcomes: the texts that interleavings leave when they end well (each rank's output, files),
 * compared line by line, binary files by blocks (outcome_text.h). Pure.
 *
 * The outcome of the first interleaving is the reference. A line that varies between two runs of
 * the same interleaving (a time, an address) does not depend on the choices. It is left out of the
 * comparison from then on; outcomes that differ in nothing else are merged. For each outcome, the
 * first interleaving and a hash of each line are kept; for the reference also its texts. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_OUTCOMES_H
#define MATCHPOINT_SCHEDULER_SESSION_OUTCOMES_H

#include <stdbool.h>

#include "scheduler/store/record.h"

#define OUTCOMES_KEPT 64 /* further outcomes are counted, but not compared */
#define OUTCOMES_NONE G_MAXUINT

struct outcomes;

/* A line at which two outcomes differ, or one varies. The caller puts it into words. */
struct outcome_difference {
	guint text;    /* index of the text */
	guint32 line;  /* from 1 */
	bool is_block; /* `line` is the number of a block of a binary file */
	char *here;    /* the line, shortened and printable; NULL: there is no such line */
	char *instead; /* the same line of the reference */
};
void outcome_difference_clear(struct outcome_difference *difference);

struct outcomes *outcomes_new(void);
void outcomes_free(struct outcomes *outcomes);

/* Texts from this one on are files. Call it before outcomes are added; otherwise no text is. */
void outcomes_files_from(struct outcomes *outcomes, guint text);

/* Adds an interleaving that ended well. `texts`: GBytes, NULL for a missing file; `choices`: struct
 * choice. Returns the index of its outcome, 0 for the reference, or OUTCOMES_NONE if there are too
 * many. */
guint outcomes_add(struct outcomes *outcomes, const GPtrArray *texts,
                   const struct record_execution *execution, const GArray *choices);

/* All outcomes so far have one more text, with these contents (NULL: a missing file): a file that
 * later ones are found to change. */
void outcomes_add_text(struct outcomes *outcomes, GBytes *contents);

/* Files whose names vary are told apart by what they contain. outcomes_arrange: sorts the contents
 * (GBytes) that an interleaving left under such names. outcomes_unite: the files `texts` (indices)
 * have such names; in each outcome so far, their contents become, sorted, those of the last `count`
 * texts, and they themselves are missing. outcomes_most: the most of them that one outcome has. */
void outcomes_arrange(GPtrArray *contents);
guint outcomes_most(const struct outcomes *outcomes, const GArray *texts);
void outcomes_unite(struct outcomes *outcomes, const GArray *texts, guint count);

/* Whether an outcome has this file. */
bool outcomes_has(const struct outcomes *outcomes, guint index, guint text);

/* Leaves out a whole text from now on. */
void outcomes_leave_text(struct outcomes *outcomes, guint text);

/* The number of indices; the index that represents an outcome after lines have been left out. */
guint outcomes_count(const struct outcomes *outcomes);
guint outcomes_stands_for(const struct outcomes *outcomes, guint index);
bool outcomes_differ(const struct outcomes *outcomes); /* from the reference */

/* The first interleaving of an outcome: its path, buffering, choices and id; and its choices as a
 * plan. */
const struct record_execution *outcomes_first(const struct outcomes *outcomes, guint index);
const GArray *outcomes_choices(const struct outcomes *outcomes, guint index);

/* The lines left out of outputs, for the outcomes of another session: pairs (text, line from 0),
 * and for each text the line from which all are left out. Free with g_variant_unref. */
#define OUTCOMES_LEFT_OUT "(a(uu)au)"
GVariant *outcomes_left_out(const struct outcomes *outcomes);
void outcomes_leave_out(struct outcomes *outcomes, GVariant *left_out);

/* All outcomes as a value, without their interleavings and texts; NULL: that is too much. A
 * floating reference. outcomes_restore: into new outcomes; then outcomes_recall takes each
 * interleaving that led to an outcome first, with its choices. outcomes_are_recalled: no outcome
 * lacks one. */
#define OUTCOMES_SAVED_TYPE "(ua(ua(uat))" OUTCOMES_LEFT_OUT ")"
GVariant *outcomes_save(const struct outcomes *outcomes);
void outcomes_restore(struct outcomes *outcomes, GVariant *saved);
void outcomes_recall(struct outcomes *outcomes, const struct record_execution *execution,
                     const GArray *choices);
bool outcomes_are_recalled(const struct outcomes *outcomes);

/* The texts of the reference (GBytes; NULL for a missing file). NULL: there is no reference. */
const GPtrArray *outcomes_reference(const struct outcomes *outcomes);

/* The first interleaving of an outcome was run again and left these texts. Lines that differ are
 * left out from now on. true: no compared line differs. */
bool outcomes_check(struct outcomes *outcomes, guint index, const GPtrArray *texts);

/* Finds the first compared line that differs from the reference. `texts` may lack those that were
 * added last. false: none does. */
bool outcomes_difference(const struct outcomes *outcomes, const GPtrArray *texts,
                         struct outcome_difference *ret_difference);

/* Whether some outcome begins with these texts, as far as they are compared. */
bool outcomes_show(const struct outcomes *outcomes, const GPtrArray *texts);

/* Leaves out the lines in which two runs of the same program differ. */
void outcomes_leave_out_differences(struct outcomes *outcomes, const GPtrArray *one,
                                    const GPtrArray *other);

/* A copy of what is needed to run an interleaving again: its path, buffering, choices and id. */
struct record_execution *outcomes_remember(const struct record_execution *execution);

/* The first line that was left out; `here` is its text when it was seen to vary. NULL: none. */
const struct outcome_difference *outcomes_varying(const struct outcomes *outcomes);

#endif
