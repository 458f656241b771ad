/* The commands of `matchpoint`. Each has a file command_<verb>.c. */
#ifndef MATCHPOINT_SCHEDULER_COMMANDS_COMMAND_H
#define MATCHPOINT_SCHEDULER_COMMANDS_COMMAND_H

#include <glib.h>
#include <stdarg.h>
#include <stdbool.h>

#include "reports/report.h"
#include "scheduler/session/session.h"

/* Exit status of matchpoint, a contract with scripts. */
enum exit_status {
	EXIT_CLEAN = 0, /* everything explored, no finding */
	EXIT_FINDINGS = 1,
	EXIT_USAGE = 2,
	EXIT_INCOMPLETE = 3, /* no finding, but not exhaustive */
	EXIT_CANNOT = 4,     /* the program could not be run or controlled */
};

#define COMMAND_STORE_DEFAULT ".matchpoint"
#define COMMAND_SOME_DEFAULT 3

struct command {
	const char *name;
	const char *summary;  /* half a sentence, for both kinds of --help */
	const char *synopsis; /* the words after the name: "-n N [--] PROGRAM [ARG...]" */
	const char *notes;    /* a paragraph below the options in --help; NULL: none */
	const char *example;  /* a whole command line */
	/* argv[0] is the command's name. Returns the exit status. */
	int (*run)(int argc, char **argv);
	bool runs_ranks; /* and must clean up when interrupted */
};

extern const struct command command_explore, command_run, command_replay, command_minimize,
	command_debug, command_report, command_check, command_record, command_dap, command_restart,
	command_checkpoint;

/* Returns (owned) the formatted text as it may be printed: file names can contain control
 * characters that a terminal would obey. */
char *command_printable(const char *format, va_list arguments) G_GNUC_PRINTF(1, 0);

/* printf of such text. */
void command_print(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* Prints "matchpoint: ..." on standard error. */
void command_complain(const char *format, ...) G_GNUC_PRINTF(1, 2);
/* Prints why a session could not run. If matchpoint was started as each rank of a job, all of them
 * but one find the store busy. They print nothing: rank 0 has printed the reason. */
void command_complain_of_session(const GError *error);

/* A session's progress callback that reports only ranks that do not respond. `user` is not used. */
void command_show_unresponsive(void *user, const struct session_progress *now);

/* Options that explore, run and replay share. Strings are owned. */
struct command_options {
	struct session_options session;
	char **program;
	char *reports[REPORT_COUNT]; /* file of each format in report_list(); NULL: not requested */
	char **ignored;              /* as given */
	char *errors_returned;       /* as given */
	char *source_root;
	int execution;
	bool takes_word; /* accepts PATH|FINDING|DIR */
	bool (*is_word)(
		const char
			*text); /* whether it is one, not a program; NULL: the first word is one */
	/* Whether `text` is the value of the option before it, whose value is optional; NULL: there
	 * is no such option. */
	bool (*is_number)(void *user, const char *text);
	void *user;       /* for is_number */
	bool reads_lines; /* standard input has commands, and is not given to a rank */
	char *word;       /* PATH|FINDING|DIR as given; NULL: none */
	bool saves;       /* has the options of command_saving.h */
	char *save_to, *save_every, *save_at;
	char *restart;               /* a checkpoint on disk where executions begin; NULL: none */
	struct restarted *restarted; /* that one (restarted.h); NULL: none */
	int not_yet;                 /* --not-yet */
	int some;                    /* --some */
	char *store, *launcher, *standard_input, *buffering, *collectives, *backtrack, *max_memory,
		*max_time, *ranks, *nodes, *resume, *keep_files, *seed, *shard, *order, *search;
	char **compare;
	char **bound_ranks, **bound_sites;    /* as given */
	GArray *bounds;                       /* struct bound, from the same and --pcontrol */
	gboolean regions;                     /* --pcontrol (GOption, as every gboolean here) */
	bool passing_store;                   /* temporary: removed when the command ends */
	gboolean np;                          /* -np was used for -n (GOption) */
	gboolean separate_worlds;             /* GOption */
	gboolean quiet, keep_going, json_all; /* GOption */
	int verbose, jobs;
};

/* Parses argv: the shared options and `more` (NULL: none), then PROGRAM [ARG...] into ->program.
 * Returns EXIT_CLEAN; or EXIT_USAGE after printing an error, or when the line was handed over
 * (command_line.h). */
int command_parse(struct command_options *options, const struct command *command, int *argc,
                  char ***argv, const GOptionEntry *more);
struct command_line;
/* Adds the report options, which are the same for every command that writes reports. */
void command_add_reports(struct command_line *line, struct command_options *options);
/* Checks the values of the report options. Returns false after printing an error. */
bool command_inspect_reports(const struct command_options *options);
/* Whether reports can be written where the options say, before anything is run. Returns false after
 * printing an error. */
bool command_find_folders(const struct command_options *options);

/* Sets *ret_path to the path that `word` is, or names. *ret_finding is the id if `word` is a
 * finding in the store, else 0. A finding also names the program. Returns EXIT_CLEAN once the
 * program has been inspected; else another status after printing an error. */
int command_find_path(struct command_options *options, struct path **ret_path,
                      guint32 *ret_finding);

/* Sets the virtual nodes to those of a path or a recording (explorer/nodes.h; NULL: one), or else
 * to those of --nodes. The number of ranks is known. Returns false after printing an error. */
bool command_set_nodes(struct command_options *options, const char *nodes);

/* Sets the launcher to that of an exploration (NULL: the usual one), unless the command line names
 * one. Returns false after printing an error. */
bool command_set_launcher(struct command_options *options, const char *launcher);

/* Sets the mode of collectives to the path's, if the path has one. */
void command_follow_collectives(struct command_options *options, const struct path *path);

void command_options_release(struct command_options *options);

/* Checks the program before it is started. Returns EXIT_CLEAN; or another status after printing an
 * error. */
int command_inspect(const struct command_options *options);

/* Writes the requested reports from the store, and the verdict. Returns false after printing an
 * error. */
bool command_report_all(const struct command_options *options);
/* The same without the verdict, and without what GitHub Actions show. */
bool command_report_requested(const struct command_options *options);
/* Whether a report is asked for; whether one of them goes to standard output. */
bool command_has_reports(const struct command_options *options);
bool command_reports_to_output(const struct command_options *options);

#define COMMAND_ERROR (command_error_quark())
GQuark command_error_quark(void);

#endif
