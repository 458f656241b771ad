/* Which programs run as which ranks, and on which nodes, as it is given on the command line.
 * Whatever returns a failure has printed why. */
#ifndef MATCHPOINT_SCHEDULER_COMMANDS_COMMAND_RANKS_H
#define MATCHPOINT_SCHEDULER_COMMANDS_COMMAND_RANKS_H

#include <stdbool.h>

#define COMMAND_NODES_HELP                                                           \
	"let MPI and the program see the ranks on K nodes, or with so many on each " \
	"(default: 1)"
#define COMMAND_NODES_VALUE "K|N+N..."

/* "-n 2 ./server : -n 3 ./client" (explorer/program_parts.h): *ranks, those of the first program,
 * becomes the number of all, at most `most`. It stays 0, not known. */
bool command_add_ranks_behind(char *const *program, int most, int *ranks);

/* Stores the nodes that --nodes asks for (explorer/nodes.h). `text`: as given; NULL: one node. */
bool command_read_nodes(const char *text, int ranks, const char **ret);

/* Whether ranks can be started on these nodes by --launcher (NULL: not given). */
bool command_can_start_on(const char *nodes, const char *launcher);
/* Whether the program can be recorded on so many ranks: not if it spawns processes or connects.
 * Returns false after printing an error. */
bool command_can_record(char *const *program, int ranks);

/* Returns EXIT_CLEAN if each of the programs can be run, else EXIT_CANNOT. */
int command_inspect_programs(char *const *program);

#endif
