#define _GNU_SOURCE
#include "ring_writer.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool ring_writer_open(struct ring_writer *writer, int least)
{
	int made = memfd_create(REPORT_RING_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int file = made >= 0 ? fcntl(made, F_DUPFD_CLOEXEC, least) : -1;
	void *memory = MAP_FAILED;

	*writer = (struct ring_writer){.descriptor = -1};
	if (made >= 0)
		close(made);
	if (file >= 0 && ftruncate(file, sizeof(struct report_ring)) == 0
	    && fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK) == 0)
		memory = mmap(NULL, sizeof(struct report_ring), PROT_READ | PROT_WRITE, MAP_SHARED,
		              file, 0);
	if (memory == MAP_FAILED) {
		if (file >= 0)
			close(file);
		return false;
	}
	writer->ring = memory;
	writer->descriptor = file;
	writer->ring->key = (uintptr_t)memory ^ (uint64_t)getpid() << 48;
	return true;
}

void ring_writer_close(struct ring_writer *writer)
{
	if (writer->ring)
		munmap(writer->ring, sizeof(struct report_ring));
	if (writer->ring && writer->descriptor >= 0)
		close(writer->descriptor);
	*writer = (struct ring_writer){.descriptor = -1};
}

/* If both wait, and the ring is empty, the bytes themselves wake the scheduler. */
bool ring_writer_is_next(struct ring_writer *writer, uint64_t sent)
{
	if (!writer->ring || atomic_load(&writer->ring->heard) != sent)
		return false;
	if (!writer->used) {
		close(writer->descriptor);
		writer->descriptor = -1;
		writer->used = true;
	}
	return ring_writer_has_unread(writer) || !atomic_load(&writer->ring->waits)
	       || !ring_writer_must_ring(writer, true);
}

size_t ring_writer_put(struct ring_writer *writer, const uint8_t *bytes, size_t count)
{
	struct report_ring *ring = writer->ring;
	uint64_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
	size_t room = REPORT_RING_ROOM
	              - (size_t)(written - atomic_load_explicit(&ring->read, memory_order_acquire));
	size_t at = written % REPORT_RING_ROOM, first;

	if (count > room)
		count = room;
	first = count < REPORT_RING_ROOM - at ? count : REPORT_RING_ROOM - at;
	memcpy(ring->bytes + at, bytes, first);
	memcpy(ring->bytes, bytes + first, count - first);
	atomic_store(&ring->written, written + count);
	return count;
}

bool ring_writer_has_unread(const struct ring_writer *writer)
{
	return writer->used
	       && atomic_load(&writer->ring->written) != atomic_load(&writer->ring->read);
}

bool ring_writer_must_ring(struct ring_writer *writer, bool waits)
{
	struct report_ring *ring = writer->ring;
	uint32_t wake = atomic_load(&ring->wake);

	if (wake == REPORT_RING_AWAKE
	    || (wake == REPORT_RING_IF_WAITS && !waits && !atomic_load(&ring->waits)))
		return false;
	/* If it was awake meanwhile, and waits again, this BELL wakes it once too often. */
	atomic_store(&ring->wake, REPORT_RING_AWAKE);
	return true;
}

void ring_writer_expect(struct ring_writer *writer, bool waits)
{
	if (writer->used)
		atomic_store_explicit(&writer->ring->waits, waits, memory_order_relaxed);
}
