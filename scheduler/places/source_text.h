/* Lines of the program's source. They are kept in the store with the places, so a report needs only
 * the store. */
#ifndef MATCHPOINT_SCHEDULER_PLACES_SOURCE_TEXT_H
#define MATCHPOINT_SCHEDULER_PLACES_SOURCE_TEXT_H

#include <stdbool.h>

#include "scheduler/store/record.h"

struct source_text;

struct source_text *source_text_new(void);
void source_text_free(struct source_text *source);

/* Adds a program that is run (argv[0]). A file that was changed after one of them was built is not
 * used. A script (*.py) is not used if it was changed after source_text_new was called. */
void source_text_program(struct source_text *source, const char *program);

/* Returns the line of the place, with three lines before and after it. Returns false if the place
 * has no line, or its file is missing, too large, newer than the program, or no text. */
bool source_text_around(struct source_text *source, const struct place *place,
                        struct record_excerpt *ret);

#endif
