#define _GNU_SOURCE
#include "mappings.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int open_quietly(const char *path)
{
	return (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
}

bool mappings_each(bool (*look)(const char *line, void *user), void *user)
{
	static char text[1 << 16]; /* room for the longest line, and for many at once */
	int file = open_quietly("/proc/self/maps");
	size_t count = 0;
	ssize_t got = file < 0 ? -1 : 1;
	bool goes_on = true;

	while (got > 0 && goes_on) {
		got = read(file, text + count, sizeof(text) - 1 - count);
		if (got < 0)
			break;
		count += (size_t)got;
		text[count] = '\0';
		char *line = text, *end;
		for (; goes_on && (end = strchr(line, '\n')); line = end + 1) {
			*end = '\0';
			goes_on = look(line, user);
		}
		count -= (size_t)(line - text);
		if (goes_on && count == sizeof(text) - 1)
			got = -1; /* the line does not fit */
		memmove(text, line, count);
	}
	if (file >= 0)
		close(file);
	return got >= 0;
}
