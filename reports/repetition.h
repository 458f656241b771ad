/* Folds repetitions in a sequence of items into nested loops. */
#ifndef MATCHPOINT_REPORTS_REPETITION_H
#define MATCHPOINT_REPORTS_REPETITION_H

#include <glib.h>

struct repetition {
	guint first;     /* index in the sequence where the first iteration begins */
	guint count;     /* iterations; 1: an item that is not repeated */
	GPtrArray *body; /* struct repetition, the loop's body; NULL: the item at `first` */
	guint id;        /* equal repetitions have equal ids */
};

/* Folds `length` items. Equal items have equal numbers below 2^31. Each loop saves at least
 * three items. Free with g_ptr_array_unref. */
GPtrArray *repetition_fold(const guint *items, guint length);

/* The number of lines needed: one for an item; for a loop its body's lines and two for its ends. */
guint repetition_lines(const struct repetition *repetition);

#endif
