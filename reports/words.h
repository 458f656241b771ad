/* The phrases of a report, the same in every format that people read. Texts are plain: not
 * escaped for any format. Results that are not const are freed with g_free. */
#ifndef MATCHPOINT_REPORTS_WORDS_H
#define MATCHPOINT_REPORTS_WORDS_H

#include <stdbool.h>

#include "scheduler/store/reader.h"

/* "rank 1" or "ranks 0, 2-3". `ranks`: int32_t, ascending. */
char *words_ranks(const GArray *ranks);

/* GCompareFunc for such arrays. */
int words_compare_ranks(const void *one, const void *other);

/* A word quoted for a shell. With control characters it is quoted as bash's $'...'. */
char *words_shell(const char *word);

/* The command line, as a user would type it behind the first number of ranks. */
char *words_program(const struct record_exploration *exploration);

/* "zero and infinite buffering" */
const char *words_bufferings(uint32_t bufferings);

/* "interleaving 3"; "recorded run". Free with g_free. */
char *words_execution(const struct record_execution *execution,
                      const struct record_exploration *exploration);

/* "MPI_Recv(source=1, tag=7)"; "" if the call is unknown. */
char *words_call(const struct record_rank *rank);

/* What a rank does at the end: "waits for rank 1, which has ended". `roll_call`: struct
 * record_rank. */
char *words_state(const struct record_rank *rank, const GPtrArray *roll_call);

/* A line of the roll-call. Ranks in the same state share a line. */
struct words_line {
	GArray *ranks;   /* int32_t, ascending */
	uint32_t thread; /* of each, as in struct record_rank */
	char *call, *place, *state;
	char *callers; /* as from words_callers; or NULL */
	bool ended;
	bool well; /* the rank ended without a problem */
};

/* What to do next about an exploration that is not complete: "next: --resume ...". NULL: nothing to
 * propose. Free with g_free. */
char *words_next(const struct record_exploration *exploration);

/* The choice to blame without what it takes: "rank 0's MPI_Recv(ANY_SOURCE) at a.c:7". Free with
 * g_free. */
char *words_cause(const struct record_choice *blame);

/* "ranks 0, 2-3"; "rank 1, thread 2". Free with g_free. */
char *words_who(const GArray *ranks, uint32_t thread);

/* The lines of the roll-call (struct record_rank), in order, as an array of struct words_line.
 * `told` is left out; NULL: all are included. Free with g_ptr_array_unref. */
GPtrArray *words_roll_call(const struct store_reader *reader, const GPtrArray *roll_call,
                           const struct record_rank *told);

/* "called from exchange (a.c:13), main (a.c:26)". NULL: there is no such stack, or it adds
 * nothing to the place of its call. words_rank_callers: the callers of a rank; a crash always
 * has them. */
char *words_callers(const struct store_reader *reader, uint32_t stack);
char *words_rank_callers(const struct store_reader *reader, const struct record_rank *rank);

bool words_is_exploration(const struct record_exploration *exploration);
/* Whether it is a recorded run: nothing was checked. */
bool words_is_recording(const struct record_exploration *exploration);

/* Why a finding is not `reproduced`. NULL: it is, or findings are not replayed. */
const char *words_not_reproduced(const struct record_finding *finding,
                                 const struct record_exploration *exploration);

/* "shard 2/3"; NULL: not a shard. */
char *words_shard(const struct record_exploration *exploration);

/* "6 interleavings", "1 interleaving", "more than 10^18 interleavings" */
char *words_interleavings(uint64_t number);
/* The number alone. */
char *words_number(uint64_t number);

/* "./solver on 4 ranks"; several programs: "./server (rank 0) and ./client (ranks 1-3)"; with
 * virtual nodes: "./solver on 4 ranks on 2 nodes (3+1)". Free with g_free. */
char *words_started(const struct record_exploration *exploration);

/* "6 interleavings of ./solver on 4 ranks", "a recorded run of ./solver on 4 ranks"; where states
 * were explored "120 interleavings (77 states) of ...", or "77 states of ..." if the number of
 * interleavings is not known */
char *words_subject(const struct record_exploration *exploration);
/* The end of the same sentence: ", all explored (zero and infinite buffering), 0.31 s" */
char *words_extent(const struct record_exploration *exploration);

/* "1 deadlock in 2 interleavings", one string for each kind, in the order first seen. Free with
 * g_strfreev. */
GStrv words_counts(const struct store_reader *reader);
/* "not checked: TEXT; TEXT": what stands directly under the verdict. NULL: nothing. Free with
 * g_free. */
char *words_not_checked(const struct record_exploration *exploration);

/* The text if there are no findings: "nothing wrong", or "nothing wrong so far"; of a recorded run
 * "nothing was checked". */
const char *words_nothing(const struct record_exploration *exploration);

/* How often a finding occurs: "2 of 6 interleavings, any buffering". */
char *words_share(const struct record_finding *finding,
                  const struct record_exploration *exploration);

/* The bufferings under which the finding, or a variant of it, occurs. */
uint32_t words_where(const struct record_finding *finding);

/* A line for each of the first variants of a finding that occur at other places or with other
 * ranks: "#2, 142 interleavings: rank 0 in MPI_Recv(source=1) at farm.c:39, path ...". Free with
 * g_strfreev. */
#define WORDS_VARIANTS_MOST 5u
GStrv words_variants(const struct record_finding *finding);

/* What is wrong, in one line: "rank 0 waits for rank 1, which has ended". */
char *words_headline(const struct record_finding *finding);

/* The last lines of what a rank wrote, at most `most`: "  rank 1 wrote to standard error:" and
 * the lines, each with its newline. `where` follows "wrote". NULL: it wrote nothing. */
char *words_wrote(int rank, const char *where, GBytes *bytes, unsigned most);

/* The command that shows an interleaving, or a recorded run, again. */
char *words_again(const char *path, const struct record_exploration *exploration);

/* The same for a finding. It names the path, or the finding's number if the path is too long for
 * a command line and the store is kept. */
char *words_finding_again(const struct store_reader *reader, const struct record_finding *finding);

/* The path as a line of text. A long path is cut, with a note. */
char *words_path(const char *path);

/* The choice that a finding needs, and its alternative: "rank 0's MPI_Recv(ANY_SOURCE) at a.c:5
 * takes rank 1's message (a.c:9), not rank 2's". */
char *words_blame(const struct record_choice *blame);

#endif
