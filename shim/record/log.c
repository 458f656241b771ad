#define _GNU_SOURCE
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "memory.h"
#include "replay.h"

/* Data of this size goes to the file from where it is, without a copy in the tail. */
#define DIRECT ((size_t)32 << 10)
/* Mappings lie where nothing else does, so that they move nothing. */
#define PLACE_OF_TAIL ((void *)0x3c0000000000)
#define PLACE_OF_LOG ((void *)0x3c1000000000)
enum { FIRST_DESCRIPTOR = 900 }; /* out of the program's way */

bool log_replaying, log_on;
struct recording_place *log_place;
int32_t log_pid;
uint8_t *log_at, *log_end;
uint32_t log_sequence;

static struct recording_tail *tail;
static int file = -1;
static off_t whole; /* bytes of whole blocks in the file */
static struct recording_reader reader;

static int out_of_the_way(int descriptor)
{
	int moved = descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR);

	if (moved < 0)
		return descriptor;
	syscall(SYS_close, descriptor);
	return moved;
}

static int open_file(int directory, int rank, const char *what, int flags)
{
	char name[64];

	snprintf(name, sizeof(name), "rank.%d.%s", rank, what);
	return out_of_the_way((int)syscall(SYS_openat, directory, name, flags | O_CLOEXEC, 0644));
}

int log_create_file(int directory, int rank, const char *what)
{
	return open_file(directory, rank, what, O_WRONLY | O_CREAT | O_TRUNC);
}

int log_name_file(int directory, int rank, const char *what, const char *finally)
{
	char from[64], to[64];

	snprintf(from, sizeof(from), "rank.%d.%s", rank, what);
	snprintf(to, sizeof(to), "rank.%d.%s", rank, finally);
	/* Not by the C library: the shim, if it is there, would take it for the program's. */
	return syscall(SYS_renameat2, directory, from, directory, to, 0) == 0 ? 0 : -errno;
}

static void *map(void *place, size_t size, int protection, int flags, int descriptor)
{
	void *at = (void *)syscall(SYS_mmap, place, size, protection, flags | MAP_FIXED_NOREPLACE,
	                           descriptor, 0L);

	if (at == MAP_FAILED)
		return NULL;
	memory_note_own(at, size);
	return at;
}

static void begin_block(void)
{
	tail->block = (struct recording_block){.magic = RECORDING_MAGIC,
	                                       .sequence = log_sequence++,
	                                       .first_call = log_place->call};
	log_at = (uint8_t *)(tail + 1);
	log_end = log_at + RECORDING_BLOCK;
}

/* --- recording -------------------------------------------------------------------------------- */

static int start_writing(int directory, int rank)
{
	int mapped = open_file(directory, rank, "tail", O_RDWR | O_CREAT | O_TRUNC);

	file = open_file(directory, rank, "log", O_WRONLY | O_CREAT | O_TRUNC);
	if (file < 0 || mapped < 0)
		return -errno;
	/* Memory of a file without blocks on a full disk: SIGBUS. */
	int error = posix_fallocate(mapped, 0, RECORDING_TAIL_SIZE);
	if (error != 0)
		return -error;
	tail = map(PLACE_OF_TAIL, RECORDING_TAIL_SIZE, PROT_READ | PROT_WRITE,
	           MAP_SHARED | MAP_POPULATE, mapped);
	if (!tail)
		return -errno;
	syscall(SYS_close, mapped);
	*tail = (struct recording_tail){.magic = RECORDING_MAGIC,
	                                .version = RECORDING_VERSION,
	                                .rank = rank,
	                                .pid = (int32_t)getpid()};
	log_place = &tail->place;
	log_pid = tail->pid;
	begin_block();
	log_on = true;
	return 0;
}

/* The log ends with its last whole block; what is in the tail belongs to it. */
static void give_up(int error)
{
	if (ftruncate(file, whole) != 0)
		error = errno;
	log_place->last_call = log_place->call;
	log_place->error = error;
	log_on = false;
}

/* Writes a block. The file is not synchronised: what is written survives the process. */
static void put_block(struct recording_block *block, const void *bytes)
{
	size_t left = sizeof(*block) + block->size, done = 0;

	recording_seal(block, bytes);
	while (left > 0 && log_on) {
		struct iovec parts[2] = {{block, sizeof(*block)},
		                         {(void *)(uintptr_t)bytes, block->size}};
		const size_t skip = done < sizeof(*block) ? done : sizeof(*block);

		parts[0].iov_base = (char *)parts[0].iov_base + skip;
		parts[0].iov_len -= skip;
		parts[1].iov_base = (char *)parts[1].iov_base + (done - skip);
		parts[1].iov_len -= done - skip;
		ssize_t written = writev(file, parts, 2);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0) {
			give_up(written < 0 ? errno : EIO);
			return;
		}
		done += (size_t)written;
		left -= (size_t)written;
	}
	whole += (off_t)(sizeof(*block) + block->size);
}

static void close_block(void)
{
	struct recording_block block = tail->block;

	block.size = (uint64_t)(log_at - (uint8_t *)(tail + 1));
	if (block.size == 0) {
		log_sequence--;
		return;
	}
	/* The tail stays as it is until the block is in the file. */
	__atomic_store_n(&tail->block.size, block.size, __ATOMIC_RELEASE);
	put_block(&block, tail + 1);
}

void log_next_block(void)
{
	if (log_on)
		close_block();
	if (log_on) {
		begin_block();
		return;
	}
	/* The program goes on; nobody reads what is written here. */
	static uint8_t scrap[4096];
	log_at = scrap;
	log_end = scrap + sizeof(scrap);
}

void log_commit(void)
{
	if (log_on)
		__atomic_store_n(&tail->block.size, (uint64_t)(log_at - (uint8_t *)(tail + 1)),
		                 __ATOMIC_RELEASE);
}

void log_finish(void)
{
	if (!log_on)
		return;
	close_block();
	if (!log_on)
		return;
	begin_block();
	log_place->inside = 0;
	log_place->ended = 1;
	log_on = false;
	syscall(SYS_close, file);
}

/* --- replaying -------------------------------------------------------------------------------- */

static const void *map_file(int descriptor, void *place, size_t *ret_size)
{
	struct stat status;
	const void *mapped;

	*ret_size = 0;
	if (descriptor < 0 || fstat(descriptor, &status) != 0)
		return NULL;
	*ret_size = (size_t)status.st_size;
	mapped = *ret_size ? map(place, *ret_size, PROT_READ, MAP_PRIVATE, descriptor) : NULL;
	if (mapped)
		madvise((void *)(uintptr_t)mapped, *ret_size, MADV_SEQUENTIAL);
	else
		*ret_size = 0;
	syscall(SYS_close, descriptor);
	return mapped;
}

static int start_reading(int directory, int rank)
{
	static struct recording_place place; /* of the replayed rank */
	size_t log_size, tail_size;
	int descriptor = open_file(directory, rank, "log", O_RDONLY);

	if (descriptor < 0)
		return -errno;
	const void *log = map_file(descriptor, PLACE_OF_LOG, &log_size);
	const void *last = map_file(open_file(directory, rank, "tail", O_RDONLY), PLACE_OF_TAIL,
	                            &tail_size);
	recording_begin(&reader, log, log_size, last, tail_size);
	if (recording_place_of(last, tail_size))
		log_pid = ((const struct recording_tail *)last)->pid;
	log_place = &place;
	log_on = true;
	return 0;
}

bool log_more(void)
{
	while (log_at == log_end) {
		if (!recording_next(&reader))
			return false;
		log_at = (uint8_t *)(uintptr_t)reader.bytes;
		log_end = log_at + reader.size;
	}
	return true;
}

uint64_t log_damaged(void)
{
	return reader.state == RECORDING_DAMAGED ? reader.first_call + 1 : 0;
}

int log_start(int directory, int rank, bool replaying)
{
	log_replaying = replaying;
	return replaying ? start_reading(directory, rank) : start_writing(directory, rank);
}

/* --- values ----------------------------------------------------------------------------------- */

uint64_t log_number(uint64_t value)
{
	const uint8_t *end;

	if (!log_replaying) {
		log_room(RECORDING_FIELD);
		log_at = recording_put(log_at, value);
		return value;
	}
	if (!log_more())
		replay_ended();
	end = recording_get(log_at, log_end, &value);
	if (!end)
		replay_ended();
	log_at = (uint8_t *)(uintptr_t)end;
	return value;
}

void log_raw(void *bytes, size_t size)
{
	if (!log_replaying) {
		log_room(size);
		memcpy(log_at, bytes, size);
	} else {
		if (!log_more() || (size_t)(log_end - log_at) < size)
			replay_ended();
		memcpy(bytes, log_at, size);
	}
	log_at += size;
}

static void write_direct(const char *bytes, size_t size)
{
	while (size > 0 && log_on) {
		const size_t part = size < RECORDING_DATA_MOST ? size : RECORDING_DATA_MOST;
		struct recording_block block = {
			.sequence = log_sequence, .size = part, .first_call = log_place->call};

		put_block(&block, bytes);
		log_sequence++;
		bytes += part;
		size -= part;
	}
}

static void write_data(const char *bytes, size_t size)
{
	if (size >= DIRECT && log_on) {
		close_block();
		write_direct(bytes, size);
		if (log_on)
			begin_block();
		else
			log_next_block();
		return;
	}
	while (size > 0) {
		size_t part = (size_t)(log_end - log_at);

		if (part == 0) {
			log_next_block();
			continue;
		}
		part = part < size ? part : size;
		memcpy(log_at, bytes, part);
		log_at += part;
		bytes += part;
		size -= part;
	}
}

void log_data(void *bytes, size_t size)
{
	if (!log_replaying) {
		write_data(bytes, size);
		return;
	}
	for (char *to = bytes; size > 0;) {
		if (!log_more())
			replay_ended();
		const size_t there = (size_t)(log_end - log_at), part = there < size ? there : size;
		memcpy(to, log_at, part);
		log_at += part;
		to += part;
		size -= part;
	}
}
