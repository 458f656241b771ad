/* Every environment variable that matchpoint, its shim or its reports read or set: environment.c
 * holds the one table, of which docs/reference/environment.md is made. */
#ifndef MATCHPOINT_SCHEDULER_HOST_ENVIRONMENT_H
#define MATCHPOINT_SCHEDULER_HOST_ENVIRONMENT_H

#include <glib.h>
#include <stdbool.h>

/* Read by matchpoint itself. */
#define ENVIRONMENT_RUNDIR "MATCHPOINT_RUNDIR"
#define ENVIRONMENT_LOG "MATCHPOINT_LOG"
#define ENVIRONMENT_HASTE "MATCHPOINT_HASTE"
#define ENVIRONMENT_NO_COLOR "NO_COLOR"
#define ENVIRONMENT_CLICOLOR_FORCE "CLICOLOR_FORCE"
#define ENVIRONMENT_GITHUB_ACTIONS "GITHUB_ACTIONS"
#define ENVIRONMENT_GITHUB_SUMMARY "GITHUB_STEP_SUMMARY"
#define ENVIRONMENT_GITHUB_WORKSPACE "GITHUB_WORKSPACE"
#define ENVIRONMENT_GITLAB_PROJECT "CI_PROJECT_DIR"
#define ENVIRONMENT_STATE "XDG_STATE_HOME"

/* Set for the ranks, and read by the shim. */
#define ENVIRONMENT_SOCKET "MATCHPOINT_SOCKET"
#define ENVIRONMENT_WORLD "MATCHPOINT_WORLD"
#define ENVIRONMENT_DIRECTORY "MATCHPOINT_DIRECTORY"
#define ENVIRONMENT_STDIN "MATCHPOINT_STDIN"
#define ENVIRONMENT_JOURNAL "MATCHPOINT_JOURNAL"
#define ENVIRONMENT_VIRTUAL_TIME "MATCHPOINT_VIRTUAL_TIME"

struct environment_settings {
	const char *shim;           /* absolute path of the library to preload */
	const char *directory;      /* the run directory; its socket is RUN_DIRECTORY_SOCKET */
	guint32 world;              /* the number of the job's world */
	const char *standard_input; /* a file for rank 0, or NULL: nothing */
	const char *journal;        /* of the files they change, or NULL: none is kept */
	bool virtual_time;          /* whether sleeps go by at once */
	bool states;                /* whether ranks tell their states */
	bool reads_peers;           /* whether ranks may read one another's memory */
};

/* The environment of the launcher and of the ranks it starts, made from `base` (NULL: our own).
 * A sentence about each variable of the user's that had to be overridden is appended to `notes`
 * (char *, owned by it; may be NULL). Free with g_strfreev. */
char **environment_for_ranks(char **base, const struct environment_settings *settings,
                             GPtrArray *notes);

/* What a process (an entry of /proc) was started with: a variable's value, to be freed with g_free;
 * NULL: it has none, or is gone, or somebody else's. */
char *environment_of(const char *pid, const char *name);
bool environment_has(const char *pid, const char *name, const char *value);

enum environment_role {
	ENVIRONMENT_READ,    /* by matchpoint, from the user */
	ENVIRONMENT_SYSTEM,  /* the same, of those that every program knows */
	ENVIRONMENT_TOLD,    /* set for the ranks, read by the shim */
	ENVIRONMENT_LAUNCH,  /* set for the ranks by their launcher, read by the shim */
	ENVIRONMENT_FORCED,  /* set for MPI; another value of the user's is overridden */
	ENVIRONMENT_DEFAULT, /* set for MPI or libc unless the user has set it */
};

struct environment_variable {
	const char *name;
	enum environment_role role;
	const char *value; /* that is set; NULL: depends, or is only read */
	const char *explanation;
};

/* The table, ended by an entry whose name is NULL. */
const struct environment_variable *environment_variables(void);

#endif
