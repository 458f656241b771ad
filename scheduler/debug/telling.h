/* Output about an interleaving that has stopped or ended. Functions append lines, each with its
 * newline, to `text`. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_TELLING_H
#define MATCHPOINT_SCHEDULER_DEBUG_TELLING_H

#include "scheduler/verdict/verdict.h"

struct pickles;

/* The open choices at a stop: each point with its candidates, numbered consecutively. */
struct offers {
	GPtrArray *points; /* struct record_choice: `taken` first, then the alternatives */
	GArray *choices;   /* struct choice, by number - 1 */
};

/* `open` has struct open_choice. */
struct offers *offers_new(const struct verdict_facts *facts, const GArray *open);
void offers_free(struct offers *offers); /* NULL is legal */

/* A note on an offer, as "taken last time"; NULL: none. Free with g_free. */
typedef char *(*telling_note)(void *user, const struct choice *choice);

/* Appends "choice 0.2: 1 2" for each point: lines that scripts rely on. */
void telling_points(GString *text, const struct offers *offers);
/* Appends each point with its call, each offer with its number, and the other ranks. */
void telling_offers(GString *text, const struct verdict_facts *facts, struct pickles *pickles,
                    const struct offers *offers, telling_note note, void *user);

/* The messages (struct op_id) of an offer, by its number: those that a receive can take, or that
 * have arrived for the reported requests. Free with g_array_unref. */
GArray *telling_offered(const struct verdict_facts *facts, const struct offers *offers,
                        guint number);
/* The contents of a message, with its first values: "2 MPI_INT: {1, 2}"; NULL: not known. Free with
 * g_free. */
char *telling_contents(const struct verdict_facts *facts, struct pickles *pickles,
                       struct op_id send);
/* A candidate at a point: "rank 1's message, tag=0, 1 MPI_INT: {1}", "the request of call 3: rank
 * 1's message, ...". Free with g_free. */
char *telling_offer(const struct verdict_facts *facts, struct pickles *pickles,
                    const struct record_choice *point, const struct record_message *offer);

/* Appends where each rank is; ranks in the same state share a line. `rank` alone, or (-1) all. */
void telling_ranks(GString *text, const GPtrArray *roll_call, int rank);
/* A note on a call, as "here"; "": none. */
typedef const char *(*telling_call_note)(void *user, int rank, guint32 call);
/* Appends calls of a rank, one a line: "0.3  MPI_Recv(...)  solver.c:121". */
void telling_calls(GString *text, const struct verdict_facts *facts, int rank, guint32 first,
                   guint32 last, telling_call_note note, void *user);
/* Appends the messages that no receive has taken. */
void telling_messages(GString *text, const struct verdict_facts *facts, struct pickles *pickles);
/* Appends the source around a place, with its line marked; or why it cannot be read. */
void telling_source(GString *text, const struct place *place);
/* Appends the finding as a sentence, and where each rank is. */
void telling_finding(GString *text, const struct record_finding *finding);
/* Appends the last lines of the ranks' output. */
void telling_outputs(GString *text, const struct record_execution *record);

#endif
