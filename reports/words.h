/* What a report says in words, the same in every format that people read. Texts are plain, not
 * escaped for any format; those that are not const are freed with g_free. */
#ifndef MATCHPOINT_REPORTS_WORDS_H
#define MATCHPOINT_REPORTS_WORDS_H

#include <stdbool.h>

#include "scheduler/store/reader.h"

/* "rank 1" or "ranks 0, 2-3"; `ranks` is of int32_t, ascending. */
char *words_ranks(const GArray *ranks);

/* GCompareFunc for such arrays. */
int words_compare_ranks(const void *one, const void *other);

/* A word as a shell wants it; where it has control characters, as bash's $'...' does. */
char *words_shell(const char *word);

/* The command line as one would type it. */
char *words_program(const struct record_exploration *exploration);

/* "zero and infinite buffering" */
const char *words_bufferings(uint32_t bufferings);

/* "MPI_Recv(source=1, tag=7)", or an empty text. */
char *words_call(const struct record_rank *rank);

/* What a rank does at the end: "waits for rank 1, which has ended". `roll_call` is of struct
 * record_rank. */
char *words_state(const struct record_rank *rank, const GPtrArray *roll_call);

/* A line of the roll-call: ranks that are in the same state share one. */
struct words_line {
	GArray *ranks; /* of int32_t, ascending */
	char *call, *place, *state;
	char *callers; /* words_callers */
	bool ended;
	bool well; /* it ended so */
};

/* The roll-call (of struct record_rank), in order, without `told` (NULL: all), as an array of
 * struct words_line; free with g_ptr_array_unref. */
GPtrArray *words_roll_call(const struct store_reader *reader, const GPtrArray *roll_call,
                           const struct record_rank *told);

/* "called from exchange (a.c:13), main (a.c:26)"; NULL: there is no such stack, or the place of its
 * call tells as much. Those of a rank, and of a crash in any case. */
char *words_callers(const struct store_reader *reader, uint32_t stack);
char *words_rank_callers(const struct store_reader *reader, const struct record_rank *rank);

bool words_is_exploration(const struct record_exploration *exploration);

/* Of a finding that is not `reproduced`: why; NULL when it is, or findings are not replayed. */
const char *words_not_reproduced(const struct record_finding *finding,
                                 const struct record_exploration *exploration);

/* "shard 2/3"; NULL: it is none. */
char *words_shard(const struct record_exploration *exploration);

/* "6 interleavings of ./solver on 4 ranks" */
char *words_subject(const struct record_exploration *exploration);
/* The same sentence's end: ", all explored (zero and infinite buffering), 0.31 s" */
char *words_extent(const struct record_exploration *exploration);

/* "1 deadlock in 2 interleavings", one for each kind in the order first seen; free with g_strfreev.
 */
GStrv words_counts(const struct store_reader *reader);
/* What is said when there is none: "nothing wrong", or "... so far". */
const char *words_nothing(const struct record_exploration *exploration);

/* How often a finding shows: "2 of 6 interleavings, any buffering". */
char *words_share(const struct record_finding *finding,
                  const struct record_exploration *exploration);

/* The bufferings under which it, or a variant of it, occurs. */
uint32_t words_where(const struct record_finding *finding);

/* A line for each variant of a finding that shows elsewhere or with others, the first few: "#2, 142
 * interleavings: rank 0 in MPI_Recv(source=1) at farm.c:39, path ..."; free with g_strfreev. */
#define WORDS_VARIANTS_MOST 5u
GStrv words_variants(const struct record_finding *finding);

/* What is wrong in one line: "rank 0 waits for rank 1, which has ended". */
char *words_headline(const struct record_finding *finding);

/* The end of what a rank wrote, at most so many lines: "  rank 1 wrote to standard error:" and its
 * lines, each with its end; `where` follows "wrote". NULL: nothing. */
char *words_wrote(int rank, const char *where, GBytes *bytes, unsigned most);

/* The command that shows an interleaving again. */
char *words_again(const char *path, const struct record_exploration *exploration);

/* The same for a finding: by its path, or by its number where that is too long for a command line
 * and the store stays. */
char *words_finding_again(const struct store_reader *reader, const struct record_finding *finding);

/* The path as a line of text: a long one is cut, which is said. */
char *words_path(const char *path);

/* The choice that a finding needs, and its alternative: "rank 0's MPI_Recv(ANY_SOURCE) at a.c:5
 * takes rank 1's message (a.c:9), not rank 2's". */
char *words_blame(const struct record_choice *blame);

#endif
