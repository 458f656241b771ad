/* What the files of the store share: store.c and store_search.c. */
#ifndef MATCHPOINT_SCHEDULER_STORE_INTERNAL_H
#define MATCHPOINT_SCHEDULER_STORE_INTERNAL_H

#include <sqlite3.h>

#include "store.h"

sqlite3 *store_database(const struct store *store);

/* Says what SQLite's last error means to the user; false, for returning it. */
bool store_fail(const struct store *store, GError **error);

/* A transaction, or a part of one while they are held together. */
bool store_begin(struct store *store, GError **error);
bool store_finish(struct store *store, bool good, GError **error);

#endif
