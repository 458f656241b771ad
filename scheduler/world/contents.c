#include "contents.h"

#include <string.h>

#include "common/mpi_codes.h"

#define KEPT_MOST (256u << 20) /* bytes, of all messages together */
#define ROW_VALUES 8
#define ROW_BYTES 16

/* --- what ranks report ------------------------------------------------------------------------ */

/* NULL: these are not bytes. */
static GBytes *read_digits(const char *digits)
{
	gsize length = strlen(digits), count = length / 2;
	guint8 *bytes = g_malloc(count + 1);

	for (gsize i = 0; i < count; i++) {
		int high = g_ascii_xdigit_value(digits[2 * i]);
		int low = g_ascii_xdigit_value(digits[2 * i + 1]);

		if (high < 0 || low < 0) {
			g_free(bytes);
			return NULL;
		}
		bytes[i] = (guint8)(high << 4 | low);
	}
	if (length % 2 == 0)
		return g_bytes_new_take(bytes, count);
	g_free(bytes);
	return NULL;
}

static void release(gpointer data)
{
	struct contents *contents = data;

	g_bytes_unref(contents->first);
}

struct contents *contents_new(const struct wire_contents *report)
{
	GBytes *first = read_digits(report->first ? report->first : "");
	struct contents *contents;

	if (!first || g_bytes_get_size(first) > report->bytes) {
		g_clear_pointer(&first, g_bytes_unref);
		return NULL;
	}
	contents = g_rc_box_new0(struct contents);
	contents->types = types_of_runs(&report->types, report->bytes);
	contents->first = first;
	return contents;
}

static struct contents *contents_ref(struct contents *contents)
{
	return g_rc_box_acquire(contents);
}

void contents_unref(struct contents *contents)
{
	if (contents)
		g_rc_box_release_full(contents, release);
}

/* --- values ----------------------------------------------------------------------------------- */

/* Characters that programs do not calculate with. */
static bool is_text(guint16 basic)
{
	switch (type_code_number(basic)) {
	case TYPE_CHAR:
	case TYPE_SIGNED_CHAR:
	case TYPE_UNSIGNED_CHAR:
	case TYPE_CHARACTER: return type_code_size(basic) == 1;
	default: return false;
	}
}

static bool is_bool(guint16 basic)
{
	const enum type_number number = type_code_number(basic);

	return number == TYPE_C_BOOL || number == TYPE_CXX_BOOL;
}

bool contents_are_bytes(const struct contents *contents)
{
	return !contents->types.runs
	       && (contents->types.basic == 0
	           || type_code_number(contents->types.basic) == TYPE_BYTE);
}

static guint64 unsigned_value(const guint8 *bytes, gsize size)
{
	guint8 one;
	guint16 two;
	guint32 four;
	guint64 eight;

	switch (size) {
	case 1: memcpy(&one, bytes, 1); return one;
	case 2: memcpy(&two, bytes, 2); return two;
	case 4: memcpy(&four, bytes, 4); return four;
	default: memcpy(&eight, bytes, 8); return eight;
	}
}

static gint64 signed_value(const guint8 *bytes, gsize size)
{
	guint64 value = unsigned_value(bytes, size);

	switch (size) {
	case 1: return (gint8)value;
	case 2: return (gint16)value;
	case 4: return (gint32)value;
	default: return (gint64)value;
	}
}

/* The fewest digits that identify the value. */
static void append_float(GString *text, const guint8 *bytes, gsize size)
{
	char digits[64];
	float narrow;
	double value;
	long double wide;

	if (size == 16) {
		memcpy(&wide, bytes, MIN(size, sizeof(wide)));
		g_string_append_printf(text, "%.18Lg", wide);
		return;
	}
	if (size == 4) {
		memcpy(&narrow, bytes, sizeof(narrow));
		value = (double)narrow;
	} else {
		memcpy(&value, bytes, sizeof(value));
	}
	for (int precision = size == 4 ? 6 : 15; precision <= 17; precision++) {
		double again;

		g_snprintf(digits, sizeof(digits), "%.*g", precision, value);
		again = g_ascii_strtod(digits, NULL);
		if (size == 4 ? memcmp(&(float){(float)again}, &narrow, sizeof(narrow)) == 0
		              : memcmp(&again, &value, sizeof(value)) == 0)
			break;
	}
	g_string_append(text, digits);
}

static void append_hexadecimal(GString *text, const guint8 *bytes, gsize size)
{
	enum { MOST = 32 }; /* bytes: no type of MPI's is larger */
	gsize left_out = size > MOST ? size - MOST : 0;

	g_string_append(text, "0x");
	/* as a number: the lowest byte is first in memory */
	for (gsize i = size; i > left_out; i--)
		g_string_append_printf(text, "%02x", bytes[i - 1]);
	if (left_out > 0)
		g_string_append(text, "...");
}

static bool is_integer_size(gsize size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static void append_wide(GString *text, const guint8 *bytes, gsize size)
{
	gunichar letter = (gunichar)unsigned_value(bytes, size);

	if (g_unichar_validate(letter) && g_unichar_isprint(letter)) {
		g_string_append(text, "'");
		g_string_append_unichar(text, letter);
		g_string_append(text, "'");
	} else {
		append_hexadecimal(text, bytes, size);
	}
}

static void append_value(GString *text, guint16 basic, const guint8 *bytes)
{
	gsize size = type_code_size(basic);
	enum types_kind kind = types_kind(basic);

	if ((kind == TYPES_FLOAT && (size == 4 || size == 8 || size == 16))) {
		append_float(text, bytes, size);
	} else if (kind == TYPES_COMPLEX && (size == 8 || size == 16 || size == 32)) {
		append_float(text, bytes, size / 2);
		g_string_append(text, " + ");
		append_float(text, bytes + size / 2, size / 2);
		g_string_append(text, "i");
	} else if (!is_integer_size(size) || type_code_number(basic) == TYPE_BYTE
	           || kind == TYPES_ANY) {
		append_hexadecimal(text, bytes, size);
	} else if (kind == TYPES_LOGICAL || is_bool(basic)) {
		g_string_append(text, unsigned_value(bytes, size) != 0 ? "true" : "false");
	} else if (kind == TYPES_WIDE) {
		append_wide(text, bytes, size);
	} else if (kind == TYPES_UNSIGNED
	           || g_str_has_prefix(types_name(&(struct types){.basic = basic}), "MPI_UINT")) {
		g_string_append_printf(text, "%" G_GUINT64_FORMAT, unsigned_value(bytes, size));
	} else {
		g_string_append_printf(text, "%" G_GINT64_FORMAT, signed_value(bytes, size));
	}
}

/* --- text ------------------------------------------------------------------------------------- */

/* Appends a character, or its escape sequence. Returns the number of bytes that it takes. */
static gsize append_character(GString *text, const char *at, gsize left)
{
	gunichar letter = g_utf8_get_char_validated(at, (gssize)left);

	switch (*at) {
	case '\n': g_string_append(text, "\\n"); return 1;
	case '\t': g_string_append(text, "\\t"); return 1;
	case '\0': g_string_append(text, "\\0"); return 1;
	case '"':
	case '\\': g_string_append_printf(text, "\\%c", *at); return 1;
	default: break;
	}
	if (letter == (gunichar)-1 || letter == (gunichar)-2 || !g_unichar_isprint(letter)) {
		g_string_append_printf(text, "\\%03o", (guint8)*at);
		return 1;
	}
	g_string_append_unichar(text, letter);
	return (gsize)g_unichar_to_utf8(letter, NULL);
}

/* Zeros that fill a buffer after a string are shown as a count. */
static void append_text(GString *text, const guint8 *bytes, gsize count, gsize most)
{
	gsize end = count, at = 0;

	while (end > 0 && bytes[end - 1] == 0)
		end--;
	if (end == count - 1 || (end == 0 && count > 0))
		end++;
	g_string_append_c(text, '"');
	while (at < MIN(end, most))
		at += append_character(text, (const char *)bytes + at, end - at);
	g_string_append_c(text, '"');
	if (at < end)
		g_string_append(text, "...");
	else if (end < count)
		g_string_append_printf(text, " and %" G_GSIZE_FORMAT " \\0", count - end);
}

static void append_bytes(GString *text, const guint8 *bytes, gsize count, gsize most)
{
	gsize shown = MIN(count, most);

	for (gsize i = 0; i < shown; i++)
		g_string_append_printf(text, "%02x ", bytes[i]);
	if (shown < count)
		g_string_append(text, "... ");
	append_text(text, bytes, count, most);
}

/* --- messages --------------------------------------------------------------------------------- */

/* Iterates over the known values of a message. */
struct reading {
	GString *text;
	const guint8 *at;
	gsize left; /* known bytes */
	guint values, values_most, text_most;
	bool cut; /* there is more, which is not shown */
};

/* Whether another value may be shown; else notes that the text is cut. */
static bool may_read(struct reading *reading, gsize size)
{
	if (!reading->cut && reading->left >= size && reading->values < reading->values_most)
		return true;
	reading->cut = true;
	return false;
}

static void advance(struct reading *reading, gsize bytes)
{
	reading->at += bytes;
	reading->left -= bytes;
	reading->values++;
}

static void separate(struct reading *reading, bool first)
{
	if (!first)
		g_string_append(reading->text, ", ");
}

/* Consecutive characters. */
static void read_text(struct reading *reading, guint64 count)
{
	gsize known = (gsize)MIN(count, (guint64)reading->left);

	append_text(reading->text, reading->at, known, reading->text_most);
	if (known < count && !g_str_has_suffix(reading->text->str, "..."))
		g_string_append(reading->text, "...");
	advance(reading, known);
}

static void read_run(struct reading *reading, guint16 basic, guint64 count, bool *first)
{
	gsize size = type_code_size(basic);

	if (is_text(basic) && count > 1) {
		if (!may_read(reading, 1))
			return;
		separate(reading, *first);
		*first = false;
		read_text(reading, count);
		return;
	}
	for (guint64 i = 0; i < count && may_read(reading, size); i++) {
		separate(reading, *first);
		*first = false;
		if (is_text(basic)) {
			g_string_append_c(reading->text, '\'');
			append_character(reading->text, (const char *)reading->at, 1);
			g_string_append_c(reading->text, '\'');
		} else {
			append_value(reading->text, basic, reading->at);
		}
		advance(reading, size);
	}
}

static void close_group(struct reading *reading, bool empty)
{
	if (reading->cut && !g_str_has_suffix(reading->text->str, "..."))
		g_string_append(reading->text, empty ? "..." : ", ...");
	g_string_append_c(reading->text, '}');
}

/* An element of a type with several runs. */
static void read_element(struct reading *reading, const struct wire_run *runs, guint run_count)
{
	bool first = true;

	g_string_append_c(reading->text, '{');
	for (guint i = 0; i < run_count && !reading->cut; i++)
		read_run(reading, runs[i].basic, runs[i].count, &first);
	close_group(reading, first);
}

static void read_elements(struct reading *reading, const struct contents *contents)
{
	guint run_count;
	const struct wire_run *runs = types_element(&contents->types, &run_count);
	guint64 count = types_count(&contents->types);

	if (count == 1) {
		read_element(reading, runs, run_count);
		return;
	}
	g_string_append_c(reading->text, '{');
	for (guint64 i = 0; i < count && may_read(reading, 1); i++) {
		separate(reading, i == 0);
		read_element(reading, runs, run_count);
	}
	if (reading->cut)
		g_string_append(reading->text, ", ...");
	g_string_append_c(reading->text, '}');
}

char *contents_print(const struct contents *contents, guint values_most, guint text_most)
{
	gsize known;
	const guint8 *bytes = g_bytes_get_data(contents->first, &known);
	GString *text = g_string_new(NULL);
	guint16 basic = contents->types.basic;
	struct reading reading = {text, bytes, known, 0, values_most, text_most, false};
	bool first = true;

	if (known == 0)
		return g_string_free(text, false);
	if (contents_are_bytes(contents)) {
		append_bytes(text, bytes, known, text_most / 4);
	} else if (contents->types.runs) {
		read_elements(&reading, contents);
	} else if (is_text(basic)) {
		read_text(&reading, contents->types.bytes);
	} else {
		g_string_append_c(text, '{');
		read_run(&reading, basic, types_count(&contents->types), &first);
		close_group(&reading, first);
	}
	return g_string_free(text, false);
}

/* --- line by line ----------------------------------------------------------------------------- */

static void append_byte_lines(GString *text, const guint8 *bytes, gsize count)
{
	for (gsize i = 0; i < count; i += ROW_BYTES) {
		g_string_append_printf(text, "%6" G_GSIZE_FORMAT ":", i);
		for (gsize k = i; k < i + ROW_BYTES; k++) {
			if (k < count)
				g_string_append_printf(text, " %02x", bytes[k]);
			else
				g_string_append(text, "   ");
		}
		g_string_append(text, "  ");
		for (gsize k = i; k < MIN(count, i + ROW_BYTES); k++)
			g_string_append_c(text, g_ascii_isprint(bytes[k]) ? (char)bytes[k] : '.');
		g_string_append_c(text, '\n');
	}
}

static void append_value_lines(GString *text, guint16 basic, const guint8 *bytes, gsize known)
{
	gsize size = type_code_size(basic), count = known / size;

	for (gsize i = 0; i < count; i++) {
		if (i % ROW_VALUES == 0)
			g_string_append_printf(text, "%s%6" G_GSIZE_FORMAT ":", i > 0 ? "\n" : "",
			                       i);
		g_string_append_c(text, ' ');
		append_value(text, basic, bytes + i * size);
	}
	g_string_append_c(text, '\n');
}

static void append_element_lines(GString *text, const struct contents *contents)
{
	guint run_count;
	const struct wire_run *runs = types_element(&contents->types, &run_count);
	gsize known;
	const guint8 *bytes = g_bytes_get_data(contents->first, &known);
	struct reading reading = {text, bytes, known, 0, G_MAXUINT, G_MAXUINT, false};

	for (guint64 i = 0; i < types_count(&contents->types) && may_read(&reading, 1); i++) {
		g_string_append_printf(text, "%6" G_GUINT64_FORMAT ": ", i);
		read_element(&reading, runs, run_count);
		g_string_append_c(text, '\n');
	}
}

void contents_append_lines(GString *text, const struct contents *contents)
{
	gsize known;
	const guint8 *bytes = g_bytes_get_data(contents->first, &known);

	if (known == 0)
		return;
	if (contents->types.runs)
		append_element_lines(text, contents);
	else if (contents_are_bytes(contents) || is_text(contents->types.basic))
		append_byte_lines(text, bytes, known);
	else
		append_value_lines(text, contents->types.basic, bytes, known);
	if (known < contents->types.bytes)
		g_string_append_printf(text,
		                       "   ... the first %" G_GSIZE_FORMAT " of %" G_GUINT64_FORMAT
		                       " bytes\n",
		                       known, contents->types.bytes);
}

/* --- contents of many messages ---------------------------------------------------------------- */

/* The key must be the first member. */
struct entry {
	struct op_id send;
	struct contents *contents;
};

struct message_contents {
	GHashTable *entries; /* struct entry, by send */
	GQueue *order;       /* struct op_id, as reported */
	gsize bytes;
};

static void entry_free(gpointer data)
{
	struct entry *entry = data;

	contents_unref(entry->contents);
	g_free(entry);
}

struct message_contents *message_contents_new(void)
{
	struct message_contents *all = g_new0(struct message_contents, 1);

	all->entries = g_hash_table_new_full(op_id_key_hash, op_id_key_equal, NULL, entry_free);
	all->order = g_queue_new();
	return all;
}

void message_contents_free(struct message_contents *all)
{
	if (!all)
		return;
	g_queue_free_full(all->order, g_free);
	g_hash_table_destroy(all->entries);
	g_free(all);
}

struct message_contents *message_contents_copy(const struct message_contents *from)
{
	struct message_contents *to = message_contents_new();

	for (const GList *link = from->order->head; link; link = link->next) {
		const struct entry *entry = g_hash_table_lookup(from->entries, link->data);

		message_contents_add(to, entry->send, contents_ref(entry->contents));
	}
	return to;
}

static void forget(struct message_contents *all, const struct op_id *send)
{
	const struct entry *entry = g_hash_table_lookup(all->entries, send);

	all->bytes -= g_bytes_get_size(entry->contents->first);
	g_hash_table_remove(all->entries, send);
}

void message_contents_add(struct message_contents *all, struct op_id send,
                          struct contents *contents)
{
	struct entry *entry = g_new0(struct entry, 1);

	*entry = (struct entry){send, contents};
	if (g_hash_table_contains(all->entries, &send))
		forget(all, &send);
	else
		g_queue_push_tail(all->order, g_memdup2(&send, sizeof(send)));
	g_hash_table_insert(all->entries, &entry->send, entry);
	all->bytes += g_bytes_get_size(contents->first);
	while (all->bytes > KEPT_MOST) {
		g_autofree struct op_id *oldest = g_queue_pop_head(all->order);

		forget(all, oldest);
	}
}

const struct contents *message_contents_find(const struct message_contents *all, struct op_id send)
{
	const struct entry *entry = g_hash_table_lookup(all->entries, &send);

	return entry ? entry->contents : NULL;
}
