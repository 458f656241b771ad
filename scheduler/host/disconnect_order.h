/* In which order ranks have hung up. Of a job's ranks that go without a word the first is the one
 * that was struck: the launcher, which has lost it later, has killed the others for it. The loop
 * does not tell this order: a rank that had something to say before may come first there. */
#ifndef MATCHPOINT_SCHEDULER_HOST_DISCONNECT_ORDER_H
#define MATCHPOINT_SCHEDULER_HOST_DISCONNECT_ORDER_H

#include <glib.h>

struct disconnect_order;

struct disconnect_order *disconnect_order_new(void);
void disconnect_order_free(struct disconnect_order *order); /* NULL is legal */

/* The socket by which a rank is connected; watched until it is closed. */
void disconnect_order_watch(struct disconnect_order *order, int rank, int socket);

/* The ranks that have hung up, the first first (int; valid until the next call). One whose socket
 * was closed here before this was called is not among them. */
const GArray *disconnect_order_of(struct disconnect_order *order);

#endif
