#include "saved_states.h"

static void free_next(gpointer saved)
{
	saved_states_free(saved);
}

static struct saved_state *saved_states_new(enum saved_state_kind kind)
{
	struct saved_state *saved = g_new0(struct saved_state, 1);

	saved->kind = kind;
	saved->next = g_ptr_array_new_with_free_func(free_next);
	return saved;
}

void saved_states_free(struct saved_state *saved)
{
	if (!saved)
		return;
	g_ptr_array_unref(saved->next);
	g_free(saved);
}

const struct saved_state *saved_states_after(const struct saved_state *saved,
                                             const struct choice *choice)
{
	for (guint i = 0; saved && i < saved->next->len; i++) {
		const struct saved_state *next = saved->next->pdata[i];

		if (choice_equal(&next->choice, choice))
			return next;
	}
	return NULL;
}

bool saved_states_waits(const struct saved_state *saved)
{
	bool waits = saved->kind == SAVED_STATES_WAITING;

	for (guint i = 0; !waits && i < saved->next->len; i++)
		waits = saved_states_waits(saved->next->pdata[i]);
	return waits;
}

/* --- loading ---------------------------------------------------------------------------------- */

static bool read_choice(GVariant *bytes, struct choice *ret)
{
	struct choice_bytes read = {0};
	gsize size;

	read.data = g_variant_get_fixed_array(bytes, &size, 1);
	read.left = size;
	return point_take(&read, &ret->point) && taken_take(&read, &ret->taken) && read.left == 0;
}

/* `before` is the number (from 1) of the list that this one continues; it must precede it. */
static bool read_one(GPtrArray *all, guint32 before, guint32 kind, GVariant *bytes)
{
	struct choice choice;
	struct saved_state *saved;

	if (before >= all->len || kind >= SAVED_STATES_KINDS || !read_choice(bytes, &choice))
		return false;
	saved = saved_states_new((enum saved_state_kind)kind);
	saved->choice = choice;
	g_ptr_array_add(((struct saved_state *)all->pdata[before])->next, saved);
	g_ptr_array_add(all, saved);
	return true;
}

struct saved_state *saved_states_load(GVariant *saved)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new();
	struct saved_state *beginning = saved_states_new(SAVED_STATES_VISITED);
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
	saved_states_free(beginning);
	return NULL;
}

/* --- saving ----------------------------------------------------------------------------------- */

struct saved_states_writer {
	GHashTable *numbers; /* struct choice_list: its number, from 1 */
	guint32 count;
	GVariantBuilder builder;
};

struct saved_states_writer *saved_states_writer_new(void)
{
	struct saved_states_writer *writer = g_new0(struct saved_states_writer, 1);

	writer->numbers = g_hash_table_new(NULL, NULL);
	g_variant_builder_init(&writer->builder, G_VARIANT_TYPE(SAVED_STATES_TYPE));
	return writer;
}

static guint32 write_one(struct saved_states_writer *writer, guint32 before,
                         enum saved_state_kind kind, const struct choice *choice)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();

	point_put(bytes, &choice->point);
	taken_put(bytes, &choice->taken);
	g_variant_builder_add(
		&writer->builder, "(uu@ay)", before, (guint32)kind,
		g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, bytes->data, bytes->len, 1));
	return ++writer->count;
}

static guint32 number_of(const struct saved_states_writer *writer, const struct choice_list *list)
{
	return list ? GPOINTER_TO_UINT(g_hash_table_lookup(writer->numbers, list)) : 0;
}

static guint32 write_way(struct saved_states_writer *writer, struct choice_list *list)
{
	g_autoptr(GPtrArray) missing = g_ptr_array_new();
	guint32 number;

	for (; list && !number_of(writer, list); list = list->before)
		g_ptr_array_add(missing, list);
	number = number_of(writer, list);
	for (guint i = missing->len; i-- > 0;) {
		struct choice_list *next = missing->pdata[i];

		number = write_one(writer, number, SAVED_STATES_VISITED, &next->choice);
		g_hash_table_insert(writer->numbers, next, GUINT_TO_POINTER(number));
	}
	return number;
}

void saved_states_write_visited(struct saved_states_writer *writer, struct choice_list *list)
{
	write_way(writer, list);
}

static void write_next(struct saved_states_writer *writer, guint32 before,
                       const struct saved_state *saved)
{
	for (guint i = 0; i < saved->next->len; i++) {
		const struct saved_state *next = saved->next->pdata[i];

		write_next(writer, write_one(writer, before, next->kind, &next->choice), next);
	}
}

void saved_states_write_waiting(struct saved_states_writer *writer, struct choice_list *list,
                                const struct choice *choice, const struct saved_state *saved)
{
	guint32 before = write_way(writer, list);
	guint32 number = write_one(writer, before, saved ? saved->kind : SAVED_STATES_WAITING,
	                           choice);

	if (saved)
		write_next(writer, number, saved);
}

void saved_states_write_all(struct saved_states_writer *writer, const struct saved_state *saved)
{
	write_next(writer, 0, saved);
}

GVariant *saved_states_writer_end(struct saved_states_writer *writer)
{
	GVariant *saved = g_variant_builder_end(&writer->builder);

	g_hash_table_destroy(writer->numbers);
	g_free(writer);
	return saved;
}
