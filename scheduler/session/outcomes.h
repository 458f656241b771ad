/* What interleavings that end well amount to for the user: the texts they leave (each rank's
 * output, files), compared line by line. Pure.
 *
 * The first interleaving's outcome is the reference. A line that was seen to vary between two runs
 * of the same interleaving (a time, an address) says nothing about the choices and is left out of
 * the comparison from then on: outcomes that differ in nothing else become one. Of each outcome
 * the first interleaving is remembered, and a hash for each line of its texts; the reference's
 * texts are kept as a whole. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_OUTCOMES_H
#define MATCHPOINT_SCHEDULER_SESSION_OUTCOMES_H

#include <stdbool.h>

#include "scheduler/store/record.h"

#define OUTCOMES_KEPT 64 /* more are counted, but not told apart */
#define OUTCOMES_NONE G_MAXUINT

struct outcomes;

/* Where two outcomes differ, or one varies. The words are the caller's. */
struct outcome_difference {
	guint text;    /* index of it */
	guint32 line;  /* from 1 */
	char *here;    /* the line, shortened and printable; NULL: it has no such line */
	char *instead; /* the reference's */
};
void outcome_difference_clear(struct outcome_difference *difference);

struct outcomes *outcomes_new(void);
void outcomes_free(struct outcomes *outcomes);

/* An interleaving has ended well. `texts`: GBytes, NULL for a file that is not there; `choices`:
 * struct choice. Returns the index of its outcome, 0 being the reference, or OUTCOMES_NONE when
 * there are too many. */
guint outcomes_add(struct outcomes *outcomes, const GPtrArray *texts,
                   const struct record_execution *execution, const GArray *choices);

/* How many indices there are; which index stands for one since lines have been left out. */
guint outcomes_count(const struct outcomes *outcomes);
guint outcomes_stands_for(const struct outcomes *outcomes, guint index);
bool outcomes_differ(const struct outcomes *outcomes); /* any from the reference */

/* The first interleaving: its path, buffering, choices and id; and its choices as a plan. */
const struct record_execution *outcomes_first(const struct outcomes *outcomes, guint index);
const GArray *outcomes_choices(const struct outcomes *outcomes, guint index);

/* Lines that are left out, for the outcomes of another session: (text, line from 0) and, for each
 * text, the line from which on all are. To be unref'd. */
#define OUTCOMES_LEFT_OUT "(a(uu)au)"
GVariant *outcomes_left_out(const struct outcomes *outcomes);
void outcomes_leave_out(struct outcomes *outcomes, GVariant *left_out);

/* The texts of the reference (GBytes, or NULL for a file that was not there); NULL: there is none.
 * */
const GPtrArray *outcomes_reference(const struct outcomes *outcomes);

/* The first interleaving of an outcome was run again and left these texts: what differs is left out
 * from now on. true: they are the same as far as compared. */
bool outcomes_check(struct outcomes *outcomes, guint index, const GPtrArray *texts);

/* The first line, of those compared, in which texts differ from the reference's. false: in none. */
bool outcomes_difference(const struct outcomes *outcomes, const GPtrArray *texts,
                         struct outcome_difference *ret_difference);

/* The first line that was left out: `here` is what it was when it was seen to vary. NULL: none. */
const struct outcome_difference *outcomes_varying(const struct outcomes *outcomes);

#endif
