#define _GNU_SOURCE
#include "clone_plan_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "world_output.h"

#define READ_AT_ONCE ((guint64)1 << 20)

static void object_free(gpointer data)
{
	struct object *object = data;

	g_array_unref(object->ranges);
	g_ptr_array_unref(object->names);
	g_array_unref(object->extents);
	g_byte_array_unref(object->contents);
	g_free(object->readable);
	g_free(object);
}

struct clone_plan *clone_plan_new(guint ranks, const char *directory)
{
	struct clone_plan *plan = g_new0(struct clone_plan, 1);

	plan->directory = g_strdup(directory);
	plan->ranks = ranks;
	plan->of_rank = g_new0(struct rank_clones, ranks);
	for (guint rank = 0; rank < ranks; rank++)
		plan->of_rank[rank].clones = g_array_new(false, false, sizeof(struct agent_clone));
	plan->objects = g_ptr_array_new_with_free_func(object_free);
	return plan;
}

void clone_plan_free(struct clone_plan *plan)
{
	if (!plan)
		return;
	for (guint rank = 0; rank < plan->ranks; rank++)
		g_array_unref(plan->of_rank[rank].clones);
	g_free(plan->of_rank);
	g_ptr_array_unref(plan->objects);
	g_free(plan->directory);
	g_free(plan);
}

static guint64 whole_pages(guint64 bytes)
{
	return (bytes + PAGE - 1) / PAGE * PAGE;
}

/* There are few objects: one or two for each rank. */
static struct object *find_object(struct clone_plan *plan, guint64 device, guint64 inode,
                                  guint *ret_index)
{
	struct object *object;

	for (guint i = 0; i < plan->objects->len; i++) {
		object = g_ptr_array_index(plan->objects, i);
		*ret_index = i;
		if (object->device == device && object->inode == inode)
			return object;
	}
	object = g_new0(struct object, 1);
	object->device = device;
	object->inode = inode;
	object->ranges = g_array_new(false, false, sizeof(struct range));
	object->names = g_ptr_array_new_with_free_func(g_free);
	object->extents = g_array_new(false, false, sizeof(struct extent));
	object->contents = g_byte_array_new();
	*ret_index = plan->objects->len;
	g_ptr_array_add(plan->objects, object);
	return object;
}

void clone_plan_add(struct clone_plan *plan, guint rank, pid_t keeper,
                    const struct agent_mapping *mappings, gsize count)
{
	g_return_if_fail(rank < plan->ranks);
	for (gsize i = 0; i < count; i++) {
		const struct agent_mapping *mapping = &mappings[i];
		guint index;
		struct object *object = find_object(plan, mapping->device, mapping->inode, &index);
		struct range range = {.offset = mapping->offset,
		                      .length = mapping->length,
		                      .address = mapping->start,
		                      .keeper = keeper};
		struct agent_clone clone = {.start = mapping->start,
		                            .length = mapping->length,
		                            .offset = mapping->offset,
		                            .protection = mapping->protection,
		                            .file = index};

		object->size = MAX(object->size, whole_pages(range.offset + range.length));
		g_array_append_val(object->ranges, range);
		g_array_append_val(plan->of_rank[rank].clones, clone);
	}
}

gsize clone_plan_rank(const struct clone_plan *plan, guint rank, const struct agent_clone **ret)
{
	g_return_val_if_fail(rank < plan->ranks, 0);
	*ret = (const struct agent_clone *)(gpointer)plan->of_rank[rank].clones->data;
	return plan->of_rank[rank].clones->len;
}

bool clone_failed(GError **error, const char *what, const char *on)
{
	int code = errno;

	g_set_error(error, G_FILE_ERROR, (gint)g_file_error_from_errno(code), "%s %s: %s", what, on,
	            g_strerror(code));
	return false;
}

/* Records the names of objects in the old world's directory. Files that no rank maps become objects
 * without ranges. The rank creates its output itself if it is still empty. */
bool clone_scan_directory(struct clone_plan *plan, GError **error)
{
	g_autoptr(GDir) directory = g_dir_open(plan->directory, 0, error);
	const char *name;

	if (!directory)
		return false;
	while ((name = g_dir_read_name(directory))) {
		g_autofree char *path = g_build_filename(plan->directory, name, NULL);
		bool is_clone = g_str_has_prefix(name, "clone.");
		guint known = plan->objects->len, index;
		struct object *object;
		struct stat status;

		if ((world_output_is(name) ? stat(path, &status) : lstat(path, &status)) < 0
		    || !S_ISREG(status.st_mode))
			continue;
		object = find_object(plan, status.st_dev, status.st_ino, &index);
		if (index == known && (is_clone || status.st_size == 0)) {
			g_ptr_array_remove_index(plan->objects, index);
			continue;
		}
		if (!is_clone)
			g_ptr_array_add(object->names, g_strdup(name));
		if (!object->readable)
			object->readable = g_strdup(name);
		object->size = object->ranges->len
		                       ? MAX(object->size, whole_pages((guint64)status.st_size))
		                       : (guint64)status.st_size;
	}
	plan->scanned = true;
	return true;
}

static bool is_zero(const guint8 *bytes, gsize count)
{
	return count == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, count - 1) == 0);
}

/* Keeps copies of the pages that are not zero. */
static void remember(struct object *object, guint64 offset, const guint8 *bytes, gsize count)
{
	for (gsize at = 0; at < count; at += PAGE) {
		gsize length = MIN(PAGE, count - at);
		struct extent *last = NULL, extent = {.offset = offset + at, .length = length};

		if (is_zero(bytes + at, length))
			continue;
		g_byte_array_append(object->contents, bytes + at, (guint)length);
		if (object->extents->len)
			last = &g_array_index(object->extents, struct extent,
			                      object->extents->len - 1);
		if (last && last->offset + last->length == extent.offset)
			last->length += length;
		else
			g_array_append_val(object->extents, extent);
	}
}

/* Reads another process's memory, except what that process cannot read itself (beyond the end of
 * its file). Returns the number of bytes read, or -1 with errno. */
static gssize read_memory(pid_t pid, guint64 address, guint8 *to, gsize count)
{
	struct iovec local = {.iov_base = to, .iov_len = count};
	struct iovec remote = {.iov_base = GSIZE_TO_POINTER(address), .iov_len = count};
	gssize got = process_vm_readv(pid, &local, 1, &remote, 1, 0);
	char path[64];
	int fd;

	if (got >= 0 || errno == EFAULT)
		return MAX(got, 0);
	g_snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	got = pread(fd, to, count, (off_t)address);
	close(fd);
	return got < 0 && errno == EIO ? 0 : got;
}

static bool read_range(struct object *object, const struct range *range, guint64 from,
                       guint8 *buffer, GError **error)
{
	guint64 end = range->offset + range->length;

	while (from < end) {
		gsize wanted = MIN(READ_AT_ONCE, end - from);
		gssize got = read_memory(range->keeper, range->address + (from - range->offset),
		                         buffer, wanted);

		if (got < 0) {
			g_autofree char *keeper = g_strdup_printf("process %d", (int)range->keeper);

			return clone_failed(error, "cannot read the shared memory of", keeper);
		}
		got -= got % (gssize)PAGE;
		remember(object, from, buffer, (gsize)got);
		from += got ? (guint64)got : PAGE;
	}
	return true;
}

static gint by_offset(gconstpointer left, gconstpointer right)
{
	const struct range *a = left, *b = right;

	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return a->length > b->length ? -1 : a->length < b->length;
}

/* Reads contents without a name, or beyond `from`, from the processes that map them. */
static bool read_ranges(struct object *object, guint64 from, guint8 *buffer, GError **error)
{
	guint64 done = from;

	g_array_sort(object->ranges, by_offset);
	for (guint i = 0; i < object->ranges->len; i++) {
		const struct range *range = &g_array_index(object->ranges, struct range, i);

		if (range->offset + range->length <= done)
			continue;
		if (!read_range(object, range, MAX(done, range->offset), buffer, error))
			return false;
		done = range->offset + range->length;
	}
	return true;
}

bool clone_each_data(int fd, off_t end, clone_data_visitor visit, void *user)
{
	off_t at = 0;

	while (at < end && (at = lseek(fd, at, SEEK_DATA)) >= 0 && at < end) {
		off_t hole = lseek(fd, at, SEEK_HOLE);

		hole = MIN(hole, end);
		if (hole <= at || !visit(fd, (guint64)at, (guint64)hole, user))
			return false;
		at = hole;
	}
	return at >= 0 || errno == ENXIO;
}

struct reading {
	struct object *object;
	guint8 *buffer;
};

static bool read_data(int fd, guint64 from, guint64 to, void *user)
{
	const struct reading *reading = user;

	while (from < to) {
		gssize got = pread(fd, reading->buffer, MIN(READ_AT_ONCE, to - from), (off_t)from);

		if (got <= 0)
			return false;
		remember(reading->object, from, reading->buffer, (gsize)got);
		from += (guint64)got;
	}
	return true;
}

/* Reads whole pages of the file and skips its holes; *ret_end is the end of the last one. */
static bool read_file(struct object *object, int fd, bool to_the_end, guint8 *buffer,
                      guint64 *ret_end)
{
	struct reading reading = {object, buffer};
	off_t size = lseek(fd, 0, SEEK_END),
	      end = to_the_end ? size : size / (off_t)PAGE * (off_t)PAGE;

	if (size < 0 || !clone_each_data(fd, end, read_data, &reading))
		return false;
	*ret_end = (guint64)end;
	return true;
}

bool clone_read_object(struct clone_plan *plan, struct object *object, GError **error)
{
	g_autofree guint8 *buffer = g_malloc(READ_AT_ONCE);
	guint64 from = 0;

	if (object->readable) {
		g_autofree char *path = g_build_filename(plan->directory, object->readable, NULL);
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		bool complete = fd >= 0
		                && read_file(object, fd, object->ranges->len == 0, buffer, &from);

		if (!complete)
			clone_failed(error, "cannot read", path);
		if (fd >= 0)
			close(fd);
		if (!complete)
			return false;
	}
	if (!read_ranges(object, from, buffer, error))
		return false;
	object->remembered = true;
	plan->remembered += object->contents->len;
	return true;
}

void clone_forget(struct clone_plan *plan, struct object *object)
{
	plan->remembered -= object->contents->len;
	g_byte_array_set_size(object->contents, 0);
	g_array_set_size(object->extents, 0);
	object->remembered = false;
}

bool clone_write_at(int fd, const guint8 *bytes, guint64 offset, guint64 length)
{
	for (guint64 at = 0; at < length;) {
		gssize put = pwrite(fd, bytes + at, (gsize)(length - at), (off_t)(offset + at));

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return false;
		at += (guint64)put;
	}
	return true;
}

bool clone_write_extents(const struct object *object, int fd)
{
	const guint8 *bytes = object->contents->data;

	if (object->size && ftruncate(fd, (off_t)object->size) < 0)
		return false;
	for (guint i = 0; i < object->extents->len; i++) {
		const struct extent *extent = &g_array_index(object->extents, struct extent, i);

		if (!clone_write_at(fd, bytes, extent->offset, extent->length))
			return false;
		bytes += extent->length;
	}
	return true;
}

/* What is there already is a link to output that is kept elsewhere. */
static int make_file(int directory, const char *name)
{
	int fd = openat(directory, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	return fd < 0 && errno == EEXIST && world_output_is(name)
	               ? openat(directory, name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)
	               : fd;
}

/* A mapped object is clone.N, with its old names as links. */
bool clone_write_object(const struct object *object, guint index, int directory)
{
	char clone[32];
	const char *name = clone;
	bool written;
	int fd;

	g_snprintf(clone, sizeof(clone), "clone.%u", index);
	if (!object->ranges->len)
		name = g_ptr_array_index(object->names, 0);
	fd = make_file(directory, name);
	if (fd < 0)
		return false;
	written = clone_write_extents(object, fd);
	close(fd);
	for (guint i = object->ranges->len ? 0 : 1; written && i < object->names->len; i++)
		written = linkat(directory, name, directory, g_ptr_array_index(object->names, i), 0)
		          == 0;
	return written;
}

bool clone_plan_write(struct clone_plan *plan, const char *directory, GError **error)
{
	bool written = true;
	int fd;

	if (!plan->scanned && !clone_scan_directory(plan, error))
		return false;
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return clone_failed(error, "cannot open the world directory", directory);
	for (guint i = 0; written && i < plan->objects->len; i++) {
		struct object *object = g_ptr_array_index(plan->objects, i);

		written = object->remembered || clone_read_object(plan, object, error);
		if (!written)
			break;
		if (!clone_write_object(object, i, fd))
			written = clone_failed(error, "cannot clone shared memory into", directory);
		if (plan->remembered > REMEMBERED_MAX)
			clone_forget(plan, object);
	}
	close(fd);
	return written;
}
