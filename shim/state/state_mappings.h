/* What is mapped into a rank (state_memory.h). Nothing is allocated. Linux 6.11 and later are asked
 * for one mapping after the other; before, there is only the text of /proc/self/maps (mappings.h),
 * which takes ten times as long. */
#ifndef MATCHPOINT_SHIM_STATE_STATE_MAPPINGS_H
#define MATCHPOINT_SHIM_STATE_STATE_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct state_mapping {
	uintptr_t start, end;
	uint64_t offset, inode; /* inode 0: of no file */
	bool readable, writable, executable, shared;
	/* "" but for what is shared and for what `address` lies in; until the function returns */
	const char *path;
};

/* Calls the function for each, by ascending address, until it returns false. False: it cannot be
 * told what is mapped. */
typedef bool state_mapping_function(const struct state_mapping *mapping);
bool state_mappings_each(uintptr_t address, state_mapping_function *visit);

/* The two ways, for tests. By asking the kernel: also false when it does not know the question. */
bool state_mappings_ask(int maps, uintptr_t address, state_mapping_function *visit);
bool state_mappings_read(state_mapping_function *visit);

#endif
