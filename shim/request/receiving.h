/* Posting receives to MPI.
 *
 * MPI never sees a wildcard: a receive is posted after BIND has fixed the source of its message
 * (MPI 3.1, section 3.5). A large receive that names source and tag may be posted before BIND, so
 * that its message travels while the scheduler decides. That is done only if the program waits for
 * this receive, because otherwise it could see the buffer or cancel the receive. It is not done if
 * an earlier unposted receive fits the same message and so comes first. Then MPI's rules and the
 * scheduler's select the same message. */
#ifndef MATCHPOINT_SHIM_REQUEST_RECEIVING_H
#define MATCHPOINT_SHIM_REQUEST_RECEIVING_H

#include <stdbool.h>

struct request;

/* A receive has been started. Called in program order. */
void receiving_begin(struct request *request);

/* The receive will not be posted any more. No effect if it has been, or if it is not a receive. */
void receiving_leave(struct request *request);

/* BIND has come for the receive. */
void receiving_post(struct request *request);

/* The number of receives that have been started and not posted. */
unsigned receiving_unposted(void);

/* The program is about to wait: posts the receives that may be posted before BIND. */
void receiving_post_ahead(void);

/* Whether the receive names source and tag, and no receive started before it fits the same message.
 * receiving_go_ahead posts such a receive, for which BIND will not come. */
bool receiving_may_go_ahead(const struct request *request);
void receiving_go_ahead(struct request *request);

#endif
