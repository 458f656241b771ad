/* What ranks have printed: files in the directories of worlds, or on a disk to which these have
 * links (output_place.h). */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ckpt/agent.h"
#include "local_internal.h"
#include "scheduler/tools/full_disk.h"

static const char *const names[HOST_STREAMS] = {
	[HOST_STREAM_OUTPUT] = "out", [HOST_STREAM_ERRORS] = "err"};

/* Where the output of a world lies on a disk; NULL: in the directory of the world. */
static char *disk_of(const char *directory)
{
	g_autofree char *link = g_build_filename(directory, AGENT_OUTPUT, NULL);

	return g_file_read_link(link, NULL);
}

/* The place that was chosen for the directory that this world's is in. */
static char *place_of(const char *directory)
{
	g_autofree char *run_directory = g_path_get_dirname(directory);

	return g_path_get_dirname(run_directory);
}

static char *file_of(const char *directory, enum host_stream stream, int rank)
{
	return g_strdup_printf("%s/%s.%d", directory, names[stream], rank);
}

/* Returns -1 with `error` set. */
static int open_file(const char *file, struct stat *ret_status, GError **error)
{
	int opened = open(file, O_RDONLY | O_CLOEXEC);
	int code;

	if (opened >= 0 && fstat(opened, ret_status) == 0)
		return opened;
	code = errno;
	if (opened >= 0)
		close(opened);
	g_set_error(error, G_FILE_ERROR, (gint)g_file_error_from_errno(code), "cannot read %s: %s",
	            file, g_strerror(code));
	return -1;
}

/* Reads bytes from there on, up to the end of the file. Returns NULL with `error` set. */
static GBytes *read_part(int opened, const char *file, guint64 from, guint64 count, GError **error)
{
	g_autofree char *bytes = count > 0 ? g_try_malloc(count) : NULL;
	gsize done = 0;
	ssize_t got = count > 0 && !bytes ? -1 : 1;

	errno = ENOMEM;
	while (got > 0 && done < count) {
		got = pread(opened, bytes + done, count - done, (off_t)(from + done));
		if (got > 0)
			done += (gsize)got;
		else if (got < 0 && errno == EINTR)
			got = 1;
	}
	if (got >= 0)
		return g_bytes_new_take(g_steal_pointer(&bytes), done);
	g_set_error(error, G_FILE_ERROR, (gint)g_file_error_from_errno(errno), "cannot read %s: %s",
	            file, g_strerror(errno));
	return NULL;
}

/* Reads the part of a file; NULL with `error` set. */
static GBytes *read_file(const char *file, const struct host_range *range, struct stat *ret_status,
                         GError **error)
{
	int opened = open_file(file, ret_status, error);
	guint64 size, from;
	GBytes *bytes;

	if (opened < 0)
		return NULL;
	size = (guint64)ret_status->st_size;
	from = range->last ? size - MIN(size, range->most) : MIN(size, range->from);
	bytes = read_part(opened, file, from, MIN(range->most, size - from), error);
	close(opened);
	return bytes;
}

void local_rank_output(struct host *host, const struct host_range *range,
                       void (*done)(void *user, struct host_output output), void *user)
{
	g_autofree char *file = file_of(range->directory, range->stream, range->rank);
	g_autofree char *disk = disk_of(range->directory);
	g_autoptr(GError) error = NULL;
	struct host_output output = {.on_disk = disk != NULL,
	                             .place = place_of(disk ? disk : range->directory)};
	struct stat status;

	(void)host;
	output.bytes = read_file(file, range, &status, &error);
	if (output.bytes) {
		output.size = (guint64)status.st_size;
		output.cut = !range->last && !(status.st_mode & S_IWUSR); /* shim/libc/output.h */
	} else {
		output.bytes = g_bytes_new_static("", 0);
		output.lost = g_strdup(error->message);
	}
	if (output.cut)
		chmod(file, S_IRUSR | S_IWUSR);
	done(user, output);
}

/* Not everything that writes for a rank learns that a write has failed, or that shared memory could
 * not grow. But what has filled the file system is still there. */
void local_room_of(struct host *host, const char *directory,
                   void (*done)(void *user, struct host_room room), void *user)
{
	g_autofree char *disk = disk_of(directory);
	struct host_room room = {.on_disk = disk != NULL};

	(void)host;
	if (disk && full_disk(disk, &room.megabytes))
		room.full = HOST_NO_DISK;
	else if (full_disk(directory, &room.megabytes))
		room.full = HOST_NO_SHARED_MEMORY;
	if (room.full != HOST_ROOM_LEFT)
		room.place = place_of(room.full == HOST_NO_DISK ? disk : directory);
	done(user, room);
}
