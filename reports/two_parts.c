#include "two_parts.h"

/* What could be taken from a rank; NULL: nothing. */
static const struct record_message *offer_of(const struct record_choice *choice, int32_t rank)
{
	if (choice->taken.source == rank)
		return &choice->taken;
	for (guint i = 0; i < choice->alternatives->len; i++) {
		const struct record_message *other = &g_array_index(choice->alternatives,
		                                                    struct record_message, i);

		if (other->source == rank)
			return other;
	}
	return NULL;
}

/* Whether what both ranks offer comes from one place. */
static bool comes_from(const struct record_choice *choice, int32_t one, int32_t other,
                       struct place *ret_place)
{
	const struct record_message *first = offer_of(choice, one);
	const struct record_message *second = offer_of(choice, other);

	if (!first || !second || !place_equal(&first->place, &second->place))
		return false;
	*ret_place = first->place;
	return true;
}

/* Whether the first takes from one rank and the second from another, although each of them sends
 * to both. */
static bool are_parts(const struct record_choice *first, const struct record_choice *second)
{
	const int32_t one = first->taken.source, other = second->taken.source;
	struct place header, body;

	return one >= 0 && other >= 0 && one != other && !place_equal(&first->place, &second->place)
	       && comes_from(first, one, other, &header) && comes_from(second, one, other, &body)
	       && !place_equal(&header, &body);
}

static bool is_receive(const struct record_choice *choice, int32_t rank)
{
	return choice->rank == rank && choice->point.kind == POINT_CALL
	       && choice->taken.taken.kind == TAKEN_MESSAGE;
}

/* The choices of that rank just before and just after the one to blame; NULL: none. */
static void find_neighbours(const struct record_choice *blame, const GPtrArray *choices,
                            const struct record_choice **ret_before,
                            const struct record_choice **ret_after)
{
	*ret_before = *ret_after = NULL;
	for (guint i = 0; i < choices->len; i++) {
		const struct record_choice *choice = choices->pdata[i];

		if (!is_receive(choice, blame->rank))
			continue;
		if (choice->call < blame->call
		    && (!*ret_before || choice->call > (*ret_before)->call))
			*ret_before = choice;
		if (choice->call > blame->call
		    && (!*ret_after || choice->call < (*ret_after)->call))
			*ret_after = choice;
	}
}

static char *print(const struct record_choice *first, const struct record_choice *second)
{
	g_autofree char *one = place_print(&first->place), *other = place_print(&second->place);

	return g_strdup_printf("rank %s receives from rank %s at %s, then from rank %s at %s: if "
	                       "these are parts of one message, name the source in the second "
	                       "receive",
	                       rank_name(first->rank), rank_name(first->taken.source), one,
	                       rank_name(second->taken.source), other);
}

char *two_parts_print(const struct record_choice *blame, const GPtrArray *choices)
{
	const struct record_choice *before, *after;

	if (!is_receive(blame, blame->rank))
		return NULL;
	find_neighbours(blame, choices, &before, &after);
	if (before && are_parts(before, blame))
		return print(before, blame);
	if (after && are_parts(blame, after))
		return print(blame, after);
	return NULL;
}
