/* What is in messages, as far as their senders have told it (struct wire_contents), as values of
 * the datatypes that they consist of: derived ones element by element, in the order of the type map
 * (MPI 3.1, section 4.1). Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_CONTENTS_H
#define MATCHPOINT_SCHEDULER_WORLD_CONTENTS_H

#include <glib.h>
#include <stdbool.h>

#include "explorer/trace.h"
#include "types.h"

struct contents {
	struct types types; /* with the bytes of the whole message */
	GBytes *first;      /* of it, packed */
};

/* NULL: nobody can have told this. */
struct contents *contents_new(const struct wire_contents *told);
void contents_unref(struct contents *contents); /* NULL is legal */

/* "{1, 2, 3, ...}", "{{1, 0.5}, {2, 1.5}}", "\"hello\"", "68 65 79 \"hey\"": so many values, or
 * characters and bytes, at most; "": there are none. Free with g_free. */
char *contents_print(const struct contents *contents, guint values_most, guint text_most);

/* All that is known, as lines: "    0: 1 2 3 ...", of bytes with what they are as text. */
void contents_append_lines(GString *text, const struct contents *contents);

/* Whether it consists of bytes, or of what is not known: only the program can read it. */
bool contents_are_bytes(const struct contents *contents);

/* Those of many messages; who was told longest ago is forgotten when they become too many. */
struct message_contents;

struct message_contents *message_contents_new(void);
void message_contents_free(struct message_contents *all);
struct message_contents *message_contents_copy(const struct message_contents *all);
/* Takes the contents over. */
void message_contents_add(struct message_contents *all, struct op_id send,
                          struct contents *contents);
const struct contents *message_contents_find(const struct message_contents *all, struct op_id send);

#endif
