/* The library that replaces malloc, with a test function that sometimes answers "MPI". */
#define _GNU_SOURCE /* mmap64 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shim/state/heap.c"
#include "shim/state/heap_alone.c"
#include "shim/state/heap_mappings.c"

/* The caller is MPI. Volatile, because the compiler assumes that malloc does not read it. */
static volatile bool is_mpi;
static bool is_known = true;

bool heap_modules_know(const void *guest, const void *own)
{
	(void)guest;
	(void)own;
	return is_known;
}

bool heap_modules_contain(const void *address)
{
	(void)address;
	return is_mpi;
}

bool heap_modules_miss(const void *address)
{
	(void)address;
	return false;
}

bool heap_modules_map(const void *address)
{
	return heap_modules_contain(address);
}

int heap_modules_data(struct memory_range *ranges, int most)
{
	(void)ranges;
	return most > 0 ? 0 : -1;
}

/* Otherwise the compiler, which knows malloc, would leave the call out. */
static void *volatile kept;

static void *keep(void *block)
{
	kept = block;
	return kept;
}

struct block {
	unsigned char *bytes;
	size_t size;
	unsigned char mark;
	bool apart;
};

static uint32_t random_number(uint32_t below)
{
	static uint64_t seed = 1;

	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

static size_t random_size(void)
{
	return random_number(8) ? random_number(300) : random_number(200000);
}

static void fill(struct block *block)
{
	block->mark = (unsigned char)random_number(256);
	memset(block->bytes, block->mark, block->size);
}

static void check_contents(const struct block *block, size_t size)
{
	for (size_t i = 0; i < size; i++)
		assert_int_equal(block->bytes[i], block->mark);
}

static void check_alignment(const struct block *block, size_t alignment)
{
	assert_int_equal((uintptr_t)block->bytes % alignment, 0);
}

static void allocate(struct block *block)
{
	size_t alignment = (size_t)16 << random_number(9);
	void *got = NULL;

	block->size = random_size();
	block->apart = is_mpi = random_number(2);
	switch (random_number(5)) {
	case 0: got = keep(malloc(block->size)); break;
	case 1:
		got = keep(calloc(block->size, 1));
		for (size_t i = 0; i < block->size; i++)
			assert_int_equal(((unsigned char *)got)[i], 0);
		break;
	case 2: got = keep(realloc(NULL, block->size)); break;
	case 3:
		assert_int_equal(posix_memalign(&got, alignment, block->size), 0);
		assert_int_equal((uintptr_t)got % alignment, 0);
		break;
	default:
		got = keep(memalign(alignment, block->size));
		assert_int_equal((uintptr_t)got % alignment, 0);
	}
	is_mpi = false;
	assert_non_null(got);
	block->bytes = got;
	check_alignment(block, 16);
	assert_int_equal(heap_is_apart(got), block->apart);
	assert_true(malloc_usable_size(got) >= block->size);
	fill(block);
}

/* The caller that resizes a block makes no difference: it stays in the same part of the heap. */
static void resize(struct block *block)
{
	size_t size = 1 + random_size(), before = block->size;

	is_mpi = random_number(2);
	block->bytes = keep(realloc(block->bytes, size));
	is_mpi = false;
	assert_non_null(block->bytes);
	assert_int_equal(heap_is_apart(block->bytes), block->apart);
	check_contents(block, before < size ? before : size);
	block->size = size;
	fill(block);
}

static void release(struct block *block)
{
	check_contents(block, block->size);
	is_mpi = random_number(2);
	free(block->bytes);
	is_mpi = false;
	*block = (struct block){0};
}

/* No block changes while others are allocated, resized and freed, by any caller. */
static void blocks_are_apart_from_each_other(void **state)
{
	enum { BLOCKS = 300, STEPS_TAKEN = 60000 };
	static struct block blocks[BLOCKS];

	(void)state;
	for (int i = 0; i < STEPS_TAKEN; i++) {
		struct block *block = &blocks[random_number(BLOCKS)];

		if (!block->bytes)
			allocate(block);
		else if (random_number(3) == 0)
			resize(block);
		else
			release(block);
	}
	for (int i = 0; i < BLOCKS; i++)
		if (blocks[i].bytes)
			release(&blocks[i]);
}

static void classes_hold_the_requested_size(void **state)
{
	uint32_t before = 0;

	(void)state;
	for (size_t size = 1; size < (size_t)1 << 22; size += size < 4096 ? 1 : size / 61) {
		size_t whole = 0, again = 0;
		uint32_t class = class_of(size, &whole);

		assert_true(whole >= size && whole % UNIT == 0);
		assert_true(whole - size < (size < 1024 ? UNIT : size / 2));
		assert_true(class >= before && class < CLASSES);
		/* All blocks of a class have one size. */
		assert_int_equal(class_of(whole, &again), class);
		assert_int_equal(whole, again);
		before = class;
	}
}

/* The place of a block follows from earlier allocations, and memory is reused. */
static void freed_memory_is_reused(void **state)
{
	uintptr_t end;

	(void)state;
	is_mpi = true;
	free(keep(malloc(5000)));
	end = apart.next;
	for (int i = 0; i < 1000; i++)
		free(keep(malloc(4900 + (size_t)(i % 100))));
	is_mpi = false;
	assert_int_equal(apart.next, end);
}

static void impossible_sizes_are_refused(void **state)
{
	/* More than the compiler can see. */
	volatile size_t much = (size_t)1 << 40;
	void *block = &block;

	(void)state;
	for (int i = 0; i < 2; i++) {
		is_mpi = i;
		errno = 0;
		assert_null(keep(calloc(much, much)));
		assert_int_equal(errno, ENOMEM);
		errno = 0;
		assert_null(keep(reallocarray(NULL, much, much)));
		assert_int_equal(errno, ENOMEM);
		assert_int_equal(posix_memalign(&block, 24, 100), EINVAL);
		assert_int_equal(posix_memalign(&block, 4, 100), EINVAL);
		assert_ptr_equal(block, &block);
		errno = 0;
		assert_null(keep(malloc(much << 22)));
		assert_int_equal(errno, ENOMEM);
		free(NULL);
		assert_int_equal(malloc_usable_size(NULL), 0);
	}
	is_mpi = false;
}

/* A block that cannot grow stays unchanged. */
static void a_block_that_cannot_grow_stays(void **state)
{
	struct block block = {.size = 100, .apart = true};
	volatile size_t much = (size_t)1 << 62;

	(void)state;
	is_mpi = true;
	block.bytes = keep(malloc(block.size));
	is_mpi = false;
	fill(&block);
	assert_null(keep(realloc(block.bytes, much)));
	release(&block);
}

static void the_range_is_returned(void **state)
{
	struct memory_range ranges[1];
	void *block;

	(void)state;
	is_mpi = true;
	block = keep(malloc(10));
	is_mpi = false;
	assert_true(matchpoint_heap_know(NULL));
	assert_int_equal(matchpoint_heap_left_out(ranges, 1), 1);
	assert_in_range((uintptr_t)block, ranges[0].start, ranges[0].end - 1);
	assert_int_equal(matchpoint_heap_left_out(ranges, 0), -1);
	is_known = false;
	assert_false(matchpoint_heap_know(NULL));
	is_known = true;
	free(block);
}

/* Memory that MPI maps itself is left out, the program's is not. */
static void what_mpi_maps_is_left_out(void **state)
{
	enum { SIZE = 3 * 4096 };
	struct memory_range ranges[8];
	void *mpis, *other;

	(void)state;
	assert_true(matchpoint_heap_know(NULL));
	is_mpi = true;
	mpis = mmap(NULL, SIZE - 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	is_mpi = false;
	other = mmap64(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_int_equal(matchpoint_heap_left_out(ranges, 8), 2);
	assert_int_equal(ranges[1].start, (uintptr_t)mpis);
	assert_int_equal(ranges[1].end, (uintptr_t)mpis + SIZE);
	/* The program maps something over its second page. */
	assert_ptr_not_equal(mmap((char *)mpis + 4096, 4096, PROT_READ,
	                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
	                     MAP_FAILED);
	assert_int_equal(matchpoint_heap_left_out(ranges, 8), 3);
	assert_int_equal(munmap(mpis, SIZE), 0);
	assert_int_equal(matchpoint_heap_left_out(ranges, 8), 1);
	assert_int_equal(munmap(other, SIZE), 0);
}

static void so_is_what_it_maps_by_number(void **state)
{
	enum { SIZE = 3 * 4096 };
	struct memory_range ranges[8];
	long mpis, moved;

	(void)state;
	is_mpi = true;
	mpis = syscall(SYS_mmap, NULL, SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
	moved = syscall(SYS_mremap, mpis, SIZE, 5 * SIZE, MREMAP_MAYMOVE);
	is_mpi = false;
	assert_int_equal(matchpoint_heap_left_out(ranges, 8), 2);
	assert_int_equal(ranges[1].start, moved);
	assert_int_equal(ranges[1].end, moved + 5 * SIZE);
	assert_int_equal(syscall(SYS_munmap, moved, 5 * SIZE), 0);
	assert_int_equal(matchpoint_heap_left_out(ranges, 8), 1);
	errno = 0;
	assert_int_equal(syscall(SYS_munmap, 1, 1), -1);
	assert_int_equal(errno, EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_are_apart_from_each_other),
		cmocka_unit_test(classes_hold_the_requested_size),
		cmocka_unit_test(freed_memory_is_reused),
		cmocka_unit_test(impossible_sizes_are_refused),
		cmocka_unit_test(a_block_that_cannot_grow_stays),
		cmocka_unit_test(the_range_is_returned),
		cmocka_unit_test(what_mpi_maps_is_left_out),
		cmocka_unit_test(so_is_what_it_maps_by_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
