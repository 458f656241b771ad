/* The memory of this process's windows: what they expose, and all of a shared window that is mapped
 * here (MPI 3.1, section 11.2). Other processes may write there. Uses of it by sends, receives and
 * collectives are reported, because they can conflict with one-sided accesses
 * (scheduler/world/rma.h). */
#ifndef MATCHPOINT_SHIM_CHECK_WINDOW_MEMORY_H
#define MATCHPOINT_SHIM_CHECK_WINDOW_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shim/types/bytes.h"

/* `window` is the window's number. If memory is out, the area is not known. */
void window_memory_add(uint64_t window, const void *base, size_t bytes);
/* Forgets the area with that base, or all areas of the window. */
void window_memory_detach(uint64_t window, const void *base);
void window_memory_forget(uint64_t window);

/* The number of a window that has a byte in [low, high); 0: none. */
uint64_t window_memory_at(uintptr_t low, uintptr_t high);

/* The first bytes of [*low, high) that lie in windows: sets *low and *ret_high to them, and returns
 * the number of the window; 0: there are none. */
uint64_t window_memory_next(uintptr_t *low, uintptr_t high, uintptr_t *ret_high);

/* Direct accesses to all windows are watched from now on (direct.h). */
void window_memory_watch(void);

/* The number of a window that `bytes` use, or may use; 0: none. `bytes` may be NULL. */
uint64_t window_memory_of(const struct bytes *bytes);

/* Whether any window has memory; the number of one of them, or 0. */
bool window_memory_is_any(void);
uint64_t window_memory_any(void);

/* An operation's use of a window's memory, while it is under way. All zero: not reported. */
struct window_use {
	uint32_t number;
	uint16_t function; /* the call that began it: enum mpi_call */
	const void *site;
};

/* The call opened last begins the operation. */
void window_use_begin(struct window_use *use, const struct bytes *bytes);
/* The operation is complete, and has used these bytes; NULL: not known, reported as none. */
void window_use_end(struct window_use *use, const struct bytes *bytes);
/* The operation was cancelled, and has not used these bytes. */
void window_use_drop(struct window_use *use, const struct bytes *bytes);

/* The call opened last uses the bytes with that role (enum wire_part_role), and the use is over
 * before any other process can depend on it. */
void window_use_once(const struct bytes *bytes, uint8_t role);

#endif
