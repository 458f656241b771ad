/* Several stores of one exploration as one: the shards of `explore --shard`, or explorations that
 * went different ways through the same tree. */
#ifndef MATCHPOINT_SCHEDULER_REPRODUCE_MERGE_H
#define MATCHPOINT_SCHEDULER_REPRODUCE_MERGE_H

#include <glib.h>
#include <stdbool.h>

/* Writes what the stores (directories; NULL-terminated) hold together into a new store in the
 * directory `into`: interleavings numbered anew, findings with equal keys (record.h) as one,
 * whether outcomes differ judged again. It is complete when all of them are and, of shards, none is
 * missing; seconds add up. Of shards interleavings add up, too; of other explorations, those that
 * several stores hold count once.
 *
 * false with `error` set (MERGE_ERROR, or of the stores): they are not of the same exploration,
 * with what differs; one cannot be read, or `into` not be written. Then `into` holds no
 * exploration, or, if it was not come to, what it did before. */
bool merge_stores(char *const *stores, const char *into, GError **error);

#define MERGE_ERROR (merge_error_quark())
GQuark merge_error_quark(void);

#endif
