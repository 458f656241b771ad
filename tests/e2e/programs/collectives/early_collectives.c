/* Many collectives that need not synchronise are pending at once on one communicator, with others,
 * blocking ones, messages, and a user-defined operator that does not commute. Each rank completes
 * them in another order; the communicator, the types and the operator are freed before. */
#include "../check.h"

enum { LARGE = 100000, REQUESTS = 13, STRIDE = 3 };

struct line {
	long slope, offset; /* the composition of lines is associative, and does not commute */
};

static void compose(void *in, void *inout, int *count, MPI_Datatype *type)
{
	struct line *left = in, *right = inout;

	(void)type;
	for (int i = 0; i < *count; i++) {
		right[i].offset += right[i].slope * left[i].offset;
		right[i].slope *= left[i].slope;
	}
}

static struct line of_rank(int of)
{
	return (struct line){of % 3 + 1, of + 1};
}

static struct line composed(int first, int end)
{
	struct line result = of_rank(first), next;
	int one = 1;

	for (int i = first + 1; i < end; i++) {
		next = of_rank(i);
		compose(&result, &next, &one, NULL);
		result = next;
	}
	return result;
}

static int same(struct line a, struct line b)
{
	return a.slope == b.slope && a.offset == b.offset;
}

static int large[LARGE], strided[8 * STRIDE], all[40], gathered[40], parts[40], part[8], sum, word;
static struct line scanned, before, whole, whole_in_place, contribution;

static void begin(MPI_Comm comm, MPI_Datatype column, MPI_Datatype line, MPI_Op op,
                  MPI_Request *requests)
{
	int counts[8], places[8], i = 0, last = size - 1;

	for (int j = 0; j < size; j++) {
		counts[j] = j + 1;
		places[j] = 5 * (size - 1 - j);
	}
	MPI_Ibcast(large, LARGE, MPI_INT, 0, comm, &requests[i++]);
	MPI_Ibcast(strided, 1, column, last, comm, &requests[i++]);
	MPI_Iscan(&contribution, &scanned, 1, line, op, comm, &requests[i++]);
	MPI_Ireduce(&contribution, &whole, 1, line, op, 1, comm, &requests[i++]);
	MPI_Iexscan(&contribution, &before, 1, line, op, comm, &requests[i++]);
	MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[i++]);
	MPI_Igatherv(part, rank + 1, MPI_INT, gathered, counts, places, MPI_INT, 0, comm,
	             &requests[i++]);
	MPI_Iscatterv(parts, counts, places, MPI_INT, rank == last ? MPI_IN_PLACE : all, rank + 1,
	              MPI_INT, last, comm, &requests[i++]);
	whole_in_place = contribution;
	MPI_Ireduce(rank == 0 ? MPI_IN_PLACE : &whole_in_place, &whole_in_place, 1, line, op, 0,
	            comm, &requests[i++]);
	MPI_Ibarrier(comm, &requests[i++]);
	word = rank;
	MPI_Iscan(MPI_IN_PLACE, &word, 1, MPI_INT, MPI_MAX, comm, &requests[i++]);
	MPI_Irecv(&all[30], 1, MPI_INT, (rank + 1) % size, 5, comm, &requests[i++]);
	MPI_Isend(&rank, 1, MPI_INT, (rank + last) % size, 5, comm, &requests[i++]);
}

static void blocking_between(MPI_Comm comm, MPI_Datatype line, MPI_Op op)
{
	int value = rank == 2 ? 9 : 0;
	struct line result = {0, 0};

	MPI_Bcast(&value, 1, MPI_INT, 2, comm);
	CHECK(value == 9);
	MPI_Reduce(&contribution, &result, 1, line, op, 2, comm);
	CHECK(rank != 2 || same(result, composed(0, size)));
	MPI_Scan(&contribution, &result, 1, line, op, comm);
	CHECK(same(result, composed(0, rank + 1)));
	MPI_Allreduce(&rank, &value, 1, MPI_INT, MPI_MAX, comm);
	CHECK(value == size - 1);
}

static void verify(void)
{
	CHECK(large[1] == 3 && large[LARGE - 1] == 3 * (LARGE - 1));
	for (int i = 0; i < 8 * STRIDE; i++)
		CHECK(strided[i] == (i % STRIDE == 0 || rank == size - 1 ? i : -1));
	CHECK(same(scanned, composed(0, rank + 1)));
	CHECK(rank == 0 || same(before, composed(0, rank)));
	CHECK(rank != 1 || same(whole, composed(0, size)));
	CHECK(rank != 0 || same(whole_in_place, composed(0, size)));
	CHECK(sum == size * (size - 1) / 2 && word == rank && all[30] == (rank + 1) % size);
	for (int i = 0; i < size && rank == 0; i++) {
		const int *of = &gathered[5 * (size - 1 - i)];

		CHECK(of[0] == 100 * i && of[i] == 100 * i + i);
	}
	for (int i = 0; i <= rank && rank < size - 1; i++)
		CHECK(all[i] == 5 * (size - 1 - rank) + i);
}

int main(int argc, char **argv)
{
	MPI_Request requests[REQUESTS], duplicated;
	MPI_Datatype column, line;
	MPI_Comm comm, other;
	MPI_Op op;

	start(&argc, &argv);
	for (int i = 0; i < LARGE; i++)
		large[i] = rank == 0 ? 3 * i : -1;
	for (int i = 0; i < 8 * STRIDE; i++)
		strided[i] = rank == size - 1 ? i : -1;
	for (int i = 0; i < 40; i++)
		parts[i] = i;
	for (int i = 0; i <= rank; i++)
		part[i] = 100 * rank + i;
	contribution = of_rank(rank);
	MPI_Type_vector(8, 1, STRIDE, MPI_INT, &column);
	MPI_Type_commit(&column);
	MPI_Type_contiguous(2, MPI_LONG, &line);
	MPI_Type_commit(&line);
	MPI_Op_create(compose, 0, &op);
	MPI_Comm_dup(WORLD, &comm);
	begin(comm, column, line, op, requests);
	MPI_Comm_idup(comm, &other, &duplicated);
	blocking_between(comm, line, op);
	MPI_Wait(&duplicated, IGNORE);
	blocking_between(other, line, op);
	MPI_Type_free(&column);
	MPI_Type_free(&line);
	MPI_Op_free(&op);
	MPI_Comm_free(&comm);
	for (int i = 0; i < REQUESTS; i++)
		MPI_Wait(&requests[(5 * i + rank) % REQUESTS], IGNORE);
	verify();
	MPI_Comm_free(&other);
	MPI_Finalize();
	return 0;
}
