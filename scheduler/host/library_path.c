#define _GNU_SOURCE
#include "library_path.h"

#include <string.h>

#define CACHE_FILE "/etc/ld.so.cache"
#define CACHE_MAGIC "glibc-ld.so.cache1.1"

/* glibc's sysdeps/generic/dl-cache.h: header and entries of the new format. */
enum { HEADER_SIZE = 48, ENTRY_SIZE = 24, ENTRY_KEY = 4, ENTRY_VALUE = 8 };

static guint32 number_at(const char *bytes)
{
	guint32 number;

	memcpy(&number, bytes, sizeof(number));
	return number;
}

static const char *text_at(const char *cache, gsize size, guint32 offset)
{
	return offset < size && memchr(cache + offset, 0, size - offset) ? cache + offset : NULL;
}

static char *find_in_cache(const char *name, bool (*fits)(const char *file))
{
	g_autofree char *contents = NULL;
	const char *cache;
	gsize size = 0;

	if (!g_file_get_contents(CACHE_FILE, &contents, &size, NULL))
		return NULL;
	/* The new format may follow the old one in the same file. */
	cache = memmem(contents, size, CACHE_MAGIC, strlen(CACHE_MAGIC));
	if (!cache)
		return NULL;
	size -= (gsize)(cache - contents);
	if (size < HEADER_SIZE)
		return NULL;
	guint32 count = number_at(cache + strlen(CACHE_MAGIC));
	for (guint32 i = 0; i < count && HEADER_SIZE + (i + 1ul) * ENTRY_SIZE <= size; i++) {
		const char *entry = cache + HEADER_SIZE + (gsize)i * ENTRY_SIZE;
		const char *key = text_at(cache, size, number_at(entry + ENTRY_KEY));
		const char *value = text_at(cache, size, number_at(entry + ENTRY_VALUE));

		if (key && value && strcmp(key, name) == 0 && fits(value))
			return g_strdup(value);
	}
	return NULL;
}

static char *expand_origin(const char *directory, const char *origin)
{
	GString *text = g_string_new(directory);

	g_string_replace(text, "${ORIGIN}", origin, 0);
	g_string_replace(text, "$ORIGIN", origin, 0);
	return g_string_free(text, false);
}

/* `list`: directories separated by colons or semicolons. An empty one is the current directory. */
static char *find_in_list(const char *list, const char *origin, const char *name,
                          bool (*fits)(const char *file))
{
	g_auto(GStrv) directories = list ? g_strsplit_set(list, ":;", -1) : NULL;

	for (guint i = 0; directories && directories[i]; i++) {
		g_autofree char *directory = expand_origin(directories[i], origin);
		g_autofree char *file = g_build_filename(*directory ? directory : ".", name, NULL);

		if (fits(file))
			return g_steal_pointer(&file);
	}
	return NULL;
}

char *library_path_find(const struct library_path *path, const char *name,
                        bool (*fits)(const char *file))
{
	static const char *const usual = "/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu"
					 ":/lib64:/usr/lib64:/lib:/usr/lib";
	char *found = NULL;

	if (strchr(name, '/'))
		return fits(name) ? g_strdup(name) : NULL;
	if (!path->runpath)
		found = find_in_list(path->rpath, path->origin, name, fits);
	if (!found)
		found = find_in_list(g_getenv("LD_LIBRARY_PATH"), path->origin, name, fits);
	if (!found)
		found = find_in_list(path->runpath, path->origin, name, fits);
	if (!found)
		found = find_in_cache(name, fits);
	return found ? found : find_in_list(usual, path->origin, name, fits);
}
