/* Messages of random derived types, up to 1 MB, arrive complete, however they are sent and
 * received. */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "../check.h"

enum { ROUNDS = 40, MOST = 1 << 20, WAYS = 9, FAR = 1 << 30 };

static uint64_t state;

static unsigned below(unsigned bound)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % bound;
}

static MPI_Datatype basic(void)
{
	static const MPI_Datatype types[] = {
		MPI_CHAR,
		MPI_SHORT,
		MPI_INT,
		MPI_FLOAT,
		MPI_DOUBLE,
		MPI_LONG_DOUBLE,
		MPI_BYTE,
		MPI_2INT,
		MPI_DOUBLE_INT,
		MPI_SHORT_INT,
		MPI_LONG_DOUBLE_INT,
		MPI_C_DOUBLE_COMPLEX,
	};
	return types[below(sizeof(types) / sizeof(types[0]))];
}

static MPI_Datatype any_type(int depth);

static MPI_Datatype structure(int depth)
{
	MPI_Datatype parts[4], made;
	MPI_Aint places[4], low, extent, true_low, next = -40;
	int lengths[4], count = 1 + (int)below(4);

	for (int i = 0; i < count; i++) {
		parts[i] = any_type(depth - 1);
		lengths[i] = (int)below(4);
		MPI_Type_get_extent(parts[i], &low, &extent);
		MPI_Type_get_true_extent(parts[i], &true_low, &low);
		places[i] = next - true_low;
		next += lengths[i] * extent + low + below(20);
	}
	MPI_Type_create_struct(count, lengths, places, parts, &made);
	for (int i = 0; i < count; i++) {
		int integers, addresses, types, combiner;

		MPI_Type_get_envelope(parts[i], &integers, &addresses, &types, &combiner);
		if (combiner != MPI_COMBINER_NAMED)
			MPI_Type_free(&parts[i]);
	}
	return made;
}

static MPI_Datatype derived(MPI_Datatype of)
{
	int lengths[3] = {2, 0, 1}, places[3] = {3, 6, 0}, sizes[2] = {3, 5}, parts[2] = {2, 3};
	int starts[2] = {1, 1};
	MPI_Aint low, extent, far[3];
	MPI_Datatype made;

	MPI_Type_get_extent(of, &low, &extent);
	for (int i = 0; i < 3; i++)
		far[i] = places[i] * extent + 4 * (2 - i); /* disjoint, as the standard requires */
	switch (below(8)) {
	case 0: MPI_Type_contiguous(1 + (int)below(5), of, &made); break;
	case 1: MPI_Type_vector(3, 2, 3, of, &made); break;
	case 2: MPI_Type_create_hvector(2, 2, 2 * extent + 12, of, &made); break;
	case 3: MPI_Type_indexed(3, lengths, places, of, &made); break;
	case 4: MPI_Type_create_hindexed(3, lengths, far, of, &made); break;
	case 5: MPI_Type_create_indexed_block(3, 1, places, of, &made); break;
	case 6: MPI_Type_create_resized(of, low - 8, extent + 24, &made); break;
	default: MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, of, &made); break;
	}
	return made;
}

static MPI_Datatype any_type(int depth)
{
	MPI_Datatype inner, made;
	int integers, addresses, types, combiner;

	if (depth == 0)
		return basic();
	if (below(3) == 0)
		return structure(depth);
	inner = any_type(depth - 1);
	made = derived(inner);
	MPI_Type_get_envelope(inner, &integers, &addresses, &types, &combiner);
	if (combiner != MPI_COMBINER_NAMED)
		MPI_Type_free(&inner);
	return made;
}

/* Room for `count` elements; *ret_origin is the address for MPI. */
static char *room(int count, MPI_Datatype type, size_t *ret_bytes, void **ret_origin)
{
	MPI_Aint low, extent, true_low, true_extent, first;

	MPI_Type_get_extent(type, &low, &extent);
	MPI_Type_get_true_extent(type, &true_low, &true_extent);
	MPI_Aint rest = (count - 1) * extent;
	first = true_low + (rest < 0 ? rest : 0);
	*ret_bytes = (size_t)(true_extent + (rest < 0 ? -rest : rest));
	char *memory = calloc(1, *ret_bytes + 1);
	CHECK(memory);
	*ret_origin = memory - first;
	return memory;
}

static void send_back(void *data, int count, MPI_Datatype type)
{
	MPI_Send(data, count, type, 0, 1, WORLD);
}

static void pass(int way, void *data, int count, MPI_Datatype type)
{
	MPI_Request request = MPI_REQUEST_NULL;

	if (way == 0) {
		MPI_Bcast(data, count, type, 0, WORLD);
	} else if (way == 1) {
		MPI_Ibcast(data, count, type, 0, WORLD, &request);
	} else if (rank == 1) {
		if (way == 2)
			MPI_Irecv(data, count, type, 0, 0, WORLD, &request);
		else
			MPI_Recv(data, count, type, 0, 0, WORLD, IGNORE);
	} else if (way == 3) {
		MPI_Send(data, count, type, 1, 0, WORLD);
	} else if (way == 4) {
		MPI_Bsend(data, count, type, 1, 0, WORLD);
	} else if (way == 5) {
		MPI_Send_init(data, count, type, 1, 0, WORLD, &request);
		MPI_Start(&request);
		MPI_Wait(&request, IGNORE);
		MPI_Request_free(&request);
	} else if (way == 6) {
		MPI_Ssend(data, count, type, 1, 0, WORLD);
	} else if (way == 7) {
		MPI_Sendrecv_replace(data, count, type, 1, 0, MPI_PROC_NULL, 0, WORLD, IGNORE);
	} else {
		MPI_Isend(data, count, type, 1, 0, WORLD, &request);
	}
	MPI_Wait(&request, IGNORE);
}

/* The same with the elements' basic types, sent back as bytes. */
static void compare(const void *data, int count, MPI_Datatype type)
{
	static char packed[MOST + 64], other[MOST + 64];
	int bytes = 0, received;
	MPI_Status status;

	MPI_Pack(data, count, type, packed, sizeof(packed), &bytes, WORLD);
	if (rank == 1) {
		send_back(packed, bytes, MPI_BYTE);
		return;
	}
	MPI_Recv(other, sizeof(other), MPI_BYTE, 1, 1, WORLD, &status);
	MPI_Get_count(&status, MPI_BYTE, &received);
	CHECK(received == bytes && memcmp(packed, other, (size_t)bytes) == 0);
}

static void one_round(int round)
{
	MPI_Datatype type = any_type(1 + (int)below(3));
	int unit, count;
	size_t bytes;
	void *origin;

	MPI_Type_commit(&type);
	MPI_Type_size(type, &unit);
	count = unit == 0 ? 3 : 1 + (int)below(2u << below(21)) / unit;
	while (count > 1 && (long)count * unit > MOST)
		count /= 2;
	char *memory = room(count, type, &bytes, &origin);
	for (size_t i = 0; i < bytes && rank == 0; i++)
		memory[i] = (char)(i * 37 + (size_t)round);
	pass(round % WAYS, origin, count, type);
	compare(origin, count, type);
	MPI_Type_free(&type);
	free(memory);
}

/* Elements that are far apart, and at absolute addresses. */
static void spread(void)
{
	char *memory = mmap(NULL, (size_t)FAR + 65536, PROT_READ | PROT_WRITE,
	                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	static int numbers[3000];
	double *values = calloc(3000, sizeof(double));
	int lengths[3] = {3000, 3000, 50000};
	MPI_Datatype types[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR}, type;
	MPI_Aint places[3];

	CHECK(memory != MAP_FAILED && values);
	MPI_Get_address(numbers, &places[0]);
	MPI_Get_address(values, &places[1]);
	MPI_Get_address(memory + FAR, &places[2]);
	for (int i = 0; i < 3000 && rank == 0; i++) {
		numbers[i] = i;
		values[i] = memory[FAR + i] = (char)(i * i);
	}
	MPI_Type_create_struct(3, lengths, places, types, &type);
	MPI_Type_commit(&type);
	for (int way = 0; way < WAYS; way++) {
		pass(way, MPI_BOTTOM, 1, type);
		for (int i = 0; i < 3000; i++) {
			CHECK(numbers[i] == i && values[i] == (char)(i * i));
			CHECK(memory[FAR + i] == (char)(i * i));
			if (rank == 1)
				numbers[i] = memory[FAR + i] = -1;
		}
	}
	MPI_Type_free(&type);
	free(values);
	munmap(memory, (size_t)FAR + 65536);
}

struct pair {
	int number;
	double value;
};

/* A message that ends inside an element of the receiver's: the other elements stay unchanged. */
static void shorter(int way)
{
	enum { SENT = 2000, ROOM = 2010 };
	static struct pair pairs[ROOM];
	int lengths[2] = {1, 1}, counts[2] = {SENT, 1}, elements;
	MPI_Aint places[2] = {0, offsetof(struct pair, value)};
	MPI_Aint ends[2] = {0, sizeof(pairs[0]) * SENT};
	MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE}, pair, whole;
	MPI_Request request;
	MPI_Message message;
	MPI_Status status;

	MPI_Type_create_struct(2, lengths, places, types, &pair);
	types[0] = pair;
	types[1] = MPI_INT;
	MPI_Type_create_struct(2, counts, ends, types, &whole);
	MPI_Type_commit(&pair);
	MPI_Type_commit(&whole);
	for (int i = 0; i < ROOM; i++)
		pairs[i] = rank == 0 ? (struct pair){i, 2.5 * i} : (struct pair){-1, -1};
	if (rank == 0) {
		MPI_Send(pairs, 1, whole, 1, 0, WORLD);
	} else {
		if (way == 0) {
			MPI_Recv(pairs, ROOM, pair, 0, 0, WORLD, &status);
		} else {
			MPI_Mprobe(0, 0, WORLD, &message, &status);
			if (way == 1) {
				MPI_Mrecv(pairs, ROOM, pair, &message, &status);
			} else {
				MPI_Imrecv(pairs, ROOM, pair, &message, &request);
				MPI_Wait(&request, &status);
			}
		}
		MPI_Get_elements(&status, pair, &elements);
		CHECK(elements == 2 * SENT + 1);
		for (int i = 0; i < ROOM; i++)
			CHECK(pairs[i].number == (i <= SENT ? i : -1)
			      && pairs[i].value == (i < SENT ? 2.5 * i : -1));
	}
	MPI_Type_free(&pair);
	MPI_Type_free(&whole);
}

int main(int argc, char **argv)
{
	int most = 4 * MOST;
	void *buffer = malloc((size_t)most);

	start(&argc, &argv);
	state = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;
	MPI_Buffer_attach(buffer, most);
	for (int round = 0; round < ROUNDS; round++)
		one_round(round);
	spread();
	for (int way = 0; way < 3; way++)
		shorter(way);
	MPI_Buffer_detach(&buffer, &most);
	free(buffer);
	MPI_Finalize();
	return 0;
}
