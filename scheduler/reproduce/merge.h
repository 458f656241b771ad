/* Merges several stores of one exploration: shards of `explore --shard`, or explorations that took
 * different paths through the same tree. */
#ifndef MATCHPOINT_SCHEDULER_REPRODUCE_MERGE_H
#define MATCHPOINT_SCHEDULER_REPRODUCE_MERGE_H

#include <glib.h>
#include <stdbool.h>

/* Merges the stores (directories; NULL-terminated) into a new store in the directory `into`.
 * Interleavings get new numbers, findings with equal keys (record.h) become one, and outcomes are
 * compared again. The result is complete if all stores are and no shard is missing. Seconds add up.
 * Interleavings of shards add up; those that several other explorations have in common count once.
 *
 * false with `error` set (MERGE_ERROR, or an error of the stores): they are not of the same
 * exploration (the message names the difference), one cannot be read, or `into` cannot be written.
 * `into` then has no exploration, or its earlier contents if writing had not begun. */
bool merge_stores(char *const *stores, const char *into, GError **error);

#define MERGE_ERROR (merge_error_quark())
GQuark merge_error_quark(void);

#endif
