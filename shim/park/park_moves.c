/* mremap() for the program. A page that was moved but never written is still shared with the copies
 * that have it at its old address. The search for written pages (ckpt/agent_pages.c) would take it
 * for the page that was at its new address. So a rank that has moved pages onto others is not
 * rewound. Direct system calls of the program are not seen. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "park_internal.h"
#include "shim/mpi/next.h"

#define TAKES_ADDRESS (MREMAP_FIXED | MREMAP_DONTUNMAP)

EXPORTED void *mremap(void *address, size_t old_size, size_t new_size, int flags, ...)
{
	void *wanted = NULL;
	uintptr_t moved;

	if (flags & TAKES_ADDRESS) {
		va_list arguments;

		va_start(arguments, flags);
		wanted = va_arg(arguments, void *);
		va_end(arguments);
	}
	moved = (uintptr_t)syscall(SYS_mremap, address, old_size, new_size, flags, wanted);
	if (moved != (uintptr_t)MAP_FAILED && moved != (uintptr_t)address && park_is_rank())
		park.program_moves |= agent_had_mapped(park.agent, moved, moved + new_size);
	return (void *)moved; /* NOLINT(performance-no-int-to-ptr) */
}
