/* What repeats, told once: a sequence of items as loops in loops. */
#ifndef MATCHPOINT_REPORTS_REPETITION_H
#define MATCHPOINT_REPORTS_REPETITION_H

#include <glib.h>

struct repetition {
	guint first;     /* where in the sequence it begins, the first time */
	guint count;     /* how often it stands there in a row; 1: an item that is not repeated */
	GPtrArray *body; /* of struct repetition, what is repeated; NULL: the item at `first` */
	guint id;        /* equal ones are the same */
};

/* Folds `length` items, of which equal ones have equal numbers below 2^31. A loop saves three items
 * at least. Free with g_ptr_array_unref. */
GPtrArray *repetition_fold(const guint *items, guint length);

/* How many lines it takes: an item one, a loop its body's and two for its ends. */
guint repetition_lines(const struct repetition *repetition);

#endif
