/* JSON, a value behind the other: what is quicker to append than to build as a tree. */
#ifndef MATCHPOINT_SCHEDULER_PAGE_JSON_TEXT_H
#define MATCHPOINT_SCHEDULER_PAGE_JSON_TEXT_H

#include <glib.h>

/* A comma, unless an array, an object or a member begins here. */
void json_separate(GString *json);
void json_add_number(GString *json, gint64 number);
/* NULL is the empty string; what is no UTF-8 is replaced. */
void json_add_text(GString *json, const char *text);
/* "name": , whose value comes next. */
void json_add_name(GString *json, const char *name);

#endif
