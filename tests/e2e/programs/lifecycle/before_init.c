/* Calls that come too early, and ranks that are killed inside MPI_Init. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

static int armed;

/* MPICH reads its own variables in MPI_Init. */
char *getenv(const char *name)
{
	size_t length = strlen(name);

	if (armed && strncmp(name, "MPIR_CVAR_", 10) == 0)
		raise(SIGSEGV);
	for (char **variable = environ; variable && *variable; variable++) {
		if (strncmp(*variable, name, length) == 0 && (*variable)[length] == '=')
			return *variable + length + 1;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int is_second = strcmp(getenv("PMI_RANK"), "1") == 0, value = 0, provided;

	if (strcmp(mode, "all") == 0)
		MPI_Comm_rank(MPI_COMM_WORLD, &value); /* too early */
	if (strcmp(mode, "one") == 0 && is_second)
		MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /* too early */
	if (strcmp(mode, "type") == 0) {
		MPI_Datatype type;
		MPI_Type_contiguous(2, MPI_INT, &type); /* too early */
	}
	if (strcmp(mode, "allowed") == 0) {
		char text[MPI_MAX_LIBRARY_VERSION_STRING];
		int flag, length;
		MPI_Initialized(&flag);
		MPI_Finalized(&flag);
		MPI_Get_version(&flag, &length);
		MPI_Get_library_version(text, &length);
	}
	armed = strcmp(mode, "crash") == 0;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
	MPI_Finalize();
	return 0;
}
