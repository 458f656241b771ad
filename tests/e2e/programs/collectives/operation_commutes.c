/* Operations that are declared commutative rightly, although op(a,b) and op(b,a) differ in bytes
 * that do not count: gaps of a datatype, padding of a structure that is sent as bytes, rounding,
 * and the sign of zero. */
#include "../check.h"

#include <math.h>
#include <stddef.h>

struct part {
	int count;
	double mean, squares;
};

struct best {
	char key;
	/* padding */
	double value;
	int place;
	/* padding */
};

static int calls;

static void sum_beside_gap(void *in, void *inout, int *count, MPI_Datatype *type)
{
	int *a = in, *b = inout;

	(void)type;
	for (int i = 0; i < *count; i++, a += 3, b += 3) {
		b[0] += a[0];
		b[1] = calls++; /* a gap */
		b[2] += a[2];
	}
}

/* Chan's: differs by rounding. */
static void merge(void *in, void *inout, int *count, MPI_Datatype *type)
{
	struct part *a = in, *b = inout;

	(void)type;
	for (int i = 0; i < *count; i++, a++, b++) {
		double all = a->count + b->count, delta = b->mean - a->mean;

		b->squares += a->squares + delta * delta * a->count * b->count / all;
		b->mean = a->mean + delta * b->count / all;
		b->count += a->count;
	}
}

static void merge_bytes(void *in, void *inout, int *count, MPI_Datatype *type)
{
	int parts = *count / (int)sizeof(struct part);

	merge(in, inout, &parts, type);
}

static void keep_best(void *in, void *inout, int *count, MPI_Datatype *type)
{
	struct best *a = in, *b = inout;

	(void)type;
	for (int i = 0; i < *count; i++, a++, b++) {
		b->key = a->key > b->key ? a->key : b->key;
		if (a->value > b->value || (a->value == b->value && a->place < b->place)) {
			b->value = a->value;
			b->place = a->place;
		}
	}
}

static void largest(void *in, void *inout, int *count, MPI_Datatype *type)
{
	double *a = in, *b = inout;

	(void)type;
	for (int i = 0; i < *count; i++)
		b[i] = a[i] > b[i] ? a[i] : b[i];
}

static void multiply(void *in, void *inout, int *count, MPI_Datatype *type)
{
	double *a = in, *b = inout, real;

	(void)type;
	for (int i = 0; i < *count; i++, a += 2, b += 2) {
		real = a[0] * b[0] - a[1] * b[1];
		b[1] = a[0] * b[1] + a[1] * b[0];
		b[0] = real;
	}
}

/* Reduces in several ways, and twice. */
static void reduce(MPI_User_function *function, const void *from, int count, MPI_Datatype type)
{
	static char to[4096] __attribute__((aligned(16)));
	MPI_Request request;
	MPI_Op op;

	MPI_Op_create(function, 1, &op);
	memcpy(to, from, sizeof(to) / 2);
	for (int i = 0; i < 2; i++) {
		MPI_Allreduce(from, to, count, type, op, WORLD);
		MPI_Scan(from, to, count, type, op, WORLD);
		MPI_Ireduce(from, to, count, type, op, 0, WORLD, &request);
		MPI_Wait(&request, IGNORE);
		MPI_Reduce_local(from, to, count, type, op);
	}
	MPI_Op_free(&op);
}

static MPI_Datatype type_with_gap(void)
{
	MPI_Datatype narrow, type;

	MPI_Type_vector(2, 1, 2, MPI_INT, &narrow);
	MPI_Type_create_resized(narrow, 0, 3 * sizeof(int), &type);
	MPI_Type_commit(&type);
	MPI_Type_free(&narrow);
	return type;
}

static MPI_Datatype type_of_part(void)
{
	const int lengths[2] = {1, 2};
	const MPI_Aint places[2] = {0, offsetof(struct part, mean)};
	const MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
	MPI_Datatype type;

	MPI_Type_create_struct(2, lengths, places, types, &type);
	MPI_Type_commit(&type);
	return type;
}

int main(int argc, char **argv)
{
	static char memory[4096] __attribute__((aligned(16)));
	int *integers = (int *)(void *)memory;
	double *numbers = (double *)(void *)memory;
	struct part *parts = (struct part *)(void *)memory;
	struct best *bests = (struct best *)(void *)memory;
	MPI_Datatype gap, part, bytes;

	start(&argc, &argv);
	gap = type_with_gap();
	part = type_of_part();
	MPI_Type_contiguous(sizeof(struct best), MPI_BYTE, &bytes);
	MPI_Type_commit(&bytes);

	for (int i = 0; i < 30; i++)
		integers[i] = rank + i;
	reduce(sum_beside_gap, memory, 10, gap);
	for (int i = 0; i < 10; i++)
		parts[i] = (struct part){rank + 1 + i, 0.1 * rank + i / 3.0, 1.0 / (rank + i + 3)};
	reduce(merge, memory, 10, part);
	reduce(merge_bytes, memory, 10 * (int)sizeof(struct part), MPI_BYTE);
	memset(memory, 17 * (rank + 1), sizeof(memory)); /* padding */
	for (int i = 0; i < 10; i++) {
		bests[i].key = (char)(rank * i % 5);
		bests[i].value = i % 3;
		bests[i].place = rank;
	}
	reduce(keep_best, memory, 10, bytes);
	for (int i = 0; i < 20; i++)
		numbers[i] = i % 2 ? 1.5 * rank : rank % 2 ? -0.0 : 0.0;
	numbers[3] = rank % 2 ? NAN : -NAN;
	reduce(largest, memory, 3, MPI_DOUBLE);
	for (int i = 0; i < 20; i++)
		numbers[i] = 1.1 * rank + i / 7.0;
	reduce(multiply, memory, 10, MPI_C_DOUBLE_COMPLEX);

	MPI_Type_free(&gap);
	MPI_Type_free(&part);
	MPI_Type_free(&bytes);
	MPI_Finalize();
	return 0;
}
