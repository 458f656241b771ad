/* A set of hashes of nodes. It only grows while a tree is searched, so it is kept small: 11 to 21
 * bytes for each hash, if there are many. */
#ifndef MATCHPOINT_EXPLORER_NODE_SET_H
#define MATCHPOINT_EXPLORER_NODE_SET_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct node_set;

/* With one owner; node_set_ref adds one and returns the set, node_set_unref frees it after the last
 * one. */
struct node_set *node_set_new(void);
struct node_set *node_set_ref(struct node_set *set);
void node_set_unref(struct node_set *set);

/* Return whether the set has changed: false if the hash was in it, or was not in it. */
bool node_set_add(struct node_set *set, uint64_t node);
bool node_set_remove(struct node_set *set, uint64_t node);

/* How many there are, and the bytes that they take. */
gsize node_set_count(const struct node_set *set);
gsize node_set_bytes(const struct node_set *set);

#endif
