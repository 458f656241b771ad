/* Random programs with random data: random_data FIRST COUNT runs the programs of `COUNT` seeds, one
 * after another. All ranks draw the same numbers, so each knows what the others do; the match of
 * each receive is determined. Each rank prints a digest of every buffer that it received. */
#include "../check.h"

enum { STEPS = 12, MOST = 8, PENDING = 64, FILLER = 0x5a };

/* The program: random numbers, the same on all ranks. */
static unsigned long long state;
static int seed, step, salt; /* `salt`: buffers filled in this step */

static unsigned draw(unsigned limit)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(state >> 33) % limit;
}

/* --- types and buffers ----------------------------------------------------------------------- */

struct data {
	MPI_Datatype type;
	int count;
	char *bytes;
	size_t room;
};

static MPI_Datatype basic(void)
{
	static const MPI_Datatype types[] = {MPI_CHAR,  MPI_SHORT,  MPI_INT,          MPI_LONG,
	                                     MPI_FLOAT, MPI_DOUBLE, MPI_UNSIGNED_CHAR};

	return types[draw(7)];
}

static MPI_Datatype structure(void)
{
	int lengths[3], at = 0;
	MPI_Aint places[3];
	MPI_Datatype types[3], made;

	for (int i = 0; i < 3; i++) {
		MPI_Aint lower, extent;

		types[i] = basic();
		lengths[i] = 1 + (int)draw(3);
		MPI_Type_get_extent(types[i], &lower, &extent);
		places[i] = at;
		at += lengths[i] * (int)extent + 8 * (int)draw(2);
		at = (at + 7) / 8 * 8;
	}
	MPI_Type_create_struct(3, lengths, places, types, &made);
	return made;
}

/* MPICH 4.0.2 alone cannot scatter large data of structures, nor replace it in Sendrecv_replace: it
 * packs them, and unpacks them wrongly. So they are small there. */
static int is_structure;

/* The caller must free it. */
static MPI_Datatype random_type(void)
{
	const int lengths[] = {1 + (int)draw(2), 1 + (int)draw(3)}, places[] = {0, 4};
	unsigned kind = draw(6);
	MPI_Datatype made, inner;

	is_structure = kind == 3 || kind == 4;
	switch (kind) {
	case 0: MPI_Type_contiguous(1 + (int)draw(4), basic(), &made); break;
	case 1: MPI_Type_vector(1 + (int)draw(4), 1 + (int)draw(2), 3, basic(), &made); break;
	case 2: MPI_Type_indexed(2, lengths, places, basic(), &made); break;
	case 3: made = structure(); break;
	case 4:
		inner = structure();
		MPI_Type_contiguous(2, inner, &made);
		MPI_Type_free(&inner);
		break;
	default: MPI_Type_dup(basic(), &made);
	}
	MPI_Type_commit(&made);
	return made;
}

static int random_count(void)
{
	return draw(8) == 0 ? 1000 + (int)draw(4000) : (int)draw(20);
}

static int careful_count(void)
{
	int count = random_count();

	return is_structure ? count % 20 : count;
}

static struct data new_data(MPI_Datatype type, int count)
{
	struct data data = {.count = count};
	MPI_Aint lower, extent;

	MPI_Type_dup(type, &data.type);
	MPI_Type_get_extent(type, &lower, &extent);
	data.room = (size_t)extent * (size_t)count + 64;
	data.bytes = malloc(data.room);
	memset(data.bytes, FILLER, data.room);
	return data;
}

/* This rank's own data, different in each buffer. Small numbers where operations compute with
 * them. */
static void fill(struct data *data, MPI_Datatype numbers)
{
	unsigned long long own = (unsigned long long)seed * 1000003u
	                         + (unsigned long long)(step * 64 + salt++) * 101u + (unsigned)rank;

	for (size_t i = 0; i < data->room; i++) {
		own = own * 6364136223846793005ull + 1442695040888963407ull;
		if (numbers == MPI_DATATYPE_NULL)
			data->bytes[i] = (char)(own >> 40);
		else if (numbers == MPI_DOUBLE && i < data->room / sizeof(double))
			((double *)(void *)data->bytes)[i] = (double)(own >> 44) / 3.0;
		else if (numbers == MPI_INT && i < data->room / sizeof(int))
			((int *)(void *)data->bytes)[i] = (int)(own >> 60);
	}
}

static void show(const char *what, const struct data *data)
{
	unsigned hash = 2166136261u;

	for (size_t i = 0; i < data->room; i++)
		hash = (hash ^ (unsigned char)data->bytes[i]) * 16777619u;
	printf("%d.%d %s %d: %08x\n", seed, step, what, data->count, hash);
}

static void drop(struct data *data)
{
	if (!data->bytes)
		return;
	MPI_Type_free(&data->type);
	free(data->bytes);
	*data = (struct data){0};
}

/* --- pending requests ------------------------------------------------------------------------ */

struct pending {
	MPI_Request request;
	struct data in, out; /* sent and received */
	int persistent, receives;
	const char *what;
	int *arrays; /* counts and displacements, owned */
};

static struct pending pending[PENDING];
static int pending_count;

static void finish(struct pending *one, MPI_Status *status)
{
	int count = 0;

	if (one->receives) {
		MPI_Get_count(status, one->out.type, &count);
		printf("%d.%d from %d tag %d: %d\n", seed, step, status->MPI_SOURCE,
		       status->MPI_TAG, count);
	}
	if (one->out.bytes)
		show(one->what, &one->out);
	if (one->persistent)
		MPI_Request_free(&one->request);
	drop(&one->in);
	drop(&one->out);
	free(one->arrays);
}

static void finish_all(void)
{
	MPI_Request requests[PENDING];
	MPI_Status statuses[PENDING];

	for (int i = 0; i < pending_count; i++)
		requests[i] = pending[i].request;
	CHECK(MPI_Waitall(pending_count, requests, statuses) == MPI_SUCCESS);
	for (int i = 0; i < pending_count; i++) {
		pending[i].request = requests[i];
		finish(&pending[i], &statuses[i]);
	}
	pending_count = 0;
}

/* Completes it now or later. All ranks must decide alike: `later` is drawn. */
static void go_on(struct pending *one, unsigned later)
{
	MPI_Status status;

	CHECK(pending_count < PENDING);
	if (one->persistent)
		MPI_Start(&one->request);
	if (later) {
		pending[pending_count++] = *one;
		return;
	}
	MPI_Wait(&one->request, &status);
	finish(one, &status);
}

/* --- messages -------------------------------------------------------------------------------- */

static void send(struct data data, int to, int tag, unsigned how, unsigned later)
{
	struct pending one = {.in = data, .what = "sent"};

	switch (how) {
	case 0:
		MPI_Send(data.bytes, data.count, data.type, to, tag, WORLD);
		drop(&data);
		return;
	case 1:
		MPI_Ssend(data.bytes, data.count, data.type, to, tag, WORLD);
		drop(&data);
		return;
	case 2: MPI_Isend(data.bytes, data.count, data.type, to, tag, WORLD, &one.request); break;
	case 3: MPI_Issend(data.bytes, data.count, data.type, to, tag, WORLD, &one.request); break;
	default:
		MPI_Send_init(data.bytes, data.count, data.type, to, tag, WORLD, &one.request);
		one.persistent = 1;
	}
	go_on(&one, later);
}

static void receive(struct data data, int from, int tag, unsigned how, unsigned later)
{
	struct pending one = {.out = data, .what = "received", .receives = 1};
	MPI_Status status;
	MPI_Message message;

	switch (how) {
	case 0:
		MPI_Irecv(data.bytes, data.count, data.type, from, tag, WORLD, &one.request);
		go_on(&one, later);
		return;
	case 1:
		MPI_Recv_init(data.bytes, data.count, data.type, from, tag, WORLD, &one.request);
		one.persistent = 1;
		go_on(&one, later);
		return;
	case 2:
		MPI_Mprobe(from, tag, WORLD, &message, &status);
		MPI_Mrecv(data.bytes, data.count, data.type, &message, &status);
		break;
	case 3:
		MPI_Probe(from, tag, WORLD, &status);
		MPI_Recv(data.bytes, data.count, data.type, status.MPI_SOURCE, tag, WORLD, &status);
		break;
	default: MPI_Recv(data.bytes, data.count, data.type, from, tag, WORLD, &status);
	}
	finish(&one, &status);
}

static void message(MPI_Datatype type)
{
	int from = (int)draw((unsigned)size),
	    to = (from + 1 + (int)draw((unsigned)size - 1)) % size;
	int count = random_count(), more = (int)draw(3), any = draw(3) == 0, tag = 10 + step;
	unsigned sending = draw(5), send_later = draw(2), receiving = draw(6),
		 receive_later = draw(2);

	if (rank == from) {
		struct data data = new_data(type, count);

		fill(&data, MPI_DATATYPE_NULL);
		send(data, to, tag, sending, send_later);
	} else if (rank == to) {
		receive(new_data(type, count + more), any ? MPI_ANY_SOURCE : from, tag, receiving,
		        receive_later);
	}
}

/* Each rank passes something to the next one. */
static void shift(MPI_Datatype type)
{
	int by = 1 + (int)draw((unsigned)size), count = random_count(), tag = 10 + step;
	int to = (rank + by) % size, from = (rank + size - by % size) % size;
	struct pending one = {.what = "shifted", .receives = 1};
	struct data in = new_data(type, count);
	MPI_Status status;

	one.out = new_data(type, count);
	fill(&in, MPI_DATATYPE_NULL);
	if ((is_structure && count >= 20) || draw(2) == 0) {
		MPI_Sendrecv(in.bytes, count, in.type, to, tag, one.out.bytes, count, one.out.type,
		             from, tag, WORLD, &status);
	} else {
		fill(&one.out, MPI_DATATYPE_NULL);
		MPI_Sendrecv_replace(one.out.bytes, count, one.out.type, to, tag, from, tag, WORLD,
		                     &status);
	}
	finish(&one, &status);
	drop(&in);
}

/* --- collectives ----------------------------------------------------------------------------- */

static MPI_Comm comm;
static int me, members;

/* Calls it in one of its forms. */
#define FORMS(now, later, again, ...)                                                \
	do {                                                                         \
		if (form == 0) {                                                     \
			MPI_##now(__VA_ARGS__, comm);                                \
			finish(&one, MPI_STATUS_IGNORE);                             \
		} else if (form == 1) {                                              \
			MPI_##later(__VA_ARGS__, comm, &one.request);                \
			go_on(&one, wait_later);                                     \
		} else {                                                             \
			MPI_##again(__VA_ARGS__, comm, MPI_INFO_NULL, &one.request); \
			one.persistent = 1;                                          \
			go_on(&one, wait_later);                                     \
		}                                                                    \
	} while (0)

static void exchange(MPI_Datatype type)
{
	unsigned form = draw(3), wait_later = draw(2), which = draw(5);
	int root = (int)draw((unsigned)members), count = careful_count() / members;
	struct pending one = {.what = "exchanged"};

	one.in = new_data(type, count * members);
	one.out = new_data(type, count * members);
	fill(&one.in, MPI_DATATYPE_NULL);
	char *in = one.in.bytes, *out = one.out.bytes;
	MPI_Datatype of = one.in.type;
	switch (which) {
	case 0:
		fill(&one.out, MPI_DATATYPE_NULL);
		FORMS(Bcast, Ibcast, Bcast_init, out, count, of, root);
		break;
	case 1: FORMS(Scatter, Iscatter, Scatter_init, in, count, of, out, count, of, root); break;
	case 2: FORMS(Gather, Igather, Gather_init, in, count, of, out, count, of, root); break;
	case 3: FORMS(Allgather, Iallgather, Allgather_init, in, count, of, out, count, of); break;
	default: FORMS(Alltoall, Ialltoall, Alltoall_init, in, count, of, out, count, of);
	}
}

/* The number of elements between ranks i and j. */
static int share(int first, int i, int j)
{
	return (first * 7 + i * 3 + j * 5) % 6;
}

static void exchange_unevenly(MPI_Datatype type)
{
	unsigned form = draw(3), wait_later = draw(2), which = draw(4);
	int root = (int)draw((unsigned)members), first = (int)draw(100);
	struct pending one = {.what = "unevenly", .arrays = calloc(3 * MOST, sizeof(int))};
	int *given = one.arrays, *got = given + MOST, *places = got + MOST;

	for (int i = 0; i < members; i++) {
		given[i] = which == 3 ? share(first, me, i) : share(first, i, 0);
		got[i] = which == 3 ? share(first, i, me) : share(first, i, 0);
		places[i] = 6 * i;
	}
	one.in = new_data(type, 6 * members);
	one.out = new_data(type, 6 * members);
	fill(&one.in, MPI_DATATYPE_NULL);
	char *in = one.in.bytes, *out = one.out.bytes;
	MPI_Datatype of = one.in.type;
	switch (which) {
	case 0:
		FORMS(Scatterv, Iscatterv, Scatterv_init, in, given, places, of, out, got[me], of,
		      root);
		break;
	case 1:
		FORMS(Gatherv, Igatherv, Gatherv_init, in, given[me], of, out, got, places, of,
		      root);
		break;
	case 2:
		FORMS(Allgatherv, Iallgatherv, Allgatherv_init, in, given[me], of, out, got, places,
		      of);
		break;
	default:
		FORMS(Alltoallv, Ialltoallv, Alltoallv_init, in, given, places, of, out, got,
		      places, of);
	}
}

static MPI_Op own;

/* Associative, not commutative. */
static void second_of_two(void *given, void *result, int *length, MPI_Datatype *type)
{
	int bytes;

	(void)given;
	(void)result;
	MPI_Type_size(*type, &bytes);
	(void)length;
}

static void reduce(void)
{
	const MPI_Op ops[] = {MPI_SUM, MPI_MAX, MPI_MIN, own};
	MPI_Datatype of = draw(2) ? MPI_DOUBLE : MPI_INT;
	MPI_Op op = ops[draw(4)];
	unsigned form = draw(3), wait_later = draw(2), which = draw(5);
	int root = (int)draw((unsigned)members), count = random_count();
	struct pending one = {.what = "reduced"};

	one.in = new_data(of, count * members);
	one.out = new_data(of, count * members);
	fill(&one.in, of);
	const void *in = one.in.bytes;
	void *out = one.out.bytes;
	if (which > 0 && draw(3) == 0) {
		memcpy(one.out.bytes, one.in.bytes, one.in.room);
		in = MPI_IN_PLACE;
	}
	switch (which) {
	case 0: FORMS(Reduce, Ireduce, Reduce_init, in, out, count, of, op, root); break;
	case 1: FORMS(Allreduce, Iallreduce, Allreduce_init, in, out, count, of, op); break;
	case 2:
		FORMS(Reduce_scatter_block, Ireduce_scatter_block, Reduce_scatter_block_init, in,
		      out, count, of, op);
		break;
	case 3: FORMS(Scan, Iscan, Scan_init, in, out, count, of, op); break;
	default: FORMS(Exscan, Iexscan, Exscan_init, in, out, count, of, op);
	}
}

/* --- programs -------------------------------------------------------------------------------- */

static void one_step(MPI_Comm part)
{
	MPI_Datatype type = random_type();

	comm = draw(3) == 0 ? part : WORLD;
	MPI_Comm_rank(comm, &me);
	MPI_Comm_size(comm, &members);
	salt = 0;
	/* Parts of two sizes would draw different numbers. */
	unsigned long long before = state;
	switch (draw(6)) {
	case 0:
	case 1: message(type); break;
	case 2: shift(type); break;
	case 3: exchange(type); break;
	case 4: exchange_unevenly(type); break;
	default: reduce();
	}
	state = before + 1;
	MPI_Type_free(&type);
	if (draw(4) == 0)
		finish_all();
}

static void program(int number)
{
	MPI_Comm part;

	seed = number;
	state = (unsigned long long)number * 2862933555777941757ull + 3037000493ull;
	MPI_Comm_split(WORLD, rank % 2, draw(2) ? rank : -rank, &part);
	for (step = 0; step < STEPS; step++)
		one_step(part);
	finish_all();
	MPI_Comm_free(&part);
}

int main(int argc, char **argv)
{
	int first = argc > 1 ? atoi(argv[1]) : 1, count = argc > 2 ? atoi(argv[2]) : 1;

	start(&argc, &argv);
	CHECK(size >= 2 && size <= MOST);
	MPI_Op_create(second_of_two, 0, &own);
	for (int i = 0; i < count; i++)
		program(first + i);
	MPI_Op_free(&own);
	MPI_Finalize();
	return 0;
}
