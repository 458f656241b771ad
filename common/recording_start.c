#include "recording_start.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "recording.h"

void recording_orders_print(const struct recording_orders *orders, char ret[RECORDING_VALUE])
{
	snprintf(ret, RECORDING_VALUE, "%c:%05d:%05d:%05d:%010d",
	         orders->marks     ? 'm'
	         : orders->calls   ? 'c'
	         : orders->matches ? 't'
	         : orders->in_step ? 's'
	         : orders->replays ? 'p'
	                           : 'r',
	         orders->directory, orders->news, orders->scratch, orders->pid);
}

bool recording_orders_parse(const char *value, struct recording_orders *ret)
{
	char mode;

	if (sscanf(value, "%c:%d:%d:%d:%d", &mode, &ret->directory, &ret->news, &ret->scratch,
	           &ret->pid)
	    != 5)
		return false;
	ret->marks = mode == 'm';
	ret->calls = mode == 'c';
	ret->matches = mode == 't' || ret->calls;
	ret->in_step = mode == 's';
	ret->replays = mode == 'p' || ret->marks || ret->matches || ret->in_step;
	return ret->replays || mode == 'r';
}

/* Reads a number of decimal digits that end at `end`. Returns false if that is none, or too large.
 * strtoull() would skip white space and read on behind the end. */
static bool read_size(const char *at, const char *end, size_t *ret)
{
	size_t size = 0;

	if (at == end)
		return false;
	for (; at < end; at++) {
		const size_t digit = (size_t)(*at - '0');

		if (*at < '0' || *at > '9' || size > (SIZE_MAX - digit) / 10)
			return false;
		size = 10 * size + digit;
	}
	*ret = size;
	return true;
}

bool recording_start_find(const char *bytes, size_t size, const char *name,
                          struct recording_section *ret)
{
	const size_t length = strlen(name);

	for (const char *at = bytes, *end = bytes + size; at && at < end;) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at)),
			   *space = line_end ? memchr(at, ' ', (size_t)(line_end - at)) : NULL;
		size_t section;

		if (!space || !read_size(space + 1, line_end, &section)
		    || section >= (size_t)(end - line_end))
			return false;
		if ((size_t)(space - at) == length && memcmp(at, name, length) == 0) {
			*ret = (struct recording_section){line_end + 1, section};
			return true;
		}
		at = line_end + 1 + section + 1;
	}
	return false;
}

void recording_start_end(const char *bytes, size_t size, char ret[RECORDING_START_END])
{
	snprintf(ret, RECORDING_START_END, RECORDING_START_SUM " 16\n%016llx\n",
	         (unsigned long long)recording_hash(bytes, size));
}

bool recording_start_is_whole(const char *bytes, size_t size)
{
	char end[RECORDING_START_END];
	const size_t length = strlen(RECORDING_START_SUM " 16\n") + 16 + 1;

	if (size < length)
		return false;
	recording_start_end(bytes, size - length, end);
	return memcmp(bytes + size - length, end, length) == 0;
}
