/* Several programs as the ranks of one world (MPMD), as one list of words. It begins with the first
 * program, which has the ranks that the others leave:
 *
 *   ./server PORT : -n 3 ./client A : -n 1 ./client B
 *
 * Each ":" is followed by -n or -np, a number of ranks, a program and its arguments, as mpiexec has
 * it (MPI 3.1, section 8.8). A list without ":" is one program. */
#ifndef MATCHPOINT_EXPLORER_PROGRAM_PARTS_H
#define MATCHPOINT_EXPLORER_PROGRAM_PARTS_H

#include <glib.h>

/* One of the programs. Its words belong to the list, and are not NULL-terminated. */
struct program_part {
	int first; /* its first rank */
	int ranks;
	char *const *words;
	guint length; /* of words; at least 1 */
};

/* How many ranks the programs behind the first one have. -1 with *ret_problem set (free with
 * g_free): the list is not as above. */
int program_parts_behind(char *const *program, char **ret_problem);

/* The programs in order (struct program_part), if so many ranks are enough for them; free with
 * g_array_unref. NULL with *ret_problem set: they are not, or the list is not as above. */
GArray *program_parts(char *const *program, int ranks, char **ret_problem);

/* The first word of each program, each name once (char *, borrowed from the list); free with
 * g_ptr_array_unref. Of a list that is as above. */
GPtrArray *program_parts_names(char *const *program);

#endif
