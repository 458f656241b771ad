/* The kernel's answers agree with the text of /proc. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shim/state/mappings.c"
#include "shim/state/state_mappings.c"

enum { MOST = 4096 };

static struct {
	struct state_mapping mappings[MOST];
	char paths[MOST][64];
	size_t count;
} seen;

static bool note(const struct state_mapping *mapping)
{
	assert_true(seen.count < MOST);
	seen.mappings[seen.count] = *mapping;
	snprintf(seen.paths[seen.count++], sizeof(seen.paths[0]), "%s", mapping->path);
	return true;
}

static bool note_one(const struct state_mapping *mapping)
{
	note(mapping);
	return false;
}

static int open_maps(void)
{
	int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);

	assert_true(maps >= 0);
	return maps;
}

static const struct state_mapping *find(const void *address)
{
	for (size_t i = 0; i < seen.count; i++)
		if ((uintptr_t)address >= seen.mappings[i].start
		    && (uintptr_t)address < seen.mappings[i].end)
			return &seen.mappings[i];
	return NULL;
}

static void both_ways_agree(void **state)
{
	static struct state_mapping asked[MOST];
	void *shared = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
	                    0);
	void *locked = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t count, stack;
	int maps = open_maps();

	(void)state;
	seen.count = 0;
	if (!state_mappings_ask(maps, (uintptr_t)&maps, note)) {
		close(maps);
		skip();
	}
	count = seen.count;
	memcpy(asked, seen.mappings, sizeof(asked));
	assert_true(find(shared)->shared && strstr(seen.paths[find(shared) - seen.mappings], "/"));
	assert_false(find(locked)->readable || find(locked)->writable);
	stack = (size_t)(find(&maps) - seen.mappings);
	assert_string_equal(seen.paths[stack], "[stack]");
	seen.count = 0;
	assert_true(state_mappings_read(note));
	assert_int_equal(seen.count, count);
	for (size_t i = 0; i < count; i++) {
		const struct state_mapping *one = &asked[i], *other = &seen.mappings[i];

		assert_int_equal(one->start, other->start);
		assert_int_equal(one->end, other->end);
		assert_int_equal(one->offset, other->offset);
		assert_int_equal(one->inode, other->inode);
		assert_int_equal(one->readable, other->readable);
		assert_int_equal(one->writable, other->writable);
		assert_int_equal(one->executable, other->executable);
		assert_int_equal(one->shared, other->shared);
	}
	assert_string_equal(seen.paths[stack], "[stack]");
	close(maps);
	munmap(shared, 3 * 4096);
	munmap(locked, 4096);
}

static void more_than_fits_at_once_is_read_in_pieces(void **state)
{
	enum { PIECES = 700 };
	char *all = mmap(NULL, (size_t)PIECES * 2 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
	                 -1, 0);
	size_t found = 0;

	(void)state;
	for (size_t i = 0; i < PIECES; i++)
		assert_int_equal(mprotect(all + i * 2 * 4096, 4096, PROT_NONE), 0);
	seen.count = 0;
	assert_true(state_mappings_read(note));
	for (size_t i = 0; i < seen.count; i++)
		found += seen.mappings[i].start >= (uintptr_t)all
		         && seen.mappings[i].end <= (uintptr_t)all + (size_t)PIECES * 2 * 4096;
	/* The last mapping can be merged with the next one. */
	assert_in_range(found, 2 * PIECES - 1, 2 * PIECES);
	munmap(all, (size_t)PIECES * 2 * 4096);
}

static void it_stops_at_the_given_address(void **state)
{
	(void)state;
	seen.count = 0;
	assert_true(state_mappings_each(0, note_one));
	assert_int_equal(seen.count, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ways_agree),
		cmocka_unit_test(more_than_fits_at_once_is_read_in_pieces),
		cmocka_unit_test(it_stops_at_the_given_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
