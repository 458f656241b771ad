/* Several programs as the ranks of one world (MPMD), as one list of words. It begins with the first
 * program, which has the ranks that the others leave:
 *
 *   ./server PORT : -n 3 ./client A : -n 1 ./client B
 *
 * Each ":" is followed by -n or -np, a number of ranks, a program and its arguments, as mpiexec has
 * it (MPI 3.1, section 8.8). A list without ":" is one program.
 *
 *   ./parent : -n 3 -spawned 0.1 ./child
 *
 * Ranks 1 to 3 are not part of the program's first MPI_COMM_WORLD. They wait until rank 0 makes its
 * first spawn as root, and are what it spawns (common/prelaunched.h). Such parts come last.
 *
 *   ./server : -n 3 -apart ./client
 *
 * Here the ranks of the client have an MPI_COMM_WORLD of their own. */
#ifndef MATCHPOINT_EXPLORER_PROGRAM_PARTS_H
#define MATCHPOINT_EXPLORER_PROGRAM_PARTS_H

#include <glib.h>
#include <stdbool.h>

/* One of the programs. Its words belong to the list, and are not NULL-terminated. */
struct program_part {
	int first; /* its first rank */
	int ranks;
	char *const *words;
	guint length; /* of words; at least 1 */
	int root;     /* of the spawn that its ranks wait for, and */
	int spawn;    /* its number from 1; 0: they run at once */
	bool apart;   /* they have an MPI_COMM_WORLD of their own, with the parts behind that have
	                 none */
};

/* How many ranks the programs behind the first one have. -1 with *ret_problem set (free with
 * g_free): the list is not as above. */
int program_parts_behind(char *const *program, char **ret_problem);

/* The programs in order (struct program_part), if so many ranks are enough for them; free with
 * g_array_unref. NULL with *ret_problem set: they are not, or the list is not as above. */
GArray *program_parts(char *const *program, int ranks, char **ret_problem);

/* The ranks that run at once, of a list that is as above. */
int program_parts_at_once(char *const *program, int ranks);
/* Those of them that are in the first MPI_COMM_WORLD. */
int program_parts_first_world(char *const *program, int ranks);
/* Whether ranks are in another MPI_COMM_WORLD than the first one, or wait to be spawned. */
bool program_parts_divide(char *const *program, int ranks);
/* A list in which each part that runs at once has a world of its own; free with g_strfreev. Of a
 * list that is as above. */
char **program_parts_separate(char *const *program);
/* How a job is divided, with all others, as text (common/prelaunched.h); free with g_free. */
char *program_parts_prelaunched(char *const *program, int ranks);
/* A list with one more part; free with g_strfreev. */
char **program_parts_add(char *const *program, int ranks, int root, int spawn, const char *command);

/* The first word of each program, each name once (char *, borrowed from the list); free with
 * g_ptr_array_unref. Of a list that is as above. */
GPtrArray *program_parts_names(char *const *program);

#endif
