/* Decodes pickles: the Python objects that mpi4py's send, bcast, ... put into messages, printed as
 * Python would, "{'step': 3, 'data': numpy.array(...)}". They are parsed, never loaded, by
 * show_pickle.py, which is installed beside the shim and runs under python3. It is started for the
 * first pickle, and kept. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_PICKLES_H
#define MATCHPOINT_SCHEDULER_DEBUG_PICKLES_H

#include <stdbool.h>

#include "scheduler/world/contents.h"

struct pickles;

/* `fails` is called once, with the reason (a line) why pickles are shown as bytes. */
struct pickles *pickles_new(void (*fails)(void *user, const char *reason), void *user);
void pickles_free(struct pickles *pickles); /* NULL is legal */

/* Decodes a message, to at most `most` bytes of text. For a message known only in part, returns
 * that part and "...". Returns NULL if it is not a pickle, or cannot be shown. Free with g_free. */
char *pickles_show(struct pickles *pickles, const struct contents *contents, guint most);

/* After a failure, tries again; calls `fails` again if it fails again. */
void pickles_try_again(struct pickles *pickles);

#endif
