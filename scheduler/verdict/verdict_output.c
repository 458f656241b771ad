/* What ranks have printed, and whether that is all: it may be lost, or the place where it is kept
 * full. */
#include "explorer/rank_name.h"
#include "scheduler/host/environment.h"
#include "verdict_internal.h"

#define MORE_ROOM                                                        \
	"enlarge it (docker run --shm-size), or set " ENVIRONMENT_RUNDIR \
	" to a directory with more room"
#define MORE_DISK "make room there, or name a store on another disk (--store)"

static void note_cut(struct verdict *verdict, int rank, const struct host_output *output)
{
	verdict->cut_short |= !output->on_disk;
	if (!verdict->lost_output)
		verdict->lost_output = g_strdup_printf(
			"the output of rank %s is cut short: %s, where what ranks print is kept, "
			"was full for a while; %s",
			rank_name(rank), output->place, output->on_disk ? MORE_DISK : MORE_ROOM);
}

static GBytes *take(struct verdict *verdict, int rank, const struct host_output *output)
{
	if (output->cut)
		note_cut(verdict, rank, output);
	if (output->lost && !verdict->lost_output)
		verdict->lost_output = g_strdup_printf("the output of rank %s is lost: %s",
		                                       rank_name(rank), output->lost);
	verdict->printed += g_bytes_get_size(output->bytes);
	return g_bytes_ref(output->bytes);
}

static void note_full(struct verdict *verdict, const struct host_room *room)
{
	const bool no_disk = room->full == HOST_NO_DISK, memory_alone = room->on_disk && !no_disk;

	verdict->no_room = true;
	verdict->cut_short = !no_disk;
	g_free(verdict->lost_output);
	verdict->lost_output = g_strdup_printf(
		"%s is full (%.1f MB): %s is kept there, and may be %s; the ranks printed %.1f MB "
		"in this interleaving so far; %s",
		room->place, room->megabytes, memory_alone ? "shared memory" : "what ranks print",
		memory_alone ? "incomplete" : "cut short", (double)verdict->printed / 1e6,
		no_disk ? MORE_DISK : MORE_ROOM);
}

void verdict_add_output(struct verdict *verdict, int ranks, const struct verdict_printed *printed)
{
	struct record_execution *record = verdict->record;

	for (int rank = 0; rank < ranks; rank++) {
		const struct host_output *streams = printed->outputs + rank * HOST_STREAMS;

		g_ptr_array_add(record->outputs, take(verdict, rank, &streams[HOST_STREAM_OUTPUT]));
		g_ptr_array_add(record->errors, take(verdict, rank, &streams[HOST_STREAM_ERRORS]));
	}
	if (printed->room.full != HOST_ROOM_LEFT)
		note_full(verdict, &printed->room);
}
