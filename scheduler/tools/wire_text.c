#include "wire_text.h"

#include <string.h>

#include "mpi_calls.h"

static const struct {
	guint16 type;
	const char *name;
} types[] = {
	{WIRE_HELLO, "HELLO"},       {WIRE_CALL, "CALL"},       {WIRE_DIGEST, "DIGEST"},
	{WIRE_LOOK, "LOOK"},         {WIRE_COMM, "COMM"},       {WIRE_ERROR, "ERROR"},
	{WIRE_STACK, "STACK"},       {WIRE_PARKED, "PARKED"},   {WIRE_CHILD, "CHILD"},
	{WIRE_ENDING, "ENDING"},     {WIRE_TOUCHED, "TOUCHED"}, {WIRE_LEFT, "LEFT"},
	{WIRE_THREAD, "THREAD"},     {WIRE_ENTER, "ENTER"},     {WIRE_ACCESSES, "ACCESSES"},
	{WIRE_WELCOME, "WELCOME"},   {WIRE_BIND, "BIND"},       {WIRE_GO, "GO"},
	{WIRE_END, "END"},           {WIRE_PARK, "PARK"},       {WIRE_RESTORE, "RESTORE"},
	{WIRE_RESUME, "RESUME"},     {WIRE_ADMIT, "ADMIT"},     {WIRE_RELEASE, "RELEASE"},
	{WIRE_OVERLAP, "OVERLAP"},   {WIRE_FORWARD, "FORWARD"}, {WIRE_CONTENTS, "CONTENTS"},
	{WIRE_HELD, "HELD"},         {WIRE_REWIND, "REWIND"},   {WIRE_IMAGE, "IMAGE"},
	{WIRE_IMAGED, "IMAGED"},     {WIRE_FORGET, "FORGET"},   {WIRE_SEAL, "SEAL"},
	{WIRE_STATE, "STATE"},       {WIRE_TELL, "TELL"},       {WIRE_NAMED, "NAMED"},
	{WIRE_MISUSE, "MISUSE"},     {WIRE_DRIVE, "DRIVE"},     {WIRE_PARTITIONS, "PARTITIONS"},
	{WIRE_RETURNED, "RETURNED"}, {WIRE_NEEDS, "NEEDS"},     {WIRE_RING, "RING"},
	{WIRE_BELL, "BELL"},
};

struct printer {
	GString *text;
	GArray *groups; /* gsize: where the name of each open group begins */
	gsize filled;   /* end of the last field that was printed */
};

static void print_number(void *user, const char *name, int64_t *value)
{
	struct printer *printer = user;

	if (*value == 0)
		return;
	if (strcmp(name, "function") == 0 && *value > 0 && *value < MPI_CALL_COUNT)
		g_string_append_printf(printer->text, " %s=%s", name,
		                       mpi_call_name((unsigned)*value));
	else
		g_string_append_printf(printer->text, " %s=%" G_GINT64_FORMAT, name,
		                       (gint64)*value);
	printer->filled = printer->text->len;
}

static void print_string(void *user, const char *name, char **value)
{
	struct printer *printer = user;
	g_autofree char *escaped = NULL;

	if (!*value || !**value)
		return;
	escaped = g_uri_escape_string(*value, NULL, false);
	g_string_append_printf(printer->text, " %s=%s", name, escaped);
	printer->filled = printer->text->len;
}

static void print_name(void *user, const char *name, struct wire_name *value)
{
	struct printer *printer = user;

	if (value->call == 0 && value->sub == 0)
		return;
	g_string_append_printf(printer->text, " %s=%u.%u", name, value->call, value->sub);
	printer->filled = printer->text->len;
}

/* An element is printed even if it is empty; another empty group is not. */
static void print_group(void *user, const char *name, bool begins)
{
	struct printer *printer = user;
	gsize place = printer->text->len;

	if (begins) {
		g_array_append_val(printer->groups, place);
		g_string_append_printf(printer->text, " %s%s", name, *name ? "={" : "{");
		if (!*name)
			printer->filled = printer->text->len;
		return;
	}
	place = g_array_index(printer->groups, gsize, printer->groups->len - 1);
	g_array_set_size(printer->groups, printer->groups->len - 1);
	if (printer->filled <= place) {
		g_string_truncate(printer->text, place);
		return;
	}
	g_string_append(printer->text, " }");
	printer->filled = printer->text->len;
}

const char *wire_type_name(guint16 type)
{
	for (gsize i = 0; i < G_N_ELEMENTS(types); i++)
		if (types[i].type == type)
			return types[i].name;
	return NULL;
}

char *wire_text(const struct wire_message *message)
{
	static const struct wire_visitor visitor = {
		.number = print_number,
		.text = print_string,
		.name = print_name,
		.group = print_group,
	};
	struct printer printer = {g_string_new(wire_type_name(message->type)),
	                          g_array_new(false, false, sizeof(gsize)), 0};

	wire_visit((struct wire_message *)message, &visitor, &printer);
	g_array_unref(printer.groups);
	return g_string_free(printer.text, false);
}
