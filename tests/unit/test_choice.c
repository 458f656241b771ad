#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "explorer/choice.h"
#include "explorer/lock.h"

#define RANKS 7
#define ROUNDS 20000

/* --- random choices -------------------------------------------------------------------------- */

static uint32_t below(GRand *dice, uint32_t count)
{
	return (uint32_t)g_rand_int(dice) % count;
}

/* Mostly small, so that equal numbers occur; sometimes large. */
static uint32_t some_number(GRand *dice)
{
	return below(dice, 8) == 0 ? 1 + below(dice, UINT32_MAX - 2) : 1 + below(dice, 3);
}

static struct point some_point(GRand *dice)
{
	struct point point = {.kind = (enum point_kind)below(dice, 3),
	                      .rank = (int32_t)below(dice, RANKS),
	                      .call = some_number(dice)};

	if (point.kind == POINT_CALL && below(dice, 2) == 0)
		point.sub = some_number(dice);
	if (point.kind != POINT_LOCK)
		return point;
	point.window = 1 + (int32_t)below(dice, below(dice, 4) == 0 ? 100000 : 2);
	point.first = (int32_t)below(dice, 2) * (int32_t)below(dice, RANKS);
	point.reader = (int32_t)below(dice, RANKS + 1) - 1;
	return point;
}

static struct taken some_taken(GRand *dice, const struct point *point)
{
	enum taken_kind kind = (enum taken_kind)below(dice, TAKEN_KINDS);

	if (point->kind == POINT_TURN)
		return taken_thread(below(dice, 3));
	switch (kind) {
	case TAKEN_MESSAGE:
		return taken_message((struct op_id){(int32_t)below(dice, RANKS), some_number(dice),
		                                    below(dice, 2)});
	case TAKEN_ONE:
	case TAKEN_THREAD: return taken_one(below(dice, below(dice, 2) == 0 ? 100000 : 3));
	case TAKEN_SOME:
		return taken_some(below(dice, 3),
		                  (uint64_t)g_rand_int(dice) << 32 | some_number(dice));
	default: return taken_plain(kind);
	}
}

static struct choice some_choice(GRand *dice)
{
	struct choice choice = {.point = some_point(dice)};

	choice.taken = some_taken(dice, &choice.point);
	return choice;
}

static char *print(const struct choice *choice)
{
	GString *text = g_string_new(NULL);

	choice_append(text, choice);
	return g_string_free(text, false);
}

static GBytes *bytes_of(const GArray *choices)
{
	GByteArray *bytes = g_byte_array_new();

	choices_put(bytes, choices);
	return g_byte_array_free_to_bytes(bytes);
}

static bool read_back(const uint8_t *data, size_t size, GArray *choices)
{
	struct choice_bytes bytes = {data, size};

	g_array_set_size(choices, 0);
	return choices_take(&bytes, choices) && bytes.left == 0;
}

/* --- laws ------------------------------------------------------------------------------------ */

static void printed_choices_are_parsed_back(void **state)
{
	GRand *dice = g_rand_new_with_seed(1);

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		struct choice choice = some_choice(dice), back;
		g_autofree char *text = print(&choice);
		const char *at = text;

		assert_null(choice_parse(&at, RANKS, &back));
		assert_int_equal(*at, '\0');
		assert_true(choice_equal(&choice, &back));
		assert_int_equal(choice_hash(&choice), choice_hash(&back));
	}
	g_rand_free(dice);
}

static void bytes_include_the_send(void **state)
{
	GRand *dice = g_rand_new_with_seed(2);
	g_autoptr(GArray) choices = g_array_new(false, false, sizeof(struct choice));
	g_autoptr(GArray) back = g_array_new(false, false, sizeof(struct choice));

	(void)state;
	for (int i = 0; i < ROUNDS / 10; i++) {
		g_autoptr(GBytes) bytes = NULL, again = NULL;
		gsize size;
		const uint8_t *data;

		g_array_set_size(choices, 0);
		for (uint32_t k = below(dice, 10); k > 0; k--) {
			struct choice choice = some_choice(dice);

			choice.taken.promised = below(dice, 4) == 0;
			g_array_append_val(choices, choice);
		}
		bytes = bytes_of(choices);
		data = g_bytes_get_data(bytes, &size);
		assert_true(read_back(data, size, back));
		assert_int_equal(choices_common(choices, back), choices->len);
		assert_int_equal(choices_promise(choices), choices_promise(back));
		assert_int_equal(choices_are_owed(choices), choices_are_owed(back));
		again = bytes_of(back);
		assert_true(g_bytes_equal(bytes, again));
		if (size > 1) /* truncated */
			assert_false(read_back(data, size - 1, back));
	}
	g_rand_free(dice);
}

static void order_equality_and_hash_go_together(void **state)
{
	GRand *dice = g_rand_new_with_seed(3);
	guint equal = 0;

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		struct choice a = some_choice(dice), b = some_choice(dice), c = some_choice(dice);
		g_autofree char *one = print(&a), *other = print(&b);
		int order = point_compare(&a.point, &b.point);

		assert_int_equal(order, -point_compare(&b.point, &a.point));
		if (order <= 0 && point_compare(&b.point, &c.point) <= 0)
			assert_true(point_compare(&a.point, &c.point) <= 0);
		/* equal choices have equal texts, and only they */
		assert_int_equal(choice_equal(&a, &b), strcmp(one, other) == 0);
		if (choice_equal(&a, &b)) {
			equal++;
			assert_int_equal(choice_hash(&a), choice_hash(&b));
			assert_int_equal(choice_key_hash(&a), choice_key_hash(&b));
			assert_int_equal(choice_compare(&a, &b), 0);
		}
		if (order == 0)
			assert_int_equal(point_key_hash(&a.point), point_key_hash(&b.point));
	}
	assert_true(equal > 20);
	g_rand_free(dice);
}

static void a_point_is_an_operation_for_the_search(void **state)
{
	GRand *dice = g_rand_new_with_seed(4);

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		struct point point = some_point(dice), back;
		struct op_id operation = point_operation(&point, RANKS);

		assert_int_equal(operation.rank >= RANKS, point.kind == POINT_LOCK);
		back = point_of(operation, RANKS);
		assert_true(point_equal(&point, &back));
	}
	g_rand_free(dice);
}

/* --- single choices -------------------------------------------------------------------------- */

static void assert_prints(struct taken taken, const char *expected)
{
	g_autofree char *text = taken_print(&taken);

	assert_string_equal(text, expected);
}

static void test_words(void **state)
{
	struct taken one = taken_some(1, 4), other = taken_one(66);

	(void)state;
	assert_prints(taken_plain(TAKEN_NO), "no");
	assert_prints(taken_plain(TAKEN_CANCELLED), "cancelled");
	assert_prints(taken_plain(TAKEN_EARLY), "early");
	assert_prints(taken_one(1234), "#1234");
	assert_prints(taken_thread(2), "#2");
	assert_prints(taken_some(0, 5), "#0+2");
	assert_prints(taken_some(0, UINT64_C(1) << 63 | 1), "#0+63");
	assert_prints(taken_some(2, 6), "#129+130");
	assert_prints(taken_message((struct op_id){3, 8, 1}), "3");
	/* A set with one request has one form. */
	assert_true(taken_equal(&one, &other));
}

/* Which of its rank's messages it is follows from the other choices. */
static void a_message_is_identified_by_its_sender(void **state)
{
	struct taken one = taken_message((struct op_id){3, 8, 1});
	struct taken other = taken_message((struct op_id){3, 0, 0});

	(void)state;
	assert_true(taken_equal(&one, &other));
	other = taken_message((struct op_id){2, 8, 1});
	assert_false(taken_equal(&one, &other));
	other = taken_one(3);
	assert_false(taken_equal(&one, &other));
}

static void assert_lists(struct taken taken, uint32_t count, const char *expected)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (uint32_t i = taken_next(&taken, 0, count); i < count;
	     i = taken_next(&taken, i + 1, count))
		g_string_append_printf(text, "%u ", i);
	assert_string_equal(text->str, expected);
}

static void test_which_are_reported(void **state)
{
	(void)state;
	assert_lists(taken_plain(TAKEN_NO), 3, "");
	assert_lists(taken_plain(TAKEN_YES), 3, "0 1 2 ");
	assert_lists(taken_one(2), 3, "2 ");
	assert_lists(taken_one(3), 3, "");
	assert_lists(taken_some(0, 5), 3, "0 2 ");
	assert_lists(taken_some(1, UINT64_C(1) << 63 | 3), 128, "64 65 127 ");
	assert_lists(taken_some(1, UINT64_C(1) << 63 | 3), 127, "64 65 ");
}

static void test_what_is_nothing_to_take(void **state)
{
	static const char *const texts[] = {"",     "#",     "#x",  "#+1", "#01", "#2+1",
	                                    "#1+1", "#0+64", "#1+", "#-1", "NO",  "#99999999999",
	                                    "maybe"};

	(void)state;
	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autofree char *text = g_strconcat("0.4=", texts[i], NULL);
		const char *at = text;
		struct choice choice;
		g_autofree char *wrong = choice_parse(&at, RANKS, &choice);

		assert_string_equal(wrong, "the sender's rank or an answer (no, yes, #0, #0+1, "
		                           "cancelled, early, late) expected");
	}
}

static void assert_refused(const uint8_t *data, size_t size)
{
	g_autoptr(GArray) choices = g_array_new(false, false, sizeof(struct choice));

	assert_false(read_back(data, size, choices));
}

static void bytes_have_one_form(void **state)
{
	(void)state;
	assert_refused((const uint8_t *)"", 0);
	assert_refused((const uint8_t *)"\x81\x00", 2); /* 1 in two bytes */
	/* many choices, and no data */
	assert_refused((const uint8_t *)"\xff\xff\x01", 3);
	assert_refused((const uint8_t *)"\x01\x03\x00\x01\x00\x01", 6); /* no such kind of point */
	/* no such kind of taken alternative */
	assert_refused((const uint8_t *)"\x01\x01\x00\x01\x09", 5);
	/* SOME with a single request */
	assert_refused((const uint8_t *)"\x01\x00\x00\x01\x00\x04\x00\x08", 8);
	assert_refused((const uint8_t *)"\x01\x02\x00\x01\x00\x00\x00\x01", 8); /* window 0 */
}

static void test_in_an_array(void **state)
{
	g_autoptr(GArray) one = g_array_new(false, false, sizeof(struct choice));
	g_autoptr(GArray) other = g_array_new(false, false, sizeof(struct choice));
	struct choice choices[] = {{point_call(0, 3, 0), taken_one(1)},
	                           {point_call(1, 3, 0), taken_one(2)},
	                           {point_call(1, 3, 0), taken_one(1)}};
	struct point nowhere = {.kind = POINT_TURN, .rank = 1, .call = 3};

	(void)state;
	g_array_append_vals(one, choices, 2);
	assert_int_equal(choices_common(one, other), 0);
	g_array_append_val(other, choices[0]);
	assert_int_equal(choices_common(one, other), 1);
	g_array_append_val(other, choices[2]);
	assert_int_equal(choices_common(one, other), 1);
	assert_ptr_equal(choices_find(one, &choices[2].point),
	                 &g_array_index(one, struct choice, 1));
	assert_null(choices_find(one, &nowhere));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(printed_choices_are_parsed_back),
		cmocka_unit_test(bytes_include_the_send),
		cmocka_unit_test(order_equality_and_hash_go_together),
		cmocka_unit_test(a_point_is_an_operation_for_the_search),
		cmocka_unit_test(test_words),
		cmocka_unit_test(a_message_is_identified_by_its_sender),
		cmocka_unit_test(test_which_are_reported),
		cmocka_unit_test(test_what_is_nothing_to_take),
		cmocka_unit_test(bytes_have_one_form),
		cmocka_unit_test(test_in_an_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
