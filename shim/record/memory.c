#define _GNU_SOURCE
#include "memory.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "below.h"
#include "call.h"
#include "shim/mpi/next.h"
#include "shim/state/heap.h"
#include "shim/state/heap_place.h"

/* The program's mappings lie below this address, each below the last one. */
#define TOP ((uintptr_t)0x3e0000000000)
enum { PAGE = 4096, HUGE_PAGE = 2 << 20 };

static uintptr_t lowest = TOP;

/* The heap is a part of this library. */
heap_know_function matchpoint_heap_know;
heap_note_function matchpoint_heap_note;

bool heap_is_inside(void)
{
	return record_inside > 0;
}

bool heap_follows_loading(void)
{
	return record_is_on;
}

void *heap_place(size_t size)
{
	const uintptr_t align = size >= HUGE_PAGE ? HUGE_PAGE : PAGE;
	uintptr_t place;

	if (size == 0 || size > TOP / 2)
		return NULL;
	/* A page between them stays free. */
	place = (__atomic_load_n(&lowest, __ATOMIC_RELAXED) - size - PAGE) / align * align;
	__atomic_store_n(&lowest, place, __ATOMIC_RELAXED);
	return (void *)place;
}

void memory_know_libraries(void)
{
	const void *shim = below_shim();

	/* This library is known as the heap's. */
	matchpoint_heap_know(shim ? shim : (const void *)(uintptr_t)memory_know_libraries);
}

void memory_note_own(const void *start, size_t size)
{
	matchpoint_heap_note((uintptr_t)start, size, true);
}

bool memory_is_mpis(const void *caller)
{
	return heap_is_mpis(caller);
}

static void *map(size_t size, int flags)
{
	void *place = heap_place(size);
	void *given = (void *)syscall(SYS_mmap, place, size, PROT_READ | PROT_WRITE,
	                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | flags, -1,
	                              0L);

	return given == MAP_FAILED ? NULL : given;
}

void *memory_of_program(size_t size)
{
	size_t whole = size + PAGE;
	size_t *head = map(whole, 0);

	if (!head)
		return NULL;
	*head = whole;
	return (char *)head + PAGE;
}

void memory_of_program_free(void *memory)
{
	size_t *head = (size_t *)((uintptr_t)memory - PAGE);

	if (memory)
		munmap(head, *head);
}

/* --- stacks of the program's threads ---------------------------------------------------------- */

static size_t default_stack(void)
{
	pthread_attr_t attributes;
	size_t size = 8 << 20;

	if (pthread_attr_init(&attributes) == 0) {
		pthread_attr_getstacksize(&attributes, &size);
		pthread_attr_destroy(&attributes);
	}
	return size;
}

/* What the C library allocates for a thread depends on the libraries that are loaded. So that is
 * MPI's. */
EXPORTED int pthread_create(pthread_t *thread, const pthread_attr_t *given, void *(*run)(void *),
                            void *argument)
{
	pthread_attr_t own;
	void *stack = NULL;
	size_t size = 0;
	int detached = PTHREAD_CREATE_JOINABLE, code;

	if (record_inside > 0 || !record_is_on || memory_is_mpis(__builtin_return_address(0)))
		return NEXT(pthread_create)(thread, given, run, argument);
	if (given) {
		pthread_attr_getstack(given, &stack, &size);
		pthread_attr_getdetachstate(given, &detached);
	}
	pthread_attr_init(&own);
	if (!stack) {
		size = size ? size : default_stack();
		stack = map(size, MAP_STACK | MAP_NORESERVE);
	}
	if (stack)
		pthread_attr_setstack(&own, stack, size);
	pthread_attr_setdetachstate(&own, detached);
	record_inside++;
	code = NEXT(pthread_create)(thread, &own, run, argument);
	record_inside--;
	pthread_attr_destroy(&own);
	return code;
}
