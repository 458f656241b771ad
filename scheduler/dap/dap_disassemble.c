/* Instructions as text. Their lengths differ, so what lies before an address is found from the
 * beginnings of functions alone. */
#include <string.h>

#include "dap_internal.h"

enum { INSTRUCTIONS_MOST = 2000, LENGTH_MOST = 16, PAGE = 4096 };

/* The instructions that gdb lists (MI's tuples), in order. */
static bool list(struct dap *dap, GPtrArray *found, const char *what)
{
	g_autoptr(JsonObject) results = dap_ask(dap, NULL, "-data-disassemble %s -- 2", what);
	JsonArray *instructions = field_array(results, "asm_insns");

	for (guint i = 0; i < array_length(instructions); i++)
		if (array_object(instructions, i))
			g_ptr_array_add(found, json_object_ref(array_object(instructions, i)));
	return array_length(instructions) > 0;
}

static bool list_range(struct dap *dap, GPtrArray *found, guint64 from, guint64 to)
{
	g_autofree char *range = g_strdup_printf(
		"-s 0x%" G_GINT64_MODIFIER "x -e 0x%" G_GINT64_MODIFIER "x", from, to);

	return list(dap, found, range);
}

static guint64 address_of(JsonObject *instruction)
{
	const char *address = field_text(instruction, "address");

	return address ? g_ascii_strtoull(address, NULL, 16) : 0;
}

static GPtrArray *new_list(void)
{
	return g_ptr_array_new_with_free_func((GDestroyNotify)json_object_unref);
}

/* From the address on. Behind it there may be no memory, but the page is there as a whole. */
static GPtrArray *list_from(struct dap *dap, guint64 address, gint64 count)
{
	GPtrArray *found = new_list();

	if (count > 0 && !list_range(dap, found, address, address + (guint64)count * LENGTH_MOST))
		list_range(dap, found, address, (address | (PAGE - 1)) + 1);
	if (found->len > count)
		g_ptr_array_set_size(found, (int)count);
	return found;
}

/* Those of the function that ends at the address, up to there; NULL: none is known. */
static GPtrArray *list_function(struct dap *dap, guint64 address)
{
	g_autofree char *place = g_strdup_printf("-a 0x%" G_GINT64_MODIFIER "x", address - 1);
	g_autoptr(GPtrArray) found = new_list();

	if (address == 0 || !list(dap, found, place) || address_of(found->pdata[0]) >= address)
		return NULL;
	while (address_of(found->pdata[found->len - 1]) >= address)
		g_ptr_array_set_size(found, (int)found->len - 1);
	return g_steal_pointer(&found);
}

/* The last `count` before the address, or fewer. */
static GPtrArray *list_before(struct dap *dap, guint64 address, gint64 count)
{
	GPtrArray *found = new_list(), *function;

	while (found->len < count && (function = list_function(dap, address))) {
		address = address_of(function->pdata[0]);
		g_ptr_array_extend_and_steal(function, found);
		found = function;
	}
	if (found->len > count)
		g_ptr_array_remove_range(found, 0, found->len - (guint)count);
	return found;
}

/* --- what the client is shown ----------------------------------------------------------------- */

static void show(JsonArray *shown, JsonObject *instruction)
{
	JsonObject *one = json_object_new();
	const char *text = field_text(instruction, "inst");
	const char *bytes = field_text(instruction, "opcodes");
	const char *function = field_text(instruction, "func-name");

	json_object_set_string_member(one, "address", field_text(instruction, "address"));
	json_object_set_string_member(one, "instruction", text ? text : "");
	if (bytes)
		json_object_set_string_member(one, "instructionBytes", bytes);
	if (function && field_number(instruction, "offset", -1) == 0)
		json_object_set_string_member(one, "symbol", function);
	json_array_add_object_element(shown, one);
}

/* What is not known is shown, too: the client wants just as many as it has asked for. */
static void pad(JsonArray *shown, guint64 address, gint64 count)
{
	for (gint64 i = 0; i < count; i++) {
		JsonObject *one = json_object_new();
		g_autofree char *text = g_strdup_printf("0x%016" G_GINT64_MODIFIER "x",
		                                        address + (guint64)i);

		json_object_set_string_member(one, "address", text);
		json_object_set_string_member(one, "instruction", "?");
		json_object_set_string_member(one, "presentationHint", "invalid");
		json_array_add_object_element(shown, one);
	}
}

/* `count` instructions, of which the first is `before` ones before the address (not negative). */
static void show_around(struct dap *dap, JsonArray *shown, guint64 address, gint64 before,
                        gint64 count)
{
	g_autoptr(GPtrArray) earlier = list_before(dap, address, before);
	g_autoptr(GPtrArray) later = list_from(dap, address, MAX(count - before, 0));
	const gint64 missing = before - earlier->len;
	const guint64 first = earlier->len > 0 ? address_of(earlier->pdata[0]) : address;
	guint64 behind = address;

	pad(shown, first - (guint64)missing, MIN(missing, count));
	for (guint i = 0; i < earlier->len && json_array_get_length(shown) < count; i++)
		show(shown, earlier->pdata[i]);
	for (guint i = 0; i < later->len; i++) {
		show(shown, later->pdata[i]);
		behind = address_of(later->pdata[i]) + 1;
	}
	pad(shown, behind, count - json_array_get_length(shown));
}

/* Those behind the address that the client does not want. */
static void drop(JsonArray *shown, gint64 count)
{
	for (gint64 i = 0; i < count && json_array_get_length(shown) > 0; i++)
		json_array_remove_element(shown, 0);
}

JsonObject *dap_disassemble(struct dap *dap, JsonObject *arguments, GError **error)
{
	const char *reference = field_text(arguments, "memoryReference");
	const gint64 count = field_number(arguments, "instructionCount", 0);
	const gint64 offset = field_number(arguments, "instructionOffset", 0);
	guint64 address = 0;
	JsonArray *shown;
	JsonObject *body;

	if (!field_address(arguments, "memoryReference", &address))
		return dap_refuse(error, "disassemble: '%s' is no address",
		                  reference ? reference : "");
	if (count < 1 || count > INSTRUCTIONS_MOST || offset > INSTRUCTIONS_MOST
	    || offset < -INSTRUCTIONS_MOST)
		return dap_refuse(error, "disassemble: 1 to %d instructions at once",
		                  INSTRUCTIONS_MOST);
	address += (guint64)field_number(arguments, "offset", 0);
	shown = json_array_new();
	show_around(dap, shown, address, MAX(-offset, 0), count + MAX(offset, 0));
	drop(shown, offset);
	body = json_object_new();
	json_object_set_array_member(body, "instructions", shown);
	return body;
}
