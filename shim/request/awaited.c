#define _GNU_SOURCE
#include "awaited.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ckpt/agent.h"
#include "common/mix.h"
#include "request_internal.h"
#include "shim/gate/gate.h"
#include "shim/objects/communicator.h"

enum {
	MOST_RANKS = 256,   /* with more, nothing is told */
	AT_ONCE = 4,        /* messages of one source that a rank can wait for */
	MOST_COUNTS = 4096, /* of different kinds of messages; a power of 2 */
};

/* A message that is awaited. `version` is odd while the others change. */
struct told {
	_Atomic uint32_t version, place;
	_Atomic uint64_t comm;
	_Atomic int32_t tag;
};

/* What one rank waits for from another. Only the receiver writes. */
struct pair {
	struct told told[AT_ONCE];
	uint32_t next;
};

/* The messages to, or from, a rank of the job so far. */
struct count {
	uint64_t comm;
	int32_t peer, tag;
	bool is_send;
	uint32_t messages; /* 0: unused */
};

static struct {
	int rank, ranks;
	struct pair *pairs; /* by receiver and sender; NULL: nothing is told */
	unsigned used;
	struct count counts[MOST_COUNTS];
} awaited;

void awaited_start(int rank, int ranks)
{
	size_t bytes = sizeof(struct pair) * (size_t)ranks * (size_t)ranks;
	void *shared = MAP_FAILED;

	if (!gate_welcome()->hurries || gate_welcome()->buffering != WIRE_BUFFERING_INFINITE
	    || ranks < 2 || ranks > MOST_RANKS)
		return;
	int file = openat(AGENT_WORLD_FD, AWAITED_FILE, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (file >= 0 && ftruncate(file, (off_t)bytes) == 0)
		shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (file >= 0)
		close(file);
	if (shared == MAP_FAILED)
		return;
	awaited.rank = rank;
	awaited.ranks = ranks;
	awaited.pairs = shared;
}

void awaited_stop(void)
{
	awaited.pairs = NULL;
}

/* Where the count of such messages is, or will be. */
static struct count *find_count(uint64_t comm, int peer, int tag, bool is_send)
{
	uint64_t hash = mix(comm, (uint64_t)(uint32_t)peer << 32 | (uint32_t)tag);

	for (size_t at = (size_t)hash;; at++) {
		struct count *count = &awaited.counts[at % MOST_COUNTS];

		if (count->messages == 0
		    || (count->comm == comm && count->peer == peer && count->tag == tag
		        && count->is_send == is_send))
			return count;
	}
}

/* The world rank of a peer; -1: messages with it are not counted. */
static int counted_peer(const struct request *request, int peer, uint64_t *ret_comm)
{
	const struct communicator *communicator = communicator_find(request->comm);
	int rank;

	if (!communicator || communicator_is_inter(communicator))
		return -1;
	rank = communicator_world_rank(communicator, peer);
	*ret_comm = communicator_number(request->comm);
	return rank < awaited.ranks ? rank : -1;
}

static void count_message(struct request *request, int peer, int tag)
{
	bool is_send = request->kind == REQUEST_SEND;
	struct count *count;
	uint64_t comm;
	int rank;

	request->place = 0;
	if (!awaited.pairs)
		return;
	rank = counted_peer(request, peer, &comm);
	if (rank < 0)
		return;
	count = find_count(comm, rank, tag, is_send);
	if (count->messages == UINT32_MAX
	    || (count->messages == 0 && ++awaited.used > MOST_COUNTS / 2)) {
		awaited_stop();
		return;
	}
	if (count->messages == 0)
		*count = (struct count){comm, rank, tag, is_send, 0};
	request->place = ++count->messages;
}

void awaited_count_send(struct request *request)
{
	count_message(request, request->peer, request->tag);
}

void awaited_count_receive(struct request *request, int source, int tag)
{
	count_message(request, source, tag);
}

static struct pair *pair_of(int receiver, int sender)
{
	return &awaited.pairs[(size_t)receiver * (size_t)awaited.ranks + (size_t)sender];
}

static void write_told(struct told *told, uint64_t comm, int tag, uint32_t place)
{
	uint32_t version = atomic_load_explicit(&told->version, memory_order_relaxed);

	atomic_store_explicit(&told->version, version + 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&told->comm, comm, memory_order_relaxed);
	atomic_store_explicit(&told->tag, tag, memory_order_relaxed);
	atomic_store_explicit(&told->place, place, memory_order_relaxed);
	atomic_store_explicit(&told->version, version + 2, memory_order_release);
}

void awaited_tell(const struct request *request)
{
	struct pair *pair;
	uint64_t comm;
	int source;

	if (!awaited.pairs || request->place == 0 || !gate_hurries())
		return;
	source = counted_peer(request, request->peer, &comm);
	if (source < 0)
		return;
	pair = pair_of(awaited.rank, source);
	write_told(&pair->told[pair->next++ % AT_ONCE], comm, request->tag, request->place);
}

static bool is_told(const struct told *told, uint64_t comm, int tag, uint32_t place)
{
	uint32_t version = atomic_load_explicit(&told->version, memory_order_acquire);
	bool same = atomic_load_explicit(&told->comm, memory_order_relaxed) == comm
	            && atomic_load_explicit(&told->tag, memory_order_relaxed) == tag
	            && atomic_load_explicit(&told->place, memory_order_relaxed) == place;

	atomic_thread_fence(memory_order_acquire);
	return same && version % 2 == 0
	       && atomic_load_explicit(&told->version, memory_order_relaxed) == version;
}

bool awaited_is_told(const struct request *request)
{
	const struct pair *pair;
	uint64_t comm;
	int receiver;

	if (!awaited.pairs || request->place == 0 || !gate_hurries())
		return false;
	receiver = counted_peer(request, request->peer, &comm);
	if (receiver < 0)
		return false;
	pair = pair_of(receiver, awaited.rank);
	for (int i = 0; i < AT_ONCE; i++)
		if (is_told(&pair->told[i], comm, request->tag, request->place))
			return true;
	return false;
}
