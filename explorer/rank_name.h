/* The names of a job's ranks, as reports, the prompt, paths and the process table show them, after
 * Gottbrath et al. (EuroPVM/MPI 2006, "An interface to support the identification of dynamic MPI 2
 * processes for scalable parallel debugging"). A name is made here and nowhere else.
 *
 *   2          rank 2 of the first MPI_COMM_WORLD
 *   0.2:1      rank 1 of what rank 0 spawned with its second spawn as root
 *   0.2:1.1:0  rank 0 of what that rank spawned with its first spawn
 *   1:0        rank 0 of the second world of a program whose parts are worlds of their own
 *   1:0.1:3    rank 3 of what that rank spawned first
 *
 * In front of the last colon is the name of the world. A job of one world has only numbers.
 *
 * Names depend on nothing but the parts of the program, and so are the same in each interleaving.
 * If parts wait for the same spawn with several commands, a rank's number in its world is its place
 * among all of them. Names, and tables of them, are valid until the process ends. */
#ifndef MATCHPOINT_EXPLORER_RANK_NAME_H
#define MATCHPOINT_EXPLORER_RANK_NAME_H

#include <glib.h>
#include <stdbool.h>

/* The names of a job with several worlds. NULL stands for one world wherever this is taken or
 * returned. */
struct rank_names;

/* The worlds as text, as a path has it (path.h): "2+1+3by0.1" stands for two ranks in the first
 * world, a second world of one rank, and three ranks that wait for the first spawn of rank 0 of the
 * job. NULL with *ret_problem set (free with g_free): it is not such a text for this number of
 * ranks. */
const struct rank_names *rank_names_of(const char *worlds, int ranks, char **ret_problem);
/* Whether they are those of so many ranks. */
bool rank_names_fit(const struct rank_names *names, int ranks);
/* The text again. */
const char *rank_names_worlds(const struct rank_names *names);

/* The functions below use the names of one job at a time, as a process of matchpoint has to do with
 * one: a session gives its program (program_parts.h) when it begins, a reader of a store when it is
 * opened. */
void rank_names_set(char *const *program, int ranks);
const struct rank_names *rank_names_current(void);
/* Whether some rank is in another world than the first. */
bool rank_names_divide(void);

/* The name of a rank of the job; of a number that is no rank, the number. */
const char *rank_name(int rank);
const char *rank_name_in(const struct rank_names *names, int rank);
/* "0.2"; "0" for the first world. */
const char *rank_world(int rank);
/* The name for a row of ranks of one world: "2-4", "0.2:1-3"; of one: its name. */
const char *rank_names_row(int first, int last);
/* The last rank of the row from `rank` on, at most `most`. */
int rank_names_row_end(int rank, int most);

/* The rank of the job that a text begins with, as a name or as its number; *ret_end is the position
 * after it. -1: there is none, and *ret_end is not set. The text "0.2:1.4" begins with 0.2:1, and
 * "0.2.4" with 0. */
int rank_named(const char *text, const char **ret_end);
int rank_named_in(const struct rank_names *names, const char *text, const char **ret_end);
/* The same for a text that is nothing else, between spaces. */
int rank_of_name(const char *text);
/* Parses "2", "2-4", "0.1:0", "0.1:0-2" or "0.1:0-0.1:2"; a number alone behind the dash is one of
 * the same world. false: `text` is something else, or a rank is not below `ranks`. */
bool rank_names_read(const char *text, int ranks, int *ret_first, int *ret_last);
/* "ranks are 0 to 3", or "ranks are 0 to 1, 0.1:0 to 0.1:2": those of a job of so many. */
char *rank_names_all(int ranks);

#endif
