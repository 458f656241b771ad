/* Internals shared by the parts of a sketch: sketch_trace.c (a rank's calls in one interleaving),
 * sketch_branch.c (both interleavings joined), sketch.c, sketch_print.c, sketch_calls.c and
 * sketch_window.c (output as C). */
#ifndef MATCHPOINT_SCHEDULER_REPRODUCE_SKETCH_INTERNAL_H
#define MATCHPOINT_SCHEDULER_REPRODUCE_SKETCH_INTERNAL_H

#include <stdbool.h>
#include <string.h>

#include "sketch.h"

static inline struct sketch_step *sketch_step(const struct sketch *sketch, guint index)
{
	return sketch->steps->pdata[index];
}

/* The index of a step of this kind (a receive may also be a probe or a question); -1: none. */
int sketch_find(const struct sketch *sketch, enum sketch_side side, int32_t rank, uint32_t call,
                uint32_t sub, enum sketch_kind kind);

/* Whether the indices contain this one; NULL: no indices. */
bool sketch_contains(const GArray *indices, guint index);

/* Whether the program asks a question because its answer differs. Otherwise it waits for the
 * requests reported. */
bool sketch_asks(const struct sketch_step *step);
/* The step that cancels this one; -1: none, or dropped. */
int sketch_cancels(const struct sketch *sketch, guint index);
/* Whether all three steps of the MPI_Sendrecv that begins here remain. */
bool sketch_is_exchange(const struct sketch *sketch, guint index);
/* Whether a remaining step of the rank depends on the interleaving. */
bool sketch_knows(const struct sketch *sketch, int32_t rank);
/* How a rank distinguishes the interleavings at this step, if it can. */
enum sketch_sign sketch_sign(const struct sketch_step *step);

/* --- sketch_trace.c --- */

/* The calls of a rank in one interleaving. */
struct sketch_trace {
	GPtrArray *steps; /* struct sketch_step; `waits` and `reported` are indices in here */
	bool known;       /* such an interleaving exists */
	bool stuck;       /* its last call never returned */
};

struct sketch_trace sketch_trace_make(const struct record_finding *finding,
                                      const struct record_execution *execution, int32_t rank,
                                      enum sketch_side side);
void sketch_step_free(gpointer step);

/* --- sketch_branch.c --- */

/* Appends the steps of a rank: the common ones, then those of each interleaving. The choice to
 * blame may be NULL. */
void sketch_join(struct sketch *sketch, const struct record_choice *blame, struct sketch_trace *bad,
                 struct sketch_trace *good);
/* Finds conditions for the ranks that must know which interleaving they are in. */
void sketch_find_conditions(struct sketch *sketch);

/* --- sketch_print.c, sketch_calls.c --- */

struct sketch_printing {
	struct sketch *sketch;
	GString *text;
	uint32_t line;
	const char *indent;
	GArray *communicators; /* guint64: communicators used, besides MPI_COMM_WORLD */
	GArray *windows;       /* guint64: windows with locks */
	guint *request;        /* by step: the number of its request within its rank, from 1 */
	guint *status;         /* by step: the number of its status within its rank, from 1 */
	guint requests, statuses;
	bool data;            /* a buffer is needed */
	bool result, results; /* a second buffer is needed; one for each request */
	const char *object;   /* type of the objects that are never freed; NULL: none */
	bool early;           /* a question may include requests that are not started yet */
	bool flag, index, count, told, cancelled; /* variables of these names are used */
};

/* The index of a communicator or window (guint64); -1: not there. */
int sketch_position(const GArray *numbers, uint64_t number);
void sketch_put(struct sketch_printing *printing, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Prints a call with its place and further comments. */
void sketch_put_call(struct sketch_printing *printing, struct sketch_step *step, const char *call);
/* "comm[0]" and the number of a rank in it. */
char *sketch_communicator(const struct sketch_printing *printing, uint64_t communicator);
int32_t sketch_rank_in(const struct sketch_printing *printing, int32_t rank, uint64_t communicator);
/* The type of the object that a function creates. */
const char *sketch_object(enum mpi_call function);
void sketch_put_step(struct sketch_printing *printing, guint index);
/* Whether the program tests if this SKETCH_CANCEL succeeded. */
bool sketch_tests_cancelled(const struct sketch *sketch, guint index);
/* The C condition that a rank is in the finding's interleaving, or that it is not. */
char *sketch_condition(const struct sketch_printing *printing, int32_t rank, bool bad);
/* The numbers of the first and last remaining request of a question. */
void sketch_asked(const struct sketch_printing *printing, const struct sketch_step *step,
                  guint *ret_first, guint *ret_last);

/* --- sketch_window.c: windows are created at the beginning, on MPI_COMM_WORLD --- */

void sketch_survey_windows(struct sketch_printing *printing);
void sketch_declare_windows(struct sketch_printing *printing);
void sketch_put_windows(struct sketch_printing *printing, bool free_them);
void sketch_put_lock(struct sketch_printing *printing, guint index);

/* Unites the lock and unlock calls that belong together. */
void sketch_unite_locks(struct sketch *sketch);
/* Whether a rank that keeps a lock still does so where it was in the finding: it must not merely
 * lack its unlock call. */
bool sketch_keeps_locks(const struct sketch *sketch);

#endif
