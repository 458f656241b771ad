/* Applications with many small calls and little to compute between them. The ranks check what they
 * receive.
 *
 *   blocks N   N steps of a block-structured grid with refinement. In each of three directions the
 *              faces of blocks go to both neighbors on a ring, one message for each face; they are
 *              unpacked in the order of MPI_Waitany. Then each block is computed. Every 5 steps the
 *              sum over all cells is checked; every 10 steps ranks tell their neighbors what they
 *              refine, and move a block
 *   setup N    N times the setup of an algebraic solver. On each of 6 levels ranks find out from
 *              whom they need data: they ask with messages that nobody expects (MPI_Issend,
 *              MPI_Iprobe, MPI_Ibarrier, MPI_Test), answer, and then exchange as known neighbors
 *
 * Rank 0 prints the seconds taken, and how many calls it made. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLD MPI_COMM_WORLD

enum {
	BLOCKS = 32,
	CELLS = 1024, /* of a block */
	FACE = 64,    /* cells that go to a neighbor */
	FACES = 4,    /* messages to each neighbor and direction */
	DIRECTIONS = 3,
	LEVELS = 6,
	ROWS = 16, /* that a rank asks for */
};

enum { LENGTHS = 400, BLOCK, VALUES, ASKED = 600 };

static int rank, size, up, down;
static long calls;
static double grid[BLOCKS][CELLS];

static void verify(int holds)
{
	if (!holds) {
		fprintf(stderr, "rank %d: wrong data\n", rank);
		MPI_Abort(WORLD, 1);
	}
}

static double face_value(int of_rank, int step, int face)
{
	return of_rank * 1000 + step + face * 0.125;
}

static void exchange_faces(int step, int direction)
{
	static double sent[2 * FACES][FACE], received[2 * FACES][FACE];
	MPI_Request sends[2 * FACES], receives[2 * FACES];
	MPI_Status statuses[2 * FACES];

	for (int i = 0; i < 2 * FACES; i++)
		MPI_Irecv(received[i], FACE, MPI_DOUBLE, i < FACES ? down : up, direction * 100 + i,
		          WORLD, &receives[i]);
	for (int i = 0; i < 2 * FACES; i++) {
		for (int k = 0; k < FACE; k++)
			sent[i][k] = face_value(rank, step, i);
		MPI_Isend(sent[i], FACE, MPI_DOUBLE, i < FACES ? up : down, direction * 100 + i,
		          WORLD, &sends[i]);
	}
	for (int left = 2 * FACES; left > 0; left--) {
		int i;

		MPI_Waitany(2 * FACES, receives, &i, &statuses[0]);
		verify(received[i][FACE - 1] == face_value(i < FACES ? down : up, step, i));
		for (int k = 0; k < FACE; k++)
			grid[i % BLOCKS][k * CELLS / FACE] += received[i][k] * 1e-6;
	}
	MPI_Waitall(2 * FACES, sends, statuses);
	calls += 3 * 2 * FACES + 1;
}

static void compute_blocks(void)
{
	for (int i = 0; i < BLOCKS; i++)
		for (int k = 1; k < CELLS - 1; k++)
			grid[i][k] = (grid[i][k - 1] + grid[i][k] + grid[i][k + 1]) / 3;
}

static void check_sum(int step)
{
	double sum = 0, all;
	int most, told[2] = {rank, step};

	for (int i = 0; i < BLOCKS; i++)
		for (int k = 0; k < CELLS; k++)
			sum += grid[i][k];
	MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, WORLD);
	MPI_Allreduce(&told[1], &most, 1, MPI_INT, MPI_MAX, WORLD);
	verify(most == step && all >= sum * 0.5);
	calls += 2;
}

static void refine(int step)
{
	int mine[2] = {rank, step}, theirs[2][2], total;
	static double moved[CELLS], taken[CELLS];
	MPI_Request requests[4];
	MPI_Status statuses[4];

	MPI_Irecv(theirs[0], 2, MPI_INT, down, LENGTHS, WORLD, &requests[0]);
	MPI_Irecv(theirs[1], 2, MPI_INT, up, LENGTHS + 100, WORLD, &requests[1]);
	MPI_Isend(mine, 2, MPI_INT, up, LENGTHS, WORLD, &requests[2]);
	MPI_Isend(mine, 2, MPI_INT, down, LENGTHS + 100, WORLD, &requests[3]);
	MPI_Waitall(4, requests, statuses);
	verify(theirs[0][0] == down && theirs[1][0] == up && theirs[0][1] == step);
	MPI_Allreduce(&mine[0], &total, 1, MPI_INT, MPI_SUM, WORLD);
	verify(total == size * (size - 1) / 2);
	memcpy(moved, grid[0], sizeof(moved));
	if (rank % 2 == 0) {
		MPI_Send(moved, CELLS, MPI_DOUBLE, up, BLOCK, WORLD);
		MPI_Recv(taken, CELLS, MPI_DOUBLE, down, BLOCK, WORLD, MPI_STATUS_IGNORE);
	} else {
		MPI_Recv(taken, CELLS, MPI_DOUBLE, down, BLOCK, WORLD, MPI_STATUS_IGNORE);
		MPI_Send(moved, CELLS, MPI_DOUBLE, up, BLOCK, WORLD);
	}
	memcpy(grid[0], taken, sizeof(taken));
	calls += 8;
}

static void blocks(long count)
{
	for (int step = 0; step < count; step++) {
		for (int direction = 0; direction < DIRECTIONS; direction++) {
			exchange_faces(step, direction);
			compute_blocks();
		}
		if (step % 5 == 4)
			check_sum(step);
		if (step % 10 == 9)
			refine(step);
	}
}

/* Tells the owners of rows what this rank needs of them; answers to *ret_asking who needs rows of
 * this one (MPI 3.1, section 3.8 and 5.12: the nonblocking consensus). */
static int find_who_asks(int level, int *asking)
{
	int rows[ROWS], got[ROWS], count = 0, sent = 0, over = 0, there, in_barrier = 0;
	MPI_Request asks, barrier;
	MPI_Status status;

	for (int i = 0; i < ROWS; i++)
		rows[i] = level * 1000 + rank;
	MPI_Issend(rows, ROWS, MPI_INT, up, ASKED + level, WORLD, &asks);
	calls++;
	while (!over) {
		MPI_Iprobe(MPI_ANY_SOURCE, ASKED + level, WORLD, &there, &status);
		calls++;
		if (there) {
			MPI_Recv(got, ROWS, MPI_INT, status.MPI_SOURCE, ASKED + level, WORLD,
			         MPI_STATUS_IGNORE);
			verify(got[ROWS - 1] == level * 1000 + status.MPI_SOURCE);
			asking[count++] = status.MPI_SOURCE;
			calls++;
		}
		if (in_barrier) {
			MPI_Test(&barrier, &over, MPI_STATUS_IGNORE);
		} else {
			MPI_Test(&asks, &sent, MPI_STATUS_IGNORE);
			if (sent) {
				MPI_Ibarrier(WORLD, &barrier);
				in_barrier = 1;
				calls++;
			}
		}
		calls++;
	}
	return count;
}

/* On each level the matrix is as known: 5 products with it, each an exchange and a sum. */
static void multiply(int level, const int *asking, int count)
{
	static double sent[CELLS], received[CELLS];
	MPI_Request requests[2];
	MPI_Status statuses[2];

	verify(count == 1);
	for (int i = 0; i < 5; i++) {
		double own = 1, all;

		for (int k = 0; k < CELLS >> level; k++)
			sent[k] = rank + i;
		MPI_Irecv(received, CELLS >> level, MPI_DOUBLE, up, VALUES, WORLD, &requests[0]);
		MPI_Isend(sent, CELLS >> level, MPI_DOUBLE, asking[0], VALUES, WORLD, &requests[1]);
		compute_blocks();
		MPI_Waitall(2, requests, statuses);
		verify(received[0] == up + i);
		MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, WORLD);
		verify(all == size);
		calls += 4;
	}
}

static void setup(long count)
{
	for (int round = 0; round < count; round++)
		for (int level = 0; level < LEVELS; level++) {
			int asking[8], first, mine = CELLS >> level;
			int asked = find_who_asks(level, asking);

			MPI_Scan(&mine, &first, 1, MPI_INT, MPI_SUM, WORLD);
			verify(first == (rank + 1) * mine);
			calls++;
			multiply(level, asking, asked);
		}
}

int main(int argc, char **argv)
{
	double begin;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &size);
	if (argc < 3)
		return 2;
	up = (rank + 1) % size;
	down = (rank + size - 1) % size;
	for (int i = 0; i < BLOCKS; i++)
		for (int k = 0; k < CELLS; k++)
			grid[i][k] = rank + 1;
	MPI_Barrier(WORLD);
	begin = MPI_Wtime();
	if (strcmp(argv[1], "blocks") == 0)
		blocks(atol(argv[2]));
	else
		setup(atol(argv[2]));
	MPI_Barrier(WORLD);
	if (rank == 0)
		printf("%.4f %ld\n", MPI_Wtime() - begin, calls);
	MPI_Finalize();
	return 0;
}
