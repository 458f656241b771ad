#include "environment.h"

#include <string.h>

#include "common/forked_start.h"
#include "mpi_runtime.h"
#include "run_directory.h"
#include "supervisor.h"

/* Those of MPI libraries are in mpi_runtime.h. */
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
	{ENVIRONMENT_RESTART, ENVIRONMENT_PASSED, NULL,
         "folder of the checkpoint that ranks are restarted from"},
	{ENVIRONMENT_RESTORER, ENVIRONMENT_PASSED, NULL, "program that puts them into processes"},
	{ENVIRONMENT_VIRTUAL_TIME, ENVIRONMENT_PASSED, NULL, "set: sleeping takes no real time"},
	{ENVIRONMENT_NODES, ENVIRONMENT_PASSED, NULL, "virtual nodes of the ranks (--nodes)"},
	{ENVIRONMENT_PRELAUNCHED, ENVIRONMENT_PASSED, NULL,
         "processes of the job that wait to be spawned"},
	{ENVIRONMENT_START_LINE, ENVIRONMENT_PASSED, NULL,
         "socket where ranks wait before main for a debugger"},
	{FORKED_START_RANKS, ENVIRONMENT_PASSED, NULL,
         "how many ranks the first process forks before main"},
	{FORKED_START_ELSE, ENVIRONMENT_PASSED, NULL,
         "words of the launcher, if it cannot; a line each"},
	{SUPERVISOR_KEEPS "*", ENVIRONMENT_PASSED, NULL,
         "what the dynamic linker shall heed in the job, but not in its supervisor"},
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

	{"GLIBC_TUNABLES", ENVIRONMENT_DEFAULT, "glibc.malloc.hugetlb=1",
         "huge pages for the heap: large heaps fork far faster"},
	{"GFORTRAN_UNBUFFERED_PRECONNECTED", ENVIRONMENT_DEFAULT, "y",
         "as Hydra does, for ranks that it does not start: what Fortran prints is written at once"},
	{"OMP_WAIT_POLICY", ENVIRONMENT_DEFAULT, "passive",
         "threads that wait sleep, so that a rank with threads is seen to be at rest"},
	{"KMP_BLOCKTIME", ENVIRONMENT_DEFAULT, "0", "the same for LLVM's OpenMP"},
	{NULL, ENVIRONMENT_READ, NULL, NULL},
};

static void append_variables(GArray *all, const struct environment_variable *some)
{
	for (; some->name; some++)
		g_array_append_vals(all, some, 1);
}

const struct environment_variable *environment_variables(void)
{
	static GArray *all;

	if (!all) {
		all = g_array_new(true, true, sizeof(variables[0]));
		for (int i = 0; mpi_runtimes()[i]; i++)
			append_variables(all, mpi_runtimes()[i]->variables);
		append_variables(all, variables);
	}
	return (const struct environment_variable *)(void *)all->data;
}

static const struct environment_variable *find_in(const struct environment_variable *all,
                                                  const char *name)
{
	for (const struct environment_variable *variable = all; variable->name; variable++)
		if (!strcmp(variable->name, name))
			return variable;
	return NULL;
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

static char **remove_forbidden(char **environment, const struct mpi_runtime *runtime,
                               GPtrArray *notes)
{
	g_auto(GStrv) entries = g_strdupv(environment);

	for (char **entry = entries; *entry; entry++) {
		g_autofree char *name = g_strndup(*entry, strcspn(*entry, "="));

		for (const char *const *prefix = runtime->forbidden; *prefix; prefix++) {
			if (!g_str_has_prefix(name, *prefix) || find_in(runtime->variables, name))
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
	for (const struct environment_variable *variable = environment_variables(); variable->name;
	     variable++)
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

/* Sets those of a table that are set for MPI. `instead`: replaces those of equal names; or NULL. */
static char **set_all(char **environment, const struct environment_variable *table,
                      const struct environment_variable *instead, GPtrArray *notes)
{
	for (; table->name; table++) {
		const struct environment_variable *other = instead ? find_in(instead, table->name)
		                                                   : NULL;

		if (table->role == ENVIRONMENT_FORCED || table->role == ENVIRONMENT_DEFAULT)
			environment = set_for_mpi(environment, other ? other : table, notes);
	}
	return environment;
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
	const struct mpi_runtime *runtime = mpi_runtime_usual();
	const struct environment_variable *instead = settings->machines ? runtime->on_machines
	                                             : settings->reads_peers
	                                                     ? NULL
	                                                     : runtime->without_peers;
	char **environment = base ? g_strdupv(base) : g_get_environ();
	g_autofree char *socket = g_build_filename(settings->directory, RUN_DIRECTORY_SOCKET, NULL);
	g_autofree char *world = g_strdup_printf("%u", settings->world);

	environment = remove_launchers(environment, settings->own_launcher);
	environment = remove_forbidden(environment, runtime, notes);
	environment = set_all(environment, runtime->variables, instead, notes);
	if (settings->remote_shell)
		environment = g_environ_setenv(environment, runtime->remote_shell,
		                               settings->remote_shell, true);
	environment = set_all(environment, variables, NULL, notes);
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
	environment = set_or_unset(environment, ENVIRONMENT_NODES, settings->nodes);
	environment = set_or_unset(environment, ENVIRONMENT_PRELAUNCHED, settings->prelaunched);
	environment = set_or_unset(environment, ENVIRONMENT_START_LINE, settings->start_line);
	environment = set_or_unset(environment, ENVIRONMENT_RESTART, NULL);
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
