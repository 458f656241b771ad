/* Random MPI calls that end well in any order of messages. All ranks take the same steps, drawn
 * from argv[1]; argv[2] is the number of steps. After each step a rank prints a hash of all that it
 * got: data with the gaps of derived types, statuses, who was first, times, and addresses. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 4096, FEW = 6 };

static int rank, size, step;
static uint64_t shared, hash = 1; /* `shared` is the same on all ranks */
static unsigned char in[LENGTH], out[LENGTH];

static unsigned draw(unsigned below)
{
	shared = shared * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(shared >> 33) % below;
}

static void add(const void *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		hash = (hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
}

static void add_number(long number)
{
	add(&number, sizeof(number));
}

static void add_status(const MPI_Status *status)
{
	int count;

	MPI_Get_count(status, MPI_BYTE, &count);
	add_number(status->MPI_SOURCE);
	add_number(status->MPI_TAG);
	add_number(count);
}

static void fill(void)
{
	for (int i = 0; i < LENGTH; i++) {
		out[i] = (unsigned char)(step * 31 + rank * 7 + i);
		in[i] = (unsigned char)(i * 3);
	}
}

static int next(int by)
{
	return (rank + by) % size;
}

static int previous(int by)
{
	return (rank + size - by % size) % size;
}

/* --- derived types ---------------------------------------------------------------------------- */

static MPI_Datatype basic(void)
{
	const MPI_Datatype types[] = {MPI_CHAR,       MPI_INT,  MPI_SHORT,    MPI_DOUBLE,
	                              MPI_DOUBLE_INT, MPI_BYTE, MPI_UINT64_T, MPI_FLOAT};

	return types[draw(8)];
}

/* Of any type, at most two levels deep; the result is not committed. */
static MPI_Datatype derive(MPI_Datatype from)
{
	int lengths[3], places[3], sizes[2] = {5, 4}, parts[2] = {2, 3}, starts[2] = {1, 1};
	MPI_Aint lower, extent, bytes[3];
	MPI_Datatype types[3], type;

	MPI_Type_get_extent(from, &lower, &extent);
	for (int i = 0; i < 3; i++) {
		lengths[i] = 1 + (int)draw(2);
		places[i] = i * 3;
		bytes[i] = i * 3 * extent;
		types[i] = i == 1 ? MPI_BYTE : from;
	}
	switch (draw(8)) {
	case 0: MPI_Type_contiguous(2, from, &type); break;
	case 1: MPI_Type_vector(2, 1, 3, from, &type); break;
	case 2: MPI_Type_create_hvector(2, 1, 2 * extent, from, &type); break;
	case 3: MPI_Type_indexed(3, lengths, places, from, &type); break;
	case 4: MPI_Type_create_hindexed(3, lengths, bytes, from, &type); break;
	case 5: MPI_Type_create_struct(3, lengths, bytes, types, &type); break;
	case 6: MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, from, &type); break;
	default: MPI_Type_create_resized(from, 0, 2 * extent, &type); break;
	}
	return type;
}

static MPI_Datatype random_type(void)
{
	MPI_Datatype first = derive(basic()), second;

	if (draw(2) == 0) {
		second = derive(first);
		MPI_Type_free(&first);
		first = second;
	}
	MPI_Type_commit(&first);
	return first;
}

/* How many fit into half of a buffer. */
static int most_of(MPI_Datatype type)
{
	MPI_Aint lower, extent, count;

	MPI_Type_get_extent(type, &lower, &extent);
	count = LENGTH / 2 / extent;
	return count > 3 ? 3 : (int)count;
}

/* --- steps ------------------------------------------------------------------------------------ */

static void ring(void)
{
	MPI_Datatype type = random_type();
	const int count = most_of(type), by = 1 + (int)draw(2);
	MPI_Status status;

	MPI_Sendrecv(out, count, type, next(by), 1, in, count, type, previous(by), 1,
	             MPI_COMM_WORLD, &status);
	add_status(&status);
	MPI_Type_free(&type);
}

/* Everybody's messages of random lengths, in the order in which they come. */
static void from_anybody(void)
{
	const int root = (int)draw((unsigned)size), most = 1 + (int)draw(900);
	const unsigned way = draw(4);

	if (rank != root)
		MPI_Send(out, most - rank % most, MPI_BYTE, root, rank, MPI_COMM_WORLD);
	for (int i = 1; rank == root && i < size; i++) {
		MPI_Status status;
		MPI_Message message;
		MPI_Request request;
		int flag = 0;

		if (way == 0) {
			MPI_Recv(in, LENGTH, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
			         &status);
		} else if (way == 1) {
			while (!flag)
				MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag,
				           &status);
			MPI_Recv(in, LENGTH, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG,
			         MPI_COMM_WORLD, &status);
		} else if (way == 2) {
			MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
			MPI_Mrecv(in, LENGTH, MPI_BYTE, &message, &status);
		} else {
			while (!flag)
				MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag,
				            &message, &status);
			MPI_Imrecv(in, LENGTH, MPI_BYTE, &message, &request);
			MPI_Wait(&request, &status);
		}
		add_status(&status);
		add(in, LENGTH);
	}
}

/* Requests of a ring, completed by a random kind of wait or test. */
static void complete(MPI_Request *requests, int count)
{
	const unsigned way = draw(7);
	MPI_Status statuses[2 * FEW];
	int indices[2 * FEW], some, index, flag = 0;

	if (way == 0) {
		MPI_Waitall(count, requests, statuses);
	} else if (way == 1) {
		while (!flag)
			MPI_Testall(count, requests, &flag, statuses);
	} else if (way == 2) {
		while (!flag)
			MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
		MPI_Waitall(count, requests, statuses);
	}
	for (int done = 0; way > 2 && done < count;) {
		some = flag = 1;
		switch (way) {
		case 3: MPI_Waitany(count, requests, indices, statuses); break;
		case 4: MPI_Testany(count, requests, indices, &flag, statuses); break;
		case 5: MPI_Waitsome(count, requests, &some, indices, statuses); break;
		default: MPI_Testsome(count, requests, &some, indices, statuses); break;
		}
		for (int i = 0; flag && i < some; i++)
			add_number(indices[i]);
		done += flag ? some : 0;
	}
	for (index = 0; index < count; index++)
		add_number(requests[index] == MPI_REQUEST_NULL);
}

static void several_requests(void)
{
	const int count = 1 + (int)draw(FEW - 1), length = 1 + (int)draw(LENGTH / FEW - 1);
	MPI_Request requests[2 * FEW];

	for (int i = 0; i < count; i++)
		MPI_Irecv(in + i * length, length, MPI_BYTE, draw(2) ? previous(1) : MPI_ANY_SOURCE,
		          i, MPI_COMM_WORLD, &requests[i]);
	for (int i = 0; i < count; i++) {
		unsigned char *from = out + i * length;

		if (draw(2))
			MPI_Issend(from, length, MPI_BYTE, next(1), i, MPI_COMM_WORLD,
			           &requests[count + i]);
		else
			MPI_Isend(from, length, MPI_BYTE, next(1), i, MPI_COMM_WORLD,
			          &requests[count + i]);
	}
	complete(requests, 2 * count);
}

static void persistent(void)
{
	MPI_Datatype type = random_type();
	const int count = most_of(type);
	MPI_Request requests[2];
	MPI_Status statuses[2];

	MPI_Send_init(out, count, type, next(1), 2, MPI_COMM_WORLD, &requests[0]);
	MPI_Recv_init(in, count, type, draw(2) ? MPI_ANY_SOURCE : previous(1), 2, MPI_COMM_WORLD,
	              &requests[1]);
	for (int i = 0; i < 3; i++) {
		out[i]++;
		MPI_Startall(2, requests);
		MPI_Waitall(2, requests, statuses);
		add(in, LENGTH);
	}
	MPI_Request_free(&requests[0]);
	MPI_Request_free(&requests[1]);
	MPI_Type_free(&type);
}

/* Neither commutative nor symmetric: the order of the operands shows. */
static void combine(void *from, void *to, int *length, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *length; i++)
		((unsigned *)to)[i] = ((unsigned *)to)[i] * 3 + ((unsigned *)from)[i];
}

static void reductions(void)
{
	const MPI_Op known[] = {MPI_SUM, MPI_MAX, MPI_BXOR};
	const int root = (int)draw((unsigned)size), few = 1 + (int)draw(20);
	MPI_Op mine, op;
	MPI_Request request = MPI_REQUEST_NULL;

	MPI_Op_create(combine, 0, &mine);
	op = draw(2) ? mine : known[draw(3)];
	switch (draw(9)) {
	case 0: MPI_Reduce(out, in, few, MPI_UNSIGNED, op, root, MPI_COMM_WORLD); break;
	case 1: MPI_Allreduce(out, in, few, MPI_UNSIGNED, op, MPI_COMM_WORLD); break;
	case 2: MPI_Allreduce(MPI_IN_PLACE, in, few, MPI_UNSIGNED, op, MPI_COMM_WORLD); break;
	case 3: MPI_Scan(out, in, few, MPI_UNSIGNED, op, MPI_COMM_WORLD); break;
	case 4: MPI_Exscan(out, in, few, MPI_UNSIGNED, op, MPI_COMM_WORLD); break;
	case 5: MPI_Reduce_scatter_block(out, in, few, MPI_UNSIGNED, op, MPI_COMM_WORLD); break;
	case 6: MPI_Iallreduce(out, in, few, MPI_UNSIGNED, op, MPI_COMM_WORLD, &request); break;
	case 7: MPI_Ireduce(out, in, few, MPI_UNSIGNED, op, root, MPI_COMM_WORLD, &request); break;
	default: MPI_Iscan(out, in, few, MPI_UNSIGNED, op, MPI_COMM_WORLD, &request); break;
	}
	complete(&request, request == MPI_REQUEST_NULL ? 0 : 1);
	MPI_Op_free(&mine);
}

/* Data that moves between all ranks, in parts of different lengths. */
static void exchanges(void)
{
	const int root = (int)draw((unsigned)size), few = 1 + (int)draw(40);
	int counts[64], places[64], mine;
	MPI_Request request = MPI_REQUEST_NULL;

	for (int i = 0; i < size; i++) {
		counts[i] = few + i;
		places[i] = i * (few + size);
	}
	mine = counts[rank];
	switch (draw(11)) {
	case 0: MPI_Bcast(rank == root ? out : in, few, MPI_INT, root, MPI_COMM_WORLD); break;
	case 1: MPI_Gather(out, few, MPI_CHAR, in, few, MPI_CHAR, root, MPI_COMM_WORLD); break;
	case 2:
		MPI_Gatherv(out, mine, MPI_CHAR, in, counts, places, MPI_CHAR, root,
		            MPI_COMM_WORLD);
		break;
	case 3: MPI_Scatter(out, few, MPI_SHORT, in, few, MPI_SHORT, root, MPI_COMM_WORLD); break;
	case 4:
		MPI_Scatterv(out, counts, places, MPI_CHAR, in, mine, MPI_CHAR, root,
		             MPI_COMM_WORLD);
		break;
	case 5: MPI_Allgather(out, few, MPI_CHAR, in, few, MPI_CHAR, MPI_COMM_WORLD); break;
	case 6:
		MPI_Allgatherv(out, mine, MPI_CHAR, in, counts, places, MPI_CHAR, MPI_COMM_WORLD);
		break;
	case 7: MPI_Alltoall(out, few, MPI_SHORT, in, few, MPI_SHORT, MPI_COMM_WORLD); break;
	case 8:
		for (int i = 0; i < size; i++)
			counts[i] = few + (i + rank) % size;
		MPI_Alltoallv(out, counts, places, MPI_CHAR, in, counts, places, MPI_CHAR,
		              MPI_COMM_WORLD);
		break;
	case 9:
		MPI_Ibcast(rank == root ? out : in, few, MPI_INT, root, MPI_COMM_WORLD, &request);
		break;
	default:
		MPI_Ialltoall(out, few, MPI_CHAR, in, few, MPI_CHAR, MPI_COMM_WORLD, &request);
		break;
	}
	complete(&request, request == MPI_REQUEST_NULL ? 0 : 1);
}

static void parts_of_the_world(void)
{
	int there, others, sum, value = rank * 3 + step;
	const unsigned way = draw(4);
	MPI_Comm part;
	MPI_Group group;
	MPI_Request request;

	if (way == 0)
		MPI_Comm_dup(MPI_COMM_WORLD, &part);
	else if (way == 1)
		MPI_Comm_idup(MPI_COMM_WORLD, &part, &request);
	else
		MPI_Comm_split(MPI_COMM_WORLD, rank % 2, way == 2 ? rank : -rank, &part);
	if (way == 1)
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Comm_rank(part, &there);
	MPI_Comm_size(part, &others);
	MPI_Barrier(part);
	MPI_Sendrecv(out, 99, MPI_BYTE, (there + 1) % others, 5, in, 99, MPI_BYTE,
	             (there + others - 1) % others, 5, part, MPI_STATUS_IGNORE);
	MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, part);
	MPI_Comm_group(part, &group);
	MPI_Group_size(group, &value);
	MPI_Group_free(&group);
	add_number(sum * 100 + value * 10 + there);
	MPI_Comm_free(&part);
}

static void grid(void)
{
	int dims[2] = {0, 0}, periods[2] = {1, (int)draw(2)}, from, to, place[2];
	MPI_Comm cart, row;
	const int keep[2] = {0, 1};

	MPI_Dims_create(size, 2, dims);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, (int)draw(2), &cart);
	MPI_Cart_shift(cart, (int)draw(2), 1, &from, &to);
	MPI_Sendrecv_replace(out, 70, MPI_SHORT, to, 6, from, 6, cart, MPI_STATUS_IGNORE);
	MPI_Neighbor_alltoall(out, 5, MPI_INT, in, 5, MPI_INT, cart);
	MPI_Cart_sub(cart, keep, &row);
	MPI_Cart_coords(cart, rank, 2, place);
	MPI_Bcast(in + 2000, 50, MPI_BYTE, 0, row);
	add(place, sizeof(place));
	add(out, LENGTH);
	MPI_Comm_free(&row);
	MPI_Comm_free(&cart);
}

static void packed(void)
{
	MPI_Datatype type = random_type();
	const int count = most_of(type);
	unsigned char bytes[2 * LENGTH] = {0};
	int most, position = 0, back = 0;
	MPI_Status status;

	MPI_Pack_size(count, type, MPI_COMM_WORLD, &most);
	MPI_Pack(out, count, type, bytes, LENGTH, &position, MPI_COMM_WORLD);
	MPI_Sendrecv_replace(bytes, most, MPI_PACKED, next(1), 7, previous(1), 7, MPI_COMM_WORLD,
	                     &status);
	MPI_Unpack(bytes, LENGTH, &back, in, count, type, MPI_COMM_WORLD);
	add_number(most + position + back);
	MPI_Type_free(&type);
}

static void modes_of_sends(void)
{
	char *room = malloc(LENGTH + MPI_BSEND_OVERHEAD);
	MPI_Request request;
	void *back;
	int length;

	MPI_Buffer_attach(room, LENGTH + MPI_BSEND_OVERHEAD);
	MPI_Bsend(out, 300, MPI_BYTE, next(1), 8, MPI_COMM_WORLD);
	MPI_Recv(in, 300, MPI_BYTE, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Buffer_detach(&back, &length);
	add_number(length + (back == room));
	free(room);
	MPI_Irecv(in + 300, 300, MPI_BYTE, previous(1), 9, MPI_COMM_WORLD, &request);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Rsend(out, 200, MPI_BYTE, next(1), 9, MPI_COMM_WORLD);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void cancelled(void)
{
	MPI_Request request;
	MPI_Status status;
	int flag;

	MPI_Irecv(in, 9, MPI_BYTE, previous(1), 10, MPI_COMM_WORLD, &request);
	MPI_Cancel(&request);
	MPI_Wait(&request, &status);
	MPI_Test_cancelled(&status, &flag);
	add_number(flag);
}

static void errors(void)
{
	char text[MPI_MAX_ERROR_STRING];
	int code, class, length;

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	code = MPI_Send(out, 1, MPI_INT, size + (int)draw(9), 0, MPI_COMM_WORLD);
	MPI_Error_class(code, &class);
	MPI_Error_string(code, text, &length);
	add_number(class);
	add(text, (size_t)length);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void environment(void)
{
	const double now = MPI_Wtime();
	void *memory = malloc(1 + draw(1 << 18)), *other;

	MPI_Alloc_mem(100 + draw(5000), MPI_INFO_NULL, &other);
	add(&now, sizeof(now));
	add(&memory, sizeof(memory));
	add(&other, sizeof(other));
	MPI_Free_mem(other);
	if (draw(2))
		free(memory);
}

int main(int argc, char **argv)
{
	static void (*const steps[])(void) = {
		ring,        from_anybody,   several_requests,   persistent,
		reductions,  exchanges,      parts_of_the_world, grid,
		packed,      modes_of_sends, cancelled,          errors,
		environment,
	};
	const int last = argc > 2 ? atoi(argv[2]) : 40;
	const int level = argc > 1 ? atoi(argv[1]) % 3 : 0;
	int given;

	shared = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	if (level == 0)
		MPI_Init(&argc, &argv);
	else
		MPI_Init_thread(&argc, &argv,
		                level == 1 ? MPI_THREAD_FUNNELED : MPI_THREAD_SERIALIZED, &given);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (step = 0; step < last; step++) {
		const unsigned which = draw(sizeof(steps) / sizeof(steps[0]));

		fill();
		steps[which]();
		MPI_Barrier(MPI_COMM_WORLD); /* no wildcard takes a message of a later step */
		add(in, LENGTH);
		printf("%d: step %d, kind %u: %016llx\n", rank, step, which,
		       (unsigned long long)hash);
	}
	MPI_Finalize();
	return 0;
}
