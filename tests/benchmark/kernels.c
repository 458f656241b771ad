/* Programs in the manner of the NAS benchmarks, to measure recording: kernels NAME [SCALE]
 *
 *   is      integers are sorted by buckets                       few large collectives
 *   cg      a sparse matrix times a vector                       exchanges, sums by messages
 *   mg      halos of a grid on several levels                    derived types, many requests
 *   ep      random numbers                                       computes only
 *   lu      a wavefront                                          tiny blocking messages
 *   mw      a master takes results from anybody                  wildcards and polls
 *   tokens  empty messages and barriers                          nothing but calls
 *   polls   Iprobe that finds nothing                            nothing but polls
 *
 * 2 or 4 ranks. Each prints what it computed. Rank 0 also prints on standard error "seconds T",
 * from MPI_Init to MPI_Finalize, and for tokens and polls "calls N". */
#define _GNU_SOURCE
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int rank, size;
static double scale = 1;

/* xorshift; `*seed` is not 0. */
static uint64_t draw(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* In [0, 1). */
static double draw_real(uint64_t *seed)
{
	return (double)(draw(seed) >> 11) * 0x1p-53;
}

/* Of the measurement, not of the program: no wrapper sees it. */
static double seconds(void)
{
	struct timespec now;

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* --- is --------------------------------------------------------------------------------------- */

enum { MOST_KEY = 1 << 21, BUCKETS = 1024, KEYS_OF_A_BUCKET = MOST_KEY / BUCKETS };

/* Sends each key to the rank that owns its bucket. Returns how many came. */
static int exchange_keys(const int *keys, int count, int *sorted, int *ret_got)
{
	int counts[BUCKETS] = {0}, all[BUCKETS], starts[BUCKETS], total = 0;
	int out[4] = {0}, out_at[4], in[4], in_at[4];
	int64_t sum = 0;

	for (int i = 0; i < count; i++)
		counts[keys[i] / KEYS_OF_A_BUCKET]++;
	MPI_Allreduce(counts, all, BUCKETS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	for (int bucket = 0, at = 0; bucket < BUCKETS; bucket++) {
		const int owner = (int)(sum * size / ((int64_t)count * size));

		starts[bucket] = at;
		at += counts[bucket];
		sum += all[bucket];
		out[owner < size ? owner : size - 1] += counts[bucket];
	}
	for (int i = 0; i < count; i++)
		sorted[starts[keys[i] / KEYS_OF_A_BUCKET]++] = keys[i];
	MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
	for (int other = 0, at = 0; other < size; other++) {
		out_at[other] = at;
		at += out[other];
		in_at[other] = total;
		total += in[other];
	}
	MPI_Alltoallv(sorted, out, out_at, MPI_INT, ret_got, in, in_at, MPI_INT, MPI_COMM_WORLD);
	return total;
}

static void is(void)
{
	enum { TIMES = 16 };
	const int count = (int)((1 << 22) * scale);
	int *keys = malloc(sizeof(int) * (size_t)count),
	    *sorted = malloc(sizeof(int) * (size_t)count),
	    *got = malloc(sizeof(int) * 2 * (size_t)count),
	    *histogram = malloc(sizeof(int) * MOST_KEY);
	uint64_t seed = 88172645463325252u + (uint64_t)rank * 7919, check = 0;

	for (int i = 0; i < count; i++) {
		double sum = 0;

		for (int j = 0; j < 4; j++)
			sum += draw_real(&seed);
		keys[i] = (int)(sum / 4 * MOST_KEY);
	}
	for (int time = 0; time < TIMES; time++) {
		int total;

		keys[time] = time;
		keys[time + TIMES] = MOST_KEY - time - 1;
		total = exchange_keys(keys, count, sorted, got);
		memset(histogram, 0, sizeof(int) * MOST_KEY);
		for (int i = 0; i < total; i++)
			histogram[got[i]]++;
		for (int key = 1; key < MOST_KEY; key++)
			histogram[key] += histogram[key - 1];
		check = check * 31 + (uint64_t)(histogram[MOST_KEY / 2 + time * 1000] + total);
	}
	printf("%d: %llx\n", rank, (unsigned long long)check);
	free(keys);
	free(sorted);
	free(got);
	free(histogram);
}

/* --- cg --------------------------------------------------------------------------------------- */

static double sum_by_messages(double sum)
{
	for (int bit = 1; bit < size; bit <<= 1) {
		MPI_Request request;
		double other;

		MPI_Irecv(&other, 1, MPI_DOUBLE, rank ^ bit, 5, MPI_COMM_WORLD, &request);
		MPI_Send(&sum, 1, MPI_DOUBLE, rank ^ bit, 5, MPI_COMM_WORLD);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		sum = rank & bit ? other + sum : sum + other;
	}
	return sum;
}

static void exchange(const double *out, double *in, int count, int other, int tag)
{
	MPI_Request request;
	MPI_Status status;

	MPI_Irecv(in, count, MPI_DOUBLE, other, tag, MPI_COMM_WORLD, &request);
	MPI_Send(out, count, MPI_DOUBLE, other, tag, MPI_COMM_WORLD);
	MPI_Wait(&request, &status);
}

static void cg(void)
{
	enum { ROWS = 3500, OF_A_ROW = 130 };
	int *columns = malloc(sizeof(int) * ROWS * OF_A_ROW);
	double *values = malloc(sizeof(double) * ROWS * OF_A_ROW),
	       *x = calloc(3 * ROWS, sizeof(double)), *y = calloc(ROWS, sizeof(double)), norm = 0;
	uint64_t seed = 12345 + (uint64_t)rank;

	for (int i = 0; i < ROWS * OF_A_ROW; i++) {
		columns[i] = (int)(draw(&seed) % (3 * ROWS));
		values[i] = (draw_real(&seed) - 0.5) / 8;
	}
	for (int row = 0; row < ROWS; row++)
		x[row] = draw_real(&seed);
	for (int time = 0; time < (int)(80 * scale); time++) {
		double dot = 0, most = 0, of_all;

		exchange(x, x + ROWS, ROWS, rank ^ 1, 1);
		if (size > 2)
			exchange(x, x + 2 * ROWS, ROWS, rank ^ 2, 2);
		for (int row = 0; row < ROWS; row++) {
			y[row] = 0;
			for (int i = row * OF_A_ROW; i < (row + 1) * OF_A_ROW; i++)
				y[row] += values[i] * x[columns[i]];
			dot += y[row] * y[row];
		}
		norm = 1 / sqrt(sum_by_messages(dot) + 1e-30);
		for (int row = 0; row < ROWS; row++) {
			x[row] = y[row] * norm + 0.001 * sin(row);
			most = x[row] > most ? x[row] : most;
		}
		MPI_Allreduce(&most, &of_all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
		norm += of_all * 1e-12;
	}
	printf("%d: %.17g\n", rank, norm);
	free(columns);
	free(values);
	free(x);
	free(y);
}

/* --- mg --------------------------------------------------------------------------------------- */

/* The grid on one level: n^3 points with a border of one point. */
struct level {
	int n;
	double *now, *next;
	MPI_Datatype side; /* a plane y = const */
};

static void exchange_halo(const struct level *level, int along_z, int along_y)
{
	const int n = level->n, width = n + 2, plane = width * width;
	double *grid = level->now;
	MPI_Request requests[4];
	MPI_Status statuses[4];

	MPI_Irecv(grid, plane, MPI_DOUBLE, along_z, 10, MPI_COMM_WORLD, &requests[0]);
	MPI_Irecv(grid + (n + 1) * plane, plane, MPI_DOUBLE, along_z, 11, MPI_COMM_WORLD,
	          &requests[1]);
	MPI_Isend(grid + n * plane, plane, MPI_DOUBLE, along_z, 10, MPI_COMM_WORLD, &requests[2]);
	MPI_Isend(grid + plane, plane, MPI_DOUBLE, along_z, 11, MPI_COMM_WORLD, &requests[3]);
	MPI_Waitall(4, requests, statuses);
	MPI_Irecv(grid, 1, level->side, along_y, 12, MPI_COMM_WORLD, &requests[0]);
	MPI_Irecv(grid + (n + 1) * width, 1, level->side, along_y, 13, MPI_COMM_WORLD,
	          &requests[1]);
	MPI_Isend(grid + n * width, 1, level->side, along_y, 12, MPI_COMM_WORLD, &requests[2]);
	MPI_Isend(grid + width, 1, level->side, along_y, 13, MPI_COMM_WORLD, &requests[3]);
	MPI_Waitall(4, requests, statuses);
}

static void smooth(struct level *level)
{
	const int n = level->n, width = n + 2, plane = width * width;
	double *from = level->now, *to = level->next;

	for (int z = 1; z <= n; z++)
		for (int y = 1; y <= n; y++)
			for (int x = 1; x <= n; x++) {
				const double *u = from + z * plane + y * width + x;

				to[u - from] = 0.4 * u[0]
				               + 0.099
				                         * (u[-1] + u[1] + u[-width] + u[width]
				                            + u[-plane] + u[plane])
				               + 1e-4
				                         * (u[-width - 1] + u[width + 1]
				                            + u[-plane - 1] + u[plane + 1]);
			}
	level->now = to;
	level->next = from;
}

static void mg(void)
{
	enum { LEVELS = 5, FINEST = 96 };
	struct level levels[LEVELS];
	uint64_t seed = 777 + (uint64_t)rank;
	double sum = 0;

	for (int i = 0; i < LEVELS; i++) {
		const int n = FINEST >> i, width = n + 2, points = width * width * width;

		levels[i].n = n;
		levels[i].now = malloc(sizeof(double) * (size_t)points);
		levels[i].next = malloc(sizeof(double) * (size_t)points);
		for (int point = 0; point < points; point++)
			levels[i].next[point] = levels[i].now[point] = draw_real(&seed);
		MPI_Type_vector(width, width, width * width, MPI_DOUBLE, &levels[i].side);
		MPI_Type_commit(&levels[i].side);
	}
	for (int cycle = 0; cycle < (int)(14 * scale); cycle++) {
		double mine = 0;

		for (int i = 0; i < 2 * LEVELS - 1; i++) { /* down, and up again */
			struct level *level = &levels[i < LEVELS ? i : 2 * LEVELS - 2 - i];

			for (int sweep = 0; sweep < 2; sweep++) {
				exchange_halo(level, rank ^ 1, size > 2 ? rank ^ 2 : rank);
				smooth(level);
			}
		}
		for (int point = 0; point < FINEST * FINEST * FINEST; point += 97)
			mine += levels[0].now[point];
		MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	}
	printf("%d: %.17g\n", rank, sum);
	for (int i = 0; i < LEVELS; i++) {
		MPI_Type_free(&levels[i].side);
		free(levels[i].now);
		free(levels[i].next);
	}
}

/* --- ep --------------------------------------------------------------------------------------- */

static void ep(void)
{
	uint64_t seed = 271828183 + (uint64_t)rank * 1000003;
	double sums[2] = {0}, of_all[2];

	for (long i = 0; i < (long)(7e7 * scale); i++) {
		const double x = 2 * draw_real(&seed) - 1, y = 2 * draw_real(&seed) - 1,
			     square = x * x + y * y;

		if (square > 1 || square == 0)
			continue;
		sums[0] += x * sqrt(-2 * log(square) / square);
		sums[1] += y * sqrt(-2 * log(square) / square);
	}
	MPI_Allreduce(sums, of_all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	printf("%d: %.17g %.17g\n", rank, of_all[0], of_all[1]);
}

/* --- lu --------------------------------------------------------------------------------------- */

enum { EDGE = 32, PLANES = 64, PARTS = 5 };
typedef double block[PARTS];

static void solve(block at, const block west, const block north)
{
	block solved;

	for (int a = 0; a < PARTS; a++) {
		double sum = at[a];

		for (int b = 0; b < PARTS; b++)
			sum += 0.01 * (a + 1) * west[b] - 0.008 * (b + 1) * north[b]
			       + 0.0001 * at[b] * at[a];
		solved[a] = sum / (1.3 + 0.1 * a);
	}
	memcpy(at, solved, sizeof(solved));
}

/* The wave goes from the first rank in x and y to the last one, or back. */
static void sweep(block (*plane)[EDGE], int tag, int backwards)
{
	static block west[EDGE], north[EDGE];
	const int first_x = (rank & 1) == backwards, first_y = size < 3 || (rank >> 1) == backwards;

	if (!first_x)
		MPI_Recv(west, EDGE * PARTS, MPI_DOUBLE, rank ^ 1, tag, MPI_COMM_WORLD,
		         MPI_STATUS_IGNORE);
	if (!first_y)
		MPI_Recv(north, EDGE * PARTS, MPI_DOUBLE, rank ^ 2, tag, MPI_COMM_WORLD,
		         MPI_STATUS_IGNORE);
	for (int y = 0; y < EDGE; y++)
		for (int x = 0; x < EDGE; x++)
			solve(plane[y][x], x ? plane[y][x - 1] : west[y],
			      y ? plane[y - 1][x] : north[x]);
	if (first_x) {
		for (int y = 0; y < EDGE; y++)
			memcpy(west[y], plane[y][EDGE - 1], sizeof(block));
		MPI_Send(west, EDGE * PARTS, MPI_DOUBLE, rank ^ 1, tag, MPI_COMM_WORLD);
	}
	if (first_y && size > 2)
		MPI_Send(plane[EDGE - 1], EDGE * PARTS, MPI_DOUBLE, rank ^ 2, tag, MPI_COMM_WORLD);
}

static void lu(void)
{
	block(*grid)[EDGE][EDGE] = malloc(sizeof(block) * PLANES * EDGE * EDGE);
	double *numbers = (double *)grid, sum = 0;
	uint64_t seed = 4242 + (uint64_t)rank;

	for (int i = 0; i < PLANES * EDGE * EDGE * PARTS; i++)
		numbers[i] = draw_real(&seed);
	for (int time = 0; time < (int)(60 * scale); time++) {
		for (int z = 0; z < PLANES; z++)
			sweep(grid[z], z, 0);
		for (int z = PLANES - 1; z >= 0; z--)
			sweep(grid[z], z, 1);
	}
	for (int i = 0; i < PLANES * EDGE * EDGE * PARTS; i += 7)
		sum += numbers[i];
	printf("%d: %.17g\n", rank, sum);
	free(grid);
}

/* --- mw --------------------------------------------------------------------------------------- */

enum { LARGE = 4096 };
static double part[LARGE];

static void master(int tasks)
{
	uint64_t order = 0;
	double sum = 0;
	int given = 0, busy = 0;

	for (int worker = 1; worker < size; worker++, given++, busy++)
		MPI_Send(&given, 1, MPI_INT, worker, 1, MPI_COMM_WORLD);
	while (busy > 0) {
		const int none = -1;
		const int *task = given < tasks ? &given : &none;
		int flag = 0, count;
		MPI_Status status = {.MPI_SOURCE = MPI_ANY_SOURCE, .MPI_TAG = MPI_ANY_TAG};

		while (given % 3 == 0 && !flag)
			MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
		MPI_Recv(part, LARGE, MPI_DOUBLE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
		         &status);
		MPI_Get_count(&status, MPI_DOUBLE, &count);
		order = order * 31 + (uint64_t)(status.MPI_SOURCE * 7 + count);
		sum = sum * 0.999 + part[count - 1]; /* depends on the order */
		MPI_Send(task, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD);
		busy -= task == &none;
		given += task == &given;
	}
	printf("%d: %llx %.17g\n", rank, (unsigned long long)order, sum);
}

static void worker(void)
{
	for (long done = 0;; done++) {
		int task, flag = 0, length, work;
		double sum = 0;
		uint64_t seed;
		MPI_Request request;

		MPI_Irecv(&task, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
		while (!flag)
			MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
		if (task < 0) {
			printf("%d: %ld\n", rank, done);
			return;
		}
		seed = 1 + (uint64_t)task * 2654435761u;
		length = 32 + (int)(draw(&seed) % (task % 8 ? 224 : LARGE - 32));
		work = 20000 + (int)(draw(&seed) % 200000);
		for (int i = 0; i < work; i++)
			sum += draw_real(&seed);
		for (int i = 0; i < length; i++)
			part[i] = sum + i;
		MPI_Send(part, length, MPI_DOUBLE, 0, task % 16, MPI_COMM_WORLD);
	}
}

static void mw(void)
{
	if (rank == 0)
		master((int)(2000 * scale));
	else
		worker();
}

/* --- nothing but calls ------------------------------------------------------------------------ */

static void tell_calls(long count)
{
	if (rank == 0)
		fprintf(stderr, "calls %ld\n", count);
}

static void tokens(void)
{
	const int times = (int)(500 * scale);

	for (int i = 0; i < times; i++) {
		MPI_Sendrecv(NULL, 0, MPI_BYTE, (rank + 1) % size, 1, NULL, 0, MPI_BYTE,
		             (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	tell_calls(2L * times);
}

static void polls(void)
{
	const int times = (int)(200000 * scale);

	for (int i = 0; i < times; i++) {
		int flag;

		MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	}
	tell_calls(times);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} kernels[] = {{"is", is}, {"cg", cg}, {"mg", mg},         {"ep", ep},
	               {"lu", lu}, {"mw", mw}, {"tokens", tokens}, {"polls", polls}};
	double start;

	if (argc > 2)
		scale = strtod(argv[2], NULL);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	start = seconds();
	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
		if (argc > 1 && strcmp(argv[1], kernels[i].name) == 0)
			kernels[i].run();
	if (rank == 0)
		fprintf(stderr, "seconds %.6f\n", seconds() - start);
	MPI_Finalize();
	return 0;
}
