/* room: tools. The log of a recorded rank: numbers, blocks, and what damage does to them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/recording.h"
#include "common/recording_start.h"

static void test_numbers(void **state)
{
	const int64_t values[] = {0, -1, 1, 63, -64, 64, 127, 128, INT32_MIN, INT64_MAX, INT64_MIN};
	uint8_t bytes[RECORDING_FIELD];

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		uint64_t folded = 0;
		const uint8_t *end = recording_put(bytes, recording_fold(values[i]));

		assert_true(end - bytes <= RECORDING_FIELD);
		assert_ptr_equal(recording_get(bytes, end, &folded), end);
		assert_int_equal(recording_unfold(folded), values[i]);
		assert_null(recording_get(bytes, end - 1, &folded));
	}
	memset(bytes, 0xff, sizeof(bytes));
	assert_null(recording_get(bytes, bytes + sizeof(bytes), &(uint64_t){0}));
}

/* A log of `count` blocks with 100 bytes each. */
static size_t make_log(uint8_t *log, uint32_t count)
{
	size_t at = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct recording_block block = {.sequence = i, .size = 100, .first_call = i * 10};
		uint8_t bytes[100];

		memset(bytes, (int)i + 1, sizeof(bytes));
		recording_seal(&block, bytes);
		memcpy(log + at, &block, sizeof(block));
		memcpy(log + at + sizeof(block), bytes, sizeof(bytes));
		at += sizeof(block) + sizeof(bytes);
	}
	return at;
}

static struct recording_tail *make_tail(uint32_t sequence, uint64_t size)
{
	struct recording_tail *tail = calloc(1, RECORDING_TAIL_SIZE);

	assert_non_null(tail);
	tail->magic = RECORDING_MAGIC;
	tail->version = RECORDING_VERSION;
	tail->block = (struct recording_block){
		.magic = RECORDING_MAGIC, .sequence = sequence, .size = size, .first_call = 77};
	return tail;
}

static uint32_t read_all(struct recording_reader *reader)
{
	uint32_t count = 0;

	while (recording_next(reader))
		count++;
	assert_false(recording_next(reader));
	return count;
}

static void test_blocks(void **state)
{
	uint8_t log[1024];
	const size_t size = make_log(log, 3);
	struct recording_reader reader;

	(void)state;
	recording_begin(&reader, log, size, NULL, 0);
	assert_true(recording_next(&reader));
	assert_int_equal(reader.size, 100);
	assert_int_equal(reader.bytes[0], 1);
	assert_int_equal(read_all(&reader), 2);
	assert_int_equal(reader.state, RECORDING_OVER);
}

/* However much of a write was done when the rank was killed, the tail has the block. */
static void test_cut(void **state)
{
	uint8_t log[1024];
	const size_t size = make_log(log, 3);
	struct recording_tail *tail = make_tail(2, 60);
	struct recording_reader reader;

	(void)state;
	for (size_t cut = 0; cut < size / 3; cut++) {
		recording_begin(&reader, log, size / 3 * 2 + cut, tail, RECORDING_TAIL_SIZE);
		assert_int_equal(read_all(&reader), 3);
		assert_int_equal(reader.first_call, 77);
		assert_int_equal(reader.state, RECORDING_OVER);
	}
	recording_begin(&reader, log, size, tail, RECORDING_TAIL_SIZE); /* it was written */
	assert_int_equal(read_all(&reader), 3);
	assert_int_equal(reader.first_call, 20);
	free(tail);
}

static void test_flipped(void **state)
{
	uint8_t log[1024];
	const size_t size = make_log(log, 3);
	struct recording_reader reader;

	(void)state;
	for (size_t bit = 0; bit < size * 8; bit++) {
		const size_t place = bit / 8 % (size / 3);

		log[bit / 8] ^= (uint8_t)(1u << bit % 8);
		recording_begin(&reader, log, size, NULL, 0);
		if (place < offsetof(struct recording_block, unused)
		    || place >= sizeof(struct recording_block))
			assert_int_equal(read_all(&reader), bit / 8 / (size / 3));
		log[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
}

static void test_strange_tail(void **state)
{
	struct recording_tail *tail = make_tail(0, RECORDING_BLOCK + 1);
	struct recording_reader reader;

	(void)state;
	recording_begin(&reader, NULL, 0, tail, RECORDING_TAIL_SIZE);
	assert_int_equal(read_all(&reader), 0);
	assert_int_equal(reader.state, RECORDING_DAMAGED);
	assert_null(recording_place_of(tail, sizeof(*tail) - 1));
	tail->version++;
	assert_null(recording_place_of(tail, RECORDING_TAIL_SIZE));
	recording_begin(&reader, NULL, 0, tail, RECORDING_TAIL_SIZE);
	assert_int_equal(read_all(&reader), 0);
	assert_int_equal(reader.state, RECORDING_OVER);
	free(tail);
}

/* The file of a rank's start: any cut and any flipped bit is noticed. */
static void test_start(void **state)
{
	char bytes[128] = "program 5\n./app\nfolder 1\n/\n", end[RECORDING_START_END];
	struct recording_section section;
	size_t size = strlen(bytes);

	(void)state;
	assert_false(recording_start_is_whole(bytes, size));
	recording_start_end(bytes, size, end);
	memcpy(bytes + size, end, strlen(end) + 1);
	size += strlen(end);
	assert_true(recording_start_is_whole(bytes, size));
	assert_true(recording_start_find(bytes, size, RECORDING_START_FOLDER, &section));
	assert_int_equal(section.size, 1);
	for (size_t i = 0; i < size; i++) {
		assert_false(recording_start_is_whole(bytes, i));
		bytes[i] ^= 1;
		assert_false(recording_start_is_whole(bytes, size));
		bytes[i] ^= 1;
	}
}

/* The size of a section is digits up to the end of its line, and no byte behind the file counts. */
static void test_sizes_in_start(void **state)
{
	static const char *const wrong[] = {"folder \n",
	                                    "folder  1\n/\n",
	                                    "folder +1\n/\n",
	                                    "folder -1\n/\n",
	                                    "folder 1x\n/\n",
	                                    "folder 18446744073709551617\n/\n",
	                                    "folder 99999999999999999999999\n/\n",
	                                    "folder\n/\n",
	                                    "folder 3\n/\n"};
	struct recording_section section;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		const size_t size = strlen(wrong[i]);
		char *bytes = malloc(size + 1); /* nothing behind it that ends a number */

		memcpy(bytes, wrong[i], size);
		bytes[size] = '1';
		assert_false(recording_start_find(bytes, size, "folder", &section));
		free(bytes);
	}
	assert_true(recording_start_find("folder 1\n/\n", 11, "folder", &section));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_flipped),
		cmocka_unit_test(test_strange_tail),
		cmocka_unit_test(test_start),
		cmocka_unit_test(test_sizes_in_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
