/* Every environment variable that matchpoint, its shim or its reports read or set. The tables are
 * in environment.c and, for each MPI library, in mpi_runtime_NAME.c. docs/reference/environment.md
 * is generated from them. */
#ifndef MATCHPOINT_SCHEDULER_HOST_ENVIRONMENT_H
#define MATCHPOINT_SCHEDULER_HOST_ENVIRONMENT_H

#include <glib.h>
#include <stdbool.h>

#include "common/prelaunched.h"
#include "common/start_line.h"
#include "common/virtual_nodes.h"

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
#define ENVIRONMENT_COMPILER "MPICH_CC"

/* Set for the ranks, and read by the shim. */
#define ENVIRONMENT_SOCKET "MATCHPOINT_SOCKET"
#define ENVIRONMENT_WORLD "MATCHPOINT_WORLD"
#define ENVIRONMENT_DIRECTORY "MATCHPOINT_DIRECTORY"
#define ENVIRONMENT_OUTPUT "MATCHPOINT_OUTPUT"
#define ENVIRONMENT_STDIN "MATCHPOINT_STDIN"
#define ENVIRONMENT_RESTART "MATCHPOINT_RESTART"
#define ENVIRONMENT_RESTORER "MATCHPOINT_RESTORER"
#define ENVIRONMENT_JOURNAL "MATCHPOINT_JOURNAL"
#define ENVIRONMENT_VIRTUAL_TIME "MATCHPOINT_VIRTUAL_TIME"
#define ENVIRONMENT_NODES VIRTUAL_NODES_VARIABLE
#define ENVIRONMENT_PRELAUNCHED PRELAUNCHED_VARIABLE
#define ENVIRONMENT_STEADY "MATCHPOINT_STEADY"
#define ENVIRONMENT_START_LINE START_LINE_VARIABLE

struct environment_settings {
	const char *shim;           /* absolute path of the library to preload */
	const char *directory;      /* the run directory; its socket is RUN_DIRECTORY_SOCKET */
	const char *output;         /* directory for large output; NULL: none */
	guint32 world;              /* number of the job's world */
	const char *standard_input; /* file for rank 0; NULL: no input */
	const char *journal;        /* journal of the files that ranks change; NULL: none */
	bool virtual_time;          /* whether sleeping takes no real time */
	const char *nodes;          /* virtual nodes, as text; NULL: none */
	const char *prelaunched;    /* processes that wait to be spawned, as text; NULL: none */
	const char *start_line;     /* socket where ranks wait before main; NULL: they do not */
	bool heap;                  /* whether the program's heap is kept apart from MPI's */
	bool steady;                /* whether ranks may come back to the same memory: they poll, or
	                               their states are compared */
	bool reads_peers;           /* whether ranks may read each other's memory */
	bool machines;              /* whether ranks are on several machines */
	const char *remote_shell; /* program that starts the launcher's processes there, or NULL */
	bool own_launcher;        /* whether the user has named the launcher (--launcher) */
};

/* Makes the environment of the launcher and of its ranks from `base` (NULL: our own). What another
 * launcher, or a batch system, has set for us is removed: a rank gets such variables from its own
 * launcher only. A launcher that the user has named keeps those of ENVIRONMENT_BATCH. For each
 * variable of the user that had to be overridden, a sentence is appended to `notes` (char *,
 * owned by the array; may be NULL). Free with g_strfreev. */
char **environment_for_ranks(char **base, const struct environment_settings *settings,
                             GPtrArray *notes);

/* Makes the environment of a launcher for ranks that are not under control: `base` (NULL: our own)
 * without what another launcher has set for us. Free with g_strfreev. */
char **environment_plain(char **base, bool own_launcher);

/* Returns the value that a variable had when a process (an entry of /proc) was started; free with
 * g_free. NULL: the variable was not set, the process is gone, or it belongs to another user. */
char *environment_of(const char *pid, const char *name);
bool environment_has(const char *pid, const char *name, const char *value);

enum environment_role {
	ENVIRONMENT_READ,   /* by matchpoint; the user sets it */
	ENVIRONMENT_SYSTEM, /* the same, but known to every program */
	ENVIRONMENT_PASSED, /* set for the ranks, read by the shim */
	ENVIRONMENT_LAUNCH, /* set for the ranks by their launcher, read by the shim */
	ENVIRONMENT_OUTER,  /* set by a launcher for one of its ranks: removed */
	ENVIRONMENT_BATCH,  /* read by launchers: removed, except for one that the user has named */
	ENVIRONMENT_FORCED, /* set for MPI; overrides a value of the user */
	ENVIRONMENT_DEFAULT, /* set for MPI or libc unless the user has set it */
};

struct environment_variable {
	const char *name; /* OUTER, BATCH: may end in *, for all that begin so */
	enum environment_role role;
	const char *value; /* NULL: it depends on the run, or is only read */
	const char *explanation;
};

/* Returns all tables as one. Its last entry has the name NULL. */
const struct environment_variable *environment_variables(void);

#endif
