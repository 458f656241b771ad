/* Errors with sessions only: a race that ends in a deadlock, an exit with the session open, a
 * member that never comes. The argument names the case. */
#include "../check.h"

int main(int argc, char **argv)
{
	MPI_Session session;
	MPI_Group group;
	MPI_Comm comm;
	const char *which = argc > 1 ? argv[1] : "";
	int value;

	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
	MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
	MPI_Group_rank(group, &rank);
	if (strcmp(which, "missing") == 0 && rank == 2)
		return 0;
	MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
	MPI_Group_free(&group);
	if (rank > 0) {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, comm);
	} else {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, IGNORE);
		MPI_Recv(&value, 1, MPI_INT, strcmp(which, "race") == 0 ? 2 : MPI_ANY_SOURCE, 0,
		         comm, IGNORE);
	}
	MPI_Comm_free(&comm);
	if (strcmp(which, "open") != 0 || rank != 1)
		MPI_Session_finalize(&session);
	return 0;
}
