/* What a person should see first of what the prompt tells: where it has stopped, the numbers that
 * can be typed, the line of source that is meant. Pure. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_COLOURING_H
#define MATCHPOINT_SCHEDULER_DEBUG_COLOURING_H

#include "reports/colours.h"

/* The same lines with these colours. Free with g_free. */
char *colouring_lines(const char *text, const struct colours *colours);

#endif
