#include "name_pattern.h"

#include <string.h>

void name_pattern_clear(struct name_pattern *pattern)
{
	g_free(pattern->before);
	g_free(pattern->after);
	memset(pattern, 0, sizeof(*pattern));
}

static void common_ends(const char *one, const char *other, gsize *ret_before, gsize *ret_after)
{
	gsize length = strlen(one), other_length = strlen(other), before = 0, after = 0;
	gsize most = MIN(length, other_length);

	while (before < most && one[before] == other[before])
		before++;
	while (after < most - before && one[length - 1 - after] == other[other_length - 1 - after])
		after++;
	*ret_before = before;
	*ret_after = after;
}

gsize name_pattern_likeness(const char *one, const char *other)
{
	gsize before, after;

	common_ends(one, other, &before, &after);
	return before + after;
}

static bool is_digits(const char *text, gsize length)
{
	for (gsize i = 0; i < length; i++)
		if (!g_ascii_isdigit(text[i]))
			return false;
	return length > 0;
}

/* Numbers vary as a whole: 1234 and 1250 have 12 in common only by chance, and two times of a day
 * (18:20:01) the hour. */
static bool is_of_number(const char *text, gsize at)
{
	return g_ascii_isdigit(text[at])
	       || (text[at] == ':' && at > 0 && g_ascii_isdigit(text[at - 1]));
}

static bool is_one_part(const char *text, gsize length)
{
	for (gsize i = 0; i < length; i++)
		if (!g_ascii_isalnum(text[i]) && !strchr(":._-", text[i]))
			return false;
	return length > 0;
}

/* mkstemp(3) replaces six characters, mostly the last ones of a word. Two names may have some of
 * them in common by chance. */
static void widen_to_template(const char *one, gsize length, gsize *before, gsize *after)
{
	enum { TEMPLATE = 6 };
	gsize start = *before, end = length - *after;

	while (end - start < TEMPLATE && end < length && g_ascii_isalnum(one[end]))
		end++;
	while (end - start < TEMPLATE && start > 0 && g_ascii_isalnum(one[start - 1]))
		start--;
	if (end - start != TEMPLATE)
		return;
	*before = start;
	*after = length - end;
}

bool name_pattern_learn(const char *one, const char *other, struct name_pattern *ret_pattern)
{
	gsize length = strlen(one), other_length = strlen(other), before, after, mine, others;

	common_ends(one, other, &before, &after);
	while (before > 0 && is_of_number(one, before - 1))
		before--;
	while (after > 0 && g_ascii_isdigit(one[length - after]))
		after--;
	mine = length - before - after;
	others = other_length - before - after;
	if (length == other_length && !is_digits(one + before, mine)) {
		widen_to_template(one, length, &before, &after);
		mine = others = length - before - after;
	}
	if (!is_one_part(one + before, mine) || !is_one_part(other + before, others))
		return false;
	*ret_pattern = (struct name_pattern){
		.before = g_strndup(one, before),
		.after = g_strdup(one + length - after),
		.digits = is_digits(one + before, mine) && is_digits(other + before, others),
		.least = MIN(mine, others),
		.most = MAX(mine, others),
	};
	return true;
}

bool name_pattern_matches(const struct name_pattern *pattern, const char *path)
{
	gsize before = strlen(pattern->before), after = strlen(pattern->after);
	gsize length = strlen(path), middle;

	if (length <= before + after || !g_str_has_prefix(path, pattern->before)
	    || !g_str_has_suffix(path, pattern->after))
		return false;
	middle = length - before - after;
	if (pattern->digits)
		return is_digits(path + before, middle);
	return middle >= pattern->least && middle <= pattern->most
	       && is_one_part(path + before, middle);
}

char *name_pattern_print(const struct name_pattern *pattern)
{
	return g_strconcat(pattern->before, "*", pattern->after, NULL);
}
