/* Messages of the Debug Adapter Protocol as bytes ("Base protocol" of its specification): lines of
 * a header, an empty line, and as many bytes of JSON as Content-Length gives. Pure. */
#ifndef MATCHPOINT_SCHEDULER_DAP_FRAMING_H
#define MATCHPOINT_SCHEDULER_DAP_FRAMING_H

#include <glib.h>
#include <stdbool.h>

/* The largest sizes that are accepted, in bytes. */
#define FRAMING_HEADER_MOST 1024
#define FRAMING_BODY_MOST (4u << 20)
/* The deepest nesting of JSON that is accepted: its parser is recursive. */
#define FRAMING_DEPTH_MOST 100

enum framing_item {
	FRAMING_MORE,    /* not yet complete */
	FRAMING_MESSAGE, /* `ret_body` is a message's JSON */
	FRAMING_BROKEN,  /* nothing that follows can be read */
};

/* Takes the first message off the buffer. `ret_body` is emptied first. With FRAMING_BROKEN,
 * *ret_problem is what is wrong, as half a sentence; it need not be freed. */
enum framing_item framing_take(GByteArray *buffer, GString *ret_body, const char **ret_problem);

/* Appends the header and the body. */
void framing_append(GString *out, const char *body, gsize length);

/* Whether the text can be JSON (RFC 8259) of which no value is nested deeper than
 * FRAMING_DEPTH_MOST. json-glib accepts more, such as comments. */
bool framing_is_plain(const char *json);

#endif
