/* Restores the directory of a world that is over to what it was when it was filled. Its files stay
 * the same, because rewound ranks have them mapped. Their pages stay allocated, so that ranks need
 * not fault them in again. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clone_plan_internal.h"
#include "world_output.h"

#define READ_AT_ONCE ((gsize)256 << 10)

static const guint8 zeros[64 << 10];

static bool clear(int fd, guint64 from, guint64 to)
{
	while (from < to) {
		guint64 part = MIN(to - from, sizeof(zeros));

		if (!clone_write_at(fd, zeros, from, part))
			return false;
		from += part;
	}
	return true;
}

struct clearing {
	const struct object *object;
	guint next; /* index of the first extent that may lie further on */
};

/* Zeroes the range except the extents. */
static bool clear_data(int fd, guint64 from, guint64 to, void *user)
{
	struct clearing *clearing = user;
	const GArray *extents = clearing->object->extents;

	while (from < to) {
		const struct extent *extent = NULL;

		while (clearing->next < extents->len) {
			extent = &g_array_index(extents, struct extent, clearing->next);
			if (extent->offset + extent->length > from)
				break;
			extent = NULL;
			clearing->next++;
		}
		if (!clear(fd, from, extent ? MIN(extent->offset, to) : to))
			return false;
		from = extent ? MIN(extent->offset + extent->length, to) : to;
	}
	return true;
}

/* Zeroes data of the file that is not in an extent. */
static bool clear_others(const struct object *object, int fd)
{
	struct clearing clearing = {.object = object};

	return clone_each_data(fd, (off_t)object->size, clear_data, &clearing);
}

/* The old contents of a page: from the extents, or zeros. Pages must ascend between calls. */
struct saved {
	const struct object *object;
	guint extent;
	guint64 passed; /* bytes of the extents before `next` */
};

static const guint8 *saved_page(struct saved *saved, guint64 offset)
{
	const GArray *extents = saved->object->extents;

	while (saved->extent < extents->len) {
		const struct extent *extent = &g_array_index(extents, struct extent, saved->extent);

		if (offset < extent->offset)
			break;
		if (offset < extent->offset + extent->length)
			return saved->object->contents->data + saved->passed
			       + (offset - extent->offset);
		saved->passed += extent->length;
		saved->extent++;
	}
	return zeros;
}

/* Writes the pages that differ. */
static bool write_differences(const struct object *object, int fd)
{
	static guint8 now[READ_AT_ONCE];
	struct saved saved = {.object = object};

	for (guint64 from = 0; from < object->size;) {
		gssize part = pread(fd, now, MIN(sizeof(now), object->size - from), (off_t)from);

		if (part > 0 && from + (guint64)part < object->size)
			part -= part % (gssize)PAGE;
		if (part <= 0)
			return false;
		for (guint64 at = 0; at < (guint64)part; at += PAGE) {
			const guint8 *then = saved_page(&saved, from + at);
			gsize length = MIN(PAGE, (guint64)part - at);

			if (memcmp(now + at, then, length) != 0
			    && !clone_write_at(fd, then, from + at, length))
				return false;
		}
		from += (guint64)part;
	}
	return true;
}

/* The same in place; false: not all pages could be written. */
static bool put_differences(const struct object *object, const struct world_file *file)
{
	struct saved saved = {.object = object};

	for (guint64 at = 0; at < object->size; at += PAGE) {
		const guint8 *then = saved_page(&saved, at);

		if (!world_file_put(file, at / PAGE, then == zeros ? NULL : then))
			return false;
	}
	return true;
}

static bool write_back(const struct object *object, int fd)
{
	if (object->size <= CLONE_COMPARED_MOST)
		return write_differences(object, fd);
	return clear_others(object, fd) && clone_write_extents(object, fd);
}

static void name_of(const struct object *object, guint index, char name[static 256])
{
	if (object->ranges->len)
		g_snprintf(name, 32, "clone.%u", index);
	else
		g_strlcpy(name, g_ptr_array_index(object->names, 0), 256);
}

bool clone_put_names_back(int directory, dev_t device, ino_t inode, const char *name,
                          const GPtrArray *names, guint first)
{
	struct stat other;

	for (guint i = first; i < names->len; i++) {
		const char *link = g_ptr_array_index(names, i);

		if (fstatat(directory, link, &other, AT_SYMLINK_NOFOLLOW) == 0) {
			if (other.st_ino == inode && other.st_dev == device)
				continue;
			if (unlinkat(directory, link, 0) < 0)
				return false;
		}
		if (linkat(directory, name, directory, link, 0) < 0)
			return false;
	}
	return true;
}

/* The names in the directory, each with its inode number. */
static GHashTable *list_files(int directory)
{
	GHashTable *files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	int again = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = again >= 0 ? fdopendir(again) : NULL;
	const struct dirent *entry;

	while (entries && (entry = readdir(entries)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			g_hash_table_insert(files, g_strdup(entry->d_name),
			                    GSIZE_TO_POINTER(entry->d_ino));
	if (entries) {
		closedir(entries);
		return files;
	}
	if (again >= 0)
		close(again);
	g_hash_table_unref(files);
	return NULL;
}

/* Whether all its names lead to that file. If a directory has other inode numbers than stat(), they
 * are checked one by one. */
static bool has_its_names(const struct object *object, GHashTable *listed, ino_t file)
{
	for (guint i = 0; i < object->names->len; i++)
		if (g_hash_table_lookup(listed, object->names->pdata[i]) != GSIZE_TO_POINTER(file))
			return false;
	return true;
}

/* False: not possible in place. */
static bool rewrite_in_place(const struct object *object, const char *name, int directory,
                             GHashTable *listed, struct world_files *files)
{
	struct world_file file;

	return object->ranges->len && world_files_find(files, directory, name, &file)
	       && file.size == object->size && has_its_names(object, listed, file.inode)
	       && put_differences(object, &file);
}

static bool rewrite_object(const struct object *object, guint index, int directory,
                           GHashTable *listed, struct world_files *files)
{
	char name[256];
	struct stat status;
	bool written;
	int fd;

	name_of(object, index, name);
	if (rewrite_in_place(object, name, directory, listed, files))
		return true;
	fd = openat(directory, name, O_RDWR | O_CLOEXEC | world_output_no_follow(name));
	if (fd < 0)
		return errno == ENOENT && !object->ranges->len
		       && clone_write_object(object, index, directory);
	written = fstat(fd, &status) == 0
	          && ((guint64)status.st_size == object->size
	              || ftruncate(fd, (off_t)object->size) == 0)
	          && write_back(object, fd)
	          && (has_its_names(object, listed, status.st_ino)
	              || clone_put_names_back(directory, status.st_dev, status.st_ino, name,
	                                      object->names, object->ranges->len ? 0 : 1));
	close(fd);
	return written;
}

/* The names of all files of the plan. */
static GHashTable *names_of(const struct clone_plan *plan)
{
	GHashTable *names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (guint i = 0; i < plan->objects->len; i++) {
		const struct object *object = g_ptr_array_index(plan->objects, i);
		char name[256];

		name_of(object, i, name);
		g_hash_table_add(names, g_strdup(name));
		for (guint j = 0; j < object->names->len; j++)
			g_hash_table_add(names, g_strdup(object->names->pdata[j]));
	}
	return names;
}

static bool remove_others(const struct clone_plan *plan, int directory, GHashTable *listed,
                          GError **error)
{
	g_autoptr(GHashTable) names = names_of(plan);
	GHashTableIter iter;
	void *file;

	g_hash_table_iter_init(&iter, listed);
	while (g_hash_table_iter_next(&iter, &file, NULL))
		if (!g_hash_table_contains(names, file) && world_output_remove(directory, file) < 0)
			return clone_failed(error, "cannot remove", file);
	return true;
}

bool clone_plan_rewrite(struct clone_plan *plan, const char *directory, struct world_files *files,
                        GError **error)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	g_autoptr(GHashTable) listed = fd >= 0 ? list_files(fd) : NULL;
	bool written;

	if (!listed) {
		clone_failed(error, "cannot open the world directory", directory);
		if (fd >= 0)
			close(fd);
		return false;
	}
	written = (plan->scanned || clone_scan_directory(plan, error))
	          && remove_others(plan, fd, listed, error);
	for (guint i = 0; written && i < plan->objects->len; i++) {
		struct object *object = g_ptr_array_index(plan->objects, i);

		written = object->remembered || clone_read_object(plan, object, error);
		if (written && !rewrite_object(object, i, fd, listed, files))
			written = clone_failed(error, "cannot rewrite shared memory in", directory);
		if (plan->remembered > REMEMBERED_MAX)
			clone_forget(plan, object);
	}
	close(fd);
	return written;
}
