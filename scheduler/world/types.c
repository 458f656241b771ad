#include "types.h"

#include <string.h>

#define STEPS_MAX 100000u /* runs compared; the rest is assumed to match */
#define RUNS_PRINTED 6u

struct runs {
	guint count;
	guint64 bytes; /* of all runs together */
	struct wire_run run[];
};

/* By the low half of MPICH's handles, whose high byte is the size in bytes. */
static const struct {
	guint16 basic;
	guint8 kind;
	const char *name;
} basics[] = {
	{0x0101, TYPES_CHARACTER, "MPI_CHAR"},
	{0x0118, TYPES_CHARACTER, "MPI_SIGNED_CHAR"},
	{0x0102, TYPES_CHARACTER, "MPI_UNSIGNED_CHAR"},
	{0x010d, TYPES_ANY, "MPI_BYTE"},
	{0x040e, TYPES_WIDE, "MPI_WCHAR"},
	{0x0203, TYPES_SIGNED, "MPI_SHORT"},
	{0x0204, TYPES_UNSIGNED, "MPI_UNSIGNED_SHORT"},
	{0x0405, TYPES_SIGNED, "MPI_INT"},
	{0x0406, TYPES_UNSIGNED, "MPI_UNSIGNED"},
	{0x0807, TYPES_SIGNED, "MPI_LONG"},
	{0x0808, TYPES_UNSIGNED, "MPI_UNSIGNED_LONG"},
	{0x040a, TYPES_FLOAT, "MPI_FLOAT"},
	{0x080b, TYPES_FLOAT, "MPI_DOUBLE"},
	{0x100c, TYPES_FLOAT, "MPI_LONG_DOUBLE"},
	{0x0809, TYPES_SIGNED, "MPI_LONG_LONG"},
	{0x0819, TYPES_UNSIGNED, "MPI_UNSIGNED_LONG_LONG"},
	{0x081e, TYPES_COMPLEX, "MPI_COMPLEX"},
	{0x1022, TYPES_COMPLEX, "MPI_DOUBLE_COMPLEX"},
	{0x041d, TYPES_LOGICAL, "MPI_LOGICAL"},
	{0x041c, TYPES_FLOAT, "MPI_REAL"},
	{0x081f, TYPES_FLOAT, "MPI_DOUBLE_PRECISION"},
	{0x041b, TYPES_SIGNED, "MPI_INTEGER"},
	{0x011a, TYPES_CHARACTER, "MPI_CHARACTER"},
	{0x0427, TYPES_FLOAT, "MPI_REAL4"},
	{0x0829, TYPES_FLOAT, "MPI_REAL8"},
	{0x102b, TYPES_ANY, "MPI_REAL16"}, /* a long double for some compilers, not for others */
	{0x0828, TYPES_COMPLEX, "MPI_COMPLEX8"},
	{0x102a, TYPES_COMPLEX, "MPI_COMPLEX16"},
	{0x202c, TYPES_COMPLEX, "MPI_COMPLEX32"},
	{0x012d, TYPES_CHARACTER, "MPI_INTEGER1"},
	{0x022f, TYPES_SIGNED, "MPI_INTEGER2"},
	{0x0430, TYPES_SIGNED, "MPI_INTEGER4"},
	{0x0831, TYPES_SIGNED, "MPI_INTEGER8"},
	{0x0137, TYPES_CHARACTER, "MPI_INT8_T"},
	{0x0238, TYPES_SIGNED, "MPI_INT16_T"},
	{0x0439, TYPES_SIGNED, "MPI_INT32_T"},
	{0x083a, TYPES_SIGNED, "MPI_INT64_T"},
	{0x013b, TYPES_CHARACTER, "MPI_UINT8_T"},
	{0x023c, TYPES_UNSIGNED, "MPI_UINT16_T"},
	{0x043d, TYPES_UNSIGNED, "MPI_UINT32_T"},
	{0x083e, TYPES_UNSIGNED, "MPI_UINT64_T"},
	{0x013f, TYPES_CHARACTER, "MPI_C_BOOL"},
	{0x0840, TYPES_COMPLEX, "MPI_C_FLOAT_COMPLEX"},
	{0x1041, TYPES_COMPLEX, "MPI_C_DOUBLE_COMPLEX"},
	{0x2042, TYPES_COMPLEX, "MPI_C_LONG_DOUBLE_COMPLEX"},
	{0x0843, TYPES_SIGNED, "MPI_AINT"},
	{0x0844, TYPES_SIGNED, "MPI_OFFSET"},
	{0x0845, TYPES_SIGNED, "MPI_COUNT"},
	{0x0133, TYPES_CHARACTER, "MPI_CXX_BOOL"},
	{0x0834, TYPES_COMPLEX, "MPI_CXX_FLOAT_COMPLEX"},
	{0x1035, TYPES_COMPLEX, "MPI_CXX_DOUBLE_COMPLEX"},
	{0x2036, TYPES_COMPLEX, "MPI_CXX_LONG_DOUBLE_COMPLEX"},
};

static guint64 size_of(guint16 basic)
{
	return basic >> 8;
}

enum types_kind types_kind(guint16 basic)
{
	for (guint i = 0; i < G_N_ELEMENTS(basics); i++) {
		if (basics[i].basic == basic)
			return basics[i].kind;
	}
	return TYPES_ANY;
}

static bool basics_match(guint16 one, guint16 other)
{
	enum types_kind kind = types_kind(one), others = types_kind(other);

	if (one == other || kind == TYPES_ANY || others == TYPES_ANY)
		return true;
	return kind == others && size_of(one) == size_of(other);
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
		if (size_of(runs->run[i].basic) == 0 || runs->run[i].count == 0
		    || !g_uint64_checked_mul(&bytes, size_of(runs->run[i].basic),
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
	else if (size_of(wire->basic) > 0)
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
	cursor->left = runs->run[cursor->run].count * size_of(cursor->basic);
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

static const char *find_name(guint16 basic)
{
	for (guint i = 0; i < G_N_ELEMENTS(basics); i++) {
		if (basics[i].basic == basic)
			return basics[i].name;
	}
	return NULL;
}

static const char *name_of(guint16 basic)
{
	const char *name = find_name(basic);

	return name ? name : "elements of a type without a name";
}

const char *types_name(const struct types *types)
{
	return types->runs ? NULL : find_name(types->basic);
}

const struct wire_run *types_element(const struct types *types, guint *ret_count)
{
	*ret_count = types->runs ? types->runs->count : 0;
	return types->runs ? types->runs->run : NULL;
}

guint64 types_count(const struct types *types)
{
	guint64 size = types->runs ? types->runs->bytes : MAX(size_of(types->basic), 1);

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
