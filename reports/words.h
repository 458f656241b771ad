/* What a report says in words, the same in every format that people read. Texts are plain, not
 * escaped for any format; those that are not const are freed with g_free. */
#ifndef MATCHPOINT_REPORTS_WORDS_H
#define MATCHPOINT_REPORTS_WORDS_H

#include "../scheduler/record.h"

/* "rank 1" or "ranks 0, 2-3"; `ranks` is of int32_t, ascending. */
char *words_ranks(const GArray *ranks);

/* The command line as one would type it. */
char *words_program(const struct record_exploration *exploration);

/* "zero and infinite buffering" */
const char *words_bufferings(uint32_t bufferings);

/* "MPI_Recv(source=1, tag=7)", or an empty text. */
char *words_call(const struct record_rank *rank);

/* What a rank does at the end: "waits for rank 1, which has ended". `roll_call` is of struct
 * record_rank. */
char *words_state(const struct record_rank *rank, const GPtrArray *roll_call);

/* The choice that a finding needs, and its alternative: "rank 0's MPI_Recv(ANY_SOURCE) at a.c:5
 * takes rank 1's message (a.c:9), not rank 2's". */
char *words_blame(const struct record_choice *blame);

#endif
