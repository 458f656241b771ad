/* The words that a line at the prompt can begin with, as a table: found by as much of them as tells
 * them apart, suggested when they are misspelt, explained by an example, and obeyed. What they do
 * is not known here. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_VOCABULARY_H
#define MATCHPOINT_SCHEDULER_DEBUG_VOCABULARY_H

#include <glib.h>
#include <stdbool.h>

/* Who obeys: the caller's. */
struct debugger;

/* Does what a word says; `rest` is what stands behind it and blanks. */
typedef void vocabulary_run(struct debugger *debugger, const char *rest);
/* Adds the lines that one could become which consists of the word and blanks (`before`): with each
 * argument that there is, whatever was typed of it. */
typedef void vocabulary_arguments(const struct debugger *debugger, GStrvBuilder *lines,
                                  const char *before);

/* A table ends with a word without a name. */
struct vocabulary_word {
	const char *name;
	const char *arguments; /* as help shows them: "[N]"; "": it takes none */
	const char *help;      /* what it does: in a line, without a full stop */
	vocabulary_run *run;   /* NULL: a word of `below` follows */
	const char *example;   /* a whole line; NULL: of words that follow */
	const char *shorter; /* means this word, whatever else begins so: "c"; NULL: nothing does */
	vocabulary_arguments *complete;      /* NULL: nothing is known of its arguments */
	const struct vocabulary_word *below; /* "ranks" of "info ranks"; NULL: arguments follow */
};

/* Obeys a line that has a word. NULL, or what is wrong: it begins with none of these, and what to
 * type instead; or something follows a word that takes nothing. Free with g_free. */
char *vocabulary_obey(const struct vocabulary_word *words, struct debugger *debugger,
                      const char *line);

/* The lines that could be meant by one that is not complete, as whole lines in the order of the
 * table: g_strfreev. Behind the last word those that the word itself knows. */
char **vocabulary_complete(const struct vocabulary_word *words, const struct debugger *debugger,
                           const char *line);

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
