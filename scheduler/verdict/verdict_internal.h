/* Shared by the files of verdict/. */
#ifndef MATCHPOINT_SCHEDULER_VERDICT_VERDICT_INTERNAL_H
#define MATCHPOINT_SCHEDULER_VERDICT_VERDICT_INTERNAL_H

#include "verdict.h"

/* How a rank can end wrongly, worst first; a finding is about the worst. */
enum ending { ENDING_CRASH, ENDING_ABORT, ENDING_THREADS, ENDING_ERROR, ENDING_EXIT, ENDING_NONE };

/* ENDING_NONE: the rank has not ended, or has ended well. */
enum ending verdict_ending(const struct verdict_facts *facts, int rank);
/* Whether the rank's last call is MPI_Finalize, or the end of a session: it sends nothing any
 * more. */
bool verdict_in_finalize(const struct verdict_facts *facts, int rank);
/* Whether the rank is where MPI calls a function of the program that does not return. */
bool verdict_is_driven(const struct verdict_facts *facts, const struct record_rank *line);

/* Texts (verdict_words.c), to free with g_free: how a rank has ended (NULL: it has not); the
 * message of a finding of this kind, given the roll-call and the worst end of a rank. */
char *verdict_ended_words(const struct verdict_facts *facts, int rank);
char *verdict_message(const struct verdict_facts *facts, enum finding_kind kind,
                      const GPtrArray *ranks, enum ending worst);

/* The choices of an interleaving (verdict_choices.c). verdict_choices fills
 * verdict->record->choices, given the sends and receives by id (const struct operation *, in the
 * trace), which verdict_operations returns. verdict_tag: an operation's tag. */
void verdict_choices(struct verdict *verdict, const struct verdict_facts *facts,
                     GHashTable *operations);
GHashTable *verdict_operations(const struct trace *trace);
gint32 verdict_tag(GHashTable *operations, struct op_id id);

/* Appends a number to a list: "3,4". Many are appended for each interleaving. */
void verdict_list_append(GString *list, guint32 number);

/* The thread that made a call, as in struct record_rank. */
guint32 verdict_thread(const struct verdict_facts *facts, int rank, const struct world_call *info);

/* Communicators in texts of the world (verdict_comms.c); valid as long as the facts. */
struct comm_words verdict_comm_words(const struct verdict_facts *facts);
/* The same in a sentence: "comm 2 (MPI_Comm_split at a.c:25)". */
struct comm_words verdict_comm_sentence(const struct verdict_facts *facts);

/* The place of an address of a rank, and of its call; all 0: not known. */
struct place verdict_site(const struct verdict_facts *facts, int rank, guint64 site);
struct place verdict_place(const struct verdict_facts *facts, int rank, guint32 call);

/* Adds findings for the world's remarks; remarks that differ only in their ranks are one finding
 * (verdict_remarks.c). */
void verdict_add_remarks(struct verdict *verdict, const struct verdict_facts *facts);
/* Adds to the record what the ranks have printed, and notes if that is not all
 * (verdict_output.c). */
void verdict_add_output(struct verdict *verdict, int ranks, const struct verdict_printed *printed);
/* Adds findings for what is left behind by an interleaving that has ended well
 * (verdict_leaks.c). */
void verdict_add_leaks(struct verdict *verdict, const struct verdict_facts *facts);

#endif
