#include "compared_files.h"

#include <string.h>

#include "name_pattern.h"
#include "program_files.h"

#define FILE_MOST ((guint64)64 << 20)   /* bytes of a file that is not named */
#define FILES_MOST ((guint64)256 << 20) /* bytes of all these together */
#define NAMES_SHOWN 3u

#define NO_PATTERN G_MAXUINT

struct file {
	char *path;    /* absolute; of a named file as it was named */
	char *name;    /* as it is shown */
	bool large;    /* too large to be compared */
	bool written;  /* by some interleaving; for named files */
	guint pattern; /* one of the files whose names are like this; NO_PATTERN: of this name */
	bool united;   /* its name varies: it is counted with a pattern's */
	struct host_file first; /* what a named file was before the program began; without `real` */
};

struct compared_files {
	struct host *host;
	bool all;
	guint outputs;
	char *directory; /* the current one, without symbolic links */
	GPtrArray *files;
	GPtrArray *names;  /* of `files`, borrowed; NULL at the end */
	GHashTable *known; /* paths of `files`, borrowed */
	GArray *patterns;  /* struct name_pattern */
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
	file->pattern = NO_PATTERN;
	g_ptr_array_add(files->files, file);
	files->names->pdata[files->names->len - 1] = name;
	g_ptr_array_add(files->names, NULL);
	g_hash_table_add(files->known, path);
	return file;
}

struct compared_files *compared_files_new(struct host *host, char *const *named, bool all,
                                          guint outputs)
{
	struct compared_files *files = g_new0(struct compared_files, 1);

	files->host = host;
	files->all = all;
	files->outputs = outputs;
	files->directory = program_file_look(host, ".").real;
	files->files = g_ptr_array_new_with_free_func(file_free);
	files->names = g_ptr_array_new();
	g_ptr_array_add(files->names, NULL);
	files->known = g_hash_table_new(g_str_hash, g_str_equal);
	files->patterns = g_array_new(false, false, sizeof(struct name_pattern));
	files->others = g_ptr_array_new_with_free_func(g_free);
	for (; named && *named; named++) {
		struct file *file = add_file(files, g_strdup(*named), g_strdup(*named));

		file->first = program_file_look(host, file->path);
		g_clear_pointer(&file->first.real, g_free);
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
	for (guint i = 0; i < files->patterns->len; i++)
		name_pattern_clear(&g_array_index(files->patterns, struct name_pattern, i));
	g_array_unref(files->patterns);
	g_ptr_array_unref(files->files);
	g_free(files->directory);
	g_free(files);
}

/* --- named files ------------------------------------------------------------------------------ */

static bool is_as_at_first(const struct file *file, const struct host_file *now)
{
	const struct host_file *first = &file->first;

	return now->inode == first->inode && now->device == first->device
	       && now->size == first->size && now->modified_s == first->modified_s
	       && now->modified_ns == first->modified_ns;
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
		struct host_file now = program_file_look(files->host, changed->pdata[i]);

		if (now.is_regular && !now.is_link && !is_among(files->others, name))
			g_ptr_array_add(files->others, g_steal_pointer(&name));
		g_free(now.real);
	}
}

static void look_for_named(struct compared_files *files, const GPtrArray *changed)
{
	for (guint i = 0; files->unwritten > 0 && i < files->files->len; i++) {
		struct file *file = files->files->pdata[i];
		struct host_file now;

		if (file->written)
			continue;
		now = program_file_look(files->host, file->path);
		if ((now.real && is_among(changed, now.real)) || !is_as_at_first(file, &now)) {
			file->written = true;
			files->unwritten--;
		}
		g_free(now.real);
	}
	if (files->unwritten > 0)
		note_others(files, changed);
}

/* What it leads to; NULL: no file. */
static GBytes *contents_of_named(const struct compared_files *files, const struct file *file)
{
	struct host_file now = program_file_look(files->host, file->path);
	GBytes *contents = now.is_regular && now.real
	                           ? program_file_read(files->host, now.real, G_MAXUINT64)
	                           : NULL;

	g_free(now.real);
	return contents;
}

/* --- files that the program changes ----------------------------------------------------------- */

/* Counts of what was executed, which a compiler's instrumentation writes. They differ between any
 * two interleavings, and are no result. */
static bool is_profile(const char *path)
{
	return g_str_has_suffix(path, ".gcda") || g_str_has_suffix(path, ".profraw");
}

/* NO_PATTERN: the name is like none that varies. */
static guint pattern_of(const struct compared_files *files, const char *path)
{
	guint i = 0;

	while (i < files->patterns->len
	       && !name_pattern_matches(&g_array_index(files->patterns, struct name_pattern, i),
	                                path))
		i++;
	return i < files->patterns->len ? i : NO_PATTERN;
}

static void find_new(struct compared_files *files, const struct journal *journal,
                     const GPtrArray *changed, struct outcomes *outcomes)
{
	for (guint i = 0; i < changed->len; i++) {
		const char *path = changed->pdata[i];
		GBytes *first;

		if (g_hash_table_contains(files->known, path) || is_profile(path)
		    || pattern_of(files, path) != NO_PATTERN)
			continue;
		first = journal_contents_first(journal, path, FILE_MOST);
		/* A temporary file that was deleted does not count. */
		if (first || program_file_is_there(files->host, path)) {
			add_file(files, g_strdup(path), shown_name(files, path));
			outcomes_add_text(outcomes, first);
		}
		if (first)
			g_bytes_unref(first);
	}
}

/* Whether there is a file that is too large to be compared. */
static bool is_too_large(const struct compared_files *files, const char *path, guint64 *room)
{
	struct host_file now = program_file_look(files->host, path);

	g_free(now.real);
	if (now.is_link || !now.is_regular)
		return false;
	if (now.size > FILE_MOST || now.size > *room)
		return true;
	*room -= now.size;
	return false;
}

static GBytes *contents_of(struct compared_files *files, struct file *file, guint index,
                           guint64 *room, struct outcomes *outcomes)
{
	if (file->united)
		return NULL;
	if (!file->large && is_too_large(files, file->path, room)) {
		file->large = true;
		outcomes_leave_text(outcomes, files->outputs + index);
	}
	return file->large ? NULL : program_file_read(files->host, file->path, FILE_MOST);
}

/* --- names that vary -------------------------------------------------------------------------- */

static guint count_like(const struct compared_files *files, guint pattern)
{
	guint count = 0;

	for (guint i = 0; i < files->files->len; i++)
		count += ((const struct file *)files->files->pdata[i])->pattern == pattern;
	return count;
}

/* One more of the files that have such names. */
static void add_like(struct compared_files *files, guint pattern, struct outcomes *outcomes)
{
	g_autofree char *path = name_pattern_print(
		&g_array_index(files->patterns, struct name_pattern, pattern));
	char *name = shown_name(files, path);

	add_file(files, g_steal_pointer(&path), name)->pattern = pattern;
	outcomes_add_text(outcomes, NULL);
}

/* What the interleaving has left under such names, in an order of its own. */
static GPtrArray *contents_like(struct compared_files *files, const GPtrArray *changed,
                                guint pattern, guint64 *room, struct outcomes *outcomes)
{
	GPtrArray *contents = g_ptr_array_new();

	for (guint i = 0; changed && i < changed->len; i++) {
		const char *path = changed->pdata[i];

		if (program_file_is_there(files->host, path) && !is_profile(path)
		    && pattern_of(files, path) == pattern)
			g_ptr_array_add(
				contents,
				program_file_read(files->host, path,
			                          is_too_large(files, path, room) ? 0 : FILE_MOST));
	}
	outcomes_arrange(contents);
	while (count_like(files, pattern) < contents->len)
		add_like(files, pattern, outcomes);
	return contents;
}

/* All files with such names so far: `ret_texts`. */
static void take_files_like(struct compared_files *files, guint pattern, GArray *ret_texts)
{
	for (guint i = 0; i < files->files->len; i++) {
		struct file *file = files->files->pdata[i];
		guint text = files->outputs + i;

		if (file->pattern != NO_PATTERN || file->united
		    || pattern_of(files, file->path) != pattern)
			continue;
		file->united = true;
		g_array_append_val(ret_texts, text);
	}
}

static void add_pattern(struct compared_files *files, const struct name_pattern *pattern,
                        struct outcomes *outcomes)
{
	g_autoptr(GArray) texts = g_array_new(false, false, sizeof(guint));
	guint number = files->patterns->len, count;

	g_array_append_vals(files->patterns, pattern, 1);
	take_files_like(files, number, texts);
	count = outcomes_most(outcomes, texts);
	for (guint i = 0; i < count; i++)
		add_like(files, number, outcomes);
	outcomes_unite(outcomes, texts, count);
}

/* The file that has this one's place in the run that has just ended; NULL: none. */
static const char *find_instead(const struct compared_files *files, const GPtrArray *changed,
                                const char *path)
{
	const char *best = NULL;

	for (guint i = 0; i < changed->len; i++) {
		const char *other = changed->pdata[i];

		if (!g_hash_table_contains(files->known, other)
		    && program_file_is_there(files->host, other)
		    && pattern_of(files, other) == NO_PATTERN
		    && (!best
		        || name_pattern_likeness(path, other) > name_pattern_likeness(path, best)))
			best = other;
	}
	return best;
}

void compared_files_learn(struct compared_files *files, const struct journal *journal,
                          struct outcomes *outcomes, guint index)
{
	g_autoptr(GPtrArray) changed = journal && files->all ? journal_changed(journal) : NULL;
	guint count = files->files->len;

	for (guint i = 0; changed && i < count; i++) {
		const struct file *file = files->files->pdata[i];
		struct name_pattern pattern;
		const char *other;

		if (file->pattern != NO_PATTERN || file->united
		    || program_file_is_there(files->host, file->path)
		    || !outcomes_has(outcomes, index, files->outputs + i))
			continue;
		other = find_instead(files, changed, file->path);
		if (other && name_pattern_learn(file->path, other, &pattern))
			add_pattern(files, &pattern, outcomes);
	}
}

/* --- an interleaving -------------------------------------------------------------------------- */

/* Replaces the texts of files whose names vary. */
static void set_like(struct compared_files *files, GPtrArray *texts, guint first, guint pattern,
                     GPtrArray *contents)
{
	guint next = 0;

	for (guint i = 0; i < files->files->len; i++) {
		const struct file *file = files->files->pdata[i];

		if (file->pattern == pattern && next < contents->len)
			texts->pdata[first + i] = contents->pdata[next++];
	}
}

void compared_files_add(struct compared_files *files, const struct journal *journal,
                        struct outcomes *outcomes, GPtrArray *texts)
{
	g_autoptr(GPtrArray) changed = journal && (files->all || files->unwritten > 0)
	                                       ? journal_changed(journal)
	                                       : NULL;
	g_autoptr(GPtrArray)
		like = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
	guint first = texts->len;
	guint64 room = FILES_MOST;

	look_for_named(files, changed);
	if (files->all && changed)
		find_new(files, journal, changed, outcomes);
	for (guint i = 0; i < files->patterns->len; i++)
		g_ptr_array_add(like, contents_like(files, changed, i, &room, outcomes));
	for (guint i = 0; i < files->files->len; i++) {
		struct file *file = files->files->pdata[i];
		GBytes *contents = NULL;

		if (!files->all)
			contents = contents_of_named(files, file);
		else if (file->pattern == NO_PATTERN)
			contents = contents_of(files, file, i, &room, outcomes);
		g_ptr_array_add(texts, contents);
	}
	for (guint i = 0; i < files->patterns->len; i++)
		set_like(files, texts, first, i, like->pdata[i]);
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

/* A path need not be UTF-8. */
static char *escape(const char *path)
{
	return g_uri_escape_string(path, "/", false);
}

static GVariant *save_patterns(const struct compared_files *files)
{
	GVariantBuilder all;

	g_variant_builder_init(&all, G_VARIANT_TYPE("a(ssbtt)"));
	for (guint i = 0; i < files->patterns->len; i++) {
		const struct name_pattern *pattern = &g_array_index(files->patterns,
		                                                    struct name_pattern, i);
		g_autofree char *before = escape(pattern->before), *after = escape(pattern->after);

		g_variant_builder_add(&all, "(ssbtt)", before, after, pattern->digits,
		                      (guint64)pattern->least, (guint64)pattern->most);
	}
	return g_variant_builder_end(&all);
}

GVariant *compared_files_save(const struct compared_files *files)
{
	GVariantBuilder all;

	g_variant_builder_init(&all, G_VARIANT_TYPE("a(sbub)"));
	for (guint i = 0; i < files->files->len; i++) {
		const struct file *file = files->files->pdata[i];
		g_autofree char *path = escape(file->path);

		g_variant_builder_add(&all, "(sbub)", path, file->large, file->pattern,
		                      file->united);
	}
	return g_variant_new("(@a(sbub)@a(ssbtt))", g_variant_builder_end(&all),
	                     save_patterns(files));
}

static void restore_patterns(struct compared_files *files, GVariantIter *all)
{
	const char *before, *after;
	gboolean digits; /* (GVariant) */
	guint64 least, most;

	while (g_variant_iter_next(all, "(&s&sbtt)", &before, &after, &digits, &least, &most)) {
		struct name_pattern pattern = {.before = g_uri_unescape_string(before, NULL),
		                               .after = g_uri_unescape_string(after, NULL),
		                               .digits = digits,
		                               .least = least,
		                               .most = most};

		if (pattern.before && pattern.after)
			g_array_append_val(files->patterns, pattern);
		else
			name_pattern_clear(&pattern);
	}
}

void compared_files_restore(struct compared_files *files, GVariant *saved)
{
	GVariantIter *all, *patterns;
	gboolean large, united; /* (GVariant) */
	const char *escaped;
	guint pattern;

	g_variant_get(saved, COMPARED_FILES_SAVED, &all, &patterns);
	restore_patterns(files, patterns);
	while (g_variant_iter_next(all, "(&sbub)", &escaped, &large, &pattern, &united)) {
		char *path = g_uri_unescape_string(escaped, NULL);
		struct file *file = path ? add_file(files, path, shown_name(files, path)) : NULL;

		if (!file)
			continue;
		file->large = large;
		file->united = united;
		file->pattern = pattern < files->patterns->len ? pattern : NO_PATTERN;
	}
	g_variant_iter_free(all);
	g_variant_iter_free(patterns);
}
