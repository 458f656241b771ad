/* The order in which ranks have disconnected. If ranks of a job end without a report, the first
 * one was struck; the launcher noticed its loss and killed the others. The event loop does not
 * show this order: a rank with unread messages may come first there. */
#ifndef MATCHPOINT_SCHEDULER_HOST_DISCONNECT_ORDER_H
#define MATCHPOINT_SCHEDULER_HOST_DISCONNECT_ORDER_H

#include <glib.h>

struct disconnect_order;

struct disconnect_order *disconnect_order_new(void);
void disconnect_order_free(struct disconnect_order *order); /* NULL is legal */

/* Watches the socket of a rank until it is closed. */
void disconnect_order_watch(struct disconnect_order *order, int rank, int socket);

/* A rank that has no socket here has disconnected. */
void disconnect_order_add(struct disconnect_order *order, int rank);

/* Returns the ranks that have disconnected, in order (int; valid until the next call). A rank
 * whose socket was closed on this side before this call is not included. */
const GArray *disconnect_order_of(struct disconnect_order *order);

#endif
