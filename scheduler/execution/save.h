/* Saving an execution on disk. */
#ifndef MATCHPOINT_SCHEDULER_EXECUTION_SAVE_H
#define MATCHPOINT_SCHEDULER_EXECUTION_SAVE_H

#include <stdbool.h>

#include "ckpt/disk_folder.h"
#include "run.h"

/* Writes the ranks of an execution that waits for its strategy, what they share, and its position.
 * If it has moved since the keepers that it comes from, it is parked first: then it goes on as a
 * copy of the new ones, and waits for its strategy again. *ret_number: of the snapshot's world.
 * Returns false with `error` set: SAVE_IMPOSSIBLE, or of disk_save.h. Not within the host's
 * `iterate`. */
bool execution_save(struct execution *execution, struct disk_draft *draft, char **program,
                    guint32 *ret_number, GError **error);

/* Where the execution stands, as text. Free with g_free. */
char *execution_place(const struct execution *execution);

enum save_error {
	SAVE_FAILED,     /* another time it may go well */
	SAVE_IMPOSSIBLE, /* the ranks have something that cannot be kept; the message names it */
};

#define SAVE_ERROR (save_error_quark())
GQuark save_error_quark(void);

#endif
