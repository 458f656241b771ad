#include "types.h"

#include "common/mpi_codes.h"

#define STEPS_MAX 100000u /* runs compared; the rest is assumed to match */
#define RUNS_PRINTED 6u

struct runs {
	guint count;
	guint64 bytes; /* of all runs together */
	struct wire_run run[];
};

/* Others are TYPES_ANY. */
static const guint8 kinds[TYPE_NUMBERS] = {
	[TYPE_CHAR] = TYPES_CHARACTER,
	[TYPE_SIGNED_CHAR] = TYPES_CHARACTER,
	[TYPE_UNSIGNED_CHAR] = TYPES_CHARACTER,
	[TYPE_BYTE] = TYPES_ANY,
	[TYPE_WCHAR] = TYPES_WIDE,
	[TYPE_SHORT] = TYPES_SIGNED,
	[TYPE_UNSIGNED_SHORT] = TYPES_UNSIGNED,
	[TYPE_INT] = TYPES_SIGNED,
	[TYPE_UNSIGNED] = TYPES_UNSIGNED,
	[TYPE_LONG] = TYPES_SIGNED,
	[TYPE_UNSIGNED_LONG] = TYPES_UNSIGNED,
	[TYPE_LONG_LONG] = TYPES_SIGNED,
	[TYPE_UNSIGNED_LONG_LONG] = TYPES_UNSIGNED,
	[TYPE_FLOAT] = TYPES_FLOAT,
	[TYPE_DOUBLE] = TYPES_FLOAT,
	[TYPE_LONG_DOUBLE] = TYPES_FLOAT,
	[TYPE_INT8_T] = TYPES_CHARACTER,
	[TYPE_INT16_T] = TYPES_SIGNED,
	[TYPE_INT32_T] = TYPES_SIGNED,
	[TYPE_INT64_T] = TYPES_SIGNED,
	[TYPE_UINT8_T] = TYPES_CHARACTER,
	[TYPE_UINT16_T] = TYPES_UNSIGNED,
	[TYPE_UINT32_T] = TYPES_UNSIGNED,
	[TYPE_UINT64_T] = TYPES_UNSIGNED,
	[TYPE_C_BOOL] = TYPES_CHARACTER,
	[TYPE_C_FLOAT_COMPLEX] = TYPES_COMPLEX,
	[TYPE_C_DOUBLE_COMPLEX] = TYPES_COMPLEX,
	[TYPE_C_LONG_DOUBLE_COMPLEX] = TYPES_COMPLEX,
	[TYPE_AINT] = TYPES_SIGNED,
	[TYPE_OFFSET] = TYPES_SIGNED,
	[TYPE_COUNT] = TYPES_SIGNED,
	[TYPE_CHARACTER] = TYPES_CHARACTER,
	[TYPE_LOGICAL] = TYPES_LOGICAL,
	[TYPE_INTEGER] = TYPES_SIGNED,
	[TYPE_REAL] = TYPES_FLOAT,
	[TYPE_DOUBLE_PRECISION] = TYPES_FLOAT,
	[TYPE_COMPLEX] = TYPES_COMPLEX,
	[TYPE_DOUBLE_COMPLEX] = TYPES_COMPLEX,
	[TYPE_INTEGER1] = TYPES_CHARACTER,
	[TYPE_INTEGER2] = TYPES_SIGNED,
	[TYPE_INTEGER4] = TYPES_SIGNED,
	[TYPE_INTEGER8] = TYPES_SIGNED,
	[TYPE_INTEGER16] = TYPES_SIGNED,
	[TYPE_REAL2] = TYPES_FLOAT,
	[TYPE_REAL4] = TYPES_FLOAT,
	[TYPE_REAL8] = TYPES_FLOAT,
	[TYPE_REAL16] = TYPES_ANY, /* a long double for some compilers, not for others */
	[TYPE_COMPLEX4] = TYPES_COMPLEX,
	[TYPE_COMPLEX8] = TYPES_COMPLEX,
	[TYPE_COMPLEX16] = TYPES_COMPLEX,
	[TYPE_COMPLEX32] = TYPES_COMPLEX,
	[TYPE_CXX_BOOL] = TYPES_CHARACTER,
	[TYPE_CXX_FLOAT_COMPLEX] = TYPES_COMPLEX,
	[TYPE_CXX_DOUBLE_COMPLEX] = TYPES_COMPLEX,
	[TYPE_CXX_LONG_DOUBLE_COMPLEX] = TYPES_COMPLEX,
};

enum types_kind types_kind(guint16 basic)
{
	const guint number = type_code_number(basic);

	return number < TYPE_NUMBERS ? kinds[number] : TYPES_ANY;
}

static bool basics_match(guint16 one, guint16 other)
{
	enum types_kind kind = types_kind(one), others = types_kind(other);

	if (one == other || kind == TYPES_ANY || others == TYPES_ANY)
		return true;
	return kind == others && type_code_size(one) == type_code_size(other);
}

/* --- what ranks report ------------------------------------------------------------------------ */

static guint runs_hash(gconstpointer pointer)
{
	const struct runs *runs = pointer;
	guint hash = runs->count;

	for (guint i = 0; i < runs->count; i++)
		hash = hash * 31 + runs->run[i].basic + (guint)runs->run[i].count * 17;
	return hash;
}

static gboolean runs_equal(gconstpointer a, gconstpointer b)
{
	const struct runs *one = a, *other = b;

	if (one->count != other->count)
		return false;
	for (guint i = 0; i < one->count; i++) {
		if (one->run[i].basic != other->run[i].basic
		    || one->run[i].count != other->run[i].count)
			return false;
	}
	return true;
}

static const struct runs *keep_runs(const struct wire_types *types)
{
	static GHashTable *all;
	struct runs *runs = g_malloc0(sizeof(*runs) + types->run_count * sizeof(runs->run[0]));
	const struct runs *known;

	if (!all)
		all = g_hash_table_new(runs_hash, runs_equal);
	runs->count = types->run_count;
	for (guint i = 0; i < runs->count; i++) {
		guint64 bytes;

		runs->run[i] = types->runs[i];
		if (type_code_size(runs->run[i].basic) == 0 || runs->run[i].count == 0
		    || !g_uint64_checked_mul(&bytes, type_code_size(runs->run[i].basic),
		                             runs->run[i].count)
		    || !g_uint64_checked_add(&runs->bytes, runs->bytes, bytes)) {
			g_free(runs);
			return NULL;
		}
	}
	known = g_hash_table_lookup(all, runs);
	if (known)
		g_free(runs);
	else
		g_hash_table_add(all, runs);
	return known ? known : runs;
}

struct types types_of_runs(const struct wire_types *wire, guint64 bytes)
{
	struct types types = {.bytes = bytes};

	if (wire->run_count > 0)
		types.runs = keep_runs(wire);
	else if (type_code_size(wire->basic) > 0)
		types.basic = wire->basic;
	return types;
}

struct types types_of(const struct wire_op *op)
{
	return types_of_runs(&op->types, op->bytes);
}

/* --- comparing -------------------------------------------------------------------------------- */

/* A position in the data. */
struct cursor {
	const struct types *types;
	guint run;
	guint64 left;  /* bytes of the run that are left */
	guint16 basic; /* type of the run */
};

static void begin_run(struct cursor *cursor)
{
	const struct runs *runs = cursor->types->runs;

	if (!runs) {
		cursor->basic = cursor->types->basic;
		cursor->left = cursor->types->bytes;
		return;
	}
	cursor->basic = runs->run[cursor->run].basic;
	cursor->left = runs->run[cursor->run].count * type_code_size(cursor->basic);
}

static void cursor_advance(struct cursor *cursor, guint64 bytes)
{
	cursor->left -= bytes;
	if (cursor->left > 0 || !cursor->types->runs)
		return;
	cursor->run = (cursor->run + 1) % cursor->types->runs->count;
	begin_run(cursor);
}

bool types_match(const struct types *sent, const struct types *received)
{
	struct cursor one = {.types = sent}, other = {.types = received};
	guint64 left = MIN(sent->bytes, received->bytes);

	if ((!sent->basic && !sent->runs) || (!received->basic && !received->runs))
		return true;
	if (sent->basic == received->basic && sent->runs == received->runs)
		return true;
	begin_run(&one);
	begin_run(&other);
	for (guint step = 0; left > 0 && step < STEPS_MAX; step++) {
		guint64 bytes = MIN(left, MIN(one.left, other.left));

		if (!basics_match(one.basic, other.basic))
			return false;
		left -= bytes;
		cursor_advance(&one, bytes);
		cursor_advance(&other, bytes);
	}
	return true;
}

/* --- texts ------------------------------------------------------------------------------------ */

static const char *name_of(guint16 basic)
{
	const char *name = type_code_name(basic);

	return name ? name : "elements of a type without a name";
}

const char *types_name(const struct types *types)
{
	return types->runs ? NULL : type_code_name(types->basic);
}

const struct wire_run *types_element(const struct types *types, guint *ret_count)
{
	*ret_count = types->runs ? types->runs->count : 0;
	return types->runs ? types->runs->run : NULL;
}

guint64 types_count(const struct types *types)
{
	guint64 size = types->runs ? types->runs->bytes : MAX(type_code_size(types->basic), 1);

	return types->bytes / size;
}

char *types_print_names(const struct types *types)
{
	GString *text;

	if (!types->runs)
		return g_strdup(types->basic ? name_of(types->basic) : "bytes");
	text = g_string_new(NULL);
	for (guint i = 0; i < MIN(types->runs->count, RUNS_PRINTED); i++)
		g_string_append_printf(text, "%s%" G_GUINT64_FORMAT " %s", i > 0 ? ", " : "",
		                       types->runs->run[i].count,
		                       name_of(types->runs->run[i].basic));
	if (types->runs->count > RUNS_PRINTED)
		g_string_append(text, ", ...");
	g_string_prepend_c(text, '{');
	g_string_append_c(text, '}');
	return g_string_free(text, false);
}

char *types_print(const struct types *types)
{
	g_autofree char *names = types_print_names(types);

	return g_strdup_printf("%" G_GUINT64_FORMAT " %s", types_count(types), names);
}
