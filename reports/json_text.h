/* JSON written value by value into a string. This is faster than building a tree. Used for the
 * data of both pages (html_page.h). */
#ifndef MATCHPOINT_REPORTS_JSON_TEXT_H
#define MATCHPOINT_REPORTS_JSON_TEXT_H

#include <glib.h>

#include "scheduler/store/record.h"

/* Appends a comma, unless an array, an object or a member begins here. */
void json_separate(GString *json);
void json_add_number(GString *json, gint64 number);
/* Appends a string; NULL is the empty string. Invalid UTF-8 is replaced. Characters with a
 * meaning in HTML are escaped, so that the text cannot end a <script>. */
void json_add_text(GString *json, const char *text);
/* Appends `"name":`; its value must be appended next. */
void json_add_name(GString *json, const char *name);

/* What calls have in common: one element of "shapes" in page/data.js. `name`, `place`,
 * `communicator` and `frame` are indices of other tables. */
struct json_shape {
	uint64_t bytes;
	int name, kind, place, frame, communicator;
	int32_t peer, peer_given, tag;
	uint32_t thread; /* 0: the main thread, or the only one; else its number in the rank */
	int operations;
};
void json_add_shape(GString *json, const struct json_shape *shape);

/* What Waitany and its kin have returned: rank, call and index in turns, an index from 0 or one of
 * these. */
enum { JSON_INDEX_UNDEFINED = -1, JSON_INDEX_UNKNOWN = -2 };

/* Appends what a point of `rank` can take: [rank, call, text] of the send or, of an answer that
 * reports a request, of the call that started it (0: none). An answer to a poll is followed by the
 * number of calls until the poll that gets it (see struct taken), and what it says: "no", "yes",
 * the calls that started the requests reported, "3,4", or "" for the message. */
void json_add_alternative(GString *json, int32_t rank, const struct record_message *message);

/* Appends [rank, call, problem] for each rank that is part of the finding. */
void json_add_faults(GString *json, const struct record_finding *finding);

#endif
