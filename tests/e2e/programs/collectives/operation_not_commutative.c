/* Operations that are declared commutative and are not, in each kind of reduction. The first
 * argument is the kind of call, the second one the operation:
 *   maps    composition of maps x -> a x + b, as pairs of integers
 *   gaps    the same, with other data in between
 *   raw     the same, as bytes
 *   first   the larger key, and of equal keys the first operand
 *   mean    a weighted mean, in floating point
 *   large   maps, by MPI_Op_create_c
 * With a third argument the operation is declared not commutative, which is right. */
#include "../check.h"

static int declared = 1, calls;

static void compose(void *in, void *inout, int *count, MPI_Datatype *type)
{
	int *f = in, *g = inout;

	(void)type;
	for (int i = 0; i < *count; i++, f += 2, g += 2) {
		g[1] = f[0] * g[1] + f[1];
		g[0] = f[0] * g[0];
	}
	calls++;
}

static void compose_raw(void *in, void *inout, int *count, MPI_Datatype *type)
{
	int pairs = *count / 8;

	compose(in, inout, &pairs, type);
}

static void compose_with_gaps(void *in, void *inout, int *count, MPI_Datatype *type)
{
	int *f = in, *g = inout;

	(void)type;
	for (int i = 0; i < *count; i++, f += 4, g += 4) {
		g[2] = f[0] * g[2] + f[2];
		g[0] = f[0] * g[0];
		g[1] = calls++;
	}
}

static void compose_large(void *in, void *inout, MPI_Count *count, MPI_Datatype *type)
{
	int usual = (int)*count;

	compose(in, inout, &usual, type);
}

static void keep_first(void *in, void *inout, int *count, MPI_Datatype *type)
{
	int *a = in, *b = inout;

	(void)type;
	for (int i = 0; i < *count; i++, a += 2, b += 2)
		if (a[0] >= b[0])
			memcpy(b, a, 2 * sizeof(int));
}

static void average(void *in, void *inout, int *count, MPI_Datatype *type)
{
	double *a = in, *b = inout;

	(void)type;
	for (int i = 0; i < *count; i++)
		b[i] = 0.25 * a[i] + 0.75 * b[i];
}

struct operation {
	const char *name;
	MPI_User_function *function;
	int count;
	enum { PAIR, GAPS, BYTES, DOUBLES } data;
};

static const struct operation operations[] = {
	{"maps", compose, 3, PAIR},      {"gaps", compose_with_gaps, 2, GAPS},
	{"raw", compose_raw, 16, BYTES}, {"first", keep_first, 2, PAIR},
	{"mean", average, 2, DOUBLES},   {"large", NULL, 2, PAIR},
};

static int from[64], to[64];
static int counts[4];

static MPI_Datatype type_of(const struct operation *operation)
{
	MPI_Datatype type = MPI_BYTE;

	if (operation->data == DOUBLES)
		return MPI_DOUBLE;
	if (operation->data == PAIR)
		MPI_Type_contiguous(2, MPI_INT, &type);
	else if (operation->data == GAPS) {
		MPI_Datatype narrow;

		MPI_Type_vector(2, 1, 2, MPI_INT, &narrow);
		MPI_Type_create_resized(narrow, 0, 4 * sizeof(int), &type);
		MPI_Type_free(&narrow);
	}
	if (type != MPI_BYTE)
		MPI_Type_commit(&type);
	return type;
}

static void fill(const struct operation *operation)
{
	for (int i = 0; i < 64; i += 2) {
		from[i] = operation->function == keep_first ? 5 : rank + 2;
		from[i + 1] = 10 * rank + 1;
		if (operation->data == DOUBLES)
			((double *)from)[i / 2] = rank + 1;
		if (operation->data == GAPS) {
			from[i] = rank + 2;
			from[i + 1] = 77;
		}
	}
	memcpy(to, from, sizeof(to));
	for (int i = 0; i < 4; i++)
		counts[i] = operation->count;
}

static void wait_for(MPI_Request *request)
{
	MPI_Wait(request, IGNORE);
}

static void start_and_wait(MPI_Request *request)
{
	for (int i = 0; i < 2; i++) {
		MPI_Start(request);
		MPI_Wait(request, IGNORE);
	}
	MPI_Request_free(request);
}

static void blocking(const char *call, int n, MPI_Datatype type, MPI_Op op)
{
	if (strcmp(call, "reduce") == 0)
		MPI_Reduce(from, to, n, type, op, 1, WORLD);
	else if (strcmp(call, "in_place") == 0)
		MPI_Reduce(rank == 1 ? MPI_IN_PLACE : to, to, n, type, op, 1, WORLD);
	else if (strcmp(call, "allreduce") == 0)
		MPI_Allreduce(from, to, n, type, op, WORLD);
	else if (strcmp(call, "allreduce_in_place") == 0)
		MPI_Allreduce(MPI_IN_PLACE, to, n, type, op, WORLD);
	else if (strcmp(call, "reduce_scatter") == 0)
		MPI_Reduce_scatter(from, to, counts, type, op, WORLD);
	else if (strcmp(call, "block") == 0)
		MPI_Reduce_scatter_block(from, to, n, type, op, WORLD);
	else if (strcmp(call, "scan") == 0)
		MPI_Scan(from, to, n, type, op, WORLD);
	else if (strcmp(call, "exscan") == 0)
		MPI_Exscan(from, to, n, type, op, WORLD);
	else if (strcmp(call, "local") == 0) {
		for (int i = 0; i < 64; i++)
			to[i] = from[i] + 1;
		MPI_Reduce_local(from, to, n, type, op);
	}
}

static void nonblocking(const char *call, int n, MPI_Datatype type, MPI_Op op)
{
	MPI_Request request = MPI_REQUEST_NULL;

	if (strcmp(call, "ireduce") == 0)
		MPI_Ireduce(from, to, n, type, op, 1, WORLD, &request);
	else if (strcmp(call, "iallreduce") == 0)
		MPI_Iallreduce(from, to, n, type, op, WORLD, &request);
	else if (strcmp(call, "ireduce_scatter") == 0)
		MPI_Ireduce_scatter(from, to, counts, type, op, WORLD, &request);
	else if (strcmp(call, "iblock") == 0)
		MPI_Ireduce_scatter_block(from, to, n, type, op, WORLD, &request);
	else if (strcmp(call, "iscan") == 0)
		MPI_Iscan(from, to, n, type, op, WORLD, &request);
	else if (strcmp(call, "iexscan") == 0)
		MPI_Iexscan(from, to, n, type, op, WORLD, &request);
	wait_for(&request);
}

static void persistent(const char *call, int n, MPI_Datatype type, MPI_Op op)
{
	MPI_Request request = MPI_REQUEST_NULL;

	if (strcmp(call, "reduce_init") == 0)
		MPI_Reduce_init(from, to, n, type, op, 1, WORLD, MPI_INFO_NULL, &request);
	else if (strcmp(call, "allreduce_init") == 0)
		MPI_Allreduce_init(from, to, n, type, op, WORLD, MPI_INFO_NULL, &request);
	else if (strcmp(call, "reduce_scatter_init") == 0)
		MPI_Reduce_scatter_init(from, to, counts, type, op, WORLD, MPI_INFO_NULL, &request);
	else if (strcmp(call, "block_init") == 0)
		MPI_Reduce_scatter_block_init(from, to, n, type, op, WORLD, MPI_INFO_NULL,
		                              &request);
	else if (strcmp(call, "scan_init") == 0)
		MPI_Scan_init(from, to, n, type, op, WORLD, MPI_INFO_NULL, &request);
	else if (strcmp(call, "exscan_init") == 0)
		MPI_Exscan_init(from, to, n, type, op, WORLD, MPI_INFO_NULL, &request);
	if (request != MPI_REQUEST_NULL)
		start_and_wait(&request);
}

int main(int argc, char **argv)
{
	const char *call = argc > 1 ? argv[1] : "reduce", *name = argc > 2 ? argv[2] : "maps";
	const struct operation *operation = operations;
	MPI_Datatype type;
	MPI_Op op;

	declared = argc <= 3;
	while (strcmp(operation->name, name) != 0)
		operation++;
	start(&argc, &argv);
	type = type_of(operation);
	if (operation->function)
		MPI_Op_create(operation->function, declared, &op);
	else
		MPI_Op_create_c(compose_large, declared, &op);
	fill(operation);
	blocking(call, operation->count, type, op);
	nonblocking(call, operation->count, type, op);
	persistent(call, operation->count, type, op);
	if (!declared && strcmp(call, "reduce") == 0 && rank == 1 && size == 4)
		CHECK(to[0] == 120 && to[1] == 893); /* in the order of the ranks */
	MPI_Op_free(&op);
	if (type != MPI_DOUBLE && type != MPI_BYTE)
		MPI_Type_free(&type);
	MPI_Finalize();
	return 0;
}
