#define _GNU_SOURCE
#include "world_files.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define BLOCK 512 /* bytes: the unit of st_blocks */

/* While it is mapped, no other file gets its inode number. */
struct mapped {
	guint64 inode, device;
	guint8 *bytes;
	gsize length; /* bytes, whole pages */
};

struct world_files {
	GHashTable *mapped; /* struct mapped */
	guint8 holds[WORLD_FILE_MOST / WORLD_FILE_PAGE];
};

static guint hash_mapped(gconstpointer key)
{
	return g_int64_hash(&((const struct mapped *)key)->inode);
}

static gboolean same_mapped(gconstpointer one, gconstpointer other)
{
	const struct mapped *left = one, *right = other;

	return left->inode == right->inode && left->device == right->device;
}

static void unmap(gpointer pointer)
{
	struct mapped *mapped = pointer;

	munmap(mapped->bytes, mapped->length);
	g_free(mapped);
}

struct world_files *world_files_new(void)
{
	struct world_files *files = g_new0(struct world_files, 1);

	files->mapped = g_hash_table_new_full(hash_mapped, same_mapped, unmap, NULL);
	return files;
}

void world_files_free(struct world_files *files)
{
	if (!files)
		return;
	g_hash_table_unref(files->mapped);
	g_free(files);
}

void world_files_clear(struct world_files *files)
{
	g_hash_table_remove_all(files->mapped);
}

/* Only on tmpfs is the content in memory the whole content. */
static guint8 *map(int directory, const char *name, const struct stat *expected, gsize length)
{
	int fd = openat(directory, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	struct statfs system;
	struct stat status;
	void *bytes = MAP_FAILED;

	if (fd < 0)
		return NULL;
	if (fstatfs(fd, &system) == 0 && system.f_type == TMPFS_MAGIC && fstat(fd, &status) == 0
	    && status.st_ino == expected->st_ino && status.st_dev == expected->st_dev)
		bytes = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return bytes == MAP_FAILED ? NULL : bytes;
}

static guint8 *find_bytes(struct world_files *files, int directory, const char *name,
                          const struct stat *status, gsize length)
{
	const struct mapped key = {.inode = status->st_ino, .device = status->st_dev};
	struct mapped *mapped = g_hash_table_lookup(files->mapped, &key);
	guint8 *bytes;

	if (mapped && mapped->length == length)
		return mapped->bytes;
	bytes = map(directory, name, status, length);
	if (!bytes)
		return NULL;
	mapped = g_new(struct mapped, 1);
	*mapped = (struct mapped){key.inode, key.device, bytes, length};
	g_hash_table_replace(files->mapped, mapped, mapped);
	return bytes;
}

/* A swapped-out page looks like a hole; then the count differs from the file's number of blocks. */
static bool find_holes(struct world_files *files, guint8 *bytes, gsize length,
                       const struct stat *status)
{
	const gsize pages = length / WORLD_FILE_PAGE;
	guint64 held = 0;

	if ((guint64)status->st_blocks * BLOCK == length) {
		memset(files->holds, 1, pages);
		return true;
	}
	if (mincore(bytes, length, files->holds) < 0)
		return false;
	for (gsize i = 0; i < pages; i++)
		held += files->holds[i] & 1;
	return held * WORLD_FILE_PAGE == (guint64)status->st_blocks * BLOCK;
}

bool world_files_find(struct world_files *files, int directory, const char *name,
                      struct world_file *ret)
{
	struct stat status;
	guint64 size, length;
	guint8 *bytes;

	if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(status.st_mode))
		return false;
	size = (guint64)status.st_size;
	if (size == 0 || size > WORLD_FILE_MOST)
		return false;
	length = (size + WORLD_FILE_PAGE - 1) / WORLD_FILE_PAGE * WORLD_FILE_PAGE;
	bytes = find_bytes(files, directory, name, &status, length);
	if (!bytes || !find_holes(files, bytes, length, &status))
		return false;
	*ret = (struct world_file){status.st_dev, status.st_ino, size, bytes, files->holds};
	return true;
}

bool world_file_put(const struct world_file *file, guint64 page, const guint8 *then)
{
	static const guint8 zeros[WORLD_FILE_PAGE];
	guint8 *now = file->bytes + page * WORLD_FILE_PAGE;

	if (!(file->holds[page] & 1))
		return !then;
	if (!then)
		then = zeros;
	if (memcmp(now, then, WORLD_FILE_PAGE) != 0)
		memcpy(now, then, WORLD_FILE_PAGE);
	return true;
}
