/* A message of the wire as one line, for developers of matchpoint:
 *
 *   CALL call=3 function=MPI_Recv wait=1 ops=1 { name=3.0 kind=2 comm=1 peer=-1 bytes=4 }
 *
 * Fields are printed in their order. Fields that are 0 or empty are left out, so a line of an older
 * version can be read after fields were added. Strings are escaped as in a URI. */
#ifndef MATCHPOINT_SCHEDULER_TOOLS_WIRE_TEXT_H
#define MATCHPOINT_SCHEDULER_TOOLS_WIRE_TEXT_H

#include <glib.h>

#include "common/wire.h"

/* Free with g_free. */
char *wire_text(const struct wire_message *message);

/* Returns "CALL"; NULL: no such type. */
const char *wire_type_name(guint16 type);

#endif
