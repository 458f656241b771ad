#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

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

/* A stack of calls, the innermost first: the lines of a.c in these functions. */
static GArray *stack_of(const guint lines[], guint count)
{
	static const char *const functions[] = {"wrapper", "exchange", "solve", "main"};
	GArray *frames = g_array_new(false, false, sizeof(struct record_frame));

	for (guint i = 0; i < count; i++) {
		const struct record_frame frame = {
			.function = g_intern_string(functions[i + 4 - count]),
			.place = {.file = g_intern_static_string("a.c"), .line = lines[i]},
		};

		g_array_append_val(frames, frame);
	}
	return frames;
}

static void add_stack(struct choice_coverage *coverage, uint32_t call, const guint lines[],
                      guint count)
{
	GArray *frames = stack_of(lines, count);

	choice_coverage_add_stack(coverage, 0, call, frames);
	g_array_unref(frames);
}

static void check_words(const struct choice_coverage *coverage, const char *expected)
{
	g_autofree char *text = choice_coverage_words(coverage, 5);

	assert_non_null(strstr(text, expected));
}

/* Four calls at line 7 of wrapper: two by one line of exchange, one by another, one without a
 * stack. */
static struct choice_coverage *wrapped(void)
{
	struct choice_coverage *coverage = choice_coverage_new();

	for (uint32_t call = 2; call <= 5; call++)
		add(coverage, call, 7, message(1), message(2));
	add(coverage, 2, 7, message(2), message(1));
	return coverage;
}

static void callers_of_a_wrapper_are_told_apart(void **state)
{
	struct choice_coverage *coverage = wrapped();

	(void)state;
	assert_true(choice_coverage_wants_stacks(coverage));
	check_words(coverage,
	            "none; not at: MPI_Recv at a.c:7 (1 of 4 calls, 5 of 8 alternatives)");
	add_stack(coverage, 2, (const guint[]){7, 20, 30, 40}, 4);
	add_stack(coverage, 3, (const guint[]){7, 20, 30, 40}, 4);
	assert_false(choice_coverage_wants_stacks(coverage));
	check_words(coverage,
	            "none; not at: MPI_Recv at a.c:7 (1 of 4 calls, 5 of 8 alternatives)");
	add_stack(coverage, 4, (const guint[]){7, 21, 30, 40}, 4);
	check_words(coverage, "at: none; not at: MPI_Recv at a.c:7 (0 of 1 call, 1 of 2 "
	                      "alternatives), MPI_Recv at a.c:7, called by exchange at a.c:21 (0 "
	                      "of 1 call, 1 of 2 alternatives), MPI_Recv at a.c:7, called by "
	                      "exchange at a.c:20 (1 of 2 calls, 3 of 4 alternatives)");
	choice_coverage_free(coverage);
}

static void wrappers_of_wrappers_are_told_apart(void **state)
{
	struct choice_coverage *coverage = wrapped();

	(void)state;
	add_stack(coverage, 2, (const guint[]){7, 20, 30, 40}, 4);
	add_stack(coverage, 3, (const guint[]){7, 20, 31, 40}, 4);
	add_stack(coverage, 4, (const guint[]){7, 21, 30, 40}, 4);
	add_stack(coverage, 5, (const guint[]){7, 21, 30, 41}, 4);
	check_words(coverage, "at: MPI_Recv at a.c:7, called by exchange at a.c:20 by solve at "
	                      "a.c:30 (1 call); not at: MPI_Recv at a.c:7, called by exchange at "
	                      "a.c:20 by solve at a.c:31 (0 of 1 call, 1 of 2 alternatives), "
	                      "MPI_Recv at a.c:7, called by exchange at a.c:21 by main at a.c:40 "
	                      "(0 of 1 call, 1 of 2 alternatives), MPI_Recv at a.c:7, called by "
	                      "exchange at a.c:21 by main at a.c:41 (0 of 1 call, ");
	choice_coverage_free(coverage);
}

/* On another path the same call may be another one. */
static void stacks_of_other_calls_do_not_count(void **state)
{
	struct choice_coverage *coverage = wrapped();

	(void)state;
	add_stack(coverage, 2, (const guint[]){8, 20, 30, 40}, 4);
	add_stack(coverage, 3, (const guint[]){9, 21, 30, 40}, 4);
	assert_true(choice_coverage_wants_stacks(coverage));
	add_stack(coverage, 2, (const guint[]){7, 22, 30, 40}, 4);
	add_stack(coverage, 3, (const guint[]){7, 23, 40}, 3);
	check_words(coverage, "called by exchange at a.c:22 (1 call)");
	check_words(coverage, "called by solve at a.c:23 (0 of 1 call");
	choice_coverage_free(coverage);
}

/* What the interpreter does inside the call of a script tells nothing. */
static void frames_of_an_interpreter_do_not_count(void **state)
{
	struct choice_coverage *coverage = wrapped();
	GArray *one = stack_of((const guint[]){7, 50, 60, 40}, 4);
	GArray *other = stack_of((const guint[]){7, 51, 61, 40}, 4);

	(void)state;
	g_array_index(one, struct record_frame, 2).told = true;
	g_array_index(other, struct record_frame, 2).told = true;
	choice_coverage_add_stack(coverage, 0, 2, one);
	choice_coverage_add_stack(coverage, 0, 3, other);
	check_words(coverage, "called by solve at a.c:60 (1 call)");
	check_words(coverage, "called by solve at a.c:61 (0 of 1 call");
	g_array_unref(one);
	g_array_unref(other);
	choice_coverage_free(coverage);
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
		cmocka_unit_test(callers_of_a_wrapper_are_told_apart),
		cmocka_unit_test(wrappers_of_wrappers_are_told_apart),
		cmocka_unit_test(stacks_of_other_calls_do_not_count),
		cmocka_unit_test(frames_of_an_interpreter_do_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
