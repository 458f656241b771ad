#define _GNU_SOURCE
#include "recording.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/recording.h"
#include "common/recording_start.h"
#include "common/virtual_nodes.h"
#include "scheduler/host/environment.h"
#include "scheduler/host/installation.h"
#include "scheduler/host/launcher.h"
#include "scheduler/host/process_table.h"
#include "scheduler/host/shown_job.h"

/* The file that makes a folder a recording: lines with a word and its value. */
#define FILE_NAME "recording"
#define LIBRARY "libmatchpoint-record.so"
#define HEAP "libmatchpoint-heap.so"
enum { FIRST_DESCRIPTOR = 900 }; /* out of the program's way */

G_DEFINE_QUARK(matchpoint - recording, recording_error)

char *recording_file(const char *directory, int rank, const char *what)
{
	g_autofree char *name = g_strdup_printf("rank.%d.%s", rank, what);

	return g_build_filename(directory, name, NULL);
}

/* --- the folder ------------------------------------------------------------------------------- */

static bool fail(GError **error, const char *what)
{
	g_set_error(error, RECORDING_ERROR, 0, "%s: %s", what, g_strerror(errno));
	return false;
}

bool recording_is_there(const char *directory)
{
	g_autofree char *file = g_build_filename(directory, FILE_NAME, NULL);

	return g_file_test(file, G_FILE_TEST_IS_REGULAR);
}

int recording_ranks(const char *directory, GError **error)
{
	g_autofree char *file = g_build_filename(directory, FILE_NAME, NULL), *text = NULL;
	int version = 0, ranks = 0;

	if (!g_file_get_contents(file, &text, NULL, error))
		return 0;
	if (sscanf(text, "version %d\nranks %d\n", &version, &ranks) != 2 || ranks < 1
	    || ranks > RECORDING_RANKS_MOST || version != RECORDING_VERSION) {
		g_set_error(error, RECORDING_ERROR, 0,
		            "%s is not a recording that this matchpoint can read", file);
		return 0;
	}
	return ranks;
}

/* Removes what an earlier recording has left: its ranks may have been more. */
static bool clear_folder(const char *directory, GError **error)
{
	g_autoptr(GDir) folder = g_dir_open(directory, 0, error);
	const bool is_recording = recording_is_there(directory);
	const char *name;

	if (!folder)
		return false;
	while ((name = g_dir_read_name(folder))) {
		g_autofree char *path = g_build_filename(directory, name, NULL);

		if (!is_recording) {
			g_set_error(error, RECORDING_ERROR, 0,
			            "%s is not empty and holds no recording", directory);
			return false;
		}
		if (!g_file_test(path, G_FILE_TEST_IS_DIR) && g_unlink(path) != 0)
			return fail(error, path);
	}
	return true;
}

static bool copy_input(const char *directory, int input, GError **error)
{
	g_autofree char *path = g_build_filename(directory, "input", NULL);
	const int file = g_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	char bytes[65536];
	ssize_t got;

	if (file < 0)
		return fail(error, path);
	while ((got = read(input, bytes, sizeof(bytes))) > 0)
		if (write(file, bytes, (size_t)got) != got)
			break;
	return (close(file) == 0 && got == 0) || fail(error, path);
}

/* The program reads the copy. */
static bool replace_standard_input(const char *directory, GError **error)
{
	g_autofree char *path = g_build_filename(directory, "input", NULL);
	int input;

	if (!copy_input(directory, STDIN_FILENO, error))
		return false;
	input = g_open(path, O_RDONLY, 0);
	if (input < 0 || dup2(input, STDIN_FILENO) < 0)
		return fail(error, path);
	close(input);
	return true;
}

static bool copy_file(const char *directory, const char *input, GError **error)
{
	const int file = g_open(input, O_RDONLY | O_CLOEXEC, 0);
	bool fine;

	if (file < 0)
		return fail(error, input);
	fine = copy_input(directory, file, error);
	close(file);
	return fine;
}

bool recording_prepare(const struct recording_options *options, GError **error)
{
	g_autofree char *file = g_build_filename(options->directory, FILE_NAME, NULL),
			*program = g_strjoinv(" ", options->program),
			*text = g_strdup_printf("version %d\nranks %d\nprogram %s\n",
	                                        RECORDING_VERSION, options->ranks, program);

	if (g_mkdir_with_parents(options->directory, 0777) != 0)
		return fail(error, options->directory);
	if (!clear_folder(options->directory, error))
		return false;
	if (options->copies_input && !replace_standard_input(options->directory, error))
		return false;
	if (options->input && !copy_file(options->directory, options->input, error))
		return false;
	return g_file_set_contents(file, text, -1, error);
}

/* --- the run ---------------------------------------------------------------------------------- */

char **recording_words(const char *directory, GError **error)
{
	g_autofree char *library = installation_find(LIBRARY, error);
	GPtrArray *words;

	if (!library)
		return NULL;
	words = launcher_self(RECORDING_VERB);
	g_ptr_array_add(words, g_canonicalize_filename(directory, NULL));
	g_ptr_array_add(words, g_steal_pointer(&library));
	g_ptr_array_add(words, NULL);
	return (char **)g_ptr_array_free(words, false);
}

int recording_make(const struct recording_options *options, GError **error)
{
	g_auto(GStrv) words = NULL, recorder = NULL, environment = g_get_environ();
	int status = 0;

	recorder = recording_words(options->directory, error);
	if (!recorder || !recording_prepare(options, error))
		return -1;
	words = launcher_command(&(struct launcher_job){.custom = options->launcher,
	                                                .nodes = options->nodes,
	                                                .ranks = options->ranks,
	                                                .before = recorder,
	                                                .program = options->program},
	                         error);
	if (!words)
		return -1;
	environment = options->nodes ? g_environ_setenv(environment, VIRTUAL_NODES_VARIABLE,
	                                                options->nodes, true)
	                             : g_environ_unsetenv(environment, VIRTUAL_NODES_VARIABLE);
	environment = g_environ_unsetenv(environment, ENVIRONMENT_START_LINE);
	if (process_table_is_watched())
		return shown_job_run(&(struct shown_job){words, environment, options->ranks},
		                     error);
	if (!g_spawn_sync(NULL, words, environment,
	                  G_SPAWN_SEARCH_PATH | G_SPAWN_CHILD_INHERITS_STDIN, NULL, NULL, NULL,
	                  NULL, &status, error))
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* --- a rank ----------------------------------------------------------------------------------- */

/* Adds a value to a variable that holds several. Takes `environment` over. */
static char **add_to(char **environment, const char *name, const char *separator, const char *value)
{
	const char *old = g_environ_getenv(environment, name);
	g_autofree char *both = old && *old ? g_strconcat(value, separator, old, NULL)
	                                    : g_strdup(value);

	return g_environ_setenv(environment, name, both, true);
}

/* Under the scheduler's control the heap library is preloaded, too. The recorder has the same.
 * Takes `environment` over. */
static char **without_heap(char **environment)
{
	const char *preload = g_environ_getenv(environment, RECORDING_PRELOAD);
	g_auto(GStrv) libraries = g_strsplit(preload ? preload : "", ":", -1);
	g_autoptr(GStrvBuilder) kept = g_strv_builder_new();
	g_auto(GStrv) left = NULL;
	g_autofree char *value = NULL;

	for (char **one = libraries; *one; one++)
		if (!g_str_has_suffix(*one, "/" HEAP))
			g_strv_builder_add(kept, *one);
	left = g_strv_builder_end(kept);
	value = g_strjoinv(":", left);
	return preload ? g_environ_setenv(environment, RECORDING_PRELOAD, value, true)
	               : environment;
}

/* What makes the addresses of the program's memory a function of its own calls. */
static char **prepare_environment(const char *library, const struct recording_orders *orders)
{
	static const char steady_heap[] = "glibc.malloc.mmap_max=0:glibc.malloc.arena_max=1";
	char **environment = without_heap(g_get_environ()), value[RECORDING_VALUE];

	recording_orders_print(orders, value);
	environment = g_environ_setenv(environment, RECORDING_VARIABLE, value, true);
	environment = add_to(environment, RECORDING_PRELOAD, ":", library);
	environment = add_to(environment, RECORDING_TUNABLES, ":", steady_heap);
	return g_environ_setenv(environment, RECORDING_HOOKS, "none", false);
}

int recording_become(char **argv)
{
	const char *directory = argv[0], *library = directory ? argv[1] : NULL;
	char **program = library ? argv + 2 : NULL;
	struct recording_orders orders = {.news = -1, .scratch = -1, .pid = (int)getpid()};
	g_auto(GStrv) environment = NULL;
	int folder;

	if (!program || !*program)
		return EXIT_FAILURE;
	folder = g_open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	orders.directory = folder < 0 ? -1 : fcntl(folder, F_DUPFD, FIRST_DESCRIPTOR);
	if (orders.directory < 0) {
		fprintf(stderr, "matchpoint: %s: %s\n", directory, g_strerror(errno));
		return EXIT_FAILURE;
	}
	personality(ADDR_NO_RANDOMIZE);
	environment = prepare_environment(library, &orders);
	execvpe(*program, program, environment);
	fprintf(stderr, "matchpoint: %s: %s\n", *program, g_strerror(errno));
	return EXIT_FAILURE;
}
