#include "program_access.h"

#include "program.h"
#include "scheduler/places/unseen_units.h"

enum { NAMED_MAX = 3 };

static bool is_of_system(const char *file)
{
	return g_str_has_prefix(file, "/usr/lib") || g_str_has_prefix(file, "/lib");
}

static void look_at_file(const char *file, bool has_hooks, void *user)
{
	struct program_access *access = user;

	if (has_hooks) {
		access->seen = true;
		unseen_units_add(file, access->unseen);
	} else if (!is_of_system(file)) {
		g_ptr_array_add(access->unseen, g_path_get_basename(file));
	}
}

struct program_access *program_access_new(const char *path)
{
	struct program_access *access = g_new0(struct program_access, 1);

	access->unseen = g_ptr_array_new_with_free_func(g_free);
	program_each_file(path, look_at_file, access);
	return access;
}

void program_access_free(struct program_access *access)
{
	g_ptr_array_unref(access->unseen);
	g_free(access);
}

char *program_access_unseen(const struct program_access *access)
{
	GString *text = g_string_new(NULL);
	guint count = access->unseen->len, named = MIN(count, NAMED_MAX);

	for (guint i = 0; i < named; i++)
		g_string_append_printf(text, "%s%s",
		                       i == 0           ? ""
		                       : i + 1 == count ? " and "
		                                        : ", ",
		                       (const char *)access->unseen->pdata[i]);
	if (count > named)
		g_string_append_printf(text, " and %u more", count - named);
	return g_string_free(text, count == 0);
}
