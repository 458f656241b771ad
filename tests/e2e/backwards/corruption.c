/* A rank: receives, computes; a write beyond an array overwrites a pointer that is used much later.
 * Arguments: rounds, work in each, the round with the mistake, the round that uses the pointer. */
#include <stdio.h>
#include <stdlib.h>

int MPI_Recv(void *buffer, int count, int source, int tag);

#define CELLS 64
struct grid {
	double cell[CELLS];
	double *boundary;
	long steps;
};
struct grid *grid;
static double wall[CELLS];
double total;
static int message[16];

static double relax(struct grid *g, int from)
{
	double sum = 0;

	for (int i = 1; i < CELLS / 8; i++) {
		g->cell[i] = 0.25 * (g->cell[i - 1] + 2 * g->cell[i] + g->cell[i + 1])
		             + from * 1e-9;
		sum += g->cell[i];
	}
	return sum;
}

static void store(struct grid *g, int at, double value)
{
	g->cell[at] = value; /* the mistake shows here: at may be CELLS */
	g->steps++;
}

static int apply(struct grid *g, const int *data, int is_wrong)
{
	int width = 4 + is_wrong;

	for (int i = 0; i < width; i++)
		store(g, CELLS - 4 + i, data[i] % 1000 * 0.001);
	return width;
}

static double finish(struct grid *g)
{
	return g->boundary[3] + g->cell[5];
}

int main(int argc, char **argv)
{
	int number[4] = {120, 1, 3, 118};

	for (int i = 1; i < argc && i <= 4; i++)
		number[i - 1] = atoi(argv[i]);
	grid = calloc(1, sizeof *grid);
	grid->boundary = wall;
	for (int r = 0; r < number[0]; r++) {
		MPI_Recv(message, 16, r % 3, 7);
		apply(grid, message, r == number[2]);
		for (int k = 0; k < number[1]; k++)
			total += relax(grid, message[k % 16]);
		if (r == number[3])
			total += finish(grid);
	}
	printf("%.6f\n", total);
	return 0;
}
