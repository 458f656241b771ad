#define _GNU_SOURCE
#include "heap.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "heap_below.h"
#include "heap_mappings.h"
#include "heap_modules.h"
#include "heap_place.h"
#include "shim/mpi/next.h"

#define RESERVED ((size_t)1 << 36) /* bytes of address space; memory only when used */

/* Size classes: multiples of 16 up to 1 KiB, then four steps for each power of two. */
enum {
	UNIT = 16,
	SMALL_CLASSES = 64,
	STEPS = 4,
	CLASSES = SMALL_CLASSES + STEPS * 26,
	HEAD = 16, /* bytes before each block */
};

/* Right before the address that the caller gets. */
struct head {
	uint32_t class;
	uint32_t shift; /* bytes from the block's beginning to the caller's address, if that was
	                   aligned */
	uint64_t size;  /* that the caller asked for */
};
_Static_assert(sizeof(struct head) == HEAD, "");

/* Not all of these are declared in headers that may be included here. */
void *memalign(size_t alignment, size_t size);
void *valloc(size_t size);
size_t malloc_usable_size(void *block);

struct free_block {
	struct free_block *next;
};

EXPORTED heap_know_function matchpoint_heap_know;
EXPORTED heap_left_out_function matchpoint_heap_left_out;
EXPORTED heap_note_function matchpoint_heap_note;
EXPORTED heap_watch_function matchpoint_heap_watch;

static struct {
	uintptr_t start, next, end;
	struct free_block *unused[CLASSES];
	int busy;
	bool tried;
} apart;

/* --- blocks of the separate mapping ---------------------------------------------------------- */

static void lock(void)
{
	while (__atomic_exchange_n(&apart.busy, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void unlock(void)
{
	__atomic_store_n(&apart.busy, 0, __ATOMIC_RELEASE);
}

/* The class for blocks of this size, with their head. */
static uint32_t class_of(size_t size, size_t *ret_whole)
{
	size_t power = 1024, step = power / STEPS;
	uint32_t class = SMALL_CLASSES;

	if (size <= 1024) {
		class = (uint32_t)((size + UNIT - 1) / UNIT);
		*ret_whole = (size_t) class * UNIT;
		return class - 1;
	}
	while (size > 2 * power) {
		power *= 2;
		step = power / STEPS;
		class += STEPS;
	}
	uint32_t steps = (uint32_t)((size - power + step - 1) / step);
	*ret_whole = power + steps * step;
	return class + steps - 1;
}

bool heap_is_apart(const void *block)
{
	return (uintptr_t)block - apart.start < RESERVED && apart.start != 0;
}

static struct head *head_of(void *block)
{
	return (struct head *)((char *)block - HEAD);
}

static void *take_block(size_t alignment, size_t size)
{
	size_t extra = alignment > UNIT ? alignment : 0, whole = 0;
	uintptr_t block = 0;

	if (size > RESERVED / 4 || extra > RESERVED / 4)
		return NULL;
	uint32_t class = class_of(size + extra + HEAD, &whole);
	lock();
	if (apart.unused[class]) {
		block = (uintptr_t)apart.unused[class];
		apart.unused[class] = apart.unused[class]->next;
	} else if (apart.end - apart.next >= whole) {
		block = apart.next;
		apart.next += whole;
	}
	unlock();
	if (block == 0)
		return NULL;
	uintptr_t given = block + HEAD;
	if (extra)
		given = (given + alignment - 1) / alignment * alignment;
	*head_of((void *)given) = (struct head){class, (uint32_t)(given - block), (uint64_t)size};
	return (void *)given;
}

static void give_back(void *given)
{
	struct head head = *head_of(given);
	struct free_block *block = (struct free_block *)((uintptr_t)given - head.shift);

	lock();
	block->next = apart.unused[head.class];
	apart.unused[head.class] = block;
	unlock();
}

static void *out_of_memory(void *block)
{
	if (!block)
		errno = ENOMEM;
	return block;
}

/* --- memory that is given back ---------------------------------------------------------------- */

static const int nobody;
static const int *wanted = &nobody;
static heap_freed_function *freed;

static void tell_freed(uintptr_t start, size_t size)
{
	if (__builtin_expect(*wanted != 0, 0) && size > 0)
		freed(start, start + size);
}

/* --- the functions of malloc(3) --------------------------------------------------------------- */

/* At the first call, all libraries that the program is linked with are loaded. */
static void get_ready(void)
{
	if (apart.tried)
		return;
	apart.tried = true;
	matchpoint_heap_know(NULL);
}

/* Python loads MPI with an extension. The constructors of its libraries read clocks and allocate as
 * they like; when they run, all that is loaded with them is there. One thread at a time examines
 * that: another one would wait for the dynamic linker's lock. */
static const void *last_guest;
static int examining;

bool heap_is_mpis(const void *site)
{
	int free_now = 0;

	if (heap_modules_contain(site))
		return true;
	if (!heap_follows_loading() || !heap_modules_miss(site)
	    || !__atomic_compare_exchange_n(&examining, &free_now, 1, false, __ATOMIC_ACQUIRE,
	                                    __ATOMIC_RELAXED))
		return false;
	matchpoint_heap_know(last_guest);
	__atomic_store_n(&examining, 0, __ATOMIC_RELEASE);
	return heap_modules_contain(site);
}

static bool is_apart_for(const void *site)
{
	get_ready();
	return (heap_is_inside() || heap_is_mpis(site)) && apart.start != 0;
}

#define WANTS_APART() is_apart_for(__builtin_return_address(0))

EXPORTED void *malloc(size_t size)
{
	return WANTS_APART() ? out_of_memory(take_block(UNIT, size)) : below_malloc(size);
}

EXPORTED void *calloc(size_t count, size_t size)
{
	size_t whole;
	void *block;

	if (!WANTS_APART())
		return below_calloc(count, size);
	if (__builtin_mul_overflow(count, size, &whole))
		return out_of_memory(NULL);
	block = out_of_memory(take_block(UNIT, whole));
	return block ? memset(block, 0, whole) : NULL;
}

EXPORTED void free(void *block)
{
	if (__builtin_expect(*wanted != 0, 0))
		tell_freed((uintptr_t)block, malloc_usable_size(block));
	if (heap_is_apart(block))
		give_back(block);
	else
		below_free(block);
}

/* A block that has moved is gone, of one that has become smaller the rest. */
static void *resize_below(void *block, size_t size)
{
	const uintptr_t start = (uintptr_t)block;
	const size_t before = __builtin_expect(*wanted != 0, 0) ? malloc_usable_size(block) : 0;
	void *now = below_realloc(block, size);

	if (before > 0 && (now || size == 0) && (uintptr_t)now != start)
		tell_freed(start, before);
	else if (before > size && now)
		tell_freed(start + size, before - size);
	return now;
}

static void *resize_apart(void *block, size_t size)
{
	void *larger;
	size_t before = head_of(block)->size;

	if (size == 0) {
		give_back(block);
		return NULL;
	}
	larger = out_of_memory(take_block(UNIT, size));
	if (!larger)
		return NULL;
	memcpy(larger, block, before < size ? before : size);
	give_back(block);
	return larger;
}

EXPORTED void *realloc(void *block, size_t size)
{
	if (heap_is_apart(block))
		return resize_apart(block, size);
	if (!block && WANTS_APART())
		return out_of_memory(take_block(UNIT, size));
	return resize_below(block, size);
}

EXPORTED void *reallocarray(void *block, size_t count, size_t size)
{
	size_t whole;

	if (__builtin_mul_overflow(count, size, &whole))
		return out_of_memory(NULL);
	if (heap_is_apart(block))
		return resize_apart(block, whole);
	if (!block && WANTS_APART())
		return out_of_memory(take_block(UNIT, whole));
	return resize_below(block, whole);
}

static bool is_power_of_two(size_t number)
{
	return number != 0 && (number & (number - 1)) == 0;
}

EXPORTED void *memalign(size_t alignment, size_t size)
{
	if (!WANTS_APART() || !is_power_of_two(alignment))
		return below_memalign(alignment, size);
	return out_of_memory(take_block(alignment, size));
}

EXPORTED void *aligned_alloc(size_t alignment, size_t size)
{
	if (!WANTS_APART() || !is_power_of_two(alignment))
		return below_memalign(alignment, size);
	return out_of_memory(take_block(alignment, size));
}

EXPORTED int posix_memalign(void **ret, size_t alignment, size_t size)
{
	int saved = errno;
	void *block;

	if (!is_power_of_two(alignment) || alignment % sizeof(void *) != 0)
		return EINVAL;
	block = WANTS_APART() ? take_block(alignment, size) : below_memalign(alignment, size);
	errno = saved;
	if (!block)
		return ENOMEM;
	*ret = block;
	return 0;
}

EXPORTED void *valloc(size_t size)
{
	enum { PAGE = 4096 };

	return WANTS_APART() ? out_of_memory(take_block(PAGE, size)) : below_memalign(PAGE, size);
}

EXPORTED size_t malloc_usable_size(void *block)
{
	/* In glibc, a block's size and flags are right before it. */
	enum { FLAGS = 7, MAPPED = 2 };
	const size_t *chunk = block;

	if (!block)
		return 0;
	if (heap_is_apart(block))
		return head_of(block)->size;
	if (below_is_sanitized())
		return __interceptor_malloc_usable_size(block);
	return (chunk[-1] & ~(size_t)FLAGS) - (chunk[-1] & MAPPED ? 2 : 1) * sizeof(size_t);
}

/* --- mmap(2) ---------------------------------------------------------------------------------- */

static bool maps_apart_for(const void *site)
{
	get_ready();
	return (heap_is_inside() || (heap_is_mpis(site) && heap_modules_map(site)))
	       && apart.start != 0;
}

#define MAPS_APART() maps_apart_for(__builtin_return_address(0))

static void note_mapping(uintptr_t start, size_t size, int flags, bool is_mpis)
{
	const int mine = MAP_PRIVATE | MAP_ANONYMOUS;

	if (start == (uintptr_t)MAP_FAILED)
		return;
	if (!is_mpis || (flags & mine) != mine) {
		if (flags & MAP_FIXED)
			matchpoint_heap_note(start, size, false);
		return;
	}
	matchpoint_heap_note(start, size, true);
}

EXPORTED void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset)
{
	const bool is_mpis = MAPS_APART();
	void *place = address || is_mpis ? NULL : heap_place(size), *given = MAP_FAILED;

	if (place)
		given = NEXT(mmap)(place, size, protection, flags | MAP_FIXED_NOREPLACE, file,
		                   offset);
	if (given == MAP_FAILED)
		given = NEXT(mmap)(address, size, protection, flags, file, offset);
	note_mapping((uintptr_t)given, size, flags, is_mpis);
	return given;
}

EXPORTED void *mmap64(void *address, size_t size, int protection, int flags, int file,
                      off64_t offset) __attribute__((alias("mmap")));

/* The range is forgotten first: another thread may then get the same addresses. */
EXPORTED int munmap(void *address, size_t size)
{
	matchpoint_heap_note((uintptr_t)address, size, false);
	tell_freed((uintptr_t)address, size);
	return NEXT(munmap)(address, size);
}

/* UCX maps memory by number, past the hooks that it has put into the C library. */
EXPORTED long syscall(long number, ...)
{
	const bool maps = number == SYS_mmap || number == SYS_mremap;
	const bool is_mpis = maps && MAPS_APART();
	va_list list;
	long a[6], given;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (heap_answers(__builtin_return_address(0), number, a, &given))
		return given;
	if (number == SYS_munmap || number == SYS_mremap)
		matchpoint_heap_note((uintptr_t)a[0], (size_t)a[1], false);
	given = NEXT(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (number == SYS_mmap)
		note_mapping((uintptr_t)given, (size_t)a[1], (int)a[3], is_mpis);
	if (number == SYS_mremap)
		note_mapping((uintptr_t)given, (size_t)a[2], MAP_PRIVATE | MAP_ANONYMOUS, is_mpis);
	return given;
}

/* --- for the shim ----------------------------------------------------------------------------- */

/* A thread of MPI may hold the lock while the rank forks. */
static void reserve(void)
{
	void *mapped = mmap(NULL, RESERVED, PROT_READ | PROT_WRITE,
	                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (mapped == MAP_FAILED || pthread_atfork(lock, unlock, unlock) != 0)
		return;
	apart.next = (uintptr_t)mapped;
	apart.end = apart.next + RESERVED;
	__atomic_store_n(&apart.start, (uintptr_t)mapped, __ATOMIC_RELEASE);
}

bool matchpoint_heap_know(const void *guest)
{
	if (below_is_sanitized())
		return false;
	last_guest = guest;
	if (!heap_modules_know(guest, (const void *)(uintptr_t)matchpoint_heap_know))
		return false;
	if (apart.start == 0)
		reserve();
	return apart.start != 0;
}

int matchpoint_heap_left_out(struct memory_range *ranges, int most)
{
	int count = heap_modules_data(ranges, most), mapped;

	if (count < 0 || count == most)
		return -1;
	ranges[count++] = (struct memory_range){apart.start, apart.start + RESERVED};
	mapped = heap_mappings_ranges(ranges + count, most - count);
	return mapped < 0 ? -1 : count + mapped;
}

void matchpoint_heap_note(uintptr_t start, size_t size, bool is_mpis)
{
	lock();
	if (is_mpis)
		heap_mappings_add(start, size);
	else
		heap_mappings_remove(start, size);
	unlock();
}

void matchpoint_heap_watch(const int *is_wanted, heap_freed_function *function)
{
	freed = function;
	wanted = is_wanted;
}
