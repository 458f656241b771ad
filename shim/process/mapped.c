#define _GNU_SOURCE
#include "mapped.h"

#include <link.h>
#include <sys/resource.h>
#include <unistd.h>

#include "process.h"
#include "sanitizer.h"

enum { SEGMENTS = 8 };

struct memory_range mapped_first_stack;

static struct {
	struct memory_range segments[SEGMENTS];
	size_t count;
	uintptr_t first_break; /* what is between this and the break is malloc's */
	bool is_known;
} mapped;

/* The arguments of main lie above all frames. A stack without a limit still ends somewhere. */
__attribute__((constructor)) static void find_first(int count, char **arguments)
{
	enum { MOST = 64 << 20 };
	struct rlimit limit;

	(void)count;
	if (getrlimit(RLIMIT_STACK, &limit) < 0 || limit.rlim_cur > MOST)
		limit.rlim_cur = MOST;
	mapped_first_stack = (struct memory_range){(uintptr_t)arguments - limit.rlim_cur,
	                                           (uintptr_t)arguments};
	mapped.first_break = (uintptr_t)sbrk(0);
}

/* The program comes first, and is never unloaded. */
static int take_segments(struct dl_phdr_info *object, size_t size, void *user)
{
	(void)size;
	(void)user;
	for (size_t i = 0; i < object->dlpi_phnum && mapped.count < SEGMENTS; i++) {
		const ElfW(Phdr) *header = &object->dlpi_phdr[i];
		uintptr_t start = object->dlpi_addr + header->p_vaddr;

		if (header->p_type == PT_LOAD && (header->p_flags & PF_R))
			mapped.segments[mapped.count++] = (struct memory_range){
				start, start + header->p_memsz};
	}
	return 1;
}

static bool is_in(uintptr_t address, size_t length, uintptr_t start, uintptr_t end)
{
	return address >= start && address < end && length <= end - address;
}

static bool is_on_stack(uintptr_t address, size_t length)
{
	const struct memory_range *stack = &mapped_first_stack;
	uintptr_t pointer = process_stack_pointer;

	return pointer >= stack->start && pointer < stack->end
	       && is_in(address, length, pointer, stack->end);
}

/* AddressSanitizer's memcpy() must not see memory that the program has freed. */
bool mapped_is_certain(uintptr_t address, size_t length)
{
	if (process_has_made_threads() || sanitizer_is_there())
		return false;
	if (!mapped.is_known)
		dl_iterate_phdr(take_segments, NULL);
	mapped.is_known = true;
	for (size_t i = 0; i < mapped.count; i++)
		if (is_in(address, length, mapped.segments[i].start, mapped.segments[i].end))
			return true;
	return is_in(address, length, mapped.first_break, (uintptr_t)sbrk(0))
	       || is_on_stack(address, length);
}
