#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>
#include <string.h>

#include "../../explorer/answer.h"

static void assert_prints(struct op_id answer, const char *expected)
{
	g_autofree char *text = answer_print(answer);
	struct op_id back = {0};

	assert_string_equal(text, expected);
	assert_int_equal(answer_parse(text, &back), strlen(text));
	assert_true(op_id_equal(back, answer));
	assert_true(answer_is(answer));
}

static void test_words(void **state)
{
	(void)state;
	assert_prints(answer_make(ANSWER_NO), "no");
	assert_prints(answer_make(ANSWER_YES), "yes");
	assert_prints(answer_make(ANSWER_CANCELLED), "cancelled");
	assert_prints(answer_make(ANSWER_EARLY), "early");
	assert_prints(answer_make(ANSWER_LATE), "late");
	assert_false(answer_is((struct op_id){0, 3, 0}));
}

static void test_requests(void **state)
{
	(void)state;
	assert_prints(answer_one(0), "#0");
	assert_prints(answer_one(1234), "#1234");
	assert_prints(answer_some(0, 5), "#0+2");
	assert_prints(answer_some(0, UINT64_C(1) << 63 | 1), "#0+63");
	assert_prints(answer_some(2, 6), "#129+130");
	/* One alone has one name. */
	assert_true(op_id_equal(answer_some(1, 4), answer_one(66)));
	assert_int_equal(answer_kind(answer_some(7, 3)), ANSWER_SOME);
}

static void assert_lists(struct op_id answer, uint32_t count, const char *expected)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (uint32_t i = answer_next(answer, 0, count); i < count;
	     i = answer_next(answer, i + 1, count))
		g_string_append_printf(text, "%u ", i);
	assert_string_equal(text->str, expected);
}

static void test_which_are_reported(void **state)
{
	(void)state;
	assert_lists(answer_make(ANSWER_NO), 3, "");
	assert_lists(answer_make(ANSWER_YES), 3, "0 1 2 ");
	assert_lists(answer_one(2), 3, "2 ");
	assert_lists(answer_one(3), 3, "");
	assert_lists(answer_some(0, 5), 3, "0 2 ");
	assert_lists(answer_some(1, UINT64_C(1) << 63 | 3), 128, "64 65 127 ");
	assert_lists(answer_some(1, UINT64_C(1) << 63 | 3), 127, "64 65 ");
}

static void test_what_is_no_answer(void **state)
{
	static const char *const texts[] = {
		"",     "1",     "#",     "#x",  "#+1", "#01",          "#2+1",
		"#1+1", "#0+64", "maybe", "#1+", "#-1", "#99999999999", "NO"};
	struct op_id answer;

	(void)state;
	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
		assert_int_equal(answer_parse(texts[i], &answer), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_which_are_reported),
		cmocka_unit_test(test_what_is_no_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
