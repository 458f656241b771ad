/* A recording of what the worlds of a session are asked and do, in the order in which it happens:
 * every message between ranks and world, both ways, every rest, every choice. Fed into worlds again
 * (tests/unit/test_recording.c) it makes them do the same, without a process; so what goes wrong
 * far away can become a test. A line each:
 *
 *   recording 1
 *   2 begins ranks=3 buffering=1 ...     world 2, from nothing
 *   5 begins from=2 ranks=3 ...          world 5, from what was kept of world 2
 *   2 kept
 *   2 < 0 CALL call=3 ...                rank 0 reports (tools/wire_text.h)
 *   2 > 0 GO call=3                      and is told to go on
 *   2 ended 0                            the function of world.h (world_watch.h)
 *   2 choose 0.3=1                       as in a path (explorer/choice.h)
 *   # a comment
 *
 * What a world does stands behind what it was asked, and begins with two blanks after its number.
 * Goes to the log (MATCHPOINT_LOG=FILE:wire). */
#ifndef MATCHPOINT_SCHEDULER_RUN_RECORDER_H
#define MATCHPOINT_SCHEDULER_RUN_RECORDER_H

#include "events.h"

#define RECORDER_HEAD "recording 1"

/* The line of an event, to be freed with g_free; NULL: it has none. */
char *recorder_line(const struct run_event *event);

/* Records if the log is to hold it. */
void recorder_add(struct events *events);

#endif
