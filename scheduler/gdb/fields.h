/* Members of JSON objects that others have made: a member that is missing or of another type reads
 * as its default. All may be given NULL for the object. */
#ifndef MATCHPOINT_SCHEDULER_GDB_FIELDS_H
#define MATCHPOINT_SCHEDULER_GDB_FIELDS_H

#include <glib.h>
#include <json-glib/json-glib.h>
#include <stdbool.h>

/* What is returned belongs to the object. NULL: no such member. */
const char *field_text(JsonObject *object, const char *name);
JsonObject *field_object(JsonObject *object, const char *name);
JsonArray *field_array(JsonObject *object, const char *name);
bool field_flag(JsonObject *object, const char *name, bool otherwise);
/* Also of a string of digits, as all numbers of MI are. */
gint64 field_number(JsonObject *object, const char *name, gint64 otherwise);

/* The address "0x...", in hexadecimal. False: it is none. */
bool field_address(JsonObject *object, const char *name, guint64 *ret_address);

/* Elements of an array, which may be NULL. NULL: it is none of that type, or there is none. */
guint array_length(JsonArray *array);
JsonObject *array_object(JsonArray *array, guint index);
const char *array_text(JsonArray *array, guint index);

#endif
