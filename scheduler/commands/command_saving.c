#include "command_saving.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command_suggest.h"
#include "command_values.h"
#include "mpi_calls.h"

void command_add_saving(struct command_line *line, struct command_options *options)
{
	const GOptionEntry entries[] = {
		{"checkpoint-to", 0, 0, G_OPTION_ARG_FILENAME, &options->save_to,
	         "save positions in DIR, for matchpoint restart: before the first choice, or as "
	         "the "
	         "next two options say",
	         "DIR"},
		{"checkpoint-every", 0, 0, G_OPTION_ARG_STRING, &options->save_every,
	         "save one every S seconds (or 10s, 5m, 2h)", "S"},
		{"checkpoint-at", 0, 0, G_OPTION_ARG_STRING, &options->save_at,
	         "save one where ranks stand in FUNCTION, each time (with --checkpoint-every: at "
	         "most so often), or where a rank stands in a call, as 0:17 or 0.17",
	         "FUNCTION|RANK:CALL"},
		G_OPTION_ENTRY_NULL,
	};

	command_line_add(line, entries);
}

static void tell(void *user, const char *text, bool problem)
{
	const struct command_options *options = user;

	if (options->quiet && !problem)
		return;
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr); /* the progress line */
	command_complain("%s", text);
}

static bool read_every(const char *text, double *ret_seconds)
{
	if (!command_seconds("--checkpoint-every", text, ret_seconds))
		return false;
	if (*ret_seconds > 0)
		return true;
	command_complain("--checkpoint-every 0: use a time above 0, or --checkpoint-at for every "
	                 "call of a function");
	return false;
}

static bool has_digits_only(const char *text)
{
	return *text && !text[strspn(text, "0123456789")];
}

/* "0:17", "0.17". Sets *ret_is whether it looks like a call. */
static bool read_call(const char *text, int ranks, struct save_options *ret, bool *ret_is)
{
	g_auto(GStrv) parts = g_strsplit_set(text, ":.", 2);
	guint64 rank, call;

	*ret_is = parts[0] && parts[1] && has_digits_only(parts[0]);
	if (!*ret_is)
		return true;
	if (!g_ascii_string_to_unsigned(parts[0], 10, 0, G_MAXINT, &rank, NULL)
	    || !g_ascii_string_to_unsigned(parts[1], 10, 1, G_MAXINT32, &call, NULL)) {
		command_complain("--checkpoint-at cannot be '%s'; use a rank and the number of its "
		                 "call, from 1 up, as 0:17",
		                 text);
		return false;
	}
	if (ranks > 0 && (int)rank >= ranks) {
		command_complain("--checkpoint-at %s: there is no rank %d among %d", text,
		                 (int)rank, ranks);
		return false;
	}
	ret->rank = (int)rank;
	ret->call = (guint32)call;
	return true;
}

/* All names, separated by spaces. Free with g_free. */
static char *all_functions(void)
{
	GString *text = g_string_new(NULL);

	for (unsigned call = MPI_CALL_NONE + 1; call < MPI_CALL_COUNT; call++)
		g_string_append_printf(text, "%s ", mpi_call_name(call));
	return g_string_free(text, false);
}

static guint16 function_of(const char *text)
{
	for (unsigned call = MPI_CALL_NONE + 1; call < MPI_CALL_COUNT; call++)
		if (g_ascii_strcasecmp(text, mpi_call_name(call)) == 0)
			return (guint16)call;
	return 0;
}

static bool read_at(const char *text, int ranks, struct save_options *ret)
{
	g_autofree char *all = NULL, *hint = NULL;
	bool is_call;

	if (!read_call(text, ranks, ret, &is_call))
		return false;
	if (is_call)
		return true;
	ret->function = function_of(text);
	if (ret->function != 0)
		return true;
	all = all_functions();
	hint = command_suggest(text, all);
	command_complain(
		"--checkpoint-at cannot be '%s'; use an MPI function, as MPI_Barrier, or a "
		"call of a rank, as 0:17%s",
		text, hint);
	return false;
}

/* What can be said before anything has run for long. */
static bool is_usable_folder(const char *folder)
{
	g_autofree char *parent = g_path_get_dirname(folder);
	struct stat status;

	if (lstat(folder, &status) == 0) {
		if (S_ISDIR(status.st_mode) && access(folder, W_OK | X_OK) == 0)
			return true;
		command_complain("--checkpoint-to %s: it is no folder that can be written to",
		                 folder);
		return false;
	}
	if (access(parent, W_OK | X_OK) == 0)
		return true;
	command_complain("--checkpoint-to %s: it cannot be made in %s", folder, parent);
	return false;
}

bool command_interpret_saving(struct command_options *options)
{
	struct save_options *save = &options->session.save;

	if (!options->save_to && !options->save_every && !options->save_at)
		return true;
	if (!options->save_to) {
		command_complain("--checkpoint-%s needs a folder: --checkpoint-to DIR",
		                 options->save_every ? "every" : "at");
		return false;
	}
	if ((options->save_every && !read_every(options->save_every, &save->every))
	    || (options->save_at && !read_at(options->save_at, options->session.ranks, save))
	    || !is_usable_folder(options->save_to))
		return false;
	if (save->call > 0 && save->every > 0) {
		command_complain("--checkpoint-every cannot be combined with --checkpoint-at %s: "
		                 "that call is made once",
		                 options->save_at);
		return false;
	}
	save->folder = options->save_to;
	save->tell = tell;
	save->user = options;
	options->session.every_call_waits |= options->save_at != NULL; /* so that it can be held */
	return true;
}
