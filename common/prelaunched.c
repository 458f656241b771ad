#define _GNU_SOURCE
#include "prelaunched.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Parses a number of 0 to INT_MAX. -1: there is none. */
static int parse_number(const char **at)
{
	char *end;
	long number;

	if (**at < '0' || **at > '9')
		return -1;
	number = strtol(*at, &end, 10);
	*at = end;
	return number <= INT_MAX ? (int)number : -1;
}

static bool skip(const char **at, char character)
{
	if (**at != character)
		return false;
	(*at)++;
	return true;
}

int prelaunched_begin(const char *text, const char **ret_rest)
{
	int ranks = parse_number(&text), more;

	while (skip(&text, '+') && (more = parse_number(&text)) > 0)
		ranks += more;
	*ret_rest = text;
	return ranks;
}

int prelaunched_world(const char *text, int rank)
{
	int world = 0, end = parse_number(&text), more;

	while (rank >= end && skip(&text, '+') && (more = parse_number(&text)) > 0) {
		end += more;
		world++;
	}
	return rank < end ? world : -1;
}

bool prelaunched_next(const char **rest, struct prelaunched *ret)
{
	ret->first += ret->count;
	if (!skip(rest, ';'))
		return false;
	ret->count = parse_number(rest);
	if (ret->count < 1 || !skip(rest, ','))
		return false;
	ret->root = parse_number(rest);
	if (ret->root < 0 || !skip(rest, '.'))
		return false;
	ret->number = parse_number(rest);
	if (ret->number < 1 || !skip(rest, ','))
		return false;
	ret->command = *rest;
	ret->end = *rest += strcspn(*rest, ";");
	return true;
}

bool prelaunched_of(const char *text, int rank, struct prelaunched *ret)
{
	const char *rest;

	*ret = (struct prelaunched){.count = prelaunched_begin(text, &rest)};
	while (prelaunched_next(&rest, ret)) {
		if (rank >= ret->first && rank < ret->first + ret->count)
			return true;
	}
	return false;
}

const char *prelaunched_own(bool hides)
{
	static const char *text;
	static bool known;

	if (!known)
		text = getenv(PRELAUNCHED_VARIABLE);
	known = true;
	if (hides)
		unsetenv(PRELAUNCHED_VARIABLE);
	return text;
}

/* Takes one character of an escaped text. */
static char take(const char **at)
{
	char digits[3] = "";
	char character = *(*at)++;

	if (character != '%' || !(*at)[0] || !(*at)[1])
		return character;
	memcpy(digits, *at, 2);
	*at += 2;
	return (char)strtol(digits, NULL, 16);
}

static bool equal(const char *at, const char *end, const char *text)
{
	while (at < end && *text) {
		if (take(&at) != *text++)
			return false;
	}
	return at == end && !*text;
}

bool prelaunched_is(const struct prelaunched *group, const char *command)
{
	return equal(group->command, group->end, command);
}

bool prelaunched_is_named(const struct prelaunched *group, const char *path)
{
	const char *name = strrchr(path, '/'), *own = group->command;

	for (const char *at = own; at < group->end;) {
		if (take(&at) == '/')
			own = at;
	}
	return equal(own, group->end, name ? name + 1 : path);
}
