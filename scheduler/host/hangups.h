/* In which order ranks have hung up. Of a job's ranks that go without a word the first is the one
 * that was struck: the launcher, which has lost it later, has killed the others for it. The loop
 * does not tell this order: a rank that had something to say before may come first there. */
#ifndef MATCHPOINT_SCHEDULER_HOST_HANGUPS_H
#define MATCHPOINT_SCHEDULER_HOST_HANGUPS_H

#include <glib.h>

struct hangups;

struct hangups *hangups_new(void);
void hangups_free(struct hangups *hangups); /* NULL is legal */

/* The socket by which a rank is connected; watched until it is closed. */
void hangups_watch(struct hangups *hangups, int rank, int socket);

/* The ranks that have hung up, the first first (int; valid until the next call). One whose socket
 * was closed here before this was called is not among them. */
const GArray *hangups_order(struct hangups *hangups);

#endif
