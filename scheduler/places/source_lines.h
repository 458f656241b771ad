/* Maps addresses of running processes to places in the program, by libdw.
 *
 * Places are cached by (module, address within it) for good. The mappings of a process are cached
 * until it is forgotten. So later interleavings read nothing. A process must be alive when it is
 * first looked up or registered; after that it may be gone. */
#ifndef MATCHPOINT_SCHEDULER_PLACES_SOURCE_LINES_H
#define MATCHPOINT_SCHEDULER_PLACES_SOURCE_LINES_H

#include <stdbool.h>
#include <sys/types.h>

#include "scheduler/store/record.h"

struct source_lines;

struct source_lines *source_lines_new(void);
void source_lines_free(struct source_lines *lines);

/* Reads what the process maps now, so its addresses can still be resolved after its end. A copy of
 * a known process does not need this: it has the addresses of the original. */
void source_lines_know(struct source_lines *lines, pid_t pid);

/* The same with what was mapped once (/proc/PID/maps), under a number that is no process: below 0.
 * The files must be those that were mapped. Replaces what was known under that number. */
void source_lines_know_maps(struct source_lines *lines, pid_t number, const char *maps,
                            size_t size);

/* Returns the place of the call that returns to `return_address` (one byte less is looked up). It
 * has file and line if there is debugging information, else function and offset of the return
 * address, else module and offset. All-NULL: the process is gone, or nothing is mapped at the
 * address. */
struct place source_lines_find(struct source_lines *lines, pid_t pid, uint64_t return_address);

/* Appends the frames of the call that returns to `return_address` (struct record_frame), innermost
 * first. There is one frame, preceded by those of functions that the compiler has inlined there.
 * Frames that are no part of the program's stack are left out. Returns false if nothing is mapped
 * at the address. */
bool source_lines_frames(struct source_lines *lines, pid_t pid, uint64_t return_address,
                         GArray *frames);

/* Returns the frame to show for a stack of return addresses, innermost first. It is the first in
 * the program's own code (not a system library) that has a source line, else the first in the
 * program's own code, else the first that is known at all. */
struct place source_lines_find_caller(struct source_lines *lines, pid_t pid, const uint64_t *frames,
                                      size_t count);

#endif
