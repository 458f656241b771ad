/* The heap below ours (heap.c): AddressSanitizer's if the program is built with it, else the C
 * library's. Its functions cannot be called by their names, as ours have these. */
#ifndef MATCHPOINT_SHIM_STATE_HEAP_BELOW_H
#define MATCHPOINT_SHIM_STATE_HEAP_BELOW_H

#include <stdbool.h>
#include <stddef.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

extern void *__interceptor_malloc(size_t size) __attribute__((weak));
extern void *__interceptor_calloc(size_t count, size_t size) __attribute__((weak));
extern void *__interceptor_realloc(void *block, size_t size) __attribute__((weak));
extern void *__interceptor_memalign(size_t alignment, size_t size) __attribute__((weak));
extern void __interceptor_free(void *block) __attribute__((weak));
extern size_t __interceptor_malloc_usable_size(void *block) __attribute__((weak));

static inline bool below_is_sanitized(void)
{
	return __interceptor_malloc != NULL; /* and so all of them */
}

static inline void *below_malloc(size_t size)
{
	return below_is_sanitized() ? __interceptor_malloc(size) : __libc_malloc(size);
}

static inline void *below_calloc(size_t count, size_t size)
{
	return below_is_sanitized() ? __interceptor_calloc(count, size)
	                            : __libc_calloc(count, size);
}

static inline void *below_realloc(void *block, size_t size)
{
	return below_is_sanitized() ? __interceptor_realloc(block, size)
	                            : __libc_realloc(block, size);
}

static inline void *below_memalign(size_t alignment, size_t size)
{
	return below_is_sanitized() ? __interceptor_memalign(alignment, size)
	                            : __libc_memalign(alignment, size);
}

static inline void below_free(void *block)
{
	if (below_is_sanitized())
		__interceptor_free(block);
	else
		__libc_free(block);
}

#endif
