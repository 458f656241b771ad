/* Lines of the program's source, kept in the store beside the places that it tells of, so that a
 * report needs nothing but the store. */
#ifndef MATCHPOINT_SCHEDULER_PLACES_SOURCE_TEXT_H
#define MATCHPOINT_SCHEDULER_PLACES_SOURCE_TEXT_H

#include <stdbool.h>

#include "scheduler/store/record.h"

struct source_text;

struct source_text *source_text_new(void);
void source_text_free(struct source_text *source);

/* The program that is run (argv[0]): a file that was changed after it was built is not what it was
 * built from, and nothing is taken from it. Of a script (*.py) the same holds for the time when
 * source_text_new was called. */
void source_text_program(struct source_text *source, const char *program);

/* The three lines before and after the place, and its own. false: the place has no line, or its
 * file is not there, is newer than the program, or no text. */
bool source_text_around(struct source_text *source, const struct place *place,
                        struct record_excerpt *ret);

#endif
