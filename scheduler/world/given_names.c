#include "given_names.h"

#include "printable.h"

struct given_name {
	guint64 comm;
	char *text; /* NULL: it has no name any more */
	int giver;  /* the lowest rank that has given a name */
};

struct given_names {
	GHashTable *table; /* struct given_name by its comm */
};

static void given_name_free(gpointer data)
{
	struct given_name *name = data;

	g_free(name->text);
	g_free(name);
}

struct given_names *given_names_new(void)
{
	struct given_names *names = g_new(struct given_names, 1);

	names->table = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, given_name_free);
	return names;
}

void given_names_free(struct given_names *names)
{
	if (!names)
		return;
	g_hash_table_destroy(names->table);
	g_free(names);
}

/* Takes ownership of `text`. */
static void put(struct given_names *names, guint64 comm, char *text, int giver)
{
	struct given_name *name = g_new(struct given_name, 1);

	*name = (struct given_name){comm, text, giver};
	g_hash_table_replace(names->table, &name->comm, name);
}

struct given_names *given_names_copy(const struct given_names *names)
{
	struct given_names *copy = given_names_new();
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, names->table);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct given_name *name = value;

		put(copy, name->comm, g_strdup(name->text), name->giver);
	}
	return copy;
}

void given_names_give(struct given_names *names, int rank, guint64 comm, const char *text)
{
	const struct given_name *name = g_hash_table_lookup(names->table, &comm);

	if (!name || !name->text || rank <= name->giver)
		put(names, comm, *text ? printable(text) : NULL, rank);
}

const char *given_names_find(const struct given_names *names, guint64 comm)
{
	const struct given_name *name = g_hash_table_lookup(names->table, &comm);

	return name ? name->text : NULL;
}
