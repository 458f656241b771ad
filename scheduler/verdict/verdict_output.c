/* What ranks have printed, and whether that is all: the files that it is kept in may be lost, or
 * their file system full. */
#include <sys/stat.h>

#include "ckpt/agent.h"
#include "scheduler/host/environment.h"
#include "scheduler/tools/full_disk.h"
#include "verdict_internal.h"

#define MORE_ROOM                                                        \
	"enlarge it (docker run --shm-size), or set " ENVIRONMENT_RUNDIR \
	" to a directory with more room"
#define MORE_DISK "make room there, or name a store on another disk (--store)"

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

static void note_cut(struct verdict *verdict, const char *directory, int rank)
{
	g_autofree char *disk = disk_of(directory), *place = place_of(disk ? disk : directory);

	verdict->cut_short |= !disk;
	if (!verdict->lost_output)
		verdict->lost_output = g_strdup_printf(
			"the output of rank %d is cut short: %s, where what ranks print is kept, "
			"was full for a while; %s",
			rank, place, disk ? MORE_DISK : MORE_ROOM);
}

static GBytes *captured(struct verdict *verdict, const char *directory, const char *stream,
                        int rank)
{
	g_autofree char *file = g_strdup_printf("%s/%s.%d", directory, stream, rank);
	g_autoptr(GError) error = NULL;
	struct stat status;
	char *text;
	gsize length;
	bool there = stat(file, &status) == 0;

	if (there && !(status.st_mode & S_IWUSR)) { /* shim/libc/output.h */
		chmod(file, S_IRUSR | S_IWUSR);     /* the next interleaving may use it again */
		note_cut(verdict, directory, rank);
	}
	if (there && status.st_size == 0)
		return g_bytes_new_static("", 0);
	if (g_file_get_contents(file, &text, &length, &error)) {
		verdict->printed += length;
		return g_bytes_new_take(text, length);
	}
	if (!verdict->lost_output)
		verdict->lost_output = g_strdup_printf("the output of rank %d is lost: %s", rank,
		                                       error->message);
	return g_bytes_new_static("", 0);
}

/* Ranks are not told by everything that writes for them that a write has failed, or that shared
 * memory could not grow. But what has filled the file system is still there. */
static void find_full(struct verdict *verdict, const char *directory)
{
	g_autofree char *disk = disk_of(directory);
	double size;
	const bool no_disk = disk && full_disk(disk, &size);
	g_autofree char *place = place_of(no_disk ? disk : directory);

	if (!no_disk && !full_disk(directory, &size))
		return;
	verdict->no_room = true;
	verdict->cut_short = !no_disk;
	g_free(verdict->lost_output);
	verdict->lost_output = g_strdup_printf(
		"%s is full (%.1f MB): %s is kept there, and may be %s; the ranks printed %.1f MB "
		"in this interleaving so far; %s",
		place, size, disk && !no_disk ? "shared memory" : "what ranks print",
		disk && !no_disk ? "incomplete" : "cut short", (double)verdict->printed / 1e6,
		no_disk ? MORE_DISK : MORE_ROOM);
}

void verdict_add_output(struct verdict *verdict, int ranks, const char *directory)
{
	struct record_execution *record = verdict->record;

	for (int rank = 0; rank < ranks; rank++) {
		g_ptr_array_add(record->outputs, captured(verdict, directory, "out", rank));
		g_ptr_array_add(record->errors, captured(verdict, directory, "err", rank));
	}
	find_full(verdict, directory);
}
