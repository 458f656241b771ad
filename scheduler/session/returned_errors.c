#include "returned_errors.h"

#include <string.h>

#include "explorer/rank_name.h"
#include "scheduler/store/record.h"

#define PLACES_SHOWN 5u
#define SAVED "a(sst)" /* a place, the first error there, interleavings */

struct error {
	char *place;
	char *text;    /* the first there: "Message truncated (rank 1" */
	guint64 count; /* interleavings */
};

struct returned_errors {
	GPtrArray *all;
	GHashTable *by_place; /* borrowed from `all` */
};

static void error_free(gpointer pointer)
{
	struct error *error = pointer;

	g_free(error->place);
	g_free(error->text);
	g_free(error);
}

struct returned_errors *returned_errors_new(void)
{
	struct returned_errors *errors = g_new0(struct returned_errors, 1);

	errors->all = g_ptr_array_new_with_free_func(error_free);
	errors->by_place = g_hash_table_new(g_str_hash, g_str_equal);
	return errors;
}

void returned_errors_free(struct returned_errors *errors)
{
	g_hash_table_destroy(errors->by_place);
	g_ptr_array_unref(errors->all);
	g_free(errors);
}

static struct error *error_at(struct returned_errors *errors, const char *place)
{
	struct error *error = g_hash_table_lookup(errors->by_place, place);

	if (error)
		return error;
	error = g_new0(struct error, 1);
	error->place = g_strdup(place);
	g_ptr_array_add(errors->all, error);
	g_hash_table_insert(errors->by_place, error->place, error);
	return error;
}

/* The remark has the error behind a colon (execution/execution_messages.c). */
static char *first_words(const struct record_finding *finding)
{
	const struct record_rank *line = finding->ranks->pdata[0];
	const char *colon = strstr(line->does, ": ");

	if (finding->ranks->len > 1)
		return g_strdup_printf("%s (%u ranks", colon ? colon + 2 : line->does,
		                       finding->ranks->len);
	return g_strdup_printf("%s (rank %s", colon ? colon + 2 : line->does,
	                       rank_name(line->rank));
}

void returned_errors_add(struct returned_errors *errors, const GPtrArray *findings)
{
	g_autoptr(GHashTable) met = g_hash_table_new(NULL, NULL);

	for (guint i = 0; i < findings->len; i++) {
		const struct record_finding *finding = findings->pdata[i];
		const struct record_rank *line = finding->ranks->pdata[0];
		g_autofree char *at = place_print(&line->place);
		g_autofree char *place = g_strdup_printf("%s at %s", line->function, at);
		struct error *error = error_at(errors, place);

		if (!error->text)
			error->text = first_words(finding);
		if (g_hash_table_add(met, error))
			error->count++;
	}
}

void returned_errors_save(const struct returned_errors *errors, GVariantDict *state)
{
	GVariantBuilder all;

	if (errors->all->len == 0)
		return;
	g_variant_builder_init(&all, G_VARIANT_TYPE(SAVED));
	for (guint i = 0; i < errors->all->len; i++) {
		const struct error *error = errors->all->pdata[i];
		g_autofree char *place = g_utf8_make_valid(error->place, -1);
		g_autofree char *words = g_utf8_make_valid(error->text, -1);

		g_variant_builder_add(&all, "(sst)", place, words, error->count);
	}
	g_variant_dict_insert_value(state, "errors-returned", g_variant_builder_end(&all));
}

void returned_errors_restore(struct returned_errors *errors, GVariantDict *state)
{
	g_autoptr(GVariant) saved = g_variant_dict_lookup_value(state, "errors-returned",
	                                                        G_VARIANT_TYPE(SAVED));
	const char *place, *words;
	GVariantIter all;
	guint64 count;

	if (!saved)
		return;
	g_variant_iter_init(&all, saved);
	while (g_variant_iter_next(&all, "(&s&st)", &place, &words, &count)) {
		struct error *error = error_at(errors, place);

		if (!error->text)
			error->text = g_strdup(words);
		error->count += count;
	}
}

static gint by_place(gconstpointer left, gconstpointer right)
{
	return strcmp((*(struct error *const *)left)->place,
	              (*(struct error *const *)right)->place);
}

char *returned_errors_words(const struct returned_errors *errors)
{
	g_autoptr(GString)
		text = g_string_new("whether the program heeds errors that MPI returned: ");

	if (errors->all->len == 0)
		return NULL;
	g_ptr_array_sort(errors->all, by_place);
	for (guint i = 0; i < MIN(errors->all->len, PLACES_SHOWN); i++) {
		const struct error *error = errors->all->pdata[i];

		g_string_append_printf(text, "%s%s: %s, %" G_GUINT64_FORMAT " interleaving%s)",
		                       i > 0 ? "; " : "", error->place, error->text, error->count,
		                       error->count == 1 ? "" : "s");
	}
	if (errors->all->len > PLACES_SHOWN)
		g_string_append_printf(text, "; and at %u more places",
		                       errors->all->len - PLACES_SHOWN);
	return g_string_free(g_steal_pointer(&text), false);
}
