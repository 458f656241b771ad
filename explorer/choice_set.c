#include "choice_set.h"

#include <stdint.h>
#include <string.h>

struct choice_set {
	guint references;
	guint words;
	uint64_t bits[];
};

static struct choice_set *choice_set_new(guint words)
{
	struct choice_set *set = g_malloc0(sizeof *set + words * sizeof set->bits[0]);

	set->references = 1;
	set->words = words;
	return set;
}

struct choice_set *choice_set_ref(struct choice_set *set)
{
	if (set)
		set->references++;
	return set;
}

void choice_set_unref(struct choice_set *set)
{
	if (set && --set->references == 0)
		g_free(set);
}

bool choice_set_has(const struct choice_set *set, guint choice)
{
	guint word = choice / 64;

	return set && word < set->words && (set->bits[word] >> (choice % 64) & 1);
}

bool choice_set_covers(const struct choice_set *set, const struct choice_set *other)
{
	if (!other || set == other)
		return true;
	for (guint word = 0; word < other->words; word++) {
		uint64_t mine = set && word < set->words ? set->bits[word] : 0;

		if (other->bits[word] & ~mine)
			return false;
	}
	return true;
}

void choice_set_join(struct choice_set **set, struct choice_set *other)
{
	struct choice_set *old = *set;

	if (choice_set_covers(old, other))
		return;
	if (choice_set_covers(other, old)) {
		*set = choice_set_ref(other);
	} else {
		*set = choice_set_new(MAX(old->words, other->words));
		memcpy((*set)->bits, old->bits, old->words * sizeof old->bits[0]);
		for (guint word = 0; word < other->words; word++)
			(*set)->bits[word] |= other->bits[word];
	}
	choice_set_unref(old);
}

void choice_set_add(struct choice_set **set, guint choice)
{
	struct choice_set *single;

	if (choice_set_has(*set, choice))
		return;
	single = choice_set_new(choice / 64 + 1);
	single->bits[choice / 64] = UINT64_C(1) << (choice % 64);
	choice_set_join(set, single);
	choice_set_unref(single);
}
