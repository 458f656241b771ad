/* A finding as plain text, as on the terminal: what is wrong, the roll-call, what ranks wrote to
 * standard error, the choice that it needs, its path, and the command that shows it again. The
 * title is not included. */
#ifndef MATCHPOINT_REPORTS_FINDING_TEXT_H
#define MATCHPOINT_REPORTS_FINDING_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "scheduler/store/reader.h"

/* False with `error` set: the store is damaged. */
bool finding_write(struct store_reader *reader, const struct record_finding *finding, FILE *out,
                   GError **error);

/* The same as a string in valid UTF-8; free with g_free. NULL with `error` set. */
char *finding_print(struct store_reader *reader, const struct record_finding *finding,
                    GError **error);

#endif
