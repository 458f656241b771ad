/* Prints what launchers tell a rank about itself, and a setting of the user's. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static const char *value_of(const char *name)
{
	const char *value = getenv(name);

	return value ? value : "-";
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	printf("%s of %s %s %s %s\n", value_of("PMI_RANK"), value_of("PMI_SIZE"),
	       value_of("SLURM_JOBID"), value_of("MPIR_CVAR_ENABLE_FT"),
	       value_of("OMPI_COMM_WORLD_RANK"));
	MPI_Finalize();
	return 0;
}
