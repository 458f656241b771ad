#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "scheduler/places/stack_table.h"

static GArray *frames(const char *inner, uint32_t line, const char *outer)
{
	GArray *made = g_array_new(false, false, sizeof(struct record_frame));
	struct record_frame frame = {
		g_intern_string(inner), {.file = g_intern_string("a.c"), .line = line}, false};

	g_array_append_val(made, frame);
	if (outer) {
		frame = (struct record_frame){g_intern_string(outer),
		                              {.function = g_intern_string("a.so"), .offset = 7},
		                              false};
		g_array_append_val(made, frame);
	}
	return made;
}

static void addresses_lead_to_the_stack_they_were_added_for(void **state)
{
	struct stack_table *table = stack_table_new();
	const uint64_t inner[] = {10, 30}, other[] = {20, 30};
	const GArray *stack;

	(void)state;
	assert_int_equal(stack_table_find(table, 0, inner, 2), 0);
	assert_int_equal(stack_table_add(table, 0, inner, 2, frames("f", 1, "main")), 1);
	assert_int_equal(stack_table_add(table, 0, other, 2, frames("f", 2, "main")), 2);
	assert_int_equal(stack_table_find(table, 0, inner, 2), 1);
	assert_int_equal(stack_table_find(table, 0, other, 2), 2);
	assert_int_equal(stack_table_all(table)->len, 2);
	stack = stack_table_all(table)->pdata[1];
	assert_int_equal(stack->len, 2);
	assert_int_equal(g_array_index(stack, struct record_frame, 0).place.line, 2);
	assert_string_equal(g_array_index(stack, struct record_frame, 1).function, "main");
	stack_table_free(table);
}

/* Some of the addresses, or the same ones in another rank, are not known. */
static void only_all_addresses_of_a_rank_are_a_stack(void **state)
{
	struct stack_table *table = stack_table_new();
	const uint64_t addresses[] = {10, 30, 40};

	(void)state;
	stack_table_add(table, 1, addresses, 2, frames("f", 1, NULL));
	assert_int_equal(stack_table_find(table, 1, addresses, 2), 1);
	assert_int_equal(stack_table_find(table, 0, addresses, 2), 0);
	assert_int_equal(stack_table_find(table, 1, addresses, 1), 0);
	assert_int_equal(stack_table_find(table, 1, addresses, 3), 0);
	stack_table_free(table);
}

static void equal_frames_of_several_ranks_are_one_stack(void **state)
{
	struct stack_table *table = stack_table_new();
	const uint64_t one[] = {10}, other[] = {11};

	(void)state;
	assert_int_equal(stack_table_add(table, 0, one, 1, frames("f", 1, "main")), 1);
	assert_int_equal(stack_table_add(table, 1, other, 1, frames("f", 1, "main")), 1);
	assert_int_equal(stack_table_add(table, 2, one, 1, frames("g", 1, "main")), 2);
	assert_int_equal(stack_table_add(table, 3, one, 1, frames("f", 1, NULL)), 3);
	assert_int_equal(stack_table_find(table, 1, other, 1), 1);
	assert_int_equal(stack_table_all(table)->len, 3);
	stack_table_free(table);
	stack_table_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_lead_to_the_stack_they_were_added_for),
		cmocka_unit_test(only_all_addresses_of_a_rank_are_a_stack),
		cmocka_unit_test(equal_frames_of_several_ranks_are_one_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
