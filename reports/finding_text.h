/* A finding told as plain text, as on the terminal: what is wrong, the roll-call, what ranks wrote,
 * the choice it needs, its path, and the command that shows it again. Without its title. */
#ifndef MATCHPOINT_REPORTS_FINDING_TEXT_H
#define MATCHPOINT_REPORTS_FINDING_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "scheduler/store/reader.h"

/* False with `error` set when the store is damaged. */
bool finding_write(struct store_reader *reader, const struct record_finding *finding, FILE *out,
                   GError **error);

/* The same as a text, valid UTF-8; free with g_free. NULL with `error` set. */
char *finding_print(struct store_reader *reader, const struct record_finding *finding,
                    GError **error);

#endif
