/* Part of the preloaded shim, compiled in here. Counts how often two buffers are compared byte by
 * byte. */
#include "shim/check/intervals.c"
#include "shim/gate/gate.h"
#include "shim/types/bytes.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* There is no scheduler. */
void gate_send(const struct wire_message *message)
{
	(void)message;
}

static unsigned comparisons;

static bool count_bytes_meet(const struct bytes *one, const struct bytes *other,
                             bool *ret_one_writes, bool *ret_other_writes)
{
	comparisons++;
	return bytes_meet(one, other, ret_one_writes, ret_other_writes);
}

#define bytes_meet count_bytes_meet
#include "shim/check/overlap.c"

/* The program's loads and stores are not seen here. */
bool direct_is_used(void)
{
	return false;
}

void direct_watch(uintptr_t low, uintptr_t high)
{
	(void)low;
	(void)high;
}

void direct_unwatch(uintptr_t low, uintptr_t high)
{
	(void)low;
	(void)high;
}

bool layout_append(struct wire_part **parts, uint32_t *count, uint8_t role, int64_t start,
                   MPI_Count elements, MPI_Datatype type)
{
	(void)type;
	*parts = realloc(*parts, (*count + 1) * sizeof(**parts));
	(*parts)[(*count)++] = (struct wire_part){role, start, (uint64_t)elements, 1, 1, 0, 0};
	return true;
}

static struct bytes *bytes_at(uint8_t role, uintptr_t at, int length)
{
	return bytes_of(role, (const void *)at, length, MPI_BYTE);
}

static struct overlap_use *receive(uint32_t call, uintptr_t at, int most)
{
	const struct wire_user user = {.name = {call, 0}, .kind = WIRE_USE_RECEIVE};
	struct bytes *bytes = bytes_at(WIRE_PART_WRITTEN, at, most);
	struct overlap_use *use = overlap_begin(&user, bytes, true);

	bytes_release(bytes);
	return use;
}

static void arrive(struct overlap_use *use, uintptr_t at, int length)
{
	struct bytes *bytes = bytes_at(WIRE_PART_WRITTEN, at, length);

	overlap_know(use, bytes);
	bytes_release(bytes);
}

static struct overlap_use *send(uint32_t call, uintptr_t at, int length)
{
	const struct wire_user user = {.name = {call, 0}, .kind = WIRE_USE_SEND};
	struct bytes *bytes = bytes_at(WIRE_PART_READ, at, length);
	struct overlap_use *use = overlap_begin(&user, bytes, false);

	bytes_release(bytes);
	return use;
}

static unsigned take_found(void)
{
	unsigned count = uses.found_count;

	uses.found_count = 0;
	return count;
}

/* Receives posted together whose messages arrive in another order, and a send. */
static void test_many_receives_are_hardly_compared(void **state)
{
	enum { COUNT = 5000, LENGTH = 32 };
	static struct overlap_use *list[COUNT];
	struct overlap_use *sent = send(1, 0x1000, LENGTH);

	(void)state;
	comparisons = 0;
	for (uint32_t i = 0; i < COUNT; i++)
		list[i] = receive(i + 2, 0x10000 + i * LENGTH, LENGTH);
	for (uint32_t i = 0; i < COUNT; i++) {
		uint32_t next = i * 7 % COUNT; /* 7 and COUNT have no common divisor */

		arrive(list[next], 0x10000 + next * LENGTH, LENGTH);
		overlap_end(list[next]);
	}
	assert_true(overlap_is_any());
	overlap_end(sent);
	assert_false(overlap_is_any());
	assert_int_equal(take_found(), 0);
	assert_int_equal(comparisons, 0);
}

/* The bytes that the message fills are compared with operations that were under way meanwhile, also
 * with those that have ended. */
static void test_a_receive_is_compared_when_its_message_has_come(void **state)
{
	(void)state;
	for (int length = 8; length <= 12; length += 4) {
		struct overlap_use *received = receive(2, 0x1000, 64), *sent = send(3, 0x1008, 4);
		struct overlap_use *other = receive(4, 0x1010, 64);

		overlap_end(sent);
		assert_int_equal(take_found(), 0);
		arrive(received, 0x1000, length);
		assert_int_equal(take_found(), length > 8);
		assert_int_equal(overlap_found(received), length > 8);
		overlap_end(received);
		overlap_end(other);
		assert_int_equal(take_found(), 0);
		assert_false(overlap_is_any());
	}
}

static void test_two_receives_are_compared_when_both_messages_have_come(void **state)
{
	struct overlap_use *one = receive(2, 0x1000, 64), *other = receive(3, 0x1000, 64);

	(void)state;
	arrive(other, 0x1000, 4);
	assert_int_equal(take_found(), 0);
	overlap_end(other);
	arrive(one, 0x1000, 4);
	assert_int_equal(uses.found_count, 1);
	assert_int_equal(uses.found[0].users[0].name.call, 2);
	assert_int_equal(uses.found[0].users[1].name.call, 3);
	assert_true(uses.found[0].users[0].writes && uses.found[0].users[1].writes);
	take_found();
	overlap_end(one);
}

/* Parts of one operation overlap several parts of another. */
static void test_each_pair_is_reported_once(void **state)
{
	const struct wire_user user = {.name = {3, 0}, .kind = WIRE_USE_COLLECTIVE};
	struct overlap_use *sent = send(2, 0x1000, 100);
	struct bytes *bytes = bytes_new();

	(void)state;
	for (uintptr_t i = 0; i < 5; i++)
		bytes_add(bytes, WIRE_PART_WRITTEN, (const void *)(0x1000 + 20 * i), 10, MPI_BYTE);
	overlap_pass(&user, bytes);
	assert_int_equal(take_found(), 1);
	overlap_end(sent);
	overlap_pass(&user, bytes);
	assert_int_equal(take_found(), 0);
	bytes_release(bytes);
}

/* Its message never arrives. */
static void test_a_cancelled_receive_overlaps_nothing(void **state)
{
	struct overlap_use *one = receive(2, 0x1000, 64), *other = receive(3, 0x1000, 64);

	(void)state;
	overlap_end(one);
	arrive(other, 0x1000, 64);
	overlap_end(other);
	assert_int_equal(take_found(), 0);
	assert_false(overlap_is_any());
	assert_null(uses.messages.root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many_receives_are_hardly_compared),
		cmocka_unit_test(test_a_receive_is_compared_when_its_message_has_come),
		cmocka_unit_test(test_two_receives_are_compared_when_both_messages_have_come),
		cmocka_unit_test(test_each_pair_is_reported_once),
		cmocka_unit_test(test_a_cancelled_receive_overlaps_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
