/* Calls before MPI_Init and after MPI_Finalize that are allowed, and some that are not. */
#include "../check.h"

#include <stdlib.h>

static void call_at_any_time(void)
{
	char version[MPI_MAX_LIBRARY_VERSION_STRING];
	int one, two;
	MPI_Info info;

	MPI_Initialized(&one);
	MPI_Finalized(&two);
	MPI_Get_version(&one, &two);
	MPI_Get_library_version(version, &one);
	MPI_Info_create(&info);
	MPI_Info_set(info, "key", "value");
	MPI_Info_free(&info);
}

static int is(int argc, char **argv, const char *what)
{
	return argc > 1 && strcmp(argv[1], what) == 0;
}

int main(int argc, char **argv)
{
	int number = 0;

	call_at_any_time();
	start(&argc, &argv);
	if (is(argc, argv, "again"))
		MPI_Init(&argc, &argv);
	MPI_Barrier(WORLD);
	MPI_Finalize();
	call_at_any_time();
	if (is(argc, argv, "send") && rank == 0)
		MPI_Send(&number, 1, MPI_INT, 1, 0, WORLD);
	if (is(argc, argv, "twice"))
		MPI_Finalize();
	return 0;
}
