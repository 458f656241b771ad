/* What the files of verdict/ share. */
#ifndef MATCHPOINT_SCHEDULER_VERDICT_VERDICT_INTERNAL_H
#define MATCHPOINT_SCHEDULER_VERDICT_VERDICT_INTERNAL_H

#include "verdict.h"

/* The kinds a rank's own end can have, worst first; a finding is of the worst. */
enum ending { ENDING_CRASH, ENDING_ABORT, ENDING_THREADS, ENDING_ERROR, ENDING_EXIT, ENDING_NONE };

/* Of a rank that has not ended, or has ended well: ENDING_NONE. */
enum ending verdict_ending(const struct verdict_facts *facts, int rank);
/* A rank in MPI_Finalize has nothing more to say to anybody. */
bool verdict_in_finalize(const struct verdict_facts *facts, int rank);
/* MPI calls a function where that rank stands that does not return. */
bool verdict_is_driven(const struct verdict_facts *facts, const struct record_rank *line);

/* Sentences (verdict_words.c), for the caller to free: how a rank has ended (NULL: it has not);
 * what a finding of this kind says, given the roll call and the worst end that a rank has had. */
char *verdict_ended_words(const struct verdict_facts *facts, int rank);
char *verdict_message(const struct verdict_facts *facts, enum finding_kind kind,
                      const GPtrArray *ranks, enum ending worst);

/* The choices of an interleaving (verdict_choices.c): fills verdict->record->choices, given what
 * was sent and posted, by id (const struct operation *, in the trace); an operation's tag. */
void verdict_choices(struct verdict *verdict, const struct verdict_facts *facts,
                     GHashTable *operations);
GHashTable *verdict_operations(const struct trace *trace);
gint32 verdict_tag(GHashTable *operations, struct op_id id);

/* Where an address of a rank, or its call, stands in the program; all 0: not known. */
struct place verdict_site(const struct verdict_facts *facts, int rank, guint64 site);
struct place verdict_place(const struct verdict_facts *facts, int rank, guint32 call);

/* Adds a finding for what the world has remarked on, as one where only the ranks differ
 * (verdict_remarks.c). */
void verdict_add_remarks(struct verdict *verdict, const struct verdict_facts *facts);
/* Adds findings for what is left behind; for an interleaving that has ended well
 * (verdict_leaks.c). */
void verdict_add_leaks(struct verdict *verdict, const struct verdict_facts *facts);

#endif
