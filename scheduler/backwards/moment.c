#include "moment.h"

#include <string.h>

struct moment *moment_new(guint64 mark)
{
	struct moment *moment = g_new0(struct moment, 1);

	moment->mark = mark;
	return moment;
}

struct moment *moment_copy(const struct moment *moment)
{
	struct moment *copy = moment_new(moment->mark);

	copy->leg_count = moment->leg_count;
	copy->legs = g_memdup2(moment->legs, moment->leg_count * sizeof moment->legs[0]);
	return copy;
}

void moment_free(struct moment *moment)
{
	if (!moment)
		return;
	g_free(moment->legs);
	g_free(moment);
}

static bool watches_equal(const struct leg *left, const struct leg *right)
{
	for (int i = 0; i < 4; i++) {
		const struct point *one = &left->watches[i], *other = &right->watches[i];

		if (one->kind != other->kind || one->address != other->address
		    || one->size != other->size)
			return false;
	}
	return true;
}

/* Whether the legs differ in their counts at most. */
static bool alike(const struct leg *left, const struct leg *right)
{
	if (left->kind != right->kind)
		return false;
	switch (left->kind) {
	case LEG_ARRIVAL: return left->pc == right->pc;
	case LEG_TRIGGER: return watches_equal(left, right);
	default: return true;
	}
}

bool leg_equal(const struct leg *left, const struct leg *right)
{
	return alike(left, right) && left->count == right->count;
}

void moment_add(struct moment *moment, const struct leg *leg)
{
	struct leg *last = moment->leg_count ? &moment->legs[moment->leg_count - 1] : NULL;

	if (leg->kind == LEG_STEPS && leg->count == 0)
		return;
	if (last && alike(last, leg) && leg->kind != LEG_FAULT) {
		/* Counts of steps begin with 1, the others with 0. */
		last->count += leg->count + (leg->kind == LEG_STEPS ? 0 : 1);
		return;
	}
	moment->legs = g_renew(struct leg, moment->legs, moment->leg_count + 1);
	moment->legs[moment->leg_count++] = *leg;
}

struct moment *moment_without_last(const struct moment *moment)
{
	struct moment *copy = moment_copy(moment);

	g_assert(copy->leg_count > 0);
	copy->leg_count--;
	return copy;
}

bool moment_equal(const struct moment *left, const struct moment *right)
{
	if (left->mark != right->mark || left->leg_count != right->leg_count)
		return false;
	for (guint i = 0; i < left->leg_count; i++) {
		if (!leg_equal(&left->legs[i], &right->legs[i]))
			return false;
	}
	return true;
}

/* What is left of the leg `whole`, if `part` of it has been gone. False: it is no part of it. */
static bool leg_rest(const struct leg *part, const struct leg *whole, struct leg *ret_rest)
{
	if (!alike(part, whole) || part->kind == LEG_FAULT || part->count >= whole->count)
		return false;
	*ret_rest = *whole;
	ret_rest->count -= part->count + (whole->kind == LEG_STEPS ? 0 : 1);
	return true;
}

struct moment *moment_rest(const struct moment *from, const struct moment *to)
{
	g_autoptr(Moment) rest = moment_new(from->mark);
	guint same = 0;
	struct leg left;

	if (from->mark != to->mark || from->leg_count > to->leg_count)
		return NULL;
	while (same < from->leg_count && leg_equal(&from->legs[same], &to->legs[same]))
		same++;
	if (same < from->leg_count) {
		/* The last leg of `from` may be a part. */
		if (same + 1 < from->leg_count
		    || !leg_rest(&from->legs[same], &to->legs[same], &left))
			return NULL;
		moment_add(rest, &left);
		same++;
	}
	for (; same < to->leg_count; same++)
		moment_add(rest, &to->legs[same]);
	return g_steal_pointer(&rest);
}

static void print_leg(GString *text, const struct leg *leg)
{
	switch (leg->kind) {
	case LEG_STEPS:
		g_string_append_printf(text, "%" G_GUINT64_FORMAT " steps", leg->count);
		break;
	case LEG_ARRIVAL:
		g_string_append_printf(text, "arrival %" G_GINT64_MODIFIER "x #%" G_GUINT64_FORMAT,
		                       leg->pc, leg->count);
		break;
	case LEG_TRIGGER:
		g_string_append_printf(text, "trigger %" G_GINT64_MODIFIER "x #%" G_GUINT64_FORMAT,
		                       leg->watches[0].address, leg->count);
		break;
	case LEG_FAULT: g_string_append(text, "fault"); break;
	}
}

char *moment_print(const struct moment *moment)
{
	GString *text = g_string_new(NULL);

	g_string_append_printf(text, "%" G_GUINT64_FORMAT, moment->mark);
	for (guint i = 0; i < moment->leg_count; i++) {
		g_string_append(text, i ? ", " : " ");
		print_leg(text, &moment->legs[i]);
	}
	return g_string_free(text, false);
}
