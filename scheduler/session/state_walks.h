/* The search that visits equal states once (--search states; explorer/state_search.h): under one
 * buffering after the other, until nothing is left or something stops it. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_STATE_WALKS_H
#define MATCHPOINT_SCHEDULER_SESSION_STATE_WALKS_H

#include "explorer/state_search.h"
#include "session.h"

struct state_walks;
struct world;

struct state_walks *state_walks_new(struct session *session);
void state_walks_free(struct state_walks *walks);

void state_walks_explore(struct state_walks *walks);

/* Whether a plan that waits begins with what has been chosen in this world. */
bool state_walks_need(const struct state_walks *walks, const struct world *world);

/* Under all bufferings. */
struct state_statistics state_walks_statistics(const struct state_walks *walks);

/* What the verdict has to say of it besides: notes (char *) are added. */
void state_walks_note(const struct state_walks *walks, GPtrArray *notes);

/* Why the result is not to be trusted; NULL: it is. Free with g_free. */
char *state_walks_doubt(const struct state_walks *walks);

#endif
