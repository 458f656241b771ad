#define _GNU_SOURCE /* F_GET_SEALS */
#include "ring_reader.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct ring_reader {
	struct report_ring *ring;
	uint64_t read; /* bytes; the process could write over the one in the ring */
};

/* Memory that could shrink would end this process when it is read. */
static bool is_whole(int file)
{
	struct stat status;
	int seals = fcntl(file, F_GET_SEALS);

	return seals >= 0 && (seals & F_SEAL_SHRINK) && fstat(file, &status) == 0
	       && status.st_size >= (off_t)sizeof(struct report_ring);
}

struct ring_reader *ring_reader_new(pid_t process, const struct wire_ring *offer)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/fd/%u", (int)process, offer->descriptor);
	int file = open(path, O_RDWR | O_CLOEXEC);
	struct report_ring *ring = MAP_FAILED;
	struct ring_reader *reader;

	if (file >= 0 && is_whole(file))
		ring = mmap(NULL, sizeof(*ring), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (file >= 0)
		close(file);
	if (ring == MAP_FAILED)
		return NULL;
	if (ring->key != offer->key) {
		munmap(ring, sizeof(*ring));
		return NULL;
	}
	reader = g_new0(struct ring_reader, 1);
	reader->ring = ring;
	return reader;
}

void ring_reader_free(struct ring_reader *reader)
{
	if (reader)
		munmap(reader->ring, sizeof(*reader->ring));
	g_free(reader);
}

guint64 ring_reader_unread(const struct ring_reader *reader)
{
	return atomic_load(&reader->ring->written) - reader->read;
}

gssize ring_reader_take(struct ring_reader *reader, guint8 *bytes, gsize room)
{
	const uint64_t there = ring_reader_unread(reader);
	const gsize count = (gsize)MIN(there, room), at = reader->read % REPORT_RING_ROOM,
		    first = MIN(count, REPORT_RING_ROOM - at);

	if (there > REPORT_RING_ROOM)
		return -1;
	memcpy(bytes, reader->ring->bytes + at, first);
	memcpy(bytes + first, reader->ring->bytes, count - first);
	reader->read += count;
	atomic_store_explicit(&reader->ring->read, reader->read, memory_order_release);
	return (gssize)count;
}

bool ring_reader_waits(const struct ring_reader *reader)
{
	return atomic_load_explicit(&reader->ring->waits, memory_order_relaxed) != 0;
}

void ring_reader_hear(struct ring_reader *reader, guint64 bytes)
{
	atomic_store(&reader->ring->heard, bytes);
}

void ring_reader_wake(struct ring_reader *reader, enum report_ring_wake wake)
{
	atomic_store(&reader->ring->wake, (uint32_t)wake);
}
