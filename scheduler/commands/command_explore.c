#include <errno.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "command.h"
#include "command_explore_recording.h"
#include "command_values.h"
#include "explorer/rank_name.h"
#include "scheduler/world/bounds.h"

/* A progress line on a terminal is redrawn in place. Elsewhere a line is printed every so many
 * seconds. */
#define PLAIN_EVERY_S 10.0

#define MOST_JOBS 1024

/* With more shards, most of the work of each would be the common prefix. */
#define SHARDS_MAX 10000

struct progress {
	bool terminal;
	double last; /* seconds at the last line */
};

/* A line longer than the terminal's width cannot be redrawn in place. */
static int terminal_columns(void)
{
	struct winsize size;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

/* "3 min" */
static char *time_words(double seconds)
{
	static const struct {
		double most, in; /* seconds */
		const char *format;
	} units[] = {{100, 1, "%.0f s"},
	             {6000, 60, "%.0f min"},
	             {360000, 3600, "%.0f h"},
	             {1000 * 86400, 86400, "%.0f days"}};

	for (guint i = 0; i < G_N_ELEMENTS(units); i++)
		if (seconds < units[i].most)
			return g_strdup_printf(units[i].format, seconds / units[i].in);
	return g_strdup("more than 1000 days");
}

/* An estimate, rounded to three digits: "about 1230 left (40 s)". Free with g_free. */
static char *left_words(double left, double rate)
{
	g_autofree char *time = time_words(left / rate);
	guint64 step = 1;

	if (!(left < 1e9))
		return g_strdup_printf("about %.2g left (%s)", left, time);
	while (left / (double)step >= 999.5)
		step *= 10;
	return g_strdup_printf("about %" G_GUINT64_FORMAT " left (%s)",
	                       (guint64)(left / (double)step + 0.5) * step, time);
}

/* The first part of the progress line, as narrow terminals cut its end. Free with g_free. */
static char *unresponsive_ranks_words(const struct session_progress *now)
{
	return now->silent_rank < 0
	               ? g_strdup("")
	               : g_strdup_printf("rank %s not responding for %.0f s: ",
	                                 rank_name(now->silent_rank), now->silent_seconds);
}

static void show_progress(void *user, const struct session_progress *now)
{
	struct progress *progress = user;
	g_autofree char *silence = unresponsive_ranks_words(now), *left = NULL, *line = NULL;
	/* How many interleavings the states stand for is known at the end. */
	guint64 done = now->states > 0 ? now->states : now->interleavings;
	double rate = now->seconds > 0 ? (double)done / now->seconds : 0;

	command_show_unresponsive(NULL, now);
	if (!progress->terminal && now->seconds - progress->last < PLAIN_EVERY_S)
		return;
	progress->last = now->seconds;
	if (now->runs > 0)
		left = g_strdup_printf("%" G_GUINT64_FORMAT " random runs", now->runs);
	else if (now->left >= 0 && rate > 0)
		left = left_words(now->left, rate);
	else
		left = g_strdup_printf("%" G_GUINT64_FORMAT " waiting", now->waiting);
	line = g_strdup_printf("%s%" G_GUINT64_FORMAT " %s, %s, %.0f a second, %" G_GUINT64_FORMAT
	                       " finding%s, %u choices deep, %.0f s",
	                       silence, done, now->states > 0 ? "states" : "interleavings", left,
	                       rate, now->findings, now->findings == 1 ? "" : "s", now->depth,
	                       now->seconds);
	if (progress->terminal)
		fprintf(stderr, "\r\033[K%.*s", terminal_columns() - 1, line);
	else
		fprintf(stderr, "matchpoint: %s\n", line);
	fflush(stderr);
}

static int exit_status(const struct session_result *result)
{
	if (result->findings->len > 0)
		return EXIT_FINDINGS;
	return result->exploration->complete ? EXIT_CLEAN : EXIT_INCOMPLETE;
}

static int explore_program(struct command_options *options)
{
	struct progress progress = {isatty(STDERR_FILENO), 0};
	struct session_result result = {0};
	g_autoptr(GError) error = NULL;
	bool fine;
	int status;

	if (!options->quiet) {
		options->session.progress = show_progress;
		options->session.user = &progress;
	}
	fine = session_run(&options->session, &result, &error);
	if (progress.terminal && progress.last > 0)
		fputs("\r\033[K", stderr);
	status = exit_status(&result);
	if (!fine)
		command_complain_of_session(error);
	if ((fine || result.exploration->interleavings > 0) && !command_report_all(options))
		fine = false;
	session_result_clear(&result);
	return fine ? status : EXIT_CANNOT;
}

/* --compare none, output, files, or names of files. Returns false after printing an error. */
static bool interpret_compare(struct command_options *options)
{
	struct session_options *session = &options->session;
	g_autoptr(GStrvBuilder) files = g_strv_builder_new();
	bool none = false, more = false, named = false;
	bool all = !options->compare;

	for (char **word = options->compare; word && *word; word++) {
		none |= g_str_equal(*word, "none");
		more |= !g_str_equal(*word, "none");
		all |= g_str_equal(*word, "files");
		if (command_words_have("compare", *word))
			continue;
		named = true;
		g_strv_builder_add(files, *word);
	}
	if (all && named) {
		command_complain("--compare=files cannot be combined with the name of a file: it "
		                 "compares all that ranks write (a file of that name is ./files)");
		return false;
	}
	if (none && more) {
		command_complain("--compare=none cannot be combined with another --compare (a file "
		                 "of that name is ./none)");
		return false;
	}
	if (none && options->keep_files) {
		command_complain("--keep-files needs the outcomes, which --compare=none does not "
		                 "distinguish");
		return false;
	}
	session->compare = !none;
	session->compare_written = all;
	session->compare_files = g_strv_builder_end(files);
	return true;
}

/* --bound-rank, --bound-site, --pcontrol. Returns false after printing an error. */
static bool interpret_bounds(struct command_options *options)
{
	g_autoptr(GError) error = NULL;

	options->bounds = bounds_parse(options->bound_ranks, options->bound_sites, options->regions,
	                               options->session.ranks, &error);
	if (!options->bounds)
		command_complain("%s", error->message);
	options->session.bounds = options->bounds;
	return options->bounds != NULL;
}

/* --random. Returns false after printing an error. */
static bool interpret_random(struct command_options *options)
{
	struct session_options *session = &options->session;
	const char *other = NULL;

	if (!options->seed)
		return true;
	if (!g_ascii_string_to_unsigned(options->seed, 10, 0, G_MAXINT64, &session->seed, NULL)) {
		command_complain("--random cannot be '%s'; use a number from 0 up as the seed",
		                 options->seed);
		return false;
	}
	if (options->jobs > 1)
		other = "-j: start several explorations, each with its own seed and --store";
	else if (session->shards > 0)
		other = "--shard: give each machine its own seed";
	else if (session->deviations >= 0 || options->bound_ranks || options->bound_sites)
		other = "--deviations, --bound-rank or --bound-site: random walks have no default "
			"choice";
	if (other)
		command_complain("--random cannot be combined with %s", other);
	session->random = true;
	return other == NULL;
}

/* --order. The default is the cheapest, unless a limit may end the exploration early. Returns false
 * after printing an error. */
static bool interpret_order(struct command_options *options)
{
	const char *const *words = command_words("order");
	struct session_options *session = &options->session;
	guint order = 0;

	if (!options->order) {
		session->order = session->max_seconds > 0 || session->max_interleavings > 0
		                         ? SESSION_ORDER_PORTFOLIO
		                         : SESSION_ORDER_DEPTH;
		return true;
	}
	if (session->random) {
		command_complain("--order cannot be combined with --random: random walks are an "
		                 "order of their own");
		return false;
	}
	while (words[order] && !g_str_equal(options->order, words[order]))
		order++;
	if (!words[order]) {
		command_complain("--order cannot be '%s'; use portfolio, depth or deviations",
		                 options->order);
		return false;
	}
	session->order = (enum session_order)order;
	return true;
}

/* A tree with fewer interleavings is explored faster than states are compared. */
#define STATES_WORTH 200
/* After so many interleavings a look for equal states takes a small part of the time, start
 * included. */
#define STATES_AFTER 128
/* A state costs more than an interleaving. */
#define STATES_GAIN 4

/* The first option that does not work with state search, and the reason; NULL: none is given. */
static const char *not_with_states(const struct command_options *options)
{
	const struct session_options *session = &options->session;
	const char *other = NULL;

	if (session->random)
		other = "--random: choose one of them";
	else if (session->jobs > 1)
		other = "-j: states are compared within one world";
	else if (session->shards > 0)
		other = "--shard: machines do not exchange the states that they know";
	else if (options->order)
		other = "--order: it applies to the tree only";
	else if (session->deviations >= 0 || options->bound_ranks || options->bound_sites
	         || options->regions)
		other = "--deviations, --bound-rank, --bound-site or --pcontrol: paths with more "
			"and with fewer deviations can lead to equal states";
	else if (session->backtrack == BACKTRACK_RERUN)
		other = "--backtrack rerun: states are compared between copies of the same "
			"processes";
	else if (session->virtual_time)
		other = "--virtual-time: the offset of its clocks is not part of a state";
	else if (session->compare_files && session->compare_files[0])
		other = "--compare FILE: the contents of files are not part of a state";
	else if (options->keep_files)
		other = "--keep-files: the contents of files are not part of a state";
	else if (session->from)
		other = "--from: a state below that path can also be reached outside it";
	return other;
}

/* --search, --verify. Returns false after printing an error. */
static bool interpret_search(struct command_options *options)
{
	struct session_options *session = &options->session;
	const char *word = options->search ? options->search : "auto", *other;
	bool automatic = g_str_equal(word, "auto");

	session->states = g_str_equal(word, "states");
	if (!session->states && !automatic && !g_str_equal(word, "tree")) {
		command_complain("--search cannot be '%s'; use auto, tree or states", word);
		return false;
	}
	if (session->verify && !session->states) {
		command_complain("--verify needs --search states");
		return false;
	}
	other = not_with_states(options);
	/* Under a limit several orders share the time, if states are not asked for. */
	if (!options->search && session->max_seconds > 0)
		automatic = false;
	session->watch_left = automatic && !other ? STATES_WORTH : 0;
	session->watch_from = STATES_AFTER;
	session->watch_gain = STATES_GAIN;
	session->watch_not = automatic && options->search ? other : NULL;
	if (session->states && other)
		command_complain("--search states cannot be combined with %s", other);
	return !session->states || !other;
}

/* --keep-files: each outcome's files go to a directory of their own in it. Returns false after
 * printing an error. */
static bool interpret_keep_files(struct command_options *options)
{
	g_autoptr(GDir) directory = NULL;

	if (!options->keep_files)
		return true;
	if (g_mkdir_with_parents(options->keep_files, 0777) == 0)
		directory = g_dir_open(options->keep_files, 0, NULL);
	if (!directory) {
		command_complain("--keep-files: %s: %s", options->keep_files, g_strerror(errno));
		return false;
	}
	if (g_dir_read_name(directory)) {
		command_complain("--keep-files: %s is not empty", options->keep_files);
		return false;
	}
	options->session.keep_files = options->keep_files;
	return true;
}

/* --shard I/N. Returns false after printing an error. */
static bool interpret_shard(struct command_options *options)
{
	struct session_options *session = &options->session;
	g_auto(GStrv) words = options->shard ? g_strsplit(options->shard, "/", 2) : NULL;
	guint64 shard, shards;

	if (!options->shard)
		return true;
	if (!words[0] || !words[1]
	    || !g_ascii_string_to_unsigned(words[1], 10, 1, SHARDS_MAX, &shards, NULL)
	    || !g_ascii_string_to_unsigned(words[0], 10, 1, shards, &shard, NULL)) {
		command_complain(
			"--shard cannot be '%s'; use I/N, from 1/N to N/N, as 2/3; N is at most %d",
			options->shard, SHARDS_MAX);
		return false;
	}
	session->shard = (guint)shard;
	session->shards = (guint)shards;
	return true;
}

/* --from. The path's conditions hold for everything that is explored. Returns false after printing
 * an error. */
static bool interpret_from(struct command_options *options, const char *text)
{
	struct session_options *session = &options->session;
	const bool is_path = text && !explore_recording_is_folder(text);
	g_autoptr(GError) error = NULL;
	struct path *path = is_path ? path_parse(text, &error) : NULL;

	if (!is_path)
		return true;
	session->from = path;
	if (!path)
		command_complain("--from: %s", error->message);
	else if (session->ranks != 0 && session->ranks != path->ranks)
		command_complain("--from: the path is for %d ranks, not %d", path->ranks,
		                 session->ranks);
	else if (options->seed || options->shard)
		command_complain("--from cannot be combined with %s",
		                 options->seed ? "--random" : "--shard");
	else {
		session->ranks = path->ranks;
		if (!command_set_nodes(options, path->nodes))
			return false;
		path->nodes = session->nodes;
		if (path->buffering != BUFFERING_ANY)
			session->bufferings = 1u << path->buffering;
		if (path->collectives != COLLECTIVES_ANY)
			session->collectives = path->collectives;
		return true;
	}
	return false;
}

/* Interprets explore's own options. Returns EXIT_CLEAN; or another status after printing an
 * error. */
static int interpret_explore(struct command_options *options, gint64 interleavings,
                             const char *from)
{
	struct session_options *session = &options->session;
	int status;

	if (interleavings < 0) {
		command_complain("--max-interleavings cannot be negative");
		return EXIT_USAGE;
	}
	if (options->jobs < 1 || options->jobs > MOST_JOBS) {
		command_complain("-j %d: the number of worlds must be from 1 to %d", options->jobs,
		                 MOST_JOBS);
		return EXIT_USAGE;
	}
	session->jobs = (guint)options->jobs;
	if (options->keep_going)
		session->fail_fast = false;
	session->max_interleavings = (guint64)interleavings;
	if (!interpret_compare(options) || !interpret_shard(options)
	    || !interpret_from(options, from))
		return EXIT_USAGE;
	if (session->resume && session->compare_files && session->compare_files[0]) {
		command_complain("--resume cannot be combined with --compare FILE: the file's "
		                 "contents after earlier interleavings are not kept");
		return EXIT_USAGE;
	}
	if (session->native && session->shards > 0) {
		command_complain("--native cannot be combined with --shard: what other shards "
		                 "find is not known; explore with --native once, without --shard");
		return EXIT_USAGE;
	}
	if (session->native && session->nodes) {
		command_complain("--native cannot be combined with --nodes: without control, the "
		                 "program is on one node");
		return EXIT_USAGE;
	}
	status = command_inspect(options);
	if (status == EXIT_CLEAN
	    && (!interpret_bounds(options) || !interpret_random(options)
	        || !interpret_search(options) || !interpret_order(options)
	        || !interpret_keep_files(options)))
		status = EXIT_USAGE;
	return status;
}

/* Returns the exit status. */
static int explore_as_asked(struct command_options *options, gint64 interleavings, const char *from)
{
	struct explore_recording recording = {0};
	int status = explore_recording_is_folder(from)
	                     ? explore_recording_open(options, from, &recording)
	                     : EXIT_CLEAN;

	if (status == EXIT_CLEAN)
		status = interpret_explore(options, interleavings, from);
	if (status == EXIT_CLEAN && recording.job.run)
		status = explore_recording_begin(options, from, &recording);
	if (status == EXIT_CLEAN)
		status = explore_program(options);
	explore_recording_close(&recording);
	return status;
}

#define FROM_HELP                                                                                  \
	"explore only the interleavings in which all choices of PATH are made; or all, beginning " \
	"at the recording in DIR (matchpoint record)"

static int explore_run(int argc, char **argv)
{
	struct command_options options = {
		.session = {.command = "explore", .deviations = -1}, .jobs = 1, .saves = true};
	struct session_options *session = &options.session;
	g_autofree char *from = NULL;
	gint64 interleavings = 0;
	const GOptionEntry entries[] = {
		{"from", 0, 0, G_OPTION_ARG_STRING, &from, FROM_HELP, "PATH|DIR"},
		{"backtrack", 0, 0, G_OPTION_ARG_STRING, &options.backtrack,
	         "how to return to a choice: auto, snapshot, rerun, rewind", "WORD"},
		{"max-interleavings", 0, 0, G_OPTION_ARG_INT64, &interleavings,
	         "stop after N interleavings", "N"},
		{"max-time", 0, 0, G_OPTION_ARG_STRING, &options.max_time,
	         "stop after S seconds (or 10s, 5m, 2h)", "S"},
		{"max-memory", 0, 0, G_OPTION_ARG_STRING, &options.max_memory,
	         "memory for snapshots, as 512M or 2G (default: half of the free memory)", "SIZE"},
		{"deviations", 0, 0, G_OPTION_ARG_INT, &session->deviations,
	         "only paths that differ from the default choice at most K times", "K"},
		{"bound-rank", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.bound_ranks,
	         "only paths in which rank R deviates from the default at most K times (may be "
	         "repeated)",
	         "R=K"},
		{"bound-site", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.bound_sites,
	         "only paths in which calls at FILE:LINE do so at most K times (may be repeated)",
	         "FILE:LINE=K"},
		{"order", 0, 0, G_OPTION_ARG_STRING, &options.order,
	         "order of exploration: depth (the cheapest), deviations (paths with few "
	         "deviations first), portfolio (these and random walks in turns; default with "
	         "--max-time and --max-interleavings)",
	         "WORD"},
		{"random", 0, 0, G_OPTION_ARG_STRING, &options.seed,
	         "random walks, for trees that are too large; reproducible by SEED", "SEED"},
		{"search", 0, 0, G_OPTION_ARG_STRING, &options.search,
	         "tree (each interleaving once), states (equal states once), or auto (the tree; "
	         "states once equal states occur; the default)",
	         "WORD"},
		{"verify", 0, 0, G_OPTION_ARG_NONE, &session->verify,
	         "with --search states: go on from known states as well, and compare the results",
	         NULL},
		{"pcontrol", 0, 0, G_OPTION_ARG_NONE, &options.regions,
	         "take only default choices between MPI_Pcontrol(0) and MPI_Pcontrol(1), where the "
	         "order does not matter",
	         NULL},
		{"compare", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.compare,
	         "what interleavings that end well must agree in: files (output and all files that "
	         "ranks write, the default), output, output and FILE (may be repeated), none",
	         "WORD|FILE"},
		{"keep-files", 0, 0, G_OPTION_ARG_FILENAME, &options.keep_files,
	         "keep the files that each outcome wrote in DIR/outcome-N", "DIR"},
		{"native", 0, 0, G_OPTION_ARG_NONE, &session->native,
	         "at the end, also run the program without control, and compare", NULL},
		{"jobs", 'j', 0, G_OPTION_ARG_INT, &options.jobs,
	         "worlds that run side by side (default: 1)", "N"},
		{"shard", 0, 0, G_OPTION_ARG_STRING, &options.shard,
	         "explore part I of N; matchpoint report combines the parts", "I/N"},
		{"resume", 0, 0, G_OPTION_ARG_NONE, &session->resume,
	         "continue an interrupted exploration from its store", NULL},
		{"fail-fast", 0, 0, G_OPTION_ARG_NONE, &session->fail_fast,
	         "stop at the first finding", NULL},
		{"keep-going", 0, 0, G_OPTION_ARG_NONE, &options.keep_going,
	         "do not stop at findings (the default)", NULL},
		G_OPTION_ENTRY_NULL,
	};
	int status = command_parse(&options, &command_explore, &argc, &argv, entries);

	if (status == EXIT_CLEAN)
		status = explore_as_asked(&options, interleavings, from);
	path_free((struct path *)session->from);
	command_options_release(&options);
	return status;
}

const struct command command_explore = {
	.name = "explore",
	.summary = "run every interleaving, report what is wrong",
	.synopsis = "-n N [--] PROGRAM [ARG...] [: -n N PROGRAM [ARG...]]...",
	.example = "matchpoint explore -n 4 --json report.json -- ./solver input.dat",
	.run = explore_run,
	.runs_ranks = true,
};
