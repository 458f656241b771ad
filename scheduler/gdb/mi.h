/* Lines of gdb's machine interface (gdb's manual, "GDB/MI Output Syntax"). Pure. */
#ifndef MATCHPOINT_SCHEDULER_GDB_MI_H
#define MATCHPOINT_SCHEDULER_GDB_MI_H

#include <glib.h>
#include <json-glib/json-glib.h>
#include <stdbool.h>

/* The deepest nesting of tuples and lists that is accepted. */
#define MI_DEPTH_MOST 100

enum mi_kind {
	MI_PROMPT, /* (gdb) */
	MI_RESULT, /* ^done and the like: the answer to a command */
	MI_EXEC,   /* *stopped, *running */
	MI_STATUS, /* + */
	MI_NOTIFY, /* = */
	MI_CONSOLE,
	MI_TARGET,
	MI_LOG,
};

struct mi_record {
	enum mi_kind kind;
	gint64 token; /* of the command that it answers; -1: none */
	/* What it is ("done", "stopped"), or a stream's text; NULL for MI_PROMPT. Valid UTF-8. */
	char *text;
	/* A tuple is an object; of equal names the first counts. A list is an array, without the
	 * names of its results. A constant is a string. NULL for streams and MI_PROMPT. */
	JsonObject *results;
};

/* Reads a line without its newline. False: it is none of MI's, as is what a program prints. */
bool mi_parse(const char *line, struct mi_record *ret_record);
void mi_record_clear(struct mi_record *record);
void mi_record_free(struct mi_record *record); /* one of the heap's */

/* The text as a C string, as parameters of commands are written: one line, whatever the text is.
 * Free with g_free. */
char *mi_quote(const char *text);

#endif
