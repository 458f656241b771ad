/* Names that one rank publishes and others look up, before and after a choice: what is published at
 * the choice stays so on every path, and what is published later does not. */
#include "../check.h"

static void check_name(const char *name, const char *port)
{
	char found[MPI_MAX_PORT_NAME] = "";

	CHECK(MPI_Lookup_name(name, MPI_INFO_NULL, found) == MPI_SUCCESS);
	CHECK(strcmp(found, port) == 0);
}

static int is_published(const char *name)
{
	char found[MPI_MAX_PORT_NAME];
	int code;

	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	code = MPI_Lookup_name(name, MPI_INFO_NULL, found);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_ARE_FATAL);
	return code == MPI_SUCCESS;
}

int main(int argc, char **argv)
{
	char port[MPI_MAX_PORT_NAME] = "tag#0$description#host$";
	int value = 0;

	start(&argc, &argv);
	if (rank == 0)
		MPI_Publish_name("service", MPI_INFO_NULL, port);
	MPI_Barrier(WORLD);
	check_name("service", port);
	for (int i = 1; rank == 0 && i < size; i++) {
		MPI_Status status;
		char later[32];

		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, &status);
		snprintf(later, sizeof(later), "later%d.%d", i, status.MPI_SOURCE);
		MPI_Publish_name(later, MPI_INFO_NULL, "port");
		check_name(later, "port");
		check_name("service", port);
	}
	if (rank != 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	MPI_Barrier(WORLD);
	check_name("service", port);
	CHECK(is_published("later1.1") + is_published("later1.2") == 1);
	MPI_Barrier(WORLD);
	if (rank == 0)
		MPI_Unpublish_name("service", MPI_INFO_NULL, port);
	MPI_Barrier(WORLD);
	CHECK(!is_published("service"));
	MPI_Finalize();
	return 0;
}
