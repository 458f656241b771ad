/* The words that a line at the prompt can begin with, as a table: found by as much of them as tells
 * them apart, suggested when they are misspelt, explained by an example. What they do is not known
 * here. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_VOCABULARY_H
#define MATCHPOINT_SCHEDULER_DEBUG_VOCABULARY_H

#include <glib.h>
#include <stdbool.h>

/* A table ends with a word without a name. */
struct vocabulary_word {
	const char *name;
	const char *shorter; /* means this word, whatever else begins so: "c"; NULL: nothing does */
	const char *arguments;               /* as help shows them: "[N]"; "": it takes none */
	const char *does;                    /* in a line, without a full stop */
	const char *example;                 /* a whole line; NULL: of words that follow */
	const struct vocabulary_word *below; /* one of these follows: "ranks" of "info ranks"; NULL:
	                                        arguments do */
	int id;                              /* the caller's */
};

/* The word that the line begins with, after blanks, and what stands behind it and blanks. NULL: it
 * is none of these, and *ret_problem (free with g_free) says so and what to type instead. A line
 * without any word is not asked about. */
const struct vocabulary_word *vocabulary_find(const struct vocabulary_word *words, const char *line,
                                              const char **ret_rest, char **ret_problem);

/* The lines that could be meant by one that is not complete, as whole lines in the order of the
 * table: g_strfreev. Behind the last word there are no more. */
char **vocabulary_complete(const struct vocabulary_word *words, const char *line);

/* Help on the words that `about` begins with; on all of them, a line each, if it is empty. NULL
 * with *ret_problem: there are no such. Lines end with a newline; free with g_free. */
char *vocabulary_help(const struct vocabulary_word *words, const char *about, char **ret_problem);

/* How many letters must be put in, left out, made others or swapped with the next one to make one
 * text of the other (optimal string alignment); G_MAXUINT where one is longer than any word. */
guint vocabulary_distance(const char *one, const char *other);

/* Of some texts (NULL ends them) the one that `text` most likely is a misspelling of: as few
 * letters as possible are left out, too many, others, or change places with the next. NULL: none is
 * near. */
const char *vocabulary_nearest(const char *const *texts, const char *text);

#endif
