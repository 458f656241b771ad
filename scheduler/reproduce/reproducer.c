#include "reproducer.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#define SUM_HEAD "program's SHA-256: "

/* The script changes to its folder: a relative program name is relative to that. */
static const char script[] =
	"#!/bin/sh\n"
	"# Shows the finding again. ./run, or ./run PROGRAM [ARG...] where the program is "
	"elsewhere.\n"
	"here=$(dirname \"$0\")\n"
	"[ $# -gt 0 ] || eval \"set -- $(cat \"$here/program\")\"\n"
	"exec \"${MATCHPOINT:-matchpoint}\" replay \"$(cat \"$here/path\")\"%s%s -- \"$@\"\n";

void reproducer_clear(struct reproducer *reproducer)
{
	g_clear_pointer(&reproducer->path, g_free);
	g_clear_pointer(&reproducer->program, g_strfreev);
	g_clear_pointer(&reproducer->standard_input, g_free);
	g_clear_pointer(&reproducer->sum, g_free);
}

char *reproducer_sum(const char *file)
{
	g_autoptr(GMappedFile) mapped = g_mapped_file_new(file, false, NULL);

	if (!mapped)
		return NULL;
	return g_compute_checksum_for_data(G_CHECKSUM_SHA256,
	                                   (const guchar *)g_mapped_file_get_contents(mapped),
	                                   g_mapped_file_get_length(mapped));
}

static char *quote_words(char **words, const char *before)
{
	GString *line = g_string_new(NULL);

	for (char **word = words; word && *word; word++) {
		g_autofree char *quoted = g_shell_quote(*word);

		if (line->len > 0 || *before)
			g_string_append(line, " ");
		g_string_append(line, quoted);
	}
	return g_string_free(line, false);
}

static bool write_file(const char *directory, const char *name, const char *text, GError **error)
{
	g_autofree char *file = g_build_filename(directory, name, NULL);

	return g_file_set_contents(file, text, -1, error);
}

static bool write_input(const char *directory, const char *from, GError **error)
{
	g_autofree char *file = g_build_filename(directory, "input", NULL);
	g_autofree char *contents = NULL;
	gsize size;

	if (!from) {
		g_unlink(file); /* left by an earlier call */
		return true;
	}
	return g_file_get_contents(from, &contents, &size, error)
	       && g_file_set_contents(file, contents, (gssize)size, error);
}

/* A name without a slash is searched on the PATH. */
static char *versions_words(const struct reproducer *reproducer)
{
	g_autofree char *found = g_find_program_in_path(reproducer->program[0]);
	g_autofree char *sum = reproducer_sum(found ? found : reproducer->program[0]);

	return g_strdup_printf("matchpoint " MATCHPOINT_VERSION "\n%s\n" SUM_HEAD "%s\n",
	                       reproducer->mpi ? reproducer->mpi : "MPI: not known",
	                       sum ? sum : "not known");
}

bool reproducer_write(const char *directory, const struct reproducer *reproducer, GError **error)
{
	g_autofree char *path = g_strdup_printf("%s\n", reproducer->path);
	g_autofree char *words = quote_words(reproducer->program, "");
	g_autofree char *program = g_strdup_printf("%s\n", words);
	g_autofree char *options = quote_words(reproducer->options, " ");
	const char *input = reproducer->standard_input;
	g_autofree char *run = g_strdup_printf(script, input ? " --stdin \"$here/input\"" : "",
	                                       options);
	g_autofree char *version = versions_words(reproducer);
	g_autofree char *file = g_build_filename(directory, "run", NULL);

	if (g_mkdir_with_parents(directory, 0777) != 0) {
		g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(errno), "%s: %s",
		            directory, g_strerror(errno));
		return false;
	}
	if (!write_file(directory, "path", path, error)
	    || !write_file(directory, "program", program, error)
	    || !write_file(directory, "versions", version, error)
	    || !write_file(directory, "finding", reproducer->finding, error)
	    || !write_input(directory, input, error) || !write_file(directory, "run", run, error))
		return false;
	if (g_chmod(file, 0755) == 0)
		return true;
	g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(errno), "%s: %s", file,
	            g_strerror(errno));
	return false;
}

static char *read_file(const char *directory, const char *name, GError **error)
{
	g_autofree char *file = g_build_filename(directory, name, NULL);
	char *text;

	return g_file_get_contents(file, &text, NULL, error) ? g_strchomp(text) : NULL;
}

bool reproducer_read(const char *directory, struct reproducer *ret, GError **error)
{
	g_autofree char *path = read_file(directory, "path", error);
	g_autofree char *program = path ? read_file(directory, "program", error) : NULL;
	g_autofree char *version = program ? read_file(directory, "versions", NULL) : NULL;
	const char *sum = version ? strstr(version, SUM_HEAD) : NULL;

	memset(ret, 0, sizeof(*ret));
	if (!program || !g_shell_parse_argv(program, NULL, &ret->program, error))
		return false;
	ret->path = g_steal_pointer(&path);
	ret->standard_input = g_build_filename(directory, "input", NULL);
	if (!g_file_test(ret->standard_input, G_FILE_TEST_EXISTS))
		g_clear_pointer(&ret->standard_input, g_free);
	if (sum && !g_str_has_prefix(sum + strlen(SUM_HEAD), "not known"))
		ret->sum = g_strndup(sum + strlen(SUM_HEAD), strcspn(sum + strlen(SUM_HEAD), "\n"));
	return true;
}
