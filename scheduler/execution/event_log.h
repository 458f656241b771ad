/* Writes the events of a session to the log, for developers of matchpoint. */
#ifndef MATCHPOINT_SCHEDULER_EXECUTION_EVENT_LOG_H
#define MATCHPOINT_SCHEDULER_EXECUTION_EVENT_LOG_H

#include "events.h"

/* Adds a sink for the kinds of events whose log categories are enabled (tools/log.h). */
void event_log_add(struct events *events);

#endif
