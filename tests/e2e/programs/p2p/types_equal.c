/* The same signature in many forms, and the types that the standard treats as equivalent. */
#include <stddef.h>

#include "../check.h"

#define N 6

struct item {
	int number;
	double value;
};

static double values[4 * N];

static MPI_Datatype done(MPI_Datatype type)
{
	MPI_Type_commit(&type);
	return type;
}

/* Rank 1 sends what rank 0 receives. */
static void pass(int sent, MPI_Datatype as, int room, MPI_Datatype taken)
{
	MPI_Request request;

	if (rank == 1)
		MPI_Send(values, sent, as, 0, 0, WORLD);
	else if (rank == 0)
		MPI_Recv(values, room, taken, 1, 0, WORLD, IGNORE);
	if (rank == 1) {
		MPI_Send_init(values, sent, as, 0, 0, WORLD, &request);
		MPI_Start(&request);
		MPI_Wait(&request, IGNORE);
		MPI_Request_free(&request);
	} else if (rank == 0) {
		MPI_Irecv(values, room, taken, 1, 0, WORLD, &request);
		MPI_Wait(&request, IGNORE);
	}
}

static MPI_Datatype make_struct(int count, int *lengths, MPI_Datatype *types)
{
	MPI_Aint places[4] = {0, 64, 128, 192};
	MPI_Datatype made;

	MPI_Type_create_struct(count, lengths, places, types, &made);
	return done(made);
}

/* Types that may stand for each other. */
static void pass_others(MPI_Datatype pair)
{
	char packed[256];
	int packed_bytes = 0;

	/* of one kind and size */
	pass(2, MPI_LONG, 2, MPI_INT64_T);
	pass(2, MPI_LONG_LONG, 2, MPI_LONG);
	pass(2, MPI_AINT, 2, MPI_OFFSET);
	pass(2, MPI_INT, 2, MPI_INTEGER);
	pass(2, MPI_DOUBLE, 2, MPI_DOUBLE_PRECISION);
	pass(8, MPI_CHAR, 8, MPI_UNSIGNED_CHAR);
	pass(8, MPI_CHARACTER, 8, MPI_CHAR);
	/* bytes */
	pass(2, MPI_DOUBLE, 16, MPI_BYTE);
	pass(12, MPI_BYTE, 1, pair);
	pass(0, MPI_INT, 3, MPI_FLOAT); /* an empty message fits any type */
	/* MPI_PACKED fits anything */
	MPI_Pack(values, 2, MPI_DOUBLE, packed, sizeof(packed), &packed_bytes, WORLD);
	if (rank == 1)
		MPI_Send(packed, packed_bytes, MPI_PACKED, 0, 0, WORLD);
	else if (rank == 0)
		MPI_Recv(values, 2, MPI_DOUBLE, 1, 0, WORLD, IGNORE);
	pass(1, pair, 64, MPI_PACKED);
}

int main(int argc, char **argv)
{
	MPI_Datatype vector, indexed, sub, pair, twice, long_way, dup, nested, halves, ints;
	int lengths[4] = {1, 1, 1, 1}, three[3] = {2, 1, 0}, places[3] = {0, 4, 9};
	int sizes[2] = {4, N}, subsizes[2] = {2, 3}, starts[2] = {1, 1};
	MPI_Datatype alternating[4] = {MPI_INT, MPI_DOUBLE, MPI_INT, MPI_DOUBLE};
	MPI_Datatype ints2[2] = {MPI_INT, MPI_INT};

	start(&argc, &argv);
	MPI_Type_vector(3, 1, 2, MPI_DOUBLE, &vector);
	vector = done(vector);
	MPI_Type_indexed(3, three, places, MPI_DOUBLE, &indexed);
	indexed = done(indexed);
	MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &sub);
	sub = done(sub);
	pair = make_struct(2, lengths, alternating);
	long_way = make_struct(4, lengths, alternating);
	MPI_Type_contiguous(2, pair, &twice);
	twice = done(twice);
	MPI_Type_dup(twice, &dup);
	MPI_Type_create_hvector(2, 1, 512, dup, &nested);
	nested = done(nested);
	ints = make_struct(2, lengths, ints2);
	MPI_Type_contiguous(2, MPI_FLOAT, &halves);
	halves = done(halves);

	pass(3, MPI_DOUBLE, 1, vector);
	pass(1, indexed, 3, MPI_DOUBLE);
	pass(1, sub, 2, vector);
	pass(1, vector, N, MPI_DOUBLE); /* room for more */
	pass(2, pair, 1, long_way);
	pass(1, nested, 4, pair);
	pass(1, long_way, 1, dup);
	pass(3, pair, 2, twice); /* ends inside an element of the receive */
	pass(1, ints, 2, MPI_INT);
	pass(1, MPI_2INT, 2, MPI_INT);
	pass(1, MPI_DOUBLE_INT, 1, MPI_DOUBLE_INT);
	pass(2, MPI_FLOAT, 1, halves);
	pass_others(pair);
	MPI_Type_free(&vector);
	MPI_Type_free(&indexed);
	MPI_Type_free(&sub);
	MPI_Type_free(&pair);
	MPI_Type_free(&twice);
	MPI_Type_free(&long_way);
	MPI_Type_free(&dup);
	MPI_Type_free(&nested);
	MPI_Type_free(&ints);
	MPI_Type_free(&halves);
	/* a type that gets the handle of a freed one */
	MPI_Type_vector(2, 1, 2, MPI_INT, &vector);
	vector = done(vector);
	pass(1, vector, 2, MPI_INT);
	MPI_Type_free(&vector);
	MPI_Finalize();
	return 0;
}
