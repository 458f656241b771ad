#define _GNU_SOURCE
#include "mpi_library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "library_path.h"
#include "mpi_runtime.h"
#include "program.h"

/* MPI_MAX_LIBRARY_VERSION_STRING is 8192 in MPICH, and not larger elsewhere. */
enum { VERSION_BYTES = 1 << 16, CHILD_SECONDS = 10 };

/* Runs in a child process, so that the library's constructors cannot affect this one. */
static void ask(const char *file, int out)
{
	static char version[VERSION_BYTES];
	int length = 0, null = open("/dev/null", O_RDWR);
	int (*get_version)(char *, int *);
	void *symbol, *library;

	alarm(CHILD_SECONDS);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
	symbol = library ? dlsym(library, "MPI_Get_library_version") : NULL;
	if (!symbol)
		_exit(1);
	memcpy(&get_version, &symbol, sizeof(symbol));
	if (get_version(version, &length) != 0)
		_exit(1);
	_exit(write(out, version, strlen(version)) < 0);
}

static char *ask_child(const char *file)
{
	g_autoptr(GString) text = g_string_new(NULL);
	char part[512];
	ssize_t got;
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return NULL;
	child = fork();
	if (child == 0)
		ask(file, ends[1]);
	close(ends[1]);
	while (child > 0 && (got = read(ends[0], part, sizeof(part))) > 0)
		g_string_append_len(text, part, got);
	close(ends[0]);
	if (child > 0)
		waitpid(child, NULL, 0);
	return text->len > 0 ? mpi_library_shorten(text->str) : NULL;
}

char *mpi_library_shorten(const char *version)
{
	g_auto(GStrv) words = g_strsplit_set(version, " \t", -1);
	g_autoptr(GString) text = g_string_new(NULL);

	for (char **word = words; *word; word++) {
		char *end = strpbrk(*word, "\r\n");

		if (end)
			*end = '\0';
		if (**word && strcmp(*word, "Version:") != 0)
			g_string_append_printf(text, "%s%s", text->len > 0 ? " " : "", *word);
		if (end)
			break;
	}
	return g_string_free(g_steal_pointer(&text), false);
}

char *mpi_library_describe(void)
{
	const struct library_path nowhere = {NULL, NULL, "."};

	for (int i = 0; mpi_runtimes()[i]; i++) {
		const struct mpi_runtime *runtime = mpi_runtimes()[i];

		for (const char *const *name = runtime->libraries; *name; name++) {
			g_autofree char *file = library_path_find(&nowhere, *name,
			                                          program_is_native);
			g_autofree char *version = file ? ask_child(file) : NULL;

			if (version)
				return g_strdup_printf("%s (%s)", version, file);
			if (file)
				return g_strdup_printf("a library of %s's ABI (%s)", runtime->name,
				                       file);
		}
	}
	return NULL;
}
