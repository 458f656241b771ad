/* room: backwards. Moments of a replayed process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "scheduler/backwards/moment.h"

#define STEPS(n)                                \
	(struct leg)                            \
	{                                       \
		.kind = LEG_STEPS, .count = (n) \
	}
#define ARRIVAL(address, n)                                        \
	(struct leg)                                               \
	{                                                          \
		.kind = LEG_ARRIVAL, .pc = (address), .count = (n) \
	}
#define TRIGGER(watched, n)                                                                   \
	(struct leg)                                                                          \
	{                                                                                     \
		.kind = LEG_TRIGGER, .count = (n), .watches = { {POINT_WRITE, (watched), 8} } \
	}
#define FAULT                     \
	(struct leg)              \
	{                         \
		.kind = LEG_FAULT \
	}

static struct moment *moment_of(guint64 mark, const struct leg *legs, guint count)
{
	struct moment *moment = moment_new(mark);

	for (guint i = 0; i < count; i++)
		moment_add(moment, &legs[i]);
	return moment;
}

#define MOMENT(mark, ...)                            \
	moment_of(mark, (struct leg[]){__VA_ARGS__}, \
	          sizeof((struct leg[]){__VA_ARGS__}) / sizeof(struct leg))

static void expect_text(struct moment *moment, const char *expected)
{
	g_autofree char *text = moment_print(moment);

	assert_string_equal(text, expected);
	moment_free(moment);
}

static void legs_are_merged(void **state)
{
	(void)state;
	expect_text(MOMENT(3, STEPS(0)), "3");
	expect_text(MOMENT(3, STEPS(4), STEPS(0), STEPS(5)), "3 9 steps");
	/* The first and the next arrival are the second. */
	expect_text(MOMENT(3, ARRIVAL(0x40, 0), ARRIVAL(0x40, 0)), "3 arrival 40 #1");
	expect_text(MOMENT(3, ARRIVAL(0x40, 2), ARRIVAL(0x40, 3)), "3 arrival 40 #6");
	expect_text(MOMENT(3, ARRIVAL(0x40, 2), ARRIVAL(0x41, 3)),
	            "3 arrival 40 #2, arrival 41 #3");
	expect_text(MOMENT(3, TRIGGER(0x80, 0), TRIGGER(0x80, 0)), "3 trigger 80 #1");
	expect_text(MOMENT(3, TRIGGER(0x80, 0), TRIGGER(0x88, 0)),
	            "3 trigger 80 #0, trigger 88 #0");
	expect_text(MOMENT(3, STEPS(1), FAULT, FAULT), "3 1 steps, fault, fault");
}

/* NULL: there is no way. */
static void expect_rest(struct moment *from, struct moment *to, const char *expected)
{
	struct moment *rest = moment_rest(from, to);

	if (expected) {
		assert_non_null(rest);
		expect_text(rest, expected);
	} else {
		assert_null(rest);
	}
	moment_free(from);
	moment_free(to);
}

static void the_rest_of_a_way_is_known(void **state)
{
	(void)state;
	expect_rest(moment_new(3), moment_new(3), "3");
	expect_rest(moment_new(3), moment_new(4), NULL);
	expect_rest(moment_new(3), MOMENT(3, ARRIVAL(0x40, 2), STEPS(7)),
	            "3 arrival 40 #2, 7 steps");
	expect_rest(MOMENT(3, ARRIVAL(0x40, 2)), MOMENT(3, ARRIVAL(0x40, 2), STEPS(7)),
	            "3 7 steps");
	expect_rest(MOMENT(3, ARRIVAL(0x40, 0)), MOMENT(3, ARRIVAL(0x40, 2), STEPS(7)),
	            "3 arrival 40 #1, 7 steps");
	expect_rest(MOMENT(3, STEPS(250)), MOMENT(3, STEPS(260)), "3 10 steps");
	expect_rest(MOMENT(3, TRIGGER(0x80, 1)), MOMENT(3, TRIGGER(0x80, 4)), "3 trigger 80 #2");
}

static void what_is_off_the_way_is_no_part_of_it(void **state)
{
	(void)state;
	expect_rest(MOMENT(3, STEPS(7)), moment_new(3), NULL);
	expect_rest(MOMENT(3, STEPS(260)), MOMENT(3, STEPS(250)), NULL);
	expect_rest(MOMENT(3, ARRIVAL(0x40, 3)), MOMENT(3, ARRIVAL(0x40, 2)), NULL);
	expect_rest(MOMENT(3, ARRIVAL(0x41, 0)), MOMENT(3, ARRIVAL(0x40, 2)), NULL);
	/* Part of a leg, and then another way. */
	expect_rest(MOMENT(3, ARRIVAL(0x40, 1), STEPS(1)), MOMENT(3, ARRIVAL(0x40, 2), STEPS(7)),
	            NULL);
	expect_rest(MOMENT(3, TRIGGER(0x88, 0)), MOMENT(3, TRIGGER(0x80, 1)), NULL);
}

static void equal_moments_are_equal(void **state)
{
	g_autoptr(Moment) one = MOMENT(3, ARRIVAL(0x40, 2), STEPS(7));
	g_autoptr(Moment) same = moment_copy(one);
	g_autoptr(Moment) shorter = moment_without_last(one);

	(void)state;
	assert_true(moment_equal(one, same));
	assert_false(moment_equal(one, shorter));
	same->legs[1].count++;
	assert_false(moment_equal(one, same));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(legs_are_merged),
		cmocka_unit_test(the_rest_of_a_way_is_known),
		cmocka_unit_test(what_is_off_the_way_is_no_part_of_it),
		cmocka_unit_test(equal_moments_are_equal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
