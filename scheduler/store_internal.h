/* What the files of the store share: store.c, store_search.c and store_stacks.c. */
#ifndef MATCHPOINT_SCHEDULER_STORE_INTERNAL_H
#define MATCHPOINT_SCHEDULER_STORE_INTERNAL_H

#include <sqlite3.h>

#include "store.h"

sqlite3 *store_database(const struct store *store);

/* Says what SQLite's last error means to the user; false, for returning it. */
bool store_fail(const struct store *store, GError **error);

/* The id of a place, 0 for an unknown one; -1 on failure. */
int64_t store_put_place(struct store *store, const struct place *place, GError **error);

/* Where the stacks of this session stand among those in the file. */
struct store_stacks {
	bool known;     /* the first */
	int64_t first;  /* number in the file of the one that is 0 here */
	uint32_t count; /* that are in the file */
};
struct store_stacks *store_stacks(struct store *store);

/* A transaction, or a part of one while they are held together. */
bool store_begin(struct store *store, GError **error);
bool store_finish(struct store *store, bool good, GError **error);

#endif
