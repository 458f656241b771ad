#include "environment.h"

#include <string.h>

#include "run_directory.h"

static const struct environment_variable variables[] = {
	{ENVIRONMENT_RUNDIR, ENVIRONMENT_READ, NULL,
         "directory, best on tmpfs, for sockets, shared memory and the first 4 MB that ranks print "
         "(default: /dev/shm)"},
	{ENVIRONMENT_LOG, ENVIRONMENT_READ, NULL,
         "[FILE:]WHAT,... to log for developers of matchpoint (docs/reference/environment.md), as "
         "in "
         "/tmp/log:calls,matches,choices"},
	{ENVIRONMENT_HASTE, ENVIRONMENT_READ, NULL,
         "for tests: stalls and livelocks are detected this many times sooner (1 to 100)"},
	{ENVIRONMENT_NO_COLOR, ENVIRONMENT_READ, NULL, "not empty: no colours on the terminal"},
	{ENVIRONMENT_CLICOLOR_FORCE, ENVIRONMENT_READ, NULL,
         "not empty and not 0: colours even if the output is no terminal, as in a CI log"},
	{ENVIRONMENT_GITHUB_ACTIONS, ENVIRONMENT_READ, NULL,
         "true in a step of GitHub Actions: findings are also written as annotations"},
	{ENVIRONMENT_GITHUB_SUMMARY, ENVIRONMENT_READ, NULL,
         "there, the file that the verdict is appended to"},
	{ENVIRONMENT_GITHUB_WORKSPACE, ENVIRONMENT_READ, NULL,
         "set by GitHub Actions: reports name source files relative to it"},
	{ENVIRONMENT_GITLAB_PROJECT, ENVIRONMENT_READ, NULL,
         "set by GitLab: reports name source files relative to it"},
	{ENVIRONMENT_STATE, ENVIRONMENT_READ, NULL,
         "directory in which matchpoint/history keeps the lines of debug (default: "
         "~/.local/state)"},

	{"XDG_RUNTIME_DIR", ENVIRONMENT_SYSTEM, NULL,
         "directory for sockets and shared memory if /dev/shm cannot be used"},
	{"TMPDIR", ENVIRONMENT_SYSTEM, NULL,
         "the same, the last choice; also for temporary stores, and for large output if there is "
         "no store, or it is in memory or on another machine"},
	{"HOME", ENVIRONMENT_SYSTEM, NULL, "where .local/state is, unless XDG_STATE_HOME is set"},
	{ENVIRONMENT_COMPILER, ENVIRONMENT_SYSTEM, NULL,
         "which compiler --cflags-access is for, unless one is named (gcc)"},
	{"PATH", ENVIRONMENT_SYSTEM, NULL, "where to look for programs, mpiexec.mpich and gdb"},
	{"LD_LIBRARY_PATH", ENVIRONMENT_SYSTEM, NULL,
         "where to look for the libraries of a program, to find its MPI"},
	{"TERM", ENVIRONMENT_SYSTEM, NULL, "dumb: no colours on the terminal"},

	{ENVIRONMENT_SOCKET, ENVIRONMENT_PASSED, NULL, "where the shim connects"},
	{ENVIRONMENT_WORLD, ENVIRONMENT_PASSED, NULL, "number of the job's world"},
	{ENVIRONMENT_DIRECTORY, ENVIRONMENT_PASSED, NULL, "the run directory"},
	{ENVIRONMENT_OUTPUT, ENVIRONMENT_PASSED, NULL, "directory on a disk for large output"},
	{ENVIRONMENT_STDIN, ENVIRONMENT_PASSED, NULL, "file for rank 0's standard input"},
	{ENVIRONMENT_JOURNAL, ENVIRONMENT_PASSED, NULL, "directory that keeps files as they were"},
	{ENVIRONMENT_VIRTUAL_TIME, ENVIRONMENT_PASSED, NULL, "set: sleeping takes no real time"},
	{ENVIRONMENT_STEADY, ENVIRONMENT_PASSED, NULL,
         "set: what calls leave on the stack is cleared, so that memory differs less"},
	{"MATCHPOINT_REDIRECTED", ENVIRONMENT_PASSED, NULL,
         "set by the shim: a process above has redirected the standard streams"},
	{"LD_PRELOAD", ENVIRONMENT_PASSED, NULL, "the shim, after what the user preloads"},
	{"LD_BIND_NOW", ENVIRONMENT_PASSED, NULL,
         "set: the same, for functions bound by their first call"},
	{"VALGRIND_OPTS", ENVIRONMENT_PASSED, NULL,
         "with --wrap: the user's, and --run-libc-freeres=no, as ranks are ended by _exit"},

	{"ASAN_OPTIONS", ENVIRONMENT_PASSED, NULL,
         "abort_on_error=1, so that a report of AddressSanitizer's is a crash with its place; then "
         "the user's; and verify_asan_link_order=0, as the shim is loaded before its library"},
	{"UBSAN_OPTIONS", ENVIRONMENT_PASSED, NULL,
         "abort_on_error=1, the same for UndefinedBehaviorSanitizer; then the user's"},
	{"LSAN_OPTIONS", ENVIRONMENT_PASSED, NULL,
         "abort_on_error=1, the same for LeakSanitizer; then the user's"},

	{"PMI_RANK", ENVIRONMENT_LAUNCH, NULL, "the number of the rank"},
	{"PMI_FD", ENVIRONMENT_LAUNCH, NULL, "the rank's connection to its launcher"},

	{"PMI_*", ENVIRONMENT_OUTER, NULL,
         "number of a rank and its connection: Hydra, Slurm, Flux"},
	{"PMI2_*", ENVIRONMENT_OUTER, NULL, "the same, PMI 2"},
	{"PMIX_*", ENVIRONMENT_OUTER, NULL, "the same: Open MPI, PRRTE, Slurm"},
	{"HYDI_*", ENVIRONMENT_OUTER, NULL, "descriptors of Hydra's processes"},
	{"MPI_LOCALRANKID", ENVIRONMENT_OUTER, NULL, "number of a rank on its machine: Hydra"},
	{"MPI_LOCALNRANKS", ENVIRONMENT_OUTER, NULL, "ranks on a machine: Hydra"},
	{"OMPI_*", ENVIRONMENT_OUTER, NULL, "Open MPI"},
	{"ORTE_*", ENVIRONMENT_OUTER, NULL, "Open MPI 4 and older"},
	{"PRTE_*", ENVIRONMENT_OUTER, NULL, "PRRTE, Open MPI 5"},
	{"MV2_COMM_WORLD_*", ENVIRONMENT_OUTER, NULL, "MVAPICH"},
	{"PALS_*", ENVIRONMENT_OUTER, NULL, "Cray PALS"},
	{"ALPS_APP_*", ENVIRONMENT_OUTER, NULL, "Cray ALPS"},
	{"FLUX_TASK_*", ENVIRONMENT_OUTER, NULL, "number of a rank: Flux"},
	{"SLURM_PROCID", ENVIRONMENT_OUTER, NULL, "number of a rank: srun"},
	{"SLURM_LOCALID", ENVIRONMENT_OUTER, NULL, "the same on its machine"},
	{"SLURM_NODEID", ENVIRONMENT_OUTER, NULL, "number of a rank's machine"},
	{"SLURM_GTIDS", ENVIRONMENT_OUTER, NULL, "ranks on a machine"},
	{"SLURM_TASK_PID", ENVIRONMENT_OUTER, NULL, "process of a rank"},
	{"SLURM_STEP*", ENVIRONMENT_OUTER, NULL, "the job step that a rank belongs to"},
	{"SLURM_PMI*", ENVIRONMENT_OUTER, NULL, "connection of a rank to srun"},
	{"SLURM_SRUN_COMM_*", ENVIRONMENT_OUTER, NULL, "the same"},
	{"SLURM_LAUNCH_NODE_IPADDR", ENVIRONMENT_OUTER, NULL, "the same"},

	{"HYDRA_*", ENVIRONMENT_BATCH, NULL,
         "settings of Hydra: ranks are started on this machine"},
	{"SLURM_*", ENVIRONMENT_BATCH, NULL, "Slurm's allocation: Hydra would call srun"},
	{"SLURMD_*", ENVIRONMENT_BATCH, NULL, "the same"},
	{"PBS_NODEFILE", ENVIRONMENT_BATCH, NULL, "machines of a PBS job: Hydra would use them"},
	{"COBALT_NODEFILE", ENVIRONMENT_BATCH, NULL, "the same, Cobalt"},
	{"LOADL_*", ENVIRONMENT_BATCH, NULL, "the same, LoadLeveler"},
	{"LSB_DJOB_HOSTFILE", ENVIRONMENT_BATCH, NULL, "the same, LSF"},
	{"LSB_HOSTS", ENVIRONMENT_BATCH, NULL, "the same, LSF"},
	{"LSB_MCPU_HOSTS", ENVIRONMENT_BATCH, NULL, "the same, LSF"},
	{"PE_HOSTFILE", ENVIRONMENT_BATCH, NULL, "the same, Grid Engine"},

	{"UCX_TLS", ENVIRONMENT_FORCED, "posix,cma,self",
         "shared memory that can be cloned; if it is allowed, large messages are read from their "
         "senders' memory, with pids that the shim translates; other transports use a keeper's pid "
         "or a global id"},
	{"UCX_RNDV_SCHEME", ENVIRONMENT_FORCED, "get_zcopy",
         "with cma: receivers read, senders write nothing into the memory of others"},
	{"UCX_POSIX_USE_PROC_LINK", ENVIRONMENT_FORCED, "n",
         "segments are attached by name, so that a restored world finds its own"},
	{"UCX_POSIX_DIR", ENVIRONMENT_FORCED, "/proc/self/fd/200",
         "the directory of the rank's own world"},
	{"UCX_POSIX_FIFO_SIZE", ENVIRONMENT_FORCED, "16", "small segments"},
	{"UCX_POSIX_SEG_SIZE", ENVIRONMENT_FORCED, "8256", "small segments"},
	{"UCX_POSIX_RX_BUFS_GROW", ENVIRONMENT_FORCED, "17", "small segments"},
	{"UCX_POSIX_HUGETLB_MODE", ENVIRONMENT_FORCED, "n", "huge pages cannot be cloned"},
	{"UCX_ADAPTIVE_PROGRESS", ENVIRONMENT_FORCED, "n", "the same progress in every world"},
	{"UCX_RCACHE_ENABLE", ENVIRONMENT_FORCED, "n", "no hooks on mmap"},
	{"UCX_MEM_EVENTS", ENVIRONMENT_FORCED, "n", "no hooks on mmap"},
	{"UCX_HANDLE_ERRORS", ENVIRONMENT_FORCED, "none", "a crash is left to the scheduler"},
	{"UCX_DEBUG_SIGNO", ENVIRONMENT_FORCED, "0", "no signal is taken from the program"},
	{"UCX_LOG_LEVEL", ENVIRONMENT_FORCED, "error", "no output among the program's"},
	{"UCX_WARN_UNUSED_ENV_VARS", ENVIRONMENT_FORCED, "n", "no output among the program's"},
	{"UCX_MODULES", ENVIRONMENT_FORCED, "cma",
         "no modules for networks: with what they need, they are 40 more mappings, which slow each "
         "fork and each rewind"},
	{"UCX_MODULE_DIR", ENVIRONMENT_FORCED, "/nonexistent",
         "the same for a UCX that does not know UCX_MODULES"},
	{"UCX_VFS_ENABLE", ENVIRONMENT_FORCED, "n", "no thread for a file system that is not used"},
	{"MPIR_CVAR_CH4_CMA_ENABLE", ENVIRONMENT_FORCED, "0",
         "no copies from the pid of a keeper (MPICH 4.3)"},
	{"MPIR_CVAR_CH4_XPMEM_ENABLE", ENVIRONMENT_FORCED, "0",
         "no attachment of a keeper's memory (MPICH 4.3)"},
	{"FI_PROVIDER", ENVIRONMENT_FORCED, "udp",
         "libfabric builds: no shared memory of its own; ranks communicate through MPICH's"},
	{"MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_NUM_CELLS", ENVIRONMENT_FORCED, "8", "small segments"},
	{"MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE", ENVIRONMENT_FORCED, "8192", "small segments"},

	{"HWLOC_COMPONENTS", ENVIRONMENT_DEFAULT, "-gl,-opencl,-pci,-linuxio",
         "MPI_Init looks for no displays, cards or disks: half of its time in the kernel"},
	{"HWLOC_PLUGINS_PATH", ENVIRONMENT_DEFAULT, "/nonexistent",
         "100 mappings fewer in each rank: with UCX_MODULES, a fork takes a third less time"},
	{"GLIBC_TUNABLES", ENVIRONMENT_DEFAULT, "glibc.malloc.hugetlb=1",
         "huge pages for the heap: large heaps fork far faster"},
	{"OMP_WAIT_POLICY", ENVIRONMENT_DEFAULT, "passive",
         "threads that wait sleep, so that a rank with threads is seen to be at rest"},
	{"KMP_BLOCKTIME", ENVIRONMENT_DEFAULT, "0", "the same for LLVM's OpenMP"},
	{NULL, ENVIRONMENT_READ, NULL, NULL},
};

/* Used instead if ranks cannot read each other's memory. */
static const struct environment_variable without_cma[] = {
	{"UCX_TLS", ENVIRONMENT_FORCED, "posix,self", "ranks cannot read each other's memory here"},
	{"UCX_RNDV_SCHEME", ENVIRONMENT_FORCED, "auto", "no other scheme works without cma"},
	{"UCX_MODULES", ENVIRONMENT_FORCED, "^*", "none is of use"},
	{NULL, ENVIRONMENT_READ, NULL, NULL},
};

/* Other settings of UCX's shared memory are removed: they could undo those of the table. */
static const char *const forbidden_prefixes[] = {"UCX_POSIX_", "UCX_MM_", "UCX_CMA_", NULL};

const struct environment_variable *environment_variables(void)
{
	return variables;
}

static const struct environment_variable *find_in(const struct environment_variable *all,
                                                  const char *name)
{
	for (const struct environment_variable *variable = all; variable->name; variable++)
		if (!strcmp(variable->name, name))
			return variable;
	return NULL;
}

static const struct environment_variable *find_variable(const char *name)
{
	return find_in(variables, name);
}

static void G_GNUC_PRINTF(2, 3) add_note(GPtrArray *notes, const char *format, ...)
{
	va_list arguments;

	if (!notes)
		return;
	va_start(arguments, format);
	g_ptr_array_add(notes, g_strdup_vprintf(format, arguments));
	va_end(arguments);
}

static char **remove_forbidden(char **environment, GPtrArray *notes)
{
	g_auto(GStrv) entries = g_strdupv(environment);

	for (char **entry = entries; *entry; entry++) {
		g_autofree char *name = g_strndup(*entry, strcspn(*entry, "="));

		for (const char *const *prefix = forbidden_prefixes; *prefix; prefix++) {
			if (!g_str_has_prefix(name, *prefix) || find_variable(name))
				continue;
			add_note(notes, "%s is ignored: it could hinder snapshots", *entry);
			environment = g_environ_unsetenv(environment, name);
		}
	}
	return environment;
}

static bool is_named(const struct environment_variable *variable, const char *name)
{
	const gsize length = strlen(variable->name);

	if (variable->name[length - 1] == '*')
		return strncmp(variable->name, name, length - 1) == 0;
	return strcmp(variable->name, name) == 0;
}

static bool is_of_launchers(const char *name, bool own_launcher)
{
	for (const struct environment_variable *variable = variables; variable->name; variable++)
		if ((variable->role == ENVIRONMENT_OUTER
		     || (variable->role == ENVIRONMENT_BATCH && !own_launcher))
		    && is_named(variable, name))
			return true;
	return false;
}

/* A launcher that has inherited the number of a rank is taken for that rank by the shim: what the
 * ranks print then goes through it, into a file of the first world. */
static char **remove_launchers(char **environment, bool own_launcher)
{
	g_auto(GStrv) entries = g_strdupv(environment);

	for (char **entry = entries; *entry; entry++) {
		g_autofree char *name = g_strndup(*entry, strcspn(*entry, "="));

		if (is_of_launchers(name, own_launcher))
			environment = g_environ_unsetenv(environment, name);
	}
	return environment;
}

static char **append(char **environment, const char *name, char separator, const char *value)
{
	const char *before = g_environ_getenv(environment, name);
	g_autofree char *both = NULL;

	if (before && *before)
		both = g_strdup_printf("%s%c%s", before, separator, value);
	return g_environ_setenv(environment, name, both ? both : value, true);
}

static char **set_for_mpi(char **environment, const struct environment_variable *variable,
                          GPtrArray *notes)
{
	const char *before = g_environ_getenv(environment, variable->name);

	if (variable->role == ENVIRONMENT_FORCED) {
		if (before && strcmp(before, variable->value))
			add_note(notes, "%s=%s is overridden by %s: %s", variable->name, before,
			         variable->value, variable->explanation);
		return g_environ_setenv(environment, variable->name, variable->value, true);
	}
	if (!strcmp(variable->name, "GLIBC_TUNABLES") && before
	    && !strstr(before, "malloc.hugetlb"))
		return append(environment, variable->name, ':', variable->value);
	return g_environ_setenv(environment, variable->name, variable->value, false);
}

/* Preloads, beside the shim, the library that separates the program's heap from MPI's
 * (shim/state/heap.h). */
static char **preload_heap(char **environment, const char *shim)
{
	g_autofree char *directory = g_path_get_dirname(shim);
	g_autofree char *heap = g_build_filename(directory, "libmatchpoint-heap.so", NULL);

	return append(environment, "LD_PRELOAD", ':', heap);
}

/* Of two equal options the last one counts. */
static char **prepare_sanitizers(char **environment)
{
	static const char *const names[] = {"ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"};

	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		const char *before = g_environ_getenv(environment, names[i]);
		g_autofree char *all = g_strdup_printf(
			"abort_on_error=1%s%s", before && *before ? ":" : "", before ? before : "");

		environment = g_environ_setenv(environment, names[i], all, true);
	}
	return append(environment, "ASAN_OPTIONS", ':', "verify_asan_link_order=0");
}

/* NULL: it is not set. */
static char **set_or_unset(char **environment, const char *name, const char *value)
{
	return value ? g_environ_setenv(environment, name, value, true)
	             : g_environ_unsetenv(environment, name);
}

char **environment_for_ranks(char **base, const struct environment_settings *settings,
                             GPtrArray *notes)
{
	char **environment = base ? g_strdupv(base) : g_get_environ();
	g_autofree char *socket = g_build_filename(settings->directory, RUN_DIRECTORY_SOCKET, NULL);
	g_autofree char *world = g_strdup_printf("%u", settings->world);

	environment = remove_launchers(environment, settings->own_launcher);
	environment = remove_forbidden(environment, notes);
	for (const struct environment_variable *variable = variables; variable->name; variable++)
		if (variable->role == ENVIRONMENT_FORCED || variable->role == ENVIRONMENT_DEFAULT) {
			const struct environment_variable *instead =
				settings->reads_peers ? NULL : find_in(without_cma, variable->name);

			environment = set_for_mpi(environment, instead ? instead : variable, notes);
		}

	environment = prepare_sanitizers(environment);
	environment = g_environ_unsetenv(environment, "MATCHPOINT_REDIRECTED");
	if (settings->heap)
		environment = preload_heap(environment, settings->shim);
	/* A function bound by its first call would change memory. Not for all programs, since one
	 * with functions that are nowhere, but never called, would not start. */
	environment = g_environ_unsetenv(environment, ENVIRONMENT_STEADY);
	if (settings->heap && settings->steady) {
		environment = g_environ_setenv(environment, "LD_BIND_NOW", "1", true);
		environment = g_environ_setenv(environment, ENVIRONMENT_STEADY, "1", true);
	}
	environment = append(environment, "LD_PRELOAD", ':', settings->shim);
	environment = g_environ_setenv(environment, ENVIRONMENT_SOCKET, socket, true);
	environment = g_environ_setenv(environment, ENVIRONMENT_WORLD, world, true);
	environment = g_environ_setenv(environment, ENVIRONMENT_DIRECTORY, settings->directory,
	                               true);
	environment = set_or_unset(environment, ENVIRONMENT_OUTPUT, settings->output);
	environment = set_or_unset(environment, ENVIRONMENT_STDIN, settings->standard_input);
	environment = set_or_unset(environment, ENVIRONMENT_VIRTUAL_TIME,
	                           settings->virtual_time ? "1" : NULL);
	environment = set_or_unset(environment, ENVIRONMENT_JOURNAL, settings->journal);
	return environment;
}

char **environment_plain(char **base, bool own_launcher)
{
	return remove_launchers(base ? g_strdupv(base) : g_get_environ(), own_launcher);
}

char *environment_of(const char *pid, const char *name)
{
	g_autofree char *file = g_strdup_printf("/proc/%s/environ", pid);
	g_autofree char *block = NULL;
	gsize length = strlen(name), size;

	if (!g_file_get_contents(file, &block, &size, NULL))
		return NULL;
	for (const char *at = block; at < block + size; at += strlen(at) + 1) {
		if (strncmp(at, name, length) == 0 && at[length] == '=')
			return g_strdup(at + length + 1);
	}
	return NULL;
}

bool environment_has(const char *pid, const char *name, const char *value)
{
	g_autofree char *has = environment_of(pid, name);

	return g_strcmp0(has, value) == 0;
}
