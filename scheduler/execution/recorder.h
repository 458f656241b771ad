/* A recording of everything that the worlds of a session are asked and do, in order: every message
 * between ranks and world, both ways, every rest, every choice. Fed into worlds again
 * (tests/unit/test_recording.c), it makes them do the same without a process. So a bug far away can
 * become a test. Each line is one step:
 *
 *   recording 1
 *   2 begins ranks=3 buffering=1 ...     world 2, from nothing
 *   5 begins from=2 ranks=3 ...          world 5, from the snapshot of world 2
 *   2 kept
 *   2 < 0 CALL call=3 ...                rank 0 reports (tools/wire_text.h)
 *   2 > 0 GO call=3                      and gets the order to go on
 *   2 ended 0                            the function of world.h (world_watch.h)
 *   2 choose 0.3=1                       as in a path (explorer/choice.h)
 *   # a comment
 *
 * What a world does follows what it was asked, with two blanks after its number. Recordings go to
 * the log (MATCHPOINT_LOG=FILE:wire). */
#ifndef MATCHPOINT_SCHEDULER_EXECUTION_RECORDER_H
#define MATCHPOINT_SCHEDULER_EXECUTION_RECORDER_H

#include "events.h"

#define RECORDER_HEAD "recording 1"

/* Returns the line of an event, to be freed with g_free; NULL: it has none. */
char *recorder_line(const struct run_event *event);

/* Adds the recorder, if its log category is enabled. */
void recorder_add(struct events *events);

#endif
