#include "choice_list.h"

struct choice_list *choice_list_ref(struct choice_list *list)
{
	if (list)
		list->users++;
	return list;
}

void choice_list_unref(struct choice_list *list)
{
	while (list && --list->users == 0) {
		struct choice_list *before = list->before;

		g_free(list);
		list = before;
	}
}

struct choice_list *choice_list_new(struct choice_list *before, const struct choice *choice)
{
	struct choice_list *list = g_new0(struct choice_list, 1);

	list->before = before;
	list->choice = *choice;
	list->depth = before ? before->depth + 1 : 1;
	list->users = 1;
	return list;
}

GArray *choice_list_choices(const struct choice_list *list)
{
	guint count = list ? list->depth : 0;
	GArray *choices = g_array_sized_new(false, false, sizeof(struct choice), count);

	g_array_set_size(choices, count);
	for (; list; list = list->before)
		g_array_index(choices, struct choice, list->depth - 1) = list->choice;
	return choices;
}

bool choice_list_equal(const struct choice_list *one, const struct choice_list *other)
{
	for (; one && other && one != other; one = one->before, other = other->before)
		if (one->depth != other->depth || !choice_equal(&one->choice, &other->choice))
			return false;
	return one == other;
}

bool choice_list_begins_with(const struct choice_list *list, const struct choice_list *beginning)
{
	guint depth = beginning ? beginning->depth : 0;

	while (list && list->depth > depth)
		list = list->before;
	return choice_list_equal(list, beginning);
}

bool choice_list_contains(const struct choice_list *list, const struct choice *choice)
{
	for (; list; list = list->before)
		if (choice_equal(&list->choice, choice))
			return true;
	return false;
}
