#include "compared_files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_MOST ((guint64)64 << 20)   /* bytes of a file that is not named */
#define FILES_MOST ((guint64)256 << 20) /* bytes of all these together */
#define NAMES_SHOWN 3u

struct file {
	char *path;        /* absolute; of a named file as it was named */
	char *name;        /* as it is shown */
	bool large;        /* too large to be compared */
	bool written;      /* by some interleaving; for named files */
	struct stat first; /* of a named file, before the program began; all 0: it did not exist */
};

struct compared_files {
	bool all;
	guint outputs;
	char *directory; /* the current one, without symbolic links */
	GPtrArray *files;
	GPtrArray *names;  /* of `files`, borrowed; NULL at the end */
	GHashTable *known; /* paths of `files`, borrowed */
	guint unwritten;   /* named files that no interleaving has written so far */
	GPtrArray *others; /* names of files that were written while some were unwritten */
};

static void file_free(gpointer pointer)
{
	struct file *file = pointer;

	g_free(file->path);
	g_free(file->name);
	g_free(file);
}

/* Takes ownership of both strings. */
static struct file *add_file(struct compared_files *files, char *path, char *name)
{
	struct file *file = g_new0(struct file, 1);

	file->path = path;
	file->name = name;
	g_ptr_array_add(files->files, file);
	files->names->pdata[files->names->len - 1] = name;
	g_ptr_array_add(files->names, NULL);
	g_hash_table_add(files->known, path);
	return file;
}

struct compared_files *compared_files_new(char *const *named, bool all, guint outputs)
{
	struct compared_files *files = g_new0(struct compared_files, 1);

	files->all = all;
	files->outputs = outputs;
	files->directory = realpath(".", NULL);
	files->files = g_ptr_array_new_with_free_func(file_free);
	files->names = g_ptr_array_new();
	g_ptr_array_add(files->names, NULL);
	files->known = g_hash_table_new(g_str_hash, g_str_equal);
	files->others = g_ptr_array_new_with_free_func(g_free);
	for (; named && *named; named++) {
		struct file *file = add_file(files, g_strdup(*named), g_strdup(*named));

		if (stat(file->path, &file->first) != 0)
			memset(&file->first, 0, sizeof(file->first));
		files->unwritten++;
	}
	return files;
}

void compared_files_free(struct compared_files *files)
{
	if (!files)
		return;
	g_hash_table_destroy(files->known);
	g_ptr_array_unref(files->names);
	g_ptr_array_unref(files->others);
	g_ptr_array_unref(files->files);
	free(files->directory);
	g_free(files);
}

/* --- named files ------------------------------------------------------------------------------ */

static bool is_as_at_first(const struct file *file)
{
	const struct stat *first = &file->first;
	struct stat now;

	if (stat(file->path, &now) != 0)
		return first->st_nlink == 0;
	return now.st_ino == first->st_ino && now.st_dev == first->st_dev
	       && now.st_size == first->st_size && now.st_mtim.tv_sec == first->st_mtim.tv_sec
	       && now.st_mtim.tv_nsec == first->st_mtim.tv_nsec;
}

static bool is_among(const GPtrArray *paths, const char *path)
{
	return paths
	       && g_ptr_array_find_with_equal_func((GPtrArray *)paths, path, g_str_equal, NULL);
}

static char *shown_name(const struct compared_files *files, const char *path)
{
	gsize length = files->directory ? strlen(files->directory) : 0;

	if (length > 0 && !strncmp(path, files->directory, length) && path[length] == '/')
		return g_strdup(path + length + 1);
	return g_strdup(path);
}

static void note_others(struct compared_files *files, const GPtrArray *changed)
{
	for (guint i = 0; changed && i < changed->len && files->others->len < NAMES_SHOWN; i++) {
		g_autofree char *name = shown_name(files, changed->pdata[i]);
		struct stat now;

		if (lstat(changed->pdata[i], &now) == 0 && S_ISREG(now.st_mode)
		    && !is_among(files->others, name))
			g_ptr_array_add(files->others, g_steal_pointer(&name));
	}
}

static void look_for_named(struct compared_files *files, const GPtrArray *changed)
{
	for (guint i = 0; files->unwritten > 0 && i < files->files->len; i++) {
		struct file *file = files->files->pdata[i];
		char *path = file->written ? NULL : realpath(file->path, NULL);

		if (!file->written
		    && ((path && is_among(changed, path)) || !is_as_at_first(file))) {
			file->written = true;
			files->unwritten--;
		}
		free(path);
	}
	if (files->unwritten > 0)
		note_others(files, changed);
}

static GBytes *contents_of_named(const struct file *file)
{
	char *contents;
	gsize size;

	return g_file_get_contents(file->path, &contents, &size, NULL)
	               ? g_bytes_new_take(contents, size)
	               : NULL;
}

/* --- files that the program changes ----------------------------------------------------------- */

/* Counts of what was executed, which a compiler's instrumentation writes. They differ between any
 * two interleavings, and are no result. */
static bool is_profile(const char *path)
{
	return g_str_has_suffix(path, ".gcda") || g_str_has_suffix(path, ".profraw");
}

static void find_new(struct compared_files *files, const struct journal *journal,
                     const GPtrArray *changed, struct outcomes *outcomes)
{
	for (guint i = 0; i < changed->len; i++) {
		const char *path = changed->pdata[i];
		struct stat now;
		GBytes *first;

		if (g_hash_table_contains(files->known, path) || is_profile(path))
			continue;
		first = journal_contents_first(journal, path, FILE_MOST);
		/* A temporary file that was deleted does not count. */
		if (first || lstat(path, &now) == 0) {
			add_file(files, g_strdup(path), shown_name(files, path));
			outcomes_add_text(outcomes, first);
		}
		if (first)
			g_bytes_unref(first);
	}
}

static GBytes *contents_of(struct compared_files *files, struct file *file, guint index,
                           guint64 *room, struct outcomes *outcomes)
{
	struct stat now;
	guint64 size;

	if (!file->large && lstat(file->path, &now) == 0 && S_ISREG(now.st_mode)) {
		size = (guint64)now.st_size;
		if (size > FILE_MOST || size > *room) {
			file->large = true;
			outcomes_leave_text(outcomes, files->outputs + index);
		} else {
			*room -= size;
		}
	}
	return file->large ? NULL : journal_contents_now(file->path, FILE_MOST);
}

void compared_files_add(struct compared_files *files, const struct journal *journal,
                        struct outcomes *outcomes, GPtrArray *texts)
{
	g_autoptr(GPtrArray) changed = journal && (files->all || files->unwritten > 0)
	                                       ? journal_changed(journal)
	                                       : NULL;
	guint64 room = FILES_MOST;

	look_for_named(files, changed);
	if (files->all && changed)
		find_new(files, journal, changed, outcomes);
	for (guint i = 0; i < files->files->len; i++) {
		struct file *file = files->files->pdata[i];

		g_ptr_array_add(texts, files->all ? contents_of(files, file, i, &room, outcomes)
		                                  : contents_of_named(file));
	}
}

/* --- results ---------------------------------------------------------------------------------- */

char *const *compared_files_names(const struct compared_files *files)
{
	return (char *const *)files->names->pdata;
}

bool compared_files_any(const struct compared_files *files)
{
	return files->files->len > 0;
}

char *compared_files_large(const struct compared_files *files)
{
	GString *text = g_string_new(NULL);
	guint count = 0;

	for (guint i = 0; i < files->files->len; i++) {
		const struct file *file = files->files->pdata[i];

		if (file->large && count++ < NAMES_SHOWN)
			g_string_append_printf(text, "%s%s", count > 1 ? ", " : "", file->name);
	}
	if (count > NAMES_SHOWN)
		g_string_append_printf(text, " and %u more", count - NAMES_SHOWN);
	return g_string_free(text, count == 0);
}

char *compared_files_problem(const struct compared_files *files)
{
	const struct file *file = NULL;
	g_autoptr(GString) others = g_string_new(NULL);

	for (guint i = 0; files->unwritten > 0 && i < files->files->len; i++) {
		file = files->files->pdata[i];
		if (!file->written)
			break;
	}
	if (!file)
		return NULL;
	for (guint i = 0; i < files->others->len; i++)
		g_string_append_printf(others, "%s%s", i > 0 ? ", " : "",
		                       (const char *)files->others->pdata[i]);
	return g_strdup_printf("--compare %s: no rank wrote this file; is the name right? "
	                       "%s%s",
	                       file->name, others->len > 0 ? "ranks wrote " : "ranks wrote no file",
	                       others->str);
}

/* --- for a session that is resumed ------------------------------------------------------------ */

GVariant *compared_files_save(const struct compared_files *files)
{
	GVariantBuilder all;

	g_variant_builder_init(&all, G_VARIANT_TYPE(COMPARED_FILES_SAVED));
	for (guint i = 0; i < files->files->len; i++) {
		const struct file *file = files->files->pdata[i];

		/* A path need not be UTF-8. */
		g_autofree char *path = g_uri_escape_string(file->path, "/", false);

		g_variant_builder_add(&all, "(sb)", path, file->large);
	}
	return g_variant_builder_end(&all);
}

void compared_files_restore(struct compared_files *files, GVariant *saved)
{
	GVariantIter all;
	gboolean large; /* (GVariant) */
	char *escaped;

	g_variant_iter_init(&all, saved);
	while (g_variant_iter_next(&all, "(sb)", &escaped, &large)) {
		char *path = g_uri_unescape_string(escaped, NULL);

		if (path)
			add_file(files, path, shown_name(files, path))->large = large;
		g_free(escaped);
	}
}
