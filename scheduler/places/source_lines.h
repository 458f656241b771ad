/* Where in the program an address of a running process lies, through libdw.
 *
 * Answers are cached by (module, address within it) for good, and what a process maps until it is
 * forgotten, so that the thousandth interleaving asks nobody. A process must be alive when it is
 * first asked about, or made known; after that it may be gone. */
#ifndef MATCHPOINT_SCHEDULER_PLACES_SOURCE_LINES_H
#define MATCHPOINT_SCHEDULER_PLACES_SOURCE_LINES_H

#include <stdbool.h>
#include <sys/types.h>

#include "scheduler/store/record.h"

struct source_lines;

struct source_lines *source_lines_new(void);
void source_lines_free(struct source_lines *lines);

/* Reads what the process maps now, so that its addresses can still be resolved when it has ended.
 * Only for processes that are copies of none known: a copy has its original's addresses. */
void source_lines_know(struct source_lines *lines, pid_t pid);

/* The place of the call that returns to `return_address` (so one byte less is looked up): file and
 * line if there is debugging information, else function and offset of the return address, else
 * module and offset. All-NULL when the process is gone or the address lies nowhere. */
struct place source_lines_find(struct source_lines *lines, pid_t pid, uint64_t return_address);

/* Appends the frames of the call that returns to `return_address` (struct record_frame, see there),
 * innermost first: one, and before it those that the compiler has inlined there; none for what is
 * no part of a program's stack. false: the address lies nowhere. */
bool source_lines_frames(struct source_lines *lines, pid_t pid, uint64_t return_address,
                         GArray *frames);

/* The frame to show to a person, of a stack of return addresses with the innermost first: the first
 * in the program's own code (not a system library) that has a source line, else the first in the
 * program's own code, else the first that is known at all. */
struct place source_lines_find_caller(struct source_lines *lines, pid_t pid, const uint64_t *frames,
                                      size_t count);

#endif
