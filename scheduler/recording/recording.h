/* Recordings of runs (docs/recording.md): a folder with a log for each rank. */
#ifndef MATCHPOINT_SCHEDULER_RECORDING_RECORDING_H
#define MATCHPOINT_SCHEDULER_RECORDING_RECORDING_H

#include <glib.h>
#include <stdbool.h>

struct recording_options {
	char **program; /* argv, NULL-terminated */
	int ranks;
	const char *launcher;  /* NULL: mpiexec.mpich -n N */
	const char *nodes;     /* virtual nodes (explorer/nodes.h); NULL: one */
	const char *directory; /* made if it is missing; must hold nothing, or a recording */
	bool copies_input;     /* standard input is copied first, and replaced by the copy */
	const char *input;     /* instead: the file that rank 0 reads; NULL: none */
};

/* Runs the program and records it. Returns the launcher's exit status (as in a shell), or -1 with
 * `error` set. */
int recording_make(const struct recording_options *options, GError **error);

/* Makes the folder of a recording for ranks that others start, under `recording_words`. Returns
 * false with `error` set. */
bool recording_prepare(const struct recording_options *options, GError **error);
/* What stands before the program of each rank; free with g_strfreev. NULL with `error` set. */
char **recording_words(const char *directory, GError **error);

/* Whether a folder holds a recording. */
bool recording_is_there(const char *directory);
/* Its number of ranks; 0 with `error` set. */
int recording_ranks(const char *directory, GError **error);

/* matchpoint, called with `__record DIRECTORY LIBRARY PROGRAM ARG...`, becomes a rank that is
 * recorded; argv follows the verb. Returns an exit status if it cannot. */
int recording_become(char **argv);
#define RECORDING_VERB "__record"

/* The file of a rank, as "DIR/rank.3.log"; free with g_free. */
char *recording_file(const char *directory, int rank, const char *what);

#define RECORDING_ERROR (recording_error_quark())
GQuark recording_error_quark(void);

#endif
