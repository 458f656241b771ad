/* Memory of which it is known without a system call that it can be read: the program's own
 * segments, what malloc has from brk(2), and the first thread's stack above the program's stack
 * pointer. It stays mapped, unless another thread of the program gives it back. */
#ifndef MATCHPOINT_SHIM_PROCESS_MAPPED_H
#define MATCHPOINT_SHIM_PROCESS_MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory_range.h"

/* The stack of the process's first thread: all that it can grow to. */
extern struct memory_range mapped_first_stack;

/* false: it may be mapped all the same. */
bool mapped_is_certain(uintptr_t address, size_t length);

#endif
