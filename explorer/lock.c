#include "lock.h"

/* Most windows contain rank 0. They get the even numbers, so that numbers stay small. */
static int64_t window_index(int ranks, const struct lock_place *place)
{
	if (place->first == 0)
		return 2 * ((int64_t)place->window - 1);
	return 2 * (((int64_t)place->window - 1) * ranks + place->first) + 1;
}

/* A quarter of a million words of each target have numbers in a job of 16 ranks. */
enum { WORD_WINDOWS = 16 };

static int32_t word_number(int ranks, const struct lock_place *place)
{
	int64_t per_target = (int64_t)ranks + 1;
	int64_t index = window_index(ranks, place);
	int64_t number = (int64_t)place->word - 1;

	if (index >= WORD_WINDOWS || ranks > INT16_MAX)
		return -1;
	number = (number * ranks + place->target) * per_target + place->reader + 1;
	number = number * WORD_WINDOWS + index;
	return number <= INT32_MAX - LOCK_FIRST_WORD ? (int32_t)(LOCK_FIRST_WORD + number) : -1;
}

int32_t lock_number(int ranks, const struct lock_place *place)
{
	int64_t per_target = (int64_t)ranks + 1;
	int64_t index = window_index(ranks, place);
	int64_t number;

	if (place->word > 0)
		return word_number(ranks, place);
	if (index > LOCK_FIRST_WORD / per_target)
		return -1;
	number = (index * ranks + place->target) * per_target + place->reader + 1 + ranks;
	return number < LOCK_FIRST_WORD ? (int32_t)number : -1;
}

static void set_window(int ranks, int32_t index, struct lock_place *ret_place)
{
	if (index % 2 == 0) {
		ret_place->first = 0;
		ret_place->window = index / 2 + 1;
	} else {
		ret_place->first = index / 2 % ranks;
		ret_place->window = index / 2 / ranks + 1;
	}
}

bool lock_from_number(int ranks, int32_t number, struct lock_place *ret_place)
{
	int64_t per_target = (int64_t)ranks + 1;
	bool is_word = number >= LOCK_FIRST_WORD;
	int32_t index, rest;

	if (number < ranks)
		return false;
	rest = is_word ? (number - LOCK_FIRST_WORD) / WORD_WINDOWS : number - ranks;
	ret_place->reader = (int32_t)(rest % per_target) - 1;
	rest = (int32_t)(rest / per_target);
	ret_place->target = rest % ranks;
	index = is_word ? (number - LOCK_FIRST_WORD) % WORD_WINDOWS : rest / ranks;
	ret_place->word = is_word ? rest / ranks + 1 : 0;
	set_window(ranks, index, ret_place);
	return true;
}
