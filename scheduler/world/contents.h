/* The contents of messages, as far as their senders have reported them (struct wire_contents), as
 * values of their datatypes. Derived datatypes are shown element by element, in the order of the
 * type map (MPI 3.1, section 4.1). Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_CONTENTS_H
#define MATCHPOINT_SCHEDULER_WORLD_CONTENTS_H

#include <glib.h>
#include <stdbool.h>

#include "explorer/trace.h"
#include "types.h"

struct contents {
	struct types types; /* with the bytes of the whole message */
	GBytes *first;      /* the first bytes of the message, packed */
};

/* NULL: the report is impossible. */
struct contents *contents_new(const struct wire_contents *report);
void contents_unref(struct contents *contents); /* NULL is allowed */

/* "{1, 2, 3, ...}", "{{1, 0.5}, {2, 1.5}}", "\"hello\"", "68 65 79 \"hey\"". The limits are numbers
 * of values, and of characters or bytes. "": it is empty. Free with g_free. */
char *contents_print(const struct contents *contents, guint values_most, guint text_most);

/* All known values, as lines: " 0: 1 2 3 ..."; bytes also as text. */
void contents_append_lines(GString *text, const struct contents *contents);

/* Whether the message consists of bytes, or its type is not known: only the program can interpret
 * it. */
bool contents_are_bytes(const struct contents *contents);

/* The contents of many messages. If they become too many, those reported first are forgotten. */
struct message_contents;

struct message_contents *message_contents_new(void);
void message_contents_free(struct message_contents *all);
struct message_contents *message_contents_copy(const struct message_contents *all);
/* Takes ownership of the contents. */
void message_contents_add(struct message_contents *all, struct op_id send,
                          struct contents *contents);
const struct contents *message_contents_find(const struct message_contents *all, struct op_id send);

#endif
