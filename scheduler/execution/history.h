/* What each world was asked since MPI_Init, so that it can be rebuilt elsewhere (playback.h): the
 * requests of a recording (recorder.h), kept in memory. Worlds that begin at a snapshot share what
 * came before. */
#ifndef MATCHPOINT_SCHEDULER_EXECUTION_HISTORY_H
#define MATCHPOINT_SCHEDULER_EXECUTION_HISTORY_H

#include "events.h"

struct history;

/* Adds a sink for the events that it needs. Free it after the events. */
struct history *history_new(struct events *events);
void history_free(struct history *history); /* NULL is legal */

/* The lines of the world whose snapshot has this number, up to the snapshot. NULL with `error` set:
 * they were too much to keep. Free with g_string_free. */
GString *history_of_snapshot(const struct history *history, guint32 number, GError **error);

/* All its errors are for good. */
#define HISTORY_ERROR (history_error_quark())
GQuark history_error_quark(void);

#endif
