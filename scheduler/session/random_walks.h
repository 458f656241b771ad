/* Random walks instead of the search (--random). Walks run one after the other, under each
 * buffering in turn, until they bring nothing new or the session ends. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_RANDOM_WALKS_H
#define MATCHPOINT_SCHEDULER_SESSION_RANDOM_WALKS_H

#include "session.h"

struct random_walks;

struct random_walks *random_walks_new(struct session *session);
void random_walks_free(struct random_walks *walks);

/* Makes the walks. The state for a later session is then in the store. */
void random_walks_explore(struct random_walks *walks);

/* The number of walks that have ended. */
guint64 random_walks_made(const struct random_walks *walks);

/* Saves for a session that continues this one, and restores. */
void random_walks_save(const struct random_walks *walks, GVariantDict *state);
void random_walks_restore(struct random_walks *walks, GVariantDict *state);

/* A summary of the walks; free with g_free. */
char *random_walks_words(const struct random_walks *walks);

#endif
