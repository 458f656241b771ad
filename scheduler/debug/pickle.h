/* What a pickle says: the objects of Python that mpi4py's send, bcast, ... put into bytes
 * (protocols 0 to 5: Lib/pickletools.py of CPython tells all opcodes). It is read, never carried
 * out: where Python would import and call something, its name and arguments are shown. Pure. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_PICKLE_H
#define MATCHPOINT_SCHEDULER_DEBUG_PICKLE_H

#include <glib.h>

/* As Python would write it, "{'step': 3, 'data': numpy.array(...)}", at most so many bytes of
 * text; NULL: these bytes are no pickle from their first to their last. Free with g_free. */
char *pickle_print(const guint8 *bytes, gsize length, gsize most);

#endif
