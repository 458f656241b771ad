/* Every way to make a window, and values read through it. (Not compared with plain mpiexec, where
 * UCX 1.13 reads wrong memory unless UCX_RCACHE_ENABLE=n.) */
#include "../check.h"

enum { CELLS = 2 };

/* Prints the right neighbour's cell number `cell`. */
static void look(MPI_Win window, MPI_Aint at, int cell)
{
	int value = -1, expected = 10 * ((rank + 1) % size) + cell;

	char name[MPI_MAX_OBJECT_NAME] = "";
	int length = 0;

	CHECK(MPI_Win_set_name(window, "cells") == MPI_SUCCESS);
	MPI_Win_get_name(window, name, &length);
	CHECK(length == 5 && strcmp(name, "cells") == 0);
	CHECK(MPI_Win_fence(0, window) == MPI_SUCCESS);
	MPI_Get(&value, 1, MPI_INT, (rank + 1) % size, at, 1, MPI_INT, window);
	CHECK(MPI_Win_fence(0, window) == MPI_SUCCESS);
	CHECK(value == expected);
	CHECK(MPI_Win_free(&window) == MPI_SUCCESS);
}

static void fill(int *cells)
{
	for (int i = 0; i < CELLS; i++)
		cells[i] = 10 * rank + i;
}

static void created(void)
{
	int cells[CELLS];
	MPI_Win window;

	fill(cells);
	MPI_Win_create(cells, sizeof(cells), sizeof(int), MPI_INFO_NULL, WORLD, &window);
	look(window, 0, 0);
	MPI_Win_create_c(cells, sizeof(cells), sizeof(int), MPI_INFO_NULL, WORLD, &window);
	look(window, 1, 1);
}

static void allocated(void)
{
	int *cells;
	MPI_Win window;

	MPI_Win_allocate(CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &cells, &window);
	fill(cells);
	look(window, 0, 0);
	MPI_Win_allocate_c(CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &cells, &window);
	fill(cells);
	look(window, 1, 1);
	MPI_Win_allocate_shared(CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &cells,
	                        &window);
	fill(cells);
	look(window, 0, 0);
	MPI_Win_allocate_shared_c(CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &cells,
	                          &window);
	fill(cells);
	look(window, 1, 1);
}

static void dynamic(void)
{
	int cells[CELLS];
	MPI_Aint mine, at;
	MPI_Win window;

	fill(cells);
	MPI_Win_create_dynamic(MPI_INFO_NULL, WORLD, &window);
	MPI_Win_attach(window, cells, sizeof(cells));
	MPI_Get_address(cells, &mine);
	MPI_Sendrecv(&mine, 1, MPI_AINT, (rank + size - 1) % size, 0, &at, 1, MPI_AINT,
	             (rank + 1) % size, 0, WORLD, IGNORE);
	look(window, at, 0);
}

int main(int argc, char **argv)
{
	start(&argc, &argv);
	created();
	allocated();
	dynamic();
	MPI_Finalize();
	return 0;
}
