/* The mappings of a rank (state_memory.h). Allocates nothing. Linux 6.11 and later answer a query
 * for one mapping after the other. Earlier kernels have only the text of /proc/self/maps
 * (mappings.h), which takes ten times as long. */
#ifndef MATCHPOINT_SHIM_STATE_STATE_MAPPINGS_H
#define MATCHPOINT_SHIM_STATE_STATE_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct state_mapping {
	uintptr_t start, end;
	uint64_t offset, inode; /* inode 0: not a file */
	bool readable, writable, executable, shared;
	/* "" except for shared mappings and the one that contains `address`; valid until the
	 * function returns */
	const char *path;
};

/* Calls the function for each mapping, in ascending order, until it returns false. false: the
 * mappings are unknown. */
typedef bool state_mapping_function(const struct state_mapping *mapping);
bool state_mappings_each(uintptr_t address, state_mapping_function *visit);

/* The two ways, for tests. state_mappings_ask queries the kernel; also false if the kernel does not
 * support the query. */
bool state_mappings_ask(int maps, uintptr_t address, state_mapping_function *visit);
bool state_mappings_read(state_mapping_function *visit);

#endif
