/* Receives on their way into the library.
 *
 * The library never sees a wildcard: a receive is given to it once BIND says from whom its message
 * comes (MPI 3.1, section 3.5). A large one that names source and tag itself can be given to it
 * before, so that the message is on its way while the scheduler thinks. Not while the program could
 * see its buffer or cancel it: only when it waits for that receive. And not before an earlier one
 * that the same message fits, which has the first right to it. Which message it takes is then the
 * same by the rules of MPI as by the scheduler's. */
#ifndef MATCHPOINT_SHIM_REQUEST_RECEIVING_H
#define MATCHPOINT_SHIM_REQUEST_RECEIVING_H

#include <stdbool.h>

struct request;

/* A receive has been started; in program order. */
void receiving_begin(struct request *request);

/* It will not be given to the library any more. Harmless when it has been, or is no receive. */
void receiving_leave(struct request *request);

/* BIND has come for it. */
void receiving_post(struct request *request);

/* The program is about to wait: gives the library what it can take ahead of BIND. */
void receiving_post_ahead(void);
/* Whether it names its message itself, and nothing that was started before can take that. Posts
 * such a receive, for which BIND will not come. */
bool receiving_may_go_ahead(const struct request *request);
void receiving_go_ahead(struct request *request);

#endif
