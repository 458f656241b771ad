/* What a person at the prompt is told of an interleaving that stands still, or is over: lines of
 * text, each with its newline, appended to `text`. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_TELLING_H
#define MATCHPOINT_SCHEDULER_DEBUG_TELLING_H

#include "scheduler/verdict/verdict.h"

struct pickles;

/* What can be chosen at a stop: each point with all that can be taken there, numbered through. */
struct offers {
	GPtrArray *points; /* struct record_choice: `taken` comes first, then the alternatives */
	GArray *choices;   /* struct choice, as numbered, from 1 */
};

/* `open` is of struct open_choice. */
struct offers *offers_new(const struct verdict_facts *facts, const GArray *open);
void offers_free(struct offers *offers); /* NULL is legal */

/* What else there is to say of an offer, "taken last time"; NULL: nothing. Free with g_free. */
typedef char *(*telling_note)(void *user, const struct choice *choice);

/* "choice 0.2: 1 2" for each point: lines that scripts rely on. */
void telling_points(GString *text, const struct offers *offers);
/* Each point with its call, each offer with its number, and where the other ranks are. */
void telling_offers(GString *text, const struct verdict_facts *facts, struct pickles *pickles,
                    const struct offers *offers, telling_note note, void *user);

/* The messages (struct op_id) that an offer, by its number, is about: what a receive can take, or
 * what has come for the requests that are reported. To be unref'd. */
GArray *telling_offered(const struct verdict_facts *facts, const struct offers *offers,
                        guint number);
/* What a message consists of, and the first of its values: "2 MPI_INT: {1, 2}"; NULL: it is not
 * known. Free with g_free. */
char *telling_contents(const struct verdict_facts *facts, struct pickles *pickles,
                       struct op_id send);
/* What can be taken at a point: "rank 1's message, tag=0, 1 MPI_INT: {1}", "the request of call 3:
 * rank 1's message, ...". Free with g_free. */
char *telling_offer(const struct verdict_facts *facts, struct pickles *pickles,
                    const struct record_choice *point, const struct record_message *offer);

/* Where each rank is; those in the same state share a line. `rank` alone, or (-1) all. */
void telling_ranks(GString *text, const GPtrArray *roll_call, int rank);
/* What else there is to say of a call, "is here"; "": nothing. */
typedef const char *(*telling_call_note)(void *user, int rank, guint32 call);
/* Some calls of a rank, a line each: "0.3  MPI_Recv(...)  solver.c:121". */
void telling_calls(GString *text, const struct verdict_facts *facts, int rank, guint32 first,
                   guint32 last, telling_call_note note, void *user);
/* The messages that no receive has taken. */
void telling_messages(GString *text, const struct verdict_facts *facts, struct pickles *pickles);
/* The source around a place, that line marked; what is wrong if it cannot be read. */
void telling_source(GString *text, const struct place *place);
/* What is wrong, as a sentence with who is where then. */
void telling_finding(GString *text, const struct record_finding *finding);
/* What the ranks have written, the last lines of it. */
void telling_outputs(GString *text, const struct record_execution *record);

#endif
