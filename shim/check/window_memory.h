/* Where the windows of this process lie: what they expose of its memory, and all of a shared one
 * that it sees (MPI 3.1, section 11.2). Others may rightly write there; and what sends, receives
 * and collectives use of it is told for the sake of what conflicts (scheduler/world/rma.h). */
#ifndef MATCHPOINT_SHIM_CHECK_WINDOW_MEMORY_H
#define MATCHPOINT_SHIM_CHECK_WINDOW_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shim/types/bytes.h"

/* `window`: its number. Out of memory: that part is not known. */
void window_memory_add(uint64_t window, const void *base, size_t bytes);
/* What was added with that base; or all of it. */
void window_memory_detach(uint64_t window, const void *base);
void window_memory_forget(uint64_t window);

/* The window in which one of the bytes from `low` to below `high` lies; 0: none. */
uint64_t window_memory_at(uintptr_t low, uintptr_t high);

/* The window in which something of this lies, or could; 0: none. `bytes` may be NULL. */
uint64_t window_memory_of(const struct bytes *bytes);

/* Whether there is any. */
bool window_memory_is_any(void);

/* What an operation under way uses of a window's memory. All zero: nothing that is told. */
struct window_use {
	uint32_t number;
	uint16_t function; /* that began it: enum mpi_call */
	const void *site;
};

/* The call opened last begins it. */
void window_use_begin(struct window_use *use, const struct bytes *bytes);
/* It has used these bytes, and is complete; NULL: none that is known. */
void window_use_end(struct window_use *use, const struct bytes *bytes);
/* It was cancelled, and has used none of these. */
void window_use_drop(struct window_use *use, const struct bytes *bytes);

/* The call opened last uses the bytes in that role (enum wire_part_role), and nobody can know of it
 * before it is over. */
void window_use_once(const struct bytes *bytes, uint8_t role);

#endif
