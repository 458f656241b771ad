/* The process of one replayed rank. */
#ifndef MATCHPOINT_SCHEDULER_RECORDING_REPLAYED_PROCESS_H
#define MATCHPOINT_SCHEDULER_RECORDING_REPLAYED_PROCESS_H

#include <glib.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

/* How the rank was started. */
struct replayed_start {
	char **arguments, **environment;
	char *program, *folder; /* as it was given to execve; the folder may be NULL */
	rlim_t stack;           /* its limit */
};

/* False with `error` set. Either way, *ret is to be cleared; it begins empty. */
bool replayed_start_read(const char *directory, int rank, struct replayed_start *ret,
                         GError **error);
void replayed_start_clear(struct replayed_start *start);

struct replayed_process {
	pid_t pid;
	int news; /* what it tells can be read here (shim/record/replay.h); the owner closes it */
};

/* How it is replayed; all NULL or 0: alone, to the end. */
struct replayed_mode {
	const char *marks; /* names the socket of agent_marks_begin */
	bool matches;      /* the news tell what each call got (shim/record/matches.h) */
	bool calls;        /* the same, of all calls; its output is not kept */
	bool in_step;      /* with other ranks: */
	int steps;         /* descriptor of common/recording_steps.h; the caller's */
};

/* Starts it. With marks or matches, its output goes to files in the scratch folder, and it has a
 * session of its own; else it has this process's output. False with `error` set. */
bool replayed_process_start(const char *directory, int rank, const struct replayed_mode *mode,
                            struct replayed_process *ret, GError **error);

/* The recorded program, an absolute path; free with g_free. NULL with `error` set. */
char *replayed_program(const char *directory, int rank, GError **error);
/* The folder for what the rank writes; free with g_free. */
char *replayed_folder(const char *directory, int rank);

#endif
