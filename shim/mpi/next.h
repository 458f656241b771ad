/* The next definition of a function that the shim replaces: mostly the C library's. */
#ifndef MATCHPOINT_SHIM_MPI_NEXT_H
#define MATCHPOINT_SHIM_MPI_NEXT_H

#include <dlfcn.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

/* Looked up at its first use. (Its type is that of the declaration in its header; needs
 * _GNU_SOURCE.) */
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
