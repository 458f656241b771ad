/* What the program does to processes by their number: signals, priorities. The rank has the number
 * that it had when it was recorded. Now, any other process of the user may have that. So at replay,
 * only what the rank sends to itself is sent. */
#ifndef MATCHPOINT_SHIM_RECORD_PROCESSES_H
#define MATCHPOINT_SHIM_RECORD_PROCESSES_H

#include <stdbool.h>

/* Whether it answers this system call, which the caller with this return address makes by its
 * number, as heap_answers (shim/state/heap_place.h). */
bool processes_answer(const void *site, long number, const long arguments[6], long *ret_given);

#endif
