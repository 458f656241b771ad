/* Which indices MPI_Waitany, Testany, Waitsome and Testsome return (MPI 3.1, section 3.7.5): those
 * of requests in the program's array, counted from 0 as in C. A call's report says where the
 * requests that it asks about are in the array; the rest follows from the answer. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_WORLD_RETURNED_H
#define MATCHPOINT_SCHEDULER_WORLD_WORLD_RETURNED_H

#include <glib.h>
#include <stdbool.h>

struct line;
struct rank;
struct wire_call;
struct world;

/* NULL, or what is wrong with the places in the report of a call. */
const char *world_check_places(const struct wire_call *call);

/* The line in focus makes this call: keeps its places until it returns. */
void world_note_places(struct world *world, int rank, const struct wire_call *call);
/* That call returns. It has asked about so many requests, and these of them are done. */
void world_note_indices(struct world *world, int rank, guint asked, const guint32 *done,
                        guint count);

/* Copies the indices that a rank has returned, and frees them. */
void world_returned_copy(struct rank *to, struct rank *from);
void world_returned_release(struct rank *rank);
/* Frees the places of a line, and copies those of a line that was copied bit by bit. */
void world_places_release(struct line *line);
void world_places_copy(struct line *line);

#endif
