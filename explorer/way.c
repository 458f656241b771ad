#include "way.h"

struct way *way_hold(struct way *way)
{
	if (way)
		way->users++;
	return way;
}

void way_let_go(struct way *way)
{
	while (way && --way->users == 0) {
		struct way *before = way->before;

		g_free(way);
		way = before;
	}
}

struct way *way_new(struct way *before, const struct choice *choice)
{
	struct way *way = g_new0(struct way, 1);

	way->before = before;
	way->choice = *choice;
	way->depth = before ? before->depth + 1 : 1;
	way->users = 1;
	return way;
}

GArray *way_choices(const struct way *way)
{
	guint count = way ? way->depth : 0;
	GArray *choices = g_array_sized_new(false, false, sizeof(struct choice), count);

	g_array_set_size(choices, count);
	for (; way; way = way->before)
		g_array_index(choices, struct choice, way->depth - 1) = way->choice;
	return choices;
}

bool way_equal(const struct way *one, const struct way *other)
{
	for (; one && other && one != other; one = one->before, other = other->before)
		if (one->depth != other->depth || !choice_equal(&one->choice, &other->choice))
			return false;
	return one == other;
}

bool way_begins_with(const struct way *way, const struct way *beginning)
{
	guint depth = beginning ? beginning->depth : 0;

	while (way && way->depth > depth)
		way = way->before;
	return way_equal(way, beginning);
}

bool way_contains(const struct way *way, const struct choice *choice)
{
	for (; way; way = way->before)
		if (choice_equal(&way->choice, choice))
			return true;
	return false;
}
