/* The commands of `matchpoint`: one file each, command_<verb>.c. */
#ifndef MATCHPOINT_SCHEDULER_COMMANDS_COMMAND_H
#define MATCHPOINT_SCHEDULER_COMMANDS_COMMAND_H

#include <glib.h>
#include <stdbool.h>

#include "reports/report.h"
#include "scheduler/session/session.h"

/* What matchpoint exits with (the contract). */
enum exit_status {
	EXIT_CLEAN = 0, /* everything explored, nothing wrong */
	EXIT_FINDINGS = 1,
	EXIT_USAGE = 2,
	EXIT_INCOMPLETE = 3, /* nothing wrong so far, but not exhaustive */
	EXIT_CANNOT = 4,     /* the program could not be run or controlled */
};

#define COMMAND_STORE_DEFAULT ".matchpoint"
#define COMMAND_SOME_DEFAULT 3

struct command {
	const char *name;
	const char *summary;  /* half a sentence, for both kinds of --help */
	const char *synopsis; /* what follows the name on the line: "-n N [--] PROGRAM [ARG...]" */
	const char *notes;    /* a paragraph below the options in --help; NULL: none */
	const char *example;  /* a whole line */
	/* argv[0] is the command's name. Returns the exit status. */
	int (*run)(int argc, char **argv);
	bool runs_ranks; /* and must clean up when it is asked to end */
};

extern const struct command command_explore, command_run, command_replay, command_minimize,
	command_debug, command_report, command_check;

/* "matchpoint: ..." on standard error. */
void command_complain(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* A session's progress callback, of which it tells only where the ranks are that say nothing for
 * long; `user` is not used. */
void command_show_unresponsive(void *user, const struct session_progress *now);

/* Options that explore, run and replay share. Strings are owned. */
struct command_options {
	struct session_options session;
	char **program;
	char *reports[REPORT_COUNT]; /* where each of report_list() goes; NULL: not asked for */
	char **ignored;              /* as given */
	char *source_root;
	int execution;
	bool takes_word;                   /* PATH|FINDING|DIR */
	bool (*is_word)(const char *text); /* or a program; NULL: what comes first is */
	/* Whether this belongs to the option before, which may have a number; NULL: none has. */
	bool (*is_number)(void *user, const char *text);
	void *user;       /* of it */
	bool reads_lines; /* from standard input, which is then for no rank */
	char *word;       /* that one, or NULL */
	int not_yet;      /* --not-yet */
	int some;         /* --some */
	char *store, *launcher, *standard_input, *buffering, *collectives, *backtrack, *max_memory,
		*max_time, *ranks, *resume, *keep_files, *seed, *shard, *order, *search;
	char **compare;
	char **bound_ranks, **bound_sites; /* as given */
	GArray *bounds;                    /* the same as struct bound, and --pcontrol */
	gboolean regions;                  /* --pcontrol (GOption, as all gboolean here) */
	bool passing_store;                /* it goes away with the command */
	gboolean np;                       /* -np was given for -n (GOption) */
	gboolean quiet, keep_going;        /* GOption */
	int verbose, jobs;
};

/* Parses argv: the shared options and `more` (may be NULL), then PROGRAM [ARG...] into ->program.
 * EXIT_CLEAN; or EXIT_USAGE after having complained, or when the line was handed over
 * (command_line.h). */
int command_parse(struct command_options *options, const struct command *command, int *argc,
                  char ***argv, const GOptionEntry *more);
struct command_line;
/* Adds the options of the reports, which every command that writes any has alike. */
void command_add_reports(struct command_line *line, struct command_options *options);
/* false after having complained of what they were given. */
bool command_inspect_reports(const struct command_options *options);

/* The path that `word` is, or that of a finding in the store (whose id is returned, else 0),
 * which then names the program, too. EXIT_CLEAN, and the program has been inspected; else it has
 * complained. */
int command_find_path(struct command_options *options, struct path **ret_path,
                      guint32 *ret_finding);

/* Collectives are as the path says, unless it leaves that to the options. */
void command_follow_collectives(struct command_options *options, const struct path *path);

void command_options_release(struct command_options *options);

/* Looks at the program before it is started; complains and returns EXIT_CANNOT when it cannot work.
 * */
int command_inspect(const struct command_options *options);

/* Writes the reports asked for from the store; returns false after having complained. */
bool command_report_all(const struct command_options *options);

#define COMMAND_ERROR (command_error_quark())
GQuark command_error_quark(void);

#endif
