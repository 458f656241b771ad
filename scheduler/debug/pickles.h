/* What pickles say: the objects of Python that mpi4py's send, bcast, ... put into messages, as
 * Python would write them, "{'step': 3, 'data': numpy.array(...)}". They are read, never loaded: by
 * show_pickle.py, which is installed beside the shim and runs under python3. It is started for the
 * first pickle, and kept. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_PICKLES_H
#define MATCHPOINT_SCHEDULER_DEBUG_PICKLES_H

#include <stdbool.h>

#include "scheduler/world/contents.h"

struct pickles;

/* `fails` is called, once, with the reason (a line) why pickles are shown as bytes. */
struct pickles *pickles_new(void (*fails)(void *user, const char *reason), void *user);
void pickles_free(struct pickles *pickles); /* NULL is legal */

/* At most so many bytes of text of what is in a message; of one that is only known in part what is
 * known, and "...". NULL: it is no pickle, or cannot be shown. Free with g_free. */
char *pickles_show(struct pickles *pickles, const struct contents *contents, guint most);

/* What has failed is tried anew, and `fails` called anew if it fails again. */
void pickles_try_again(struct pickles *pickles);

#endif
