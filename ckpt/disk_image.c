#include "disk_image.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent_disk_format.h"

G_DEFINE_QUARK(matchpoint_disk_image_error, disk_image_error)

/* An open file of a chain. */
struct reader {
	char *path;
	int file;
	struct disk_header *head;
	guint8 *tables;
};

static bool fail(const struct reader *reader, GError **error, const char *what)
{
	g_set_error(error, DISK_IMAGE_ERROR, 0, "%s: %s", reader->path, what);
	return false;
}

static void reader_clear(struct reader *reader)
{
	if (reader->file >= 0)
		close(reader->file);
	g_free(reader->path);
	g_free(reader->head);
	g_free(reader->tables);
}

static bool read_all(const struct reader *reader, void *bytes, gsize count, guint64 at,
                     GError **error)
{
	guint8 *to = bytes;

	while (count > 0) {
		ssize_t got = pread(reader->file, to, count, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got == 0)
			return fail(reader, error, "it ends too early");
		if (got < 0)
			return fail(reader, error, g_strerror(errno));
		to += got;
		count -= (gsize)got;
		at += (guint64)got;
	}
	return true;
}

static bool is_ended(const char *text, gsize size)
{
	return memchr(text, '\0', size) != NULL;
}

static bool check_head(struct reader *reader, GError **error)
{
	struct disk_header *head = reader->head;
	guint64 hash = head->hash;
	struct stat status;

	if (memcmp(head->magic, DISK_MAGIC, sizeof(head->magic)) != 0)
		return fail(reader, error, "it is not an image of a rank");
	if (head->version != DISK_VERSION || head->size != sizeof(*head))
		return fail(reader, error, "it was written by another version of matchpoint");
	head->hash = 0;
	if (disk_hash(head, sizeof(*head), NULL) != hash)
		return fail(reader, error, "its header is damaged");
	head->hash = hash;
	if (fstat(reader->file, &status) < 0 || (guint64)status.st_size != head->file_size)
		return fail(reader, error, "its length is not what it was");
	if (head->generation >= DISK_GENERATIONS || !is_ended(head->program, sizeof(head->program))
	    || !is_ended(head->kernel, sizeof(head->kernel)))
		return fail(reader, error, "its header is wrong");
	for (guint i = 0; i < head->generation; i++)
		if (!is_ended(head->generations[i], DISK_NAME) || !*head->generations[i]
		    || strchr(head->generations[i], '/'))
			return fail(reader, error, "its header is wrong");
	return true;
}

/* Whether a table of `count` elements lies within the tables. */
/* `size`: of an entry; entries of several bytes are aligned. */
static bool is_within(const struct disk_header *head, guint64 at, guint64 count, gsize size)
{
	return at <= head->tables_size && count <= (head->tables_size - at) / size
	       && (size == 1 || at % sizeof(guint64) == 0);
}

static bool check_tables(const struct reader *reader, GError **error)
{
	const struct disk_header *head = reader->head;
	const struct disk_map *maps = (const void *)(reader->tables + head->maps);
	const struct disk_page *pages;

	if (disk_hash(reader->tables, head->tables_size, NULL) != head->tables_hash)
		return fail(reader, error, "its tables are damaged");
	if (!is_within(head, head->maps, head->map_count, sizeof(struct disk_map))
	    || !is_within(head, head->pages, head->page_count, sizeof(struct disk_page))
	    || !is_within(head, head->strings, head->strings_size, 1) || head->strings_size == 0
	    || reader->tables[head->strings + head->strings_size - 1] != '\0')
		return fail(reader, error, "its tables are wrong");
	for (guint64 i = 0; i < head->map_count; i++)
		if (maps[i].name >= head->strings_size || maps[i].kind > DISK_MAP_SHARED)
			return fail(reader, error, "its tables are wrong");
	pages = (const void *)(reader->tables + head->pages);
	for (guint64 i = 0; i < head->page_count; i++)
		if (disk_generation(pages[i].where) > head->generation)
			return fail(reader, error, "its tables are wrong");
	return true;
}

static bool reader_open(struct reader *reader, const char *path, GError **error)
{
	*reader = (struct reader){.path = g_strdup(path), .file = open(path, O_RDONLY | O_CLOEXEC)};
	if (reader->file < 0)
		return fail(reader, error, g_strerror(errno));
	reader->head = g_new0(struct disk_header, 1);
	if (!read_all(reader, reader->head, sizeof(*reader->head), 0, error)
	    || !check_head(reader, error))
		return false;
	if (reader->head->tables_size > reader->head->file_size)
		return fail(reader, error, "its header is wrong");
	reader->tables = g_try_malloc(reader->head->tables_size + 8);
	if (!reader->tables)
		return fail(reader, error, "there is too little memory for its tables");
	return read_all(reader, reader->tables, reader->head->tables_size, reader->head->tables,
	                error)
	       && check_tables(reader, error);
}

static int by_text(gconstpointer one, gconstpointer other)
{
	return strcmp(*(char *const *)one, *(char *const *)other);
}

/* Each file once. */
static GPtrArray *files_of(const struct reader *reader)
{
	const struct disk_map *maps = (const void *)(reader->tables + reader->head->maps);
	const char *strings = (const char *)reader->tables + reader->head->strings;
	g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
	GPtrArray *files = g_ptr_array_new_with_free_func(g_free);

	for (guint64 i = 0; i < reader->head->map_count; i++) {
		const char *name = strings + maps[i].name;

		if ((maps[i].kind == DISK_MAP_FILE || maps[i].kind == DISK_MAP_SHARED)
		    && g_hash_table_add(known, (void *)name))
			g_ptr_array_add(files, g_strdup(name));
	}
	g_ptr_array_sort(files, by_text);
	return files;
}

struct disk_image *disk_image_open(const char *path, GError **error)
{
	struct disk_image *image = NULL;
	struct reader reader;

	if (reader_open(&reader, path, error)) {
		const struct disk_header *head = reader.head;

		image = g_new0(struct disk_image, 1);
		image->program = g_strdup(head->program);
		image->kernel = g_strdup(head->kernel);
		image->bytes = head->file_size;
		image->pages = head->page_count;
		image->own_pages = head->own_pages;
		image->files = files_of(&reader);
		image->builds_on = g_new0(char *, head->generation + 1);
		for (guint i = 0; i < head->generation; i++)
			image->builds_on[i] = g_strdup(head->generations[i]);
	}
	reader_clear(&reader);
	return image;
}

void disk_image_free(struct disk_image *image)
{
	if (!image)
		return;
	g_free(image->program);
	g_free(image->kernel);
	g_strfreev(image->builds_on);
	g_ptr_array_unref(image->files);
	g_free(image);
}

/* --- pages ------------------------------------------------------------------------------------ */

static int *open_chain(const struct reader *reader, GError **error)
{
	const struct disk_header *head = reader->head;
	g_autofree char *folder = g_path_get_dirname(reader->path);
	g_autofree char *all = g_path_get_dirname(folder);
	g_autofree char *file = g_path_get_basename(reader->path);
	int *files = g_new0(int, head->generation + 1);

	memset(files, -1, (head->generation + 1) * sizeof(*files));
	for (guint i = 0; i < head->generation; i++) {
		g_autofree char *path = g_build_filename(all, head->generations[i], file, NULL);

		files[i] = open(path, O_RDONLY | O_CLOEXEC);
		if (files[i] >= 0 || (error && *error))
			continue;
		g_set_error(error, DISK_IMAGE_ERROR, 0, "%s: it builds on %s: %s", reader->path,
		            path, g_strerror(errno));
	}
	files[head->generation] = dup(reader->file);
	return files;
}

static bool check_pages(const struct reader *reader, const int *files, GError **error)
{
	const struct disk_page *pages = (const void *)(reader->tables + reader->head->pages);
	guint64 page[DISK_PAGE / 8];

	for (guint64 i = 0; i < reader->head->page_count; i++) {
		struct reader from = {.path = reader->path,
		                      .file = files[disk_generation(pages[i].where)]};

		if (!read_all(&from, page, sizeof(page), disk_offset(pages[i].where), error))
			return false;
		if (disk_hash(page, sizeof(page), NULL) == pages[i].hash)
			continue;
		g_set_error(error, DISK_IMAGE_ERROR, 0,
		            "%s: the page of address 0x%" G_GINT64_MODIFIER "x is damaged",
		            reader->path, pages[i].address);
		return false;
	}
	return true;
}

bool disk_image_check(const char *path, GError **error)
{
	g_autoptr(GError) wrong = NULL;
	struct reader reader;
	bool fine = reader_open(&reader, path, &wrong);

	if (fine) {
		struct disk_cpu cpu = {0};
		const char *differs;
		int *files = open_chain(&reader, &wrong);

		disk_read_cpu(&cpu);
		differs = disk_cpu_differs(&reader.head->cpu, &cpu);
		fine = !wrong && check_pages(&reader, files, &wrong)
		       && (!differs || fail(&reader, &wrong, differs));
		for (guint i = 0; i <= reader.head->generation; i++)
			if (files[i] >= 0)
				close(files[i]);
		g_free(files);
	}
	reader_clear(&reader);
	if (!fine)
		g_propagate_error(error, g_steal_pointer(&wrong));
	return fine;
}
