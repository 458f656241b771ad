#include "fields.h"

static JsonNode *member(JsonObject *object, const char *name)
{
	return object ? json_object_get_member(object, name) : NULL;
}

static const char *text_of(JsonNode *node)
{
	return node && JSON_NODE_HOLDS_VALUE(node)
	                       && json_node_get_value_type(node) == G_TYPE_STRING
	               ? json_node_get_string(node)
	               : NULL;
}

const char *field_text(JsonObject *object, const char *name)
{
	return text_of(member(object, name));
}

JsonObject *field_object(JsonObject *object, const char *name)
{
	JsonNode *node = member(object, name);

	return node && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

JsonArray *field_array(JsonObject *object, const char *name)
{
	JsonNode *node = member(object, name);

	return node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
}

bool field_flag(JsonObject *object, const char *name, bool otherwise)
{
	JsonNode *node = member(object, name);

	return node && JSON_NODE_HOLDS_VALUE(node)
	                       && json_node_get_value_type(node) == G_TYPE_BOOLEAN
	               ? json_node_get_boolean(node)
	               : otherwise;
}

gint64 field_number(JsonObject *object, const char *name, gint64 otherwise)
{
	JsonNode *node = member(object, name);
	const char *text = text_of(node);
	gint64 number;

	if (text)
		return g_ascii_string_to_signed(text, 10, G_MININT64, G_MAXINT64, &number, NULL)
		               ? number
		               : otherwise;
	return node && JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_INT64
	               ? json_node_get_int(node)
	               : otherwise;
}

bool field_address(JsonObject *object, const char *name, guint64 *ret_address)
{
	const char *text = field_text(object, name);

	return text && g_str_has_prefix(text, "0x")
	       && g_ascii_string_to_unsigned(text + 2, 16, 0, G_MAXUINT64, ret_address, NULL);
}

guint array_length(JsonArray *array)
{
	return array ? json_array_get_length(array) : 0;
}

static JsonNode *element(JsonArray *array, guint index)
{
	return index < array_length(array) ? json_array_get_element(array, index) : NULL;
}

JsonObject *array_object(JsonArray *array, guint index)
{
	JsonNode *node = element(array, index);

	return node && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

const char *array_text(JsonArray *array, guint index)
{
	return text_of(element(array, index));
}
