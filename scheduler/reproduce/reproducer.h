/* A folder with which anybody can show a finding again, using the original program:
 *
 *   path       the choices, one line
 *   program    the program and its arguments, quoted for a shell, one line
 *   versions   matchpoint's, MPI's, and the program's SHA-256
 *   finding    what is wrong, in words
 *   input      rank 0's standard input, if it was a file
 *   run        a script: ./run, or ./run PROGRAM [ARG...] if the program is elsewhere
 */
#ifndef MATCHPOINT_SCHEDULER_REPRODUCE_REPRODUCER_H
#define MATCHPOINT_SCHEDULER_REPRODUCE_REPRODUCER_H

#include <glib.h>
#include <stdbool.h>

struct reproducer {
	char *path;
	char **program;       /* NULL-terminated */
	char *standard_input; /* a file, which is copied; NULL: none */
	/* only for reproducer_write: */
	char **options;  /* of replay: --launcher CMD etc.; NULL: none */
	const char *mpi; /* first line of its version; NULL: not known */
	const char *finding;
	/* only from reproducer_read: the program's SHA-256 when the folder was written; NULL: not
	 * known */
	char *sum;
};

void reproducer_clear(struct reproducer *reproducer); /* not the members for reproducer_write */

/* Creates the folder if missing, and replaces these files in it. */
bool reproducer_write(const char *directory, const struct reproducer *reproducer, GError **error);

/* false with `error` set: the directory is no such folder. */
bool reproducer_read(const char *directory, struct reproducer *ret, GError **error);

/* SHA-256 of a file, as sha256sum prints it; NULL: it cannot be read. Free with g_free. */
char *reproducer_sum(const char *file);

#endif
