/* The commands of the prompt, as a table. A command is found by any unambiguous prefix, and
 * suggested if it is misspelt. What commands do is not known here. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_VOCABULARY_H
#define MATCHPOINT_SCHEDULER_DEBUG_VOCABULARY_H

#include <glib.h>
#include <stdbool.h>

/* The caller's; passed to commands. */
struct debugger;

/* Obeys a command; `rest` are its arguments, without leading blanks. */
typedef void vocabulary_run(struct debugger *debugger, const char *rest);
/* Adds completions of a line that consists of the command and blanks (`before`): one for each
 * possible argument, whatever was typed of it. */
typedef void vocabulary_arguments(const struct debugger *debugger, GStrvBuilder *lines,
                                  const char *before);

/* A table ends with an entry without a name. */
struct vocabulary_word {
	const char *name;
	const char *arguments;          /* as help shows them: "[N]"; "": none */
	const char *help;               /* what it does: one line, without a full stop */
	vocabulary_run *run;            /* NULL: a command of `below` follows */
	const char *example;            /* a whole line; NULL: of the commands below */
	const char *shorter;            /* short form, although it is ambiguous: "c"; NULL: none */
	vocabulary_arguments *complete; /* NULL: arguments are not completed */
	const struct vocabulary_word *below; /* "ranks" of "info ranks"; NULL: arguments follow */
	bool is_habit; /* a word of other debuggers: understood if typed in full, not listed */
};

/* Habits come last in a table: the first word that is not listed is its end, or a habit. */
static inline bool vocabulary_is_listed(const struct vocabulary_word *word)
{
	return word->name && !word->is_habit;
}

/* Obeys a line that is not empty. Returns NULL, or what is wrong: an unknown command, and what to
 * type instead; or arguments that it does not take. Free with g_free. */
char *vocabulary_obey(const struct vocabulary_word *words, struct debugger *debugger,
                      const char *line);

/* Completions of a line, as whole lines in the order of the table. Free with g_strfreev. After a
 * complete command, its own function adds them. */
char **vocabulary_complete(const struct vocabulary_word *words, const struct debugger *debugger,
                           const char *line);

/* Help on the command `about`; on all commands, one a line, if it is empty. Lines end with a
 * newline; free with g_free. NULL with *ret_problem: there is no such command. */
char *vocabulary_help(const struct vocabulary_word *words, const char *about, char **ret_problem);

/* The number of letters to insert, delete, replace or swap with the next to turn one text into the
 * other (optimal string alignment); G_MAXUINT if one is longer than any command. */
guint vocabulary_distance(const char *one, const char *other);

/* The text, of several (ended by NULL), of which `text` is most likely a misspelling: the one at
 * the least distance. NULL: none is near. */
const char *vocabulary_nearest(const char *const *texts, const char *text);

#endif
