/* Collectives that make an object, or act on a file or window. Rank 1 differs in the argument named
 * by the first argument, which must be the same at all members. Without an argument: values that
 * look different but are the same, or need not be. */
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../check.h"

#define MODE (MPI_MODE_CREATE | MPI_MODE_RDWR)
#define NAME "collective_arguments.data"

static int pick(int other, int usual)
{
	return rank == 1 ? other : usual;
}

static void open_file(const char *name, int mode)
{
	MPI_File file;

	if (MPI_File_open(WORLD, name, mode, MPI_INFO_NULL, &file) == MPI_SUCCESS)
		MPI_File_close(&file);
}

static void free_made(MPI_Comm *made)
{
	if (*made != MPI_COMM_NULL)
		MPI_Comm_free(made);
}

static void split(int type)
{
	MPI_Comm part;

	MPI_Comm_split_type(WORLD, type, 0, MPI_INFO_NULL, &part);
	free_made(&part);
}

static void distribute(int edges, const int *weights, int reorder)
{
	int next = (rank + 1) % size;
	MPI_Comm graph;

	MPI_Dist_graph_create(WORLD, edges, &rank, &edges, &next, weights, MPI_INFO_NULL, reorder,
	                      &graph);
	MPI_Comm_free(&graph);
}

static void distribute_adjacent(const int *weights_in, const int *weights_out, int reorder)
{
	int next = (rank + 1) % size, before = (rank + size - 1) % size;
	MPI_Comm graph;

	MPI_Dist_graph_create_adjacent(WORLD, 1, &before, weights_in, 1, &next, weights_out,
	                               MPI_INFO_NULL, reorder, &graph);
	MPI_Comm_free(&graph);
}

static void arrange(int periodic, int reorder)
{
	int keep = periodic;
	MPI_Comm grid, line;

	MPI_Cart_create(WORLD, 1, &size, &periodic, reorder, &grid);
	MPI_Cart_sub(grid, &keep, &line);
	MPI_Comm_free(&line);
	MPI_Comm_free(&grid);
}

static void use_file(const char *what)
{
	MPI_File file;

	MPI_File_open(WORLD, NAME, MODE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
	if (!strcmp(what, "size"))
		MPI_File_set_size(file, pick(1, 0));
	if (!strcmp(what, "room"))
		MPI_File_preallocate(file, pick(1, 2));
	if (!strcmp(what, "seek"))
		MPI_File_seek_shared(file, pick(1, 0), MPI_SEEK_SET);
	MPI_File_set_atomicity(file, !strcmp(what, "atomic") ? pick(0, 1) : pick(2, 1));
	MPI_File_close(&file);
}

static void fence(int last)
{
	MPI_Win window;
	int data = 0;

	/* units and sizes are each rank's own, and so is whether it has stored */
	MPI_Win_create(&data, pick(0, sizeof(data)), pick(1, 4), MPI_INFO_NULL, WORLD, &window);
	MPI_Win_fence(MPI_MODE_NOPRECEDE | pick(MPI_MODE_NOSTORE, 0), window);
	MPI_Win_fence(last, window);
	MPI_Win_free(&window);
}

/* Ranks open one file by different names, and only some find it there: both are allowed. */
static void open_by_many_names(void)
{
	static const char *const names[] = {NAME, "./" NAME, "../here/" NAME, "here/../" NAME};
	char full[PATH_MAX + sizeof(NAME)];

	if (rank == 0)
		mkdir("here", 0700);
	MPI_Barrier(WORLD);
	CHECK(chdir("here") == 0);
	mkdir("here", 0700);
	CHECK(getcwd(full, PATH_MAX) != NULL);
	strcat(full, "/" NAME);
	for (int i = 0; i < 4; i++) {
		if (rank == 0)
			unlink(NAME);
		open_file(rank == 0 ? full : names[i], MODE);
	}
	open_file(rank == 0 ? "ufs:" NAME : "ufs:./" NAME, MODE);
	if (rank == 0)
		CHECK(link(NAME, NAME ".other") == 0 && symlink(NAME, NAME ".link") == 0);
	MPI_Barrier(WORLD);
	open_file(rank == 0 ? NAME ".other" : rank == 1 ? NAME ".link" : NAME, MODE);
	MPI_Barrier(WORLD);
	if (rank == 0) {
		unlink(NAME);
		unlink(NAME ".other");
		unlink(NAME ".link");
		rmdir("here");
		CHECK(chdir("..") == 0 && rmdir("here") == 0);
	}
}

static void all_the_same(void)
{
	static const int none = 0;

	arrange(pick(2, 1), pick(3, 1));
	distribute(1, MPI_UNWEIGHTED, pick(2, 1));
	distribute(1, &size, 0);
	distribute(pick(0, 1), rank == 1 ? MPI_WEIGHTS_EMPTY : &size, 0);
	distribute(pick(0, 1), rank == 1 ? NULL : &size, 0);
	distribute_adjacent(&size, &none, pick(2, 1));
	split(pick(MPI_UNDEFINED, MPI_COMM_TYPE_SHARED));
	use_file("");
	fence(MPI_MODE_NOSUCCEED);
	open_by_many_names();
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	start(&argc, &argv);
	if (!strcmp(what, "name"))
		open_file(rank == 1 ? NAME ".1" : NAME, MODE);
	else if (!strcmp(what, "system"))
		open_file(rank == 1 ? "ufs:" NAME : NAME, MODE);
	else if (!strcmp(what, "directory"))
		open_file(rank == 1 ? "../" NAME : NAME, MODE);
	else if (!strcmp(what, "mode"))
		open_file(NAME, MPI_MODE_CREATE | pick(MPI_MODE_WRONLY, MPI_MODE_RDWR));
	else if (!strcmp(what, "split"))
		split(pick(MPI_COMM_TYPE_HW_GUIDED, MPI_COMM_TYPE_SHARED));
	else if (!strcmp(what, "weights"))
		distribute(1, rank == 1 ? &size : MPI_UNWEIGHTED, 0);
	else if (!strcmp(what, "reorder"))
		distribute(1, MPI_UNWEIGHTED, pick(1, 0));
	else if (!strcmp(what, "adjacent"))
		distribute_adjacent(&size, rank == 1 ? &size : MPI_UNWEIGHTED, 0);
	else if (!strcmp(what, "periods"))
		arrange(pick(0, 1), 0);
	else if (!strcmp(what, "fence"))
		fence(pick(0, MPI_MODE_NOSUCCEED));
	else if (*what)
		use_file(what);
	else
		all_the_same();
	MPI_Finalize();
	return 0;
}
