#include "trail.h"

static void free_next(gpointer trail)
{
	trail_free(trail);
}

static struct trail *trail_new(enum trail_kind kind)
{
	struct trail *trail = g_new0(struct trail, 1);

	trail->kind = kind;
	trail->next = g_ptr_array_new_with_free_func(free_next);
	return trail;
}

void trail_free(struct trail *trail)
{
	if (!trail)
		return;
	g_ptr_array_unref(trail->next);
	g_free(trail);
}

const struct trail *trail_after(const struct trail *trail, const struct choice *choice)
{
	for (guint i = 0; trail && i < trail->next->len; i++) {
		const struct trail *next = trail->next->pdata[i];

		if (choice_equal(&next->choice, choice))
			return next;
	}
	return NULL;
}

bool trail_waits(const struct trail *trail)
{
	bool waits = trail->kind == TRAIL_WAITING;

	for (guint i = 0; !waits && i < trail->next->len; i++)
		waits = trail_waits(trail->next->pdata[i]);
	return waits;
}

/* --- read ------------------------------------------------------------------------------------- */

static bool read_choice(GVariant *bytes, struct choice *ret)
{
	struct choice_bytes read = {0};
	gsize size;

	read.data = g_variant_get_fixed_array(bytes, &size, 1);
	read.left = size;
	return point_take(&read, &ret->point) && taken_take(&read, &ret->taken) && read.left == 0;
}

/* The way that the nth (from 1) continues is one of those before it. */
static bool read_one(GPtrArray *all, guint32 before, guint32 kind, GVariant *bytes)
{
	struct choice choice;
	struct trail *trail;

	if (before >= all->len || kind >= TRAIL_KINDS || !read_choice(bytes, &choice))
		return false;
	trail = trail_new((enum trail_kind)kind);
	trail->choice = choice;
	g_ptr_array_add(((struct trail *)all->pdata[before])->next, trail);
	g_ptr_array_add(all, trail);
	return true;
}

struct trail *trail_load(GVariant *saved)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new();
	struct trail *beginning = trail_new(TRAIL_VISITED);
	GVariantIter iter;
	guint32 before, kind;
	GVariant *bytes;
	bool good = true;

	g_ptr_array_add(all, beginning);
	g_variant_iter_init(&iter, saved);
	while (good && g_variant_iter_next(&iter, "(uu@ay)", &before, &kind, &bytes)) {
		good = read_one(all, before, kind, bytes);
		g_variant_unref(bytes);
	}
	if (good)
		return beginning;
	trail_free(beginning);
	return NULL;
}

/* --- written ---------------------------------------------------------------------------------- */

struct trail_writer {
	GHashTable *numbers; /* of struct way: which it is, from 1 */
	guint32 count;
	GVariantBuilder builder;
};

struct trail_writer *trail_writer_new(void)
{
	struct trail_writer *writer = g_new0(struct trail_writer, 1);

	writer->numbers = g_hash_table_new(NULL, NULL);
	g_variant_builder_init(&writer->builder, G_VARIANT_TYPE(TRAIL_TYPE));
	return writer;
}

static guint32 write_one(struct trail_writer *writer, guint32 before, enum trail_kind kind,
                         const struct choice *choice)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();

	point_put(bytes, &choice->point);
	taken_put(bytes, &choice->taken);
	g_variant_builder_add(
		&writer->builder, "(uu@ay)", before, (guint32)kind,
		g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, bytes->data, bytes->len, 1));
	return ++writer->count;
}

static guint32 number_of(const struct trail_writer *writer, const struct way *way)
{
	return way ? GPOINTER_TO_UINT(g_hash_table_lookup(writer->numbers, way)) : 0;
}

static guint32 write_way(struct trail_writer *writer, struct way *way)
{
	g_autoptr(GPtrArray) missing = g_ptr_array_new();
	guint32 number;

	for (; way && !number_of(writer, way); way = way->before)
		g_ptr_array_add(missing, way);
	number = number_of(writer, way);
	for (guint i = missing->len; i-- > 0;) {
		struct way *next = missing->pdata[i];

		number = write_one(writer, number, TRAIL_VISITED, &next->choice);
		g_hash_table_insert(writer->numbers, next, GUINT_TO_POINTER(number));
	}
	return number;
}

void trail_write_visited(struct trail_writer *writer, struct way *way)
{
	write_way(writer, way);
}

static void write_next(struct trail_writer *writer, guint32 before, const struct trail *trail)
{
	for (guint i = 0; i < trail->next->len; i++) {
		const struct trail *next = trail->next->pdata[i];

		write_next(writer, write_one(writer, before, next->kind, &next->choice), next);
	}
}

void trail_write_waiting(struct trail_writer *writer, struct way *way, const struct choice *choice,
                         const struct trail *trail)
{
	guint32 before = write_way(writer, way);
	guint32 number = write_one(writer, before, trail ? trail->kind : TRAIL_WAITING, choice);

	if (trail)
		write_next(writer, number, trail);
}

void trail_write_all(struct trail_writer *writer, const struct trail *trail)
{
	write_next(writer, 0, trail);
}

GVariant *trail_writer_end(struct trail_writer *writer)
{
	GVariant *saved = g_variant_builder_end(&writer->builder);

	g_hash_table_destroy(writer->numbers);
	g_free(writer);
	return saved;
}
