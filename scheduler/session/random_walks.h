/* Random walks instead of the search (--random): one after the other, under each buffering in turn,
 * until they bring nothing new or something stops them. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_RANDOM_WALKS_H
#define MATCHPOINT_SCHEDULER_SESSION_RANDOM_WALKS_H

#include "session.h"

struct random_walks;

struct random_walks *random_walks_new(struct session *session);
void random_walks_free(struct random_walks *walks);

/* Makes them; what a later session needs to go on has been written then. */
void random_walks_explore(struct random_walks *walks);

/* Those that came to their end. */
guint64 random_walks_made(const struct random_walks *walks);

/* For a session that goes on from here, and back from it. */
void random_walks_save(const struct random_walks *walks, GVariantDict *state);
void random_walks_restore(struct random_walks *walks, GVariantDict *state);

/* What they amount to; free with g_free. */
char *random_walks_words(const struct random_walks *walks);

#endif
