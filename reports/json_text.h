/* JSON, a value behind the other: what is quicker to append than to build as a tree. Both pages are
 * told what they show this way. */
#ifndef MATCHPOINT_REPORTS_JSON_TEXT_H
#define MATCHPOINT_REPORTS_JSON_TEXT_H

#include <glib.h>

#include "scheduler/store/record.h"

/* A comma, unless an array, an object or a member begins here. */
void json_separate(GString *json);
void json_add_number(GString *json, gint64 number);
/* NULL is the empty string; what is no UTF-8 is replaced, and what HTML could take for its own is
 * escaped, so that nothing in it ends a <script>. */
void json_add_text(GString *json, const char *text);
/* "name": , whose value comes next. */
void json_add_name(GString *json, const char *name);

/* [rank, call, what is wrong with it] of those who have a part in it. */
void json_add_faults(GString *json, const struct record_finding *finding);

#endif
