/* Members of JSON objects that several formats write. Texts are not among them: one format
 * writes a missing text as null, another as an empty string. */
#ifndef MATCHPOINT_REPORTS_JSON_MEMBERS_H
#define MATCHPOINT_REPORTS_JSON_MEMBERS_H

#include <json-glib/json-glib.h>
#include <stdbool.h>

static inline void add_number(JsonBuilder *json, const char *name, gint64 number)
{
	json_builder_set_member_name(json, name);
	json_builder_add_int_value(json, number);
}

static inline void add_flag(JsonBuilder *json, const char *name, bool flag)
{
	json_builder_set_member_name(json, name);
	json_builder_add_boolean_value(json, flag);
}

static inline void begin_array(JsonBuilder *json, const char *name)
{
	json_builder_set_member_name(json, name);
	json_builder_begin_array(json);
}

#endif
