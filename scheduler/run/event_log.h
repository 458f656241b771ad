/* The events of a session as lines of the log, for those who work on matchpoint. */
#ifndef MATCHPOINT_SCHEDULER_RUN_EVENT_LOG_H
#define MATCHPOINT_SCHEDULER_RUN_EVENT_LOG_H

#include "events.h"

/* Logs the kinds of events that the log is to hold (tools/log.h). */
void event_log_add(struct events *events);

#endif
