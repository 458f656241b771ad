/* A program that spawns itself twice: two processes at once, then one each of two commands. Results
 * come back in any order. */
#include "../check.h"

enum { CHILDREN = 2 };

/* The sum of what the children of a spawn send. */
static int gather(MPI_Comm children)
{
	int sum = 0, got;

	for (int i = 0; i < CHILDREN; i++) {
		MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, children, IGNORE);
		sum += got;
	}
	MPI_Comm_disconnect(&children);
	return sum;
}

static void be_parent(char *program)
{
	char *commands[] = {program, program};
	const int most[] = {1, 1};
	const MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
	int codes[CHILDREN];
	MPI_Comm children;

	MPI_Comm_spawn(program, MPI_ARGV_NULL, CHILDREN, MPI_INFO_NULL, 0, WORLD, &children, codes);
	CHECK(codes[0] == MPI_SUCCESS && codes[1] == MPI_SUCCESS);
	CHECK(gather(children) == 1);
	MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, most, infos, 0, WORLD, &children,
	                        MPI_ERRCODES_IGNORE);
	CHECK(gather(children) == 1);
}

static void be_child(MPI_Comm parent)
{
	CHECK(size == CHILDREN);
	MPI_Send(&rank, 1, MPI_INT, 0, 0, parent);
	MPI_Comm_disconnect(&parent);
}

int main(int argc, char **argv)
{
	MPI_Comm parent;

	start(&argc, &argv);
	MPI_Comm_get_parent(&parent);
	if (parent == MPI_COMM_NULL)
		be_parent(argv[0]);
	else
		be_child(parent);
	MPI_Finalize();
	return 0;
}
