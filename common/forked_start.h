/* Ranks that are forked from one process, the starter, just before main(): the program and its
 * libraries are loaded and bound once for all of them. Names that both sides know. No code.
 *
 * The starter is the program itself, with the shim preloaded. The shim forks the ranks
 * (shim/lifecycle/forked_start.h), or executes the launcher instead, if what libraries did when
 * they were loaded could differ by rank. */
#ifndef MATCHPOINT_COMMON_FORKED_START_H
#define MATCHPOINT_COMMON_FORKED_START_H

/* Environment variables of the starter alone. */
#define FORKED_START_RANKS "MATCHPOINT_FORKS"     /* how many */
#define FORKED_START_ELSE "MATCHPOINT_FORKS_ELSE" /* words before the program's, a line each */

/* Variables whose values differ by rank have these names in the starter. The child changes name and
 * value where they stand, so that /proc shows them as well. */
#define FORKED_START_RANK "PMI_RAN_"
#define FORKED_START_LOCAL_RANK "MPI_LOCALRANKI_"
#define FORKED_START_CONNECTION "PMI_F_"
#define FORKED_START_ROOM "0000000000" /* digits of any int */

/* The file in the run directory in which a starter that executes the launcher says why. */
#define FORKED_START_REASON "start"

#endif
