/* How a node of a search was come to: choices, one after the other. Ways share their beginnings. */
#ifndef MATCHPOINT_EXPLORER_CHOICE_LIST_H
#define MATCHPOINT_EXPLORER_CHOICE_LIST_H

#include "choice.h"

/* NULL: the beginning. */
struct choice_list {
	struct choice_list *before; /* held */
	struct choice choice;
	guint depth; /* choices */
	guint users;
};

struct choice_list *choice_list_hold(struct choice_list *list);
void choice_list_let_go(struct choice_list *list);

/* Takes over `before`. */
struct choice_list *choice_list_new(struct choice_list *before, const struct choice *choice);

/* All of them (struct choice), to be unref'd. */
GArray *choice_list_choices(const struct choice_list *list);

bool choice_list_equal(const struct choice_list *one, const struct choice_list *other);
bool choice_list_begins_with(const struct choice_list *list, const struct choice_list *beginning);
bool choice_list_contains(const struct choice_list *list, const struct choice *choice);

#endif
