/* Lines of the program's source, kept in the store beside the places that it tells of, so that a
 * report needs nothing but the store. */
#ifndef MATCHPOINT_SCHEDULER_SOURCE_TEXT_H
#define MATCHPOINT_SCHEDULER_SOURCE_TEXT_H

#include "record.h"

struct source_text;

struct source_text *source_text_new(void);
void source_text_free(struct source_text *source);

/* The program that is run (argv[0]): a file that was changed after it was built is not what it was
 * built from, and nothing is taken from it. */
void source_text_program(struct source_text *source, const char *program);

/* From now on excerpts are those that `find` knows of (NULL: none), and no file is read. */
typedef const struct record_excerpt *(*source_text_find)(void *data, const struct place *place);
void source_text_from(struct source_text *source, source_text_find find, void *data);

/* The three lines before and after the place, and its own. FALSE: the place has no line, or its
 * file is not there, is newer than the program, or no text. */
gboolean source_text_around(struct source_text *source, const struct place *place,
                            struct record_excerpt *ret);

#endif
