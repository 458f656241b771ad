#include "mpi_runtime.h"

#include <string.h>

static const struct mpi_runtime *const runtimes[] = {&mpi_runtime_mpich, NULL};

/* Libraries that cannot be controlled, by the beginnings of their names. */
static const struct {
	const char *soname, *name;
} strangers[] = {
	{"libmpi.so.40", "Open MPI"},
	{"libmpi.so.20", "Open MPI"},
	{"libopen-rte.so", "Open MPI"},
	{"libopen-pal.so", "Open MPI"},
};
static const char *const bindings_of_strangers[] = {"libmpi_", NULL};

/* Launchers of any library. */
static const char *const other_launchers[] = {"mpiexec", "mpirun", "srun", NULL};

static const struct mpi_launch_variables launch_variables[] = {
	{"PMI_RANK", "PMI_SIZE"},
	{"PMIX_RANK", NULL},
	{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
	{"SLURM_PROCID", NULL},
	{"MPI_LOCALRANKID", NULL},
	{NULL, NULL},
};

const struct mpi_runtime *const *mpi_runtimes(void)
{
	return runtimes;
}

const struct mpi_runtime *mpi_runtime_usual(void)
{
	return runtimes[0];
}

const struct mpi_runtime *mpi_runtime_find(const char *soname)
{
	for (int i = 0; runtimes[i]; i++)
		if (g_strv_contains(runtimes[i]->libraries, soname))
			return runtimes[i];
	return NULL;
}

const char *mpi_runtime_stranger(const char *soname)
{
	if (mpi_runtime_find(soname))
		return NULL;
	for (gsize i = 0; i < G_N_ELEMENTS(strangers); i++)
		if (g_str_has_prefix(soname, strangers[i].soname))
			return strangers[i].name;
	return NULL;
}

static bool begins_with_any(const char *name, const char *const *beginnings)
{
	for (; *beginnings; beginnings++)
		if (g_str_has_prefix(name, *beginnings))
			return true;
	return false;
}

/* Whether two sonames are equal up to their versions. */
static bool are_versions(const char *one, const char *other)
{
	static const char suffix[] = ".so";
	const char *end = strstr(one, suffix);

	return end && strncmp(one, other, (gsize)(end - one) + strlen(suffix)) == 0;
}

bool mpi_runtime_is_library(const char *soname)
{
	for (int i = 0; runtimes[i]; i++)
		for (const char *const *library = runtimes[i]->libraries; *library; library++)
			if (are_versions(*library, soname))
				return true;
	return mpi_runtime_stranger(soname) != NULL;
}

bool mpi_runtime_is_part(const char *soname)
{
	for (int i = 0; runtimes[i]; i++)
		if (begins_with_any(soname, runtimes[i]->bindings))
			return true;
	return mpi_runtime_is_library(soname) || begins_with_any(soname, bindings_of_strangers);
}

bool mpi_runtime_is_launcher(const char *program)
{
	for (int i = 0; runtimes[i]; i++)
		if (g_strv_contains(runtimes[i]->launchers, program))
			return true;
	return g_strv_contains(other_launchers, program);
}

char *mpi_runtime_libraries(const char *between)
{
	GString *text = g_string_new(NULL);

	for (int i = 0; runtimes[i]; i++)
		for (const char *const *library = runtimes[i]->libraries; *library; library++)
			g_string_append_printf(text, "%s%s", text->len > 0 ? between : "",
			                       *library);
	return g_string_free(text, false);
}

const struct mpi_launch_variables *mpi_launch_variables(void)
{
	return launch_variables;
}
