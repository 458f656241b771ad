/* What names of files have in common if a part of them varies by itself: the number of a process, a
 * time, letters that mkstemp chose. Pure. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_NAME_PATTERN_H
#define MATCHPOINT_SCHEDULER_SESSION_NAME_PATTERN_H

#include <glib.h>
#include <stdbool.h>

struct name_pattern {
	char *before, *after; /* the varying part */
	bool digits;          /* it consists of digits, however many; else of `least` to `most` */
	gsize least, most;    /* characters */
};
void name_pattern_clear(struct name_pattern *pattern);

/* The number of characters that two paths have in common at both ends. */
gsize name_pattern_likeness(const char *one, const char *other);

/* The pattern of two different paths. false: more than one part of a name varies. */
bool name_pattern_learn(const char *one, const char *other, struct name_pattern *ret_pattern);

bool name_pattern_matches(const struct name_pattern *pattern, const char *path);

/* "run-*.log"; free with g_free. */
char *name_pattern_print(const struct name_pattern *pattern);

#endif
