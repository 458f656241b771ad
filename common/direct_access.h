/* Direct accesses: loads and stores of the program, as opposed to MPI calls. A program that is
 * compiled with -fsanitize=thread calls a function for each of them. shim/access/hooks.c has
 * these functions; it is linked into the program and passes accesses to watched memory to the
 * shim (shim/check/direct.c). This is all that the two share. Libc only. */
#ifndef MATCHPOINT_COMMON_DIRECT_ACCESS_H
#define MATCHPOINT_COMMON_DIRECT_ACCESS_H

#include <stddef.h>
#include <stdint.h>

/* Section of files that have the hooks. */
#define DIRECT_SECTION "matchpoint_access"

enum direct_access { DIRECT_READ = 1, DIRECT_WRITE = 2, DIRECT_ATOMIC = 4 };

enum { DIRECT_PAGE_BITS = 12, DIRECT_PAGES = 1 << 14 };

/* Which memory is watched. The shim changes it at any time; the hooks only read it. */
struct direct_watch {
	uintptr_t low, high; /* all watched memory lies in [low, high); empty: low > high */
	uint32_t pages[DIRECT_PAGES]; /* by number of the page, modulo DIRECT_PAGES: how many
	                                 watched ranges have bytes there */
	/* `bytes` from `address` on are about to be accessed. `kind`: a set of enum direct_access.
	 * `site`: return address in the program. May be called in any thread and in signal
	 * handlers. */
	void (*seen)(uintptr_t address, size_t bytes, unsigned kind, const void *site);
};

/* Exported by the shim; in the program a weak symbol, which is NULL without it. Returns NULL if
 * matchpoint does not control this process. The number goes up when this file changes. */
__attribute__((weak, visibility("default"))) struct direct_watch *matchpoint_direct_watch_1(void);

#endif
