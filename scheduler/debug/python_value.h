/* Objects of Python as texts: what Python would write of numbers, strings, and what they are put
 * into. A list or dictionary may be filled after something else refers to it, so values are shared,
 * and counted; what is in itself shows as "...". Pure. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_PYTHON_VALUE_H
#define MATCHPOINT_SCHEDULER_DEBUG_PYTHON_VALUE_H

#include <glib.h>
#include <stdbool.h>

enum python_kind {
	PYTHON_TEXT, /* whatever has no parts */
	PYTHON_LIST,
	PYTHON_TUPLE,
	PYTHON_SET,
	PYTHON_FROZENSET,
	PYTHON_DICT,
	PYTHON_CALL
};

struct python_value {
	int references;
	enum python_kind kind;
	char *text;       /* PYTHON_TEXT; of PYTHON_CALL what is called */
	GPtrArray *parts; /* struct python_value: the others'; of dictionaries keys and values in
	                     turns */
	bool printing;
};

/* Takes `text`, which may be NULL. The reference is the caller's, as that of ..._ref is. */
struct python_value *python_value_new(enum python_kind kind, char *text);
struct python_value *python_value_ref(struct python_value *value);
void python_value_unref(gpointer value); /* NULL is legal */

/* As Python writes it; no more parts are begun once the text has `most` bytes. */
void python_value_append(GString *text, struct python_value *value, gsize most);

/* How Python writes these; free with g_free. A string ("before" is its prefix, b for bytes), of
 * which 64 KiB are shown; an integer of any length, little endian, in two's complement; a
 * double. */
char *python_quote(const char *before, const guint8 *bytes, gsize length, bool is_text);
char *python_integer(const guint8 *bytes, gsize length);
char *python_double(double number);

#endif
