/* The choices that lead to a node of a search, as a linked list from the last one to the first.
 * Lists share their beginnings. */
#ifndef MATCHPOINT_EXPLORER_CHOICE_LIST_H
#define MATCHPOINT_EXPLORER_CHOICE_LIST_H

#include "choice.h"

/* NULL is the empty list. Counted by reference. */
struct choice_list {
	struct choice_list *before; /* owned reference */
	struct choice choice;
	guint depth; /* number of choices in the list */
	guint users;
};

struct choice_list *choice_list_ref(struct choice_list *list);
void choice_list_unref(struct choice_list *list);

/* Takes ownership of the reference `before`. */
struct choice_list *choice_list_new(struct choice_list *before, const struct choice *choice);

/* All choices from the first to the last (struct choice); free with g_array_unref. */
GArray *choice_list_choices(const struct choice_list *list);

bool choice_list_equal(const struct choice_list *one, const struct choice_list *other);
bool choice_list_begins_with(const struct choice_list *list, const struct choice_list *beginning);
bool choice_list_contains(const struct choice_list *list, const struct choice *choice);

#endif
