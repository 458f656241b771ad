#define _GNU_SOURCE
#include "world_image.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clone_plan_internal.h"
#include "world_output.h"

#define CHUNK ((gsize)1 << 20) /* bytes read at a time */
_Static_assert(CHUNK >= CLONE_COMPARED_MOST, "a file is read at once, or without its holes");

struct page {
	guint users;
	guint8 bytes[PAGE];
};

/* A file, however many names it has. */
struct file {
	guint64 device, inode;
	guint64 size;
	bool mapped;      /* mapped by ranks: it must stay the same file */
	GPtrArray *names; /* owned; the first name is used to open it */
	GPtrArray *pages; /* struct page; NULL: zeros */
};

struct world_image {
	GPtrArray *files; /* struct file */
	guint64 bytes;    /* of pages that are new in this image */
};

static void page_let_go(gpointer pointer)
{
	struct page *page = pointer;

	if (page && --page->users == 0)
		g_free(page);
}

static void file_free(gpointer pointer)
{
	struct file *file = pointer;

	g_ptr_array_unref(file->names);
	g_ptr_array_unref(file->pages);
	g_free(file);
}

void world_image_free(struct world_image *image)
{
	if (!image)
		return;
	g_ptr_array_unref(image->files);
	g_free(image);
}

guint64 world_image_bytes(const struct world_image *image)
{
	return image->bytes;
}

static struct file *find_by_name(const struct world_image *image, const char *name)
{
	for (guint i = 0; image && i < image->files->len; i++) {
		struct file *file = image->files->pdata[i];

		for (guint j = 0; j < file->names->len; j++)
			if (strcmp(file->names->pdata[j], name) == 0)
				return file;
	}
	return NULL;
}

static struct file *find_by_inode(const struct world_image *image, guint64 device, guint64 inode)
{
	for (guint i = 0; i < image->files->len; i++) {
		struct file *file = image->files->pdata[i];

		if (file->inode == inode && file->device == device)
			return file;
	}
	return NULL;
}

static guint pages_of(guint64 bytes)
{
	return (guint)((bytes + PAGE - 1) / PAGE);
}

/* Holes are treated as zeros. */
static bool each_part(int fd, guint64 end, clone_data_visitor visit, void *user)
{
	return end <= CLONE_COMPARED_MOST ? end == 0 || visit(fd, 0, end, user)
	                                  : clone_each_data(fd, (off_t)end, visit, user);
}

static bool is_zero(const guint8 *bytes)
{
	return bytes[0] == 0 && memcmp(bytes, bytes + 1, PAGE - 1) == 0;
}

/* --- taking ----------------------------------------------------------------------------------- */

struct taking {
	struct world_image *image;
	struct file *file;
	const struct file *before; /* NULL: none */
	guint8 *buffer;
};

static void take_page(struct taking *taking, guint number, const guint8 *bytes)
{
	const GPtrArray *before = taking->before ? taking->before->pages : NULL;
	struct page *page = before && number < before->len ? before->pdata[number] : NULL;

	if (page && memcmp(page->bytes, bytes, PAGE) == 0) {
		page->users++;
	} else if (is_zero(bytes)) {
		page = NULL;
	} else {
		page = g_new(struct page, 1);
		taking->image->bytes += sizeof(*page);
		page->users = 1;
		memcpy(page->bytes, bytes, PAGE);
	}
	taking->file->pages->pdata[number] = page;
}

/* The last page of a file may be shorter. */
static bool read_pages(int fd, guint64 from, guint64 to, void *user)
{
	struct taking *taking = user;

	from = from / PAGE * PAGE;
	while (from < to) {
		gssize got = pread(fd, taking->buffer, MIN(CHUNK, to - from), (off_t)from);

		if (got <= 0)
			return false;
		memset(taking->buffer + got, 0, (PAGE - (gsize)got % PAGE) % PAGE);
		for (gsize at = 0; at < (gsize)got; at += PAGE)
			take_page(taking, (guint)((from + at) / PAGE), taking->buffer + at);
		from += (guint64)got;
	}
	return true;
}

static void take_mapped(struct taking *taking, const struct world_file *mapped)
{
	for (guint number = 0; number < taking->file->pages->len; number++)
		if (mapped->holds[number] & 1)
			take_page(taking, number, mapped->bytes + number * PAGE);
}

static bool is_mapped(const char *name)
{
	return g_str_has_prefix(name, "clone.");
}

/* The name by which ranks have mapped it comes first. */
static void add_name(struct file *file, const char *name)
{
	const bool mapped = is_mapped(name);

	g_ptr_array_insert(file->names, mapped ? 0 : -1, g_strdup(name));
	file->mapped |= mapped;
}

/* NULL: it is there already, by another name. */
static struct file *add_file(struct world_image *image, const char *name, guint64 device,
                             guint64 inode, guint64 size)
{
	struct file *file = find_by_inode(image, device, inode);

	if (file) {
		add_name(file, name);
		return NULL;
	}
	file = g_new0(struct file, 1);
	file->device = device;
	file->inode = inode;
	file->size = size;
	file->names = g_ptr_array_new_with_free_func(g_free);
	file->pages = g_ptr_array_new_with_free_func(page_let_go);
	add_name(file, name);
	g_ptr_array_set_size(file->pages, (gint)pages_of(size));
	g_ptr_array_add(image->files, file);
	return file;
}

static bool take_file(struct taking *taking, int directory, const char *name,
                      const struct world_image *before, struct world_files *files)
{
	struct world_file mapped;
	struct stat status;
	bool read = true;
	int fd;

	taking->before = find_by_name(before, name);
	/* Output is another file in each interleaving, so mapping it does not pay. */
	if (!world_output_is(name) && world_files_find(files, directory, name, &mapped)) {
		taking->file = add_file(taking->image, name, mapped.device, mapped.inode,
		                        mapped.size);
		if (taking->file)
			take_mapped(taking, &mapped);
		return true;
	}
	fd = openat(directory, name, O_RDONLY | O_CLOEXEC | world_output_no_follow(name));
	if (fd < 0)
		return errno == ELOOP || errno == ENXIO
		       || (errno == ENOENT && world_output_is(name));
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
		taking->file = add_file(taking->image, name, status.st_dev, status.st_ino,
		                        (guint64)status.st_size);
		if (taking->file)
			read = each_part(fd, taking->file->size, read_pages, taking);
	}
	close(fd);
	return read;
}

struct world_image *world_image_take(const char *directory, const struct world_image *before,
                                     struct world_files *files, GError **error)
{
	g_autoptr(GDir) entries = g_dir_open(directory, 0, error);
	g_autofree guint8 *buffer = g_malloc(CHUNK + PAGE);
	struct taking taking = {.buffer = buffer};
	struct world_image *image;
	const char *name;
	int fd = entries ? open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	bool taken = true;

	if (fd < 0) {
		if (entries)
			clone_failed(error, "cannot open the world directory", directory);
		return NULL;
	}
	image = g_new0(struct world_image, 1);
	image->files = g_ptr_array_new_with_free_func(file_free);
	taking.image = image;
	while (taken && (name = g_dir_read_name(entries)))
		taken = take_file(&taking, fd, name, before, files);
	if (!taken) {
		clone_failed(error, "cannot read shared memory in", directory);
		world_image_free(g_steal_pointer(&image));
	}
	close(fd);
	return image;
}

/* --- restoring -------------------------------------------------------------------------------- */

static bool put_page(int fd, guint64 offset, const struct page *page, const guint8 *now)
{
	static const guint8 zeros[PAGE];
	const guint8 *then = page ? page->bytes : zeros;

	return memcmp(then, now, PAGE) == 0 || clone_write_at(fd, then, offset, PAGE);
}

struct putting {
	const struct file *file;
	guint8 *buffer;
	guint next; /* the next page that was not visited */
};

/* Pages that are holes now: only those that are not zero need writing. */
static bool put_in_hole(struct putting *putting, int fd, guint end)
{
	for (; putting->next < end; putting->next++) {
		const struct page *page = putting->file->pages->pdata[putting->next];

		if (page && !clone_write_at(fd, page->bytes, putting->next * PAGE, PAGE))
			return false;
	}
	return true;
}

static bool put_pages(int fd, guint64 from, guint64 to, void *user)
{
	struct putting *putting = user;
	const GPtrArray *pages = putting->file->pages;

	from = from / PAGE * PAGE;
	if (!put_in_hole(putting, fd, MIN((guint)(from / PAGE), pages->len)))
		return false;
	while (from < to) {
		gssize got = pread(fd, putting->buffer, MIN(CHUNK, to - from), (off_t)from);

		if (got <= 0)
			return false;
		memset(putting->buffer + got, 0, (PAGE - (gsize)got % PAGE) % PAGE);
		for (gsize at = 0; at < (gsize)got && putting->next < pages->len; at += PAGE) {
			putting->next = (guint)((from + at) / PAGE);
			if (!put_page(fd, from + at, pages->pdata[putting->next],
			              putting->buffer + at))
				return false;
			putting->next++;
		}
		from += (guint64)got;
	}
	return true;
}

/* False: not all pages could be written. */
static bool put_mapped(const struct file *file, const struct world_file *mapped)
{
	for (guint number = 0; number < file->pages->len; number++) {
		const struct page *page = file->pages->pdata[number];

		if (!world_file_put(mapped, number, page ? page->bytes : NULL))
			return false;
	}
	return true;
}

static bool put_in_place(const struct file *file, int directory, struct world_files *files)
{
	const char *name = file->names->pdata[0];
	struct world_file mapped;

	return file->mapped && world_files_find(files, directory, name, &mapped)
	       && mapped.inode == file->inode && mapped.size == file->size
	       && clone_put_names_back(directory, mapped.device, mapped.inode, name, file->names, 1)
	       && put_mapped(file, &mapped);
}

/* Whether the output was empty in the image and is empty now. */
static bool is_still_empty(const struct file *file, int directory)
{
	struct stat status;

	return !file->mapped && file->size == 0 && file->names->len == 1
	       && fstatat(directory, file->names->pdata[0], &status, 0) == 0
	       && S_ISREG(status.st_mode) && status.st_size == 0;
}

/* A partial page at the end is written as a whole page: the size is set last. */
static bool put_by_calls(const struct file *file, int directory, guint8 *buffer)
{
	struct putting putting = {file, buffer, 0};
	const char *name = file->names->pdata[0];
	int fd = openat(directory, name,
	                O_RDWR | O_CLOEXEC | world_output_no_follow(name)
	                        | (file->mapped ? 0 : O_CREAT),
	                0600);
	struct stat status;
	bool put;

	if (fd < 0)
		return false;
	put = fstat(fd, &status) == 0 && (!file->mapped || status.st_ino == file->inode)
	      && clone_put_names_back(directory, status.st_dev, status.st_ino, name, file->names, 1)
	      && each_part(fd, MIN((guint64)status.st_size, pages_of(file->size) * PAGE), put_pages,
	                   &putting)
	      && put_in_hole(&putting, fd, file->pages->len)
	      && (fstat(fd, &status) == 0
	          && ((guint64)status.st_size == file->size
	              || ftruncate(fd, (off_t)file->size) == 0));
	close(fd);
	return put;
}

/* Removes files that are not in the image. */
static bool remove_others(const struct world_image *image, const char *directory, int fd,
                          GError **error)
{
	g_autoptr(GDir) entries = g_dir_open(directory, 0, error);
	const char *name;

	if (!entries)
		return false;
	while ((name = g_dir_read_name(entries)))
		if (!find_by_name(image, name) && world_output_remove(fd, name) < 0)
			return clone_failed(error, "cannot remove", name);
	return true;
}

bool world_image_put(const struct world_image *image, const char *directory,
                     struct world_files *files, GError **error)
{
	g_autofree guint8 *buffer = g_malloc(CHUNK + PAGE);
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool put;

	if (fd < 0)
		return clone_failed(error, "cannot open the world directory", directory);
	put = remove_others(image, directory, fd, error);
	for (guint i = 0; put && i < image->files->len; i++) {
		const struct file *file = image->files->pdata[i];

		if (!put_in_place(file, fd, files) && !is_still_empty(file, fd)
		    && !put_by_calls(file, fd, buffer))
			put = clone_failed(error, "cannot put shared memory back in", directory);
	}
	close(fd);
	return put;
}
