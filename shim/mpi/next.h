/* The function of that name that a wrapper of ours stands in front of: mostly the C library's. */
#ifndef MATCHPOINT_SHIM_MPI_NEXT_H
#define MATCHPOINT_SHIM_MPI_NEXT_H

#include <dlfcn.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

/* Found at its first use. (The type is that of the declaration in its header; _GNU_SOURCE.) */
#define NEXT(function)                                             \
	({                                                         \
		static __typeof__(&function) found_;               \
		void *symbol_;                                     \
		if (!found_) {                                     \
			symbol_ = dlsym(RTLD_NEXT, #function);     \
			memcpy(&found_, &symbol_, sizeof(found_)); \
		}                                                  \
		found_;                                            \
	})

#endif
