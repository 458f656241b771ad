/* A range of addresses of this process: from `start` to below `end`. */
#ifndef MATCHPOINT_SHIM_PROCESS_MEMORY_RANGE_H
#define MATCHPOINT_SHIM_PROCESS_MEMORY_RANGE_H

#include <stdint.h>

struct memory_range {
	uintptr_t start, end;
};

#endif
