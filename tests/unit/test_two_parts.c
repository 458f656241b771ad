#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "reports/two_parts.h"

enum { HEADER = 15, BODY = 16, SENDS_HEADER = 23, SENDS_BODY = 24 };

static struct record_message message(int32_t source, uint32_t line)
{
	struct record_message message = {.taken = {.kind = TAKEN_MESSAGE}};

	message.source = source;
	message.place = (struct place){.file = "farm.c", .line = line};
	return message;
}

/* Rank 0 takes a message of `source`; that of `other` (unless negative) could be taken. */
static struct record_choice *choice(uint32_t call, uint32_t line, uint32_t sent, int32_t source,
                                    int32_t other)
{
	struct record_choice *choice = record_choice_new();

	choice->point.kind = POINT_CALL;
	choice->call = call;
	choice->place = (struct place){.file = "farm.c", .line = line};
	choice->taken = message(source, sent);
	if (other >= 0) {
		struct record_message alternative = message(other, sent);

		g_array_append_val(choice->alternatives, alternative);
	}
	return choice;
}

static GPtrArray *pair(struct record_choice *first, struct record_choice *second)
{
	GPtrArray *choices = g_ptr_array_new_with_free_func((GDestroyNotify)record_choice_free);

	g_ptr_array_add(choices, first);
	g_ptr_array_add(choices, second);
	return choices;
}

/* Checks for the text with either choice to blame. Takes over the choices. */
static void expect(struct record_choice *first, struct record_choice *second, const char *begin)
{
	g_autoptr(GPtrArray) choices = pair(first, second);

	for (guint i = 0; i < choices->len; i++) {
		g_autofree char *text = two_parts_print(choices->pdata[i], choices);

		if (begin)
			assert_true(text && g_str_has_prefix(text, begin));
		else
			assert_null(text);
	}
}

static void test_header_and_body_of_two_ranks(void **state)
{
	(void)state;
	expect(choice(3, HEADER, SENDS_HEADER, 6, 2), choice(4, BODY, SENDS_BODY, 2, 6),
	       "rank 0 receives from rank 6 at farm.c:15, then from rank 2 at farm.c:16: ");
}

static void test_other_pairs_are_not_parts(void **state)
{
	(void)state;
	/* one rank */
	expect(choice(3, HEADER, SENDS_HEADER, 6, 2), choice(4, BODY, SENDS_BODY, 6, 2), NULL);
	/* one receive in a loop */
	expect(choice(3, HEADER, SENDS_HEADER, 6, 2), choice(4, HEADER, SENDS_BODY, 2, 6), NULL);
	/* equal messages */
	expect(choice(3, HEADER, SENDS_HEADER, 6, 2), choice(4, BODY, SENDS_HEADER, 2, 6), NULL);
	/* the second could take from one rank only */
	expect(choice(3, HEADER, SENDS_HEADER, 6, 2), choice(4, BODY, SENDS_BODY, 2, -1), NULL);
	/* from a third rank */
	expect(choice(3, HEADER, SENDS_HEADER, 6, 2), choice(4, BODY, SENDS_BODY, 2, 3), NULL);
}

static void test_answers_are_not_messages(void **state)
{
	struct record_choice *answer = choice(4, BODY, SENDS_BODY, 2, 6);

	(void)state;
	answer->taken.taken.kind = TAKEN_YES;
	expect(choice(3, HEADER, SENDS_HEADER, 6, 2), answer, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_header_and_body_of_two_ranks),
		cmocka_unit_test(test_other_pairs_are_not_parts),
		cmocka_unit_test(test_answers_are_not_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
