#include "command.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command_line.h"
#include "command_ranks.h"
#include "command_saving.h"
#include "command_values.h"
#include "explorer/program_parts.h"
#include "explorer/rank_name.h"
#include "restarted.h"
#include "scheduler/host/cluster_words.h"
#include "scheduler/host/mpi_runtime.h"
#include "scheduler/host/program.h"
#include "scheduler/session/session_machine.h"
#include "scheduler/store/store.h"

G_DEFINE_QUARK(matchpoint_command_error, command_error)

char *command_printable(const char *format, va_list arguments)
{
	g_autofree char *text = g_strdup_vprintf(format, arguments);

	return record_printable(text, -1);
}

void command_print(const char *format, ...)
{
	g_autofree char *shown = NULL;
	va_list arguments;

	va_start(arguments, format);
	shown = command_printable(format, arguments);
	va_end(arguments);
	fputs(shown, stdout);
}

void command_complain(const char *format, ...)
{
	g_autofree char *shown = NULL;
	va_list arguments;

	va_start(arguments, format);
	shown = command_printable(format, arguments);
	va_end(arguments);
	fprintf(stderr, "matchpoint: %s\n", shown);
}

void command_show_unresponsive(void *user, const struct session_progress *now)
{
	(void)user;
	if (!now->stacks)
		return;
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	command_complain("rank %s has not responded for %.0f s:", rank_name(now->silent_rank),
	                 now->silent_seconds);
	for (guint i = 0; i < now->stacks->len; i++)
		fprintf(stderr, "  %s\n", (const char *)g_ptr_array_index(now->stacks, i));
}

/* Splits comma-separated kinds of findings. Returns false after printing an error. */
static bool parse_kinds(const struct command_options *options, GStrv *ret_kinds)
{
	g_autoptr(GStrvBuilder) kinds = g_strv_builder_new();

	for (char **list = options->ignored; list && *list; list++) {
		g_auto(GStrv) words = g_strsplit(*list, ",", -1);

		for (char **word = words; *word; word++) {
			if (finding_kind_info(finding_kind_find(*word))->can_be_ignored) {
				g_strv_builder_add(kinds, *word);
				continue;
			}
			g_autofree char *all = g_strjoinv(", ", (char **)command_words("ignore"));
			command_complain("--ignore cannot be '%s'; kinds of findings are: %s",
			                 *word, all);
			return false;
		}
	}
	*ret_kinds = options->ignored ? g_strv_builder_end(kinds) : NULL;
	return true;
}

/* The file that standard input is redirected from, as by the shell's "< input"; NULL: none. A file
 * of which a part has been read is not used: a shell reads its script this way. Free with
 * g_free. */
static char *redirected_input(void)
{
	g_autofree char *here = g_get_current_dir();
	g_autofree char *file = NULL;
	struct stat status;
	gsize length = strlen(here);

	if (fstat(STDIN_FILENO, &status) != 0 || !S_ISREG(status.st_mode)
	    || lseek(STDIN_FILENO, 0, SEEK_CUR) != 0)
		return NULL;
	file = g_file_read_link("/proc/self/fd/0", NULL);
	if (!file || access(file, R_OK) != 0) /* for example, deleted */
		return NULL;
	return g_strdup(strncmp(file, here, length) == 0 && file[length] == '/' ? file + length + 1
	                                                                        : file);
}

/* The number of ranks of the job that matchpoint was started as a rank of, and which one it is;
 * NULL: of none with several. */
static const char *ranks_of_job(gint64 *ret_rank)
{
	const struct mpi_launch_variables *told = mpi_launch_variables();

	for (; told->rank; told++) {
		const char *size = told->size ? g_getenv(told->size) : NULL;
		const char *rank = g_getenv(told->rank);

		if (!size || !rank || g_ascii_strtoll(size, NULL, 10) <= 1)
			continue;
		*ret_rank = g_ascii_strtoll(rank, NULL, 10);
		return size;
	}
	return NULL;
}

/* Started as each of several ranks, matchpoint explores as often as there are ranks. One of them
 * says so. It may also have been started by a rank, once. */
static void warn_inside_job(void)
{
	gint64 rank = 0;
	const char *size = ranks_of_job(&rank);

	if (size && rank == 0)
		command_complain("this is one of %s ranks of another job; matchpoint starts the "
		                 "ranks itself: call it once, without mpiexec",
		                 size);
}

void command_complain_of_session(const GError *error)
{
	gint64 rank;

	if (!g_error_matches(error, STORE_ERROR, STORE_ERROR_BUSY) || !ranks_of_job(&rank))
		command_complain("%s", error->message);
}

bool command_set_nodes(struct command_options *options, const char *nodes)
{
	struct session_options *session = &options->session;
	const char *asked;

	if (!command_read_nodes(options->nodes, session->ranks, &asked))
		return false;
	if (options->nodes && nodes && asked != nodes) {
		command_complain("that was with --nodes %s, not %s", nodes, options->nodes);
		return false;
	}
	session->nodes = nodes ? nodes : asked;
	return command_can_start_on(session->nodes, options->launcher);
}

/* Ranks on several machines cannot be copied: they share connections. */
static bool rerun_on_machines(struct command_options *options)
{
	static const char why[] = "ranks on several machines cannot be copied, as they share "
				  "connections over the network";
	struct session_options *session = &options->session;
	struct cluster_words words;
	g_autoptr(GError) error = NULL;
	bool on_machines;

	if (!cluster_words_read(session->launcher, &words, &error)) {
		command_complain("%s", error->message);
		return false;
	}
	on_machines = words.kind != CLUSTER_NONE;
	cluster_words_clear(&words);
	if (!on_machines)
		return true;
	if (session->backtrack == BACKTRACK_SNAPSHOT || session->backtrack == BACKTRACK_REWIND) {
		command_complain("--backtrack: %s; use auto or rerun", why);
		return false;
	}
	if (session->save.folder || options->restart) {
		command_complain("checkpoints: %s", why);
		return false;
	}
	if (session->native) {
		command_complain("--native: ranks that are not under control are started on this "
		                 "machine only; leave out --launcher or --native");
		return false;
	}
	session->backtrack = BACKTRACK_RERUN;
	return true;
}

bool command_set_launcher(struct command_options *options, const char *launcher)
{
	if (options->launcher || !launcher)
		return true;
	options->launcher = g_strdup(launcher);
	options->session.launcher = options->launcher;
	return command_can_start_on(options->session.nodes, launcher) && rerun_on_machines(options);
}

static void separate_worlds(struct command_options *options)
{
	char **program = program_parts_separate(options->program);

	g_strfreev(options->program);
	options->session.program = options->program = program;
}

static bool interpret_options(struct command_options *options)
{
	static const guint masks[] = {RECORD_ZERO | RECORD_INFINITE, RECORD_ZERO, RECORD_INFINITE,
	                              RECORD_PER_SEND};
	struct session_options *session = &options->session;
	int buffering = 0, backtrack = 0;
	g_autofree char *warning = NULL;

	if (options->buffering)
		buffering = command_word("buffering", options->buffering);
	session->collectives = COLLECTIVES_BOTH;
	if (options->collectives
	    && !collective_mode_from_word(options->collectives, &session->collectives)) {
		command_word("collectives", options->collectives); /* prints the words */
		return false;
	}
	if (options->backtrack)
		backtrack = command_word("backtrack", options->backtrack);
	if (buffering < 0 || backtrack < 0 || !command_inspect_reports(options))
		return false;
	if (options->max_memory
	    && !command_size("--max-memory", options->max_memory, &session->max_memory))
		return false;
	if (options->max_time
	    && !command_seconds("--max-time", options->max_time, &session->max_seconds))
		return false;
	if (options->np && !options->ranks) {
		command_complain("there is no option -p; see --help");
		return false;
	}
	if (options->ranks && !command_ranks(options->ranks, &session->ranks))
		return false;
	if (!command_add_ranks_behind(options->program, G_MAXINT, &session->ranks))
		return false;
	if (options->separate_worlds)
		separate_worlds(options);
	if (session->ranks > 0 && !command_set_nodes(options, NULL))
		return false;
	if (!parse_kinds(options, &session->ignored))
		return false;
	if (options->errors_returned) {
		int word = command_word("errors-returned", options->errors_returned);

		if (word < 0)
			return false;
		session->errors_returned = word == 1;
	}
	if (!command_interpret_saving(options))
		return false;
	session->bufferings = masks[buffering];
	if (options->not_yet < 0) {
		command_complain("--not-yet cannot be negative");
		return false;
	}
	session->not_yet = (guint)options->not_yet;
	if (options->some < 1 || options->some > (int)TAKEN_WINDOW) {
		command_complain("--some must be from 1 to %u", TAKEN_WINDOW);
		return false;
	}
	session->some = (guint)options->some;
	session->backtrack = (enum backtrack)backtrack;
	session->verbose = options->verbose;
	session->launcher = options->launcher;
	if (!options->standard_input && !options->reads_lines)
		options->standard_input = redirected_input();
	session->standard_input = options->standard_input;
	session->store = options->store ? options->store : COMMAND_STORE_DEFAULT;
	if (!options->quiet)
		warn_inside_job();
	if (session->ranks > 0 && !options->quiet)
		warning = session_machine_warning(session->ranks);
	if (warning)
		command_complain("%s", warning);
	return true;
}

void command_follow_collectives(struct command_options *options, const struct path *path)
{
	if (path->collectives != COLLECTIVES_ANY)
		options->session.collectives = path->collectives;
	else if (!options->collectives)
		options->session.collectives = COLLECTIVES_ASYNC;
}

static struct command_line *line_new(struct command_options *options, const struct command *command,
                                     const GOptionEntry *more)
{
	struct session_options *session = &options->session;
	const GOptionEntry shared[] = {
		{"ranks", 'n', 0, G_OPTION_ARG_STRING, &options->ranks, "number of ranks", "N"},
		/* The letter after -n in "-np 4", which mpiexec accepts. */
		{"p", 'p', G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, &options->np, NULL, NULL},
		{"nodes", 0, 0, G_OPTION_ARG_STRING, &options->nodes, COMMAND_NODES_HELP,
	         COMMAND_NODES_VALUE},
		{"buffering", 0, 0, G_OPTION_ARG_STRING, &options->buffering,
	         "how standard sends complete: zero (when received), infinite (at once), both "
	         "(default), per-send (a choice for each)",
	         "WORD"},
		{"collectives", 0, 0, G_OPTION_ARG_STRING, &options->collectives,
	         "how collectives synchronize: async (a root may leave a broadcast early, ...), "
	         "sync (each one is a barrier), both (default: sync under zero buffering, else "
	         "async), per-call (a choice for each)",
	         "WORD"},
		{"not-yet", 0, 0, G_OPTION_ARG_INT, &options->not_yet,
	         "how often in a row Test or Iprobe may answer \"not yet\" when it could also "
	         "answer otherwise (default: 1)",
	         "K"},
		{"some", 0, 0, G_OPTION_ARG_INT, &options->some,
	         "explore every set of up to K complete requests that Waitsome or Testsome can "
	         "report, besides all of them (default: 3)",
	         "K"},
		{"store", 0, 0, G_OPTION_ARG_FILENAME, &options->store,
	         "directory of the store (default: " COMMAND_STORE_DEFAULT "/)", "DIR"},
		{"ignore", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->ignored,
	         "do not report findings of these kinds, separated by commas", "KIND,..."},
		{"errors-returned", 0, 0, G_OPTION_ARG_STRING, &options->errors_returned,
	         "what an error is that MPI returned to the program, if that went on: note "
	         "(default) "
	         "or finding",
	         "WORD"},
		{"launcher", 0, 0, G_OPTION_ARG_STRING, &options->launcher,
	         "start the ranks with CMD instead of mpiexec.mpich -n N", "CMD"},
		{"stdin", 0, 0, G_OPTION_ARG_FILENAME, &options->standard_input,
	         "standard input of rank 0 (default: the file that matchpoint's input is "
	         "redirected from, else empty)",
	         "FILE"},
		/* of matchpoint restart */
		{"restart", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_FILENAME, &options->restart, NULL,
	         NULL},
		{"separate-worlds", 0, 0, G_OPTION_ARG_NONE, &options->separate_worlds,
	         "each program of the line has an MPI_COMM_WORLD of its own", NULL},
		{"virtual-time", 0, 0, G_OPTION_ARG_NONE, &session->virtual_time,
	         "skip sleeps, and advance the clocks that the program reads by the same time",
	         NULL},
		{"wait-each-call", 0, 0, G_OPTION_ARG_NONE, &session->every_call_waits,
	         "make every call wait for the scheduler, even if it could go on at once", NULL},
		{"quiet", 'q', 0, G_OPTION_ARG_NONE, &options->quiet, "print only errors", NULL},
		{"verbose", 'v', 0, G_OPTION_ARG_NONE, &options->verbose,
	         "also print the ranks' output, and why a rank could not be restored in place",
	         NULL},
		G_OPTION_ENTRY_NULL,
	};
	struct command_line *line = command_line_new(command);

	if (more)
		command_line_add(line, more);
	if (options->saves)
		command_add_saving(line, options);
	command_line_add(line, shared);
	command_add_reports(line, options);
	return line;
}

static bool is_option(int argc, char **argv)
{
	return argc > 1 && argv[1][0] == '-' && argv[1][1] && strcmp(argv[1], "--") != 0;
}

/* PATH|FINDING may stand before, between or after the options. */
static void take_word(struct command_options *options, int *argc, char **argv)
{
	if (!options->takes_word || options->word || *argc < 2 || argv[1][0] == '-'
	    || (options->is_word && !options->is_word(argv[1])))
		return;
	options->word = g_strdup(argv[1]);
	(*argc)--;
	memmove(argv + 1, argv + 2, (gsize)*argc * sizeof(*argv));
}

/* Takes the number after an option whose value is optional. */
static bool take_number(struct command_options *options, int *argc, char **argv)
{
	if (!options->is_number || *argc < 2 || !options->is_number(options->user, argv[1]))
		return false;
	(*argc)--;
	memmove(argv + 1, argv + 2, (gsize)*argc * sizeof(*argv));
	return true;
}

static bool parse_line(const struct command_line *line, struct command_options *options, int *argc,
                       char ***argv)
{
	take_word(options, argc, *argv);
	if (!command_line_parse(line, argc, argv, true))
		return false;
	for (bool more_words = options->takes_word; more_words;) {
		bool had_word = options->word != NULL;

		more_words = take_number(options, argc, *argv);
		take_word(options, argc, *argv);
		more_words |= options->word && !had_word;
		if (is_option(*argc, *argv) && !command_line_parse(line, argc, argv, true))
			return false;
	}
	return true;
}

/* Options behind the program are the program's. Returns false, after an error, if the number of
 * ranks is there; a note names others that matchpoint has as well. */
static bool look_behind_program(const struct command_line *line,
                                const struct command_options *options, char **words)
{
	g_autofree char *launched = command_behind_launcher(words);

	if (launched) /* a launcher's own options; it is refused later */
		return true;
	for (int i = 1; words[0] && words[i]; i++) {
		const char *word = words[i];

		if (strcmp(word, "--") == 0 || strcmp(word, ":") == 0)
			return true;
		if (!options->ranks && !options->word && words[i + 1]
		    && (strcmp(word, "-n") == 0 || strcmp(word, "-np") == 0)) {
			command_complain("options come before the program: matchpoint %s %s %s %s "
			                 "...",
			                 options->session.command, word, words[i + 1], words[0]);
			return false;
		}
		if (g_str_has_prefix(word, "--") && !options->quiet
		    && command_line_has(line, word)) {
			command_complain(
				"%s is passed to %s: matchpoint's own options come before "
				"the program (with -- before the program, nothing is said)",
				word, words[0]);
			return true;
		}
	}
	return true;
}

int command_parse(struct command_options *options, const struct command *command, int *argc,
                  char ***argv, const GOptionEntry *more)
{
	struct command_line *line = line_new(options, command, more);
	bool parsed, in_order = true;
	char **rest;

	options->not_yet = SESSION_NOT_YET_USUAL;
	options->some = COMMAND_SOME_DEFAULT;
	parsed = parse_line(line, options, argc, argv);
	rest = parsed ? *argv + 1 : NULL;
	if (parsed && *rest && strcmp(*rest, "--") == 0)
		rest++;
	else if (parsed)
		in_order = look_behind_program(line, options, rest);
	command_line_free(line);
	if (!parsed || !in_order)
		return EXIT_USAGE;
	options->program = g_strdupv(rest);
	if (options->restart && !restarted_open(options))
		return EXIT_CANNOT;
	options->session.program = options->program;
	if (!interpret_options(options) || !rerun_on_machines(options))
		return EXIT_USAGE;
	return command_find_folders(options) ? EXIT_CLEAN : EXIT_CANNOT;
}

void command_options_release(struct command_options *options)
{
	g_strfreev(options->program);
	g_strfreev(options->ignored);
	g_free(options->errors_returned);
	g_strfreev(options->session.ignored);
	g_free(options->word);
	g_free(options->save_to);
	g_free(options->save_every);
	g_free(options->save_at);
	g_free(options->restart);
	restarted_close(options->restarted);
	g_free(options->store);
	g_free(options->source_root);
	for (int i = 0; i < REPORT_COUNT; i++)
		g_free(options->reports[i]);
	g_free(options->keep_files);
	g_free(options->seed);
	g_free(options->order);
	g_free(options->search);
	g_free(options->shard);
	g_strfreev(options->compare);
	g_strfreev(options->bound_ranks);
	g_strfreev(options->bound_sites);
	if (options->bounds)
		g_array_unref(options->bounds);
	g_strfreev(options->session.compare_files);
	g_free(options->launcher);
	g_free(options->standard_input);
	g_free(options->buffering);
	g_free(options->collectives);
	g_free(options->backtrack);
	g_free(options->max_memory);
	g_free(options->max_time);
	g_free(options->ranks);
	g_free(options->nodes);
}

/* Returns as command_inspect. */
static int inspect_programs(const struct command_options *options)
{
	g_autofree char *problem = NULL;
	g_autoptr(GArray) parts = program_parts(options->program, options->session.ranks, &problem);

	if (parts)
		return command_inspect_programs(options->program);
	command_complain("%s", problem);
	return EXIT_USAGE;
}

int command_inspect(const struct command_options *options)
{
	const struct session_options *session = &options->session;
	g_autofree char *behind = NULL;

	if (!options->program[0]) {
		command_complain("no program given; for example: matchpoint %s %s ./solver",
		                 session->command, options->word ? options->word : "-n 4");
		return EXIT_USAGE;
	}
	behind = command_behind_launcher(options->program);
	if (behind) {
		g_autofree char *ranks = g_str_has_prefix(behind, "-n ")
		                                 ? g_strdup("")
		                                 : g_strdup_printf(
							 "-n %d ",
							 session->ranks > 0 ? session->ranks : 4);

		command_complain("%s is not an MPI program: matchpoint starts the ranks itself; "
		                 "use matchpoint %s %s%s, or name a launcher with --launcher",
		                 options->program[0], session->command, ranks, behind);
		return EXIT_USAGE;
	}
	if (session->ranks < 1) {
		command_complain("the number of ranks is missing; for example: -n 4");
		return EXIT_USAGE;
	}
	if (session->standard_input && access(session->standard_input, R_OK) != 0) {
		command_complain("--stdin: cannot read %s", session->standard_input);
		return EXIT_USAGE;
	}
	return inspect_programs(options);
}
