/* What the parts of a sketch share: sketch_trace.c (a rank's calls in one interleaving),
 * sketch_branch.c (both together), sketch.c, sketch_print.c and sketch_calls.c (as C). */
#ifndef MATCHPOINT_SCHEDULER_REPRODUCE_SKETCH_INTERNAL_H
#define MATCHPOINT_SCHEDULER_REPRODUCE_SKETCH_INTERNAL_H

#include <stdbool.h>
#include <string.h>

#include "sketch.h"

static inline struct sketch_step *sketch_step(const struct sketch *sketch, guint index)
{
	return sketch->steps->pdata[index];
}

/* The index of a step of this kind (a receive may also be a probe or a question); -1: there is
 * none. */
int sketch_find(const struct sketch *sketch, enum sketch_side side, int32_t rank, uint32_t call,
                uint32_t sub, enum sketch_kind kind);

/* Whether the index of a step is among these; NULL: there are none. */
bool sketch_contains(const GArray *indices, guint index);

/* Whether a question is asked in the program, because what it is told differs; else it is waited
 * for what is reported. */
bool sketch_asks(const struct sketch_step *step);
/* The step that cancels this one; -1: there is none, or it is left out. */
int sketch_cancels(const struct sketch *sketch, guint index);
/* Whether all three steps of an MPI_Sendrecv are left, of which this is the first. */
bool sketch_is_exchange(const struct sketch *sketch, guint index);
/* Whether something is left of the rank that depends on which interleaving it is in. */
bool sketch_knows(const struct sketch *sketch, int32_t rank);
/* Whether this step is one where a rank is told a different thing in each. */
enum sketch_sign sketch_sign(const struct sketch_step *step);

/* --- sketch_trace.c --- */

/* What a rank called in one interleaving. */
struct sketch_trace {
	GPtrArray *steps; /* struct sketch_step; `waits` and `reported` are indices in here */
	bool known;       /* there is such an interleaving */
	bool stuck;       /* it never got beyond its last call */
};

struct sketch_trace sketch_trace_make(const struct record_finding *finding,
                                      const struct record_execution *execution, int32_t rank,
                                      enum sketch_side side);
void sketch_step_free(gpointer step);

/* --- sketch_branch.c --- */

/* Appends the steps of a rank: what both interleavings have in common, then each one's own. The
 * choice to blame may be NULL. */
void sketch_join(struct sketch *sketch, const struct record_choice *blame, struct sketch_trace *bad,
                 struct sketch_trace *good);
/* Finds out how ranks know which interleaving they are in, where they must. */
void sketch_find_conditions(struct sketch *sketch);

/* --- sketch_print.c, sketch_calls.c --- */

struct sketch_printing {
	struct sketch *sketch;
	GString *text;
	uint32_t line;
	const char *indent;
	GArray *communicators; /* guint64: those besides MPI_COMM_WORLD that are used */
	GArray *windows;       /* guint64: those of which locks are taken */
	guint *request;        /* by step: the number of its request within its rank, from 1 */
	guint *status;         /* by step: the number of its status within its rank, from 1 */
	guint requests, statuses;
	bool data;            /* a buffer is needed */
	bool result, results; /* a second buffer is needed; one for each request */
	const char *object;   /* the type of what is never freed; NULL: there is nothing */
	bool early;           /* a question may be about requests that are not there yet */
	bool flag, index, count, told, cancelled; /* variables of these names are used */
};

/* Where it stands among communicators or windows (guint64); -1: it is not among them. */
int sketch_position(const GArray *numbers, uint64_t number);
void sketch_put(struct sketch_printing *printing, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* A call with its place, and what else is to be said of it. */
void sketch_put_call(struct sketch_printing *printing, struct sketch_step *step, const char *call);
/* "comm[0]" and the number of a rank in it. */
char *sketch_communicator(const struct sketch_printing *printing, uint64_t communicator);
int32_t sketch_rank_in(const struct sketch_printing *printing, int32_t rank, uint64_t communicator);
/* The type of what a function makes. */
const char *sketch_object(enum mpi_call function);
void sketch_put_step(struct sketch_printing *printing, guint index);
/* Whether the program asks if this SKETCH_CANCEL came in time. */
bool sketch_tests_cancelled(const struct sketch *sketch, guint index);
/* The condition by which a rank knows that it is in the finding's interleaving, or that it is not;
 * as C. */
char *sketch_condition(const struct sketch_printing *printing, int32_t rank, bool bad);
/* The requests of a question, as far as they are left: first and last number. */
void sketch_asked(const struct sketch_printing *printing, const struct sketch_step *step,
                  guint *ret_first, guint *ret_last);

/* --- sketch_window.c: windows are made at the beginning, on MPI_COMM_WORLD --- */

void sketch_survey_windows(struct sketch_printing *printing);
void sketch_declare_windows(struct sketch_printing *printing);
void sketch_put_windows(struct sketch_printing *printing, bool free_them);
void sketch_put_lock(struct sketch_printing *printing, guint index);

/* A lock's taking and its giving back stay or go together. */
void sketch_unite_locks(struct sketch *sketch);
/* Whether who keeps a lock still does so where the rank stood: nobody just forgets to unlock. */
bool sketch_keeps_locks(const struct sketch *sketch);

#endif
