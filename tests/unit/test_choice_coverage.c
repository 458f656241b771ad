#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "scheduler/store/choice_coverage.h"

static struct record_message message(int32_t source)
{
	struct taken taken = taken_message((struct op_id){source, 1, 0});

	return record_message_of(&taken);
}

static struct record_message answer(enum taken_kind kind)
{
	struct taken taken = taken_plain(kind);

	return record_message_of(&taken);
}

/* An interleaving with one choice: rank 0's `call`, at a.c:`line`, takes `taken`; its alternative
 * is `other`. */
static void add(struct choice_coverage *coverage, uint32_t call, uint32_t line,
                struct record_message taken, struct record_message other)
{
	g_autoptr(GPtrArray)
		choices = g_ptr_array_new_with_free_func((GDestroyNotify)record_choice_free);
	struct record_choice *choice = record_choice_new();

	choice->point = point_call(0, call, 0);
	choice->call = call;
	choice->function = g_intern_static_string("MPI_Recv");
	choice->place = (struct place){.file = g_intern_static_string("a.c"), .line = line};
	choice->taken = taken;
	g_array_append_val(choice->alternatives, other);
	g_ptr_array_add(choices, choice);
	choice_coverage_add(coverage, choices);
}

static void no_choices_give_no_words(void **state)
{
	struct choice_coverage *coverage = choice_coverage_new();

	(void)state;
	assert_null(choice_coverage_words(coverage, 5));
	add(coverage, 2, 7, message(1), message(1));
	assert_null(choice_coverage_words(coverage, 5));
	choice_coverage_free(coverage);
}

static void lines_show_the_coverage_of_their_calls(void **state)
{
	struct choice_coverage *coverage = choice_coverage_new();
	g_autofree char *text = NULL, *later = NULL;

	(void)state;
	add(coverage, 2, 7, message(1), message(2));
	add(coverage, 2, 7, message(2), message(1));
	add(coverage, 3, 7, message(1), message(2));
	add(coverage, 4, 9, answer(TAKEN_YES), answer(TAKEN_NO));
	add(coverage, 4, 9, answer(TAKEN_NO), answer(TAKEN_YES));
	text = choice_coverage_words(coverage, 5);
	assert_string_equal(text, "every alternative that was seen has been taken in some "
	                          "interleaving at: MPI_Recv at a.c:9 (1 call); not at: MPI_Recv "
	                          "at a.c:7 (1 of 2 calls, 3 of 4 alternatives)");
	add(coverage, 3, 7, message(2), message(1));
	later = choice_coverage_words(coverage, 1);
	assert_string_equal(later,
	                    "every alternative that was seen has been taken in some "
	                    "interleaving at: MPI_Recv at a.c:7 (2 calls), and 1 more place; "
	                    "not at: none");
	choice_coverage_free(coverage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_choices_give_no_words),
		cmocka_unit_test(lines_show_the_coverage_of_their_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
