/* Positions, as values, text and bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "explorer/position.h"

#define RANKS 4
#define ROUNDS 20000

static struct position *parse(const char *text)
{
	GError *error = NULL;
	struct position *position = position_parse(text, &error);

	if (error)
		print_error("%s: %s\n", text, error->message);
	assert_null(error);
	assert_non_null(position);
	return position;
}

static void assert_round_trip(const char *text)
{
	struct position *position = parse(text);
	g_autofree char *printed = position_print(position);

	assert_string_equal(printed, text);
	position_free(position);
}

static void printed_positions_are_parsed(void **state)
{
	(void)state;
	assert_round_trip("mp1:n4:");
	assert_round_trip("mp1:n4:@");
	assert_round_trip("mp1:n4:zero:sync:@0.1");
	assert_round_trip("mp1:n4:0.3=1,2.5/1=3@0.3,2.5,3.4294967295");
	assert_round_trip("mp1:n4:w1@2.3.1=3,0.5=#1@1.2");
	assert_round_trip("mp1:n2147483647:@2147483646.1");
}

static void a_cut_has_the_calls_made(void **state)
{
	struct position *position = parse("mp1:n4:zero:0.3=1@0.3,2.5");
	struct position *whole = parse("mp1:n4:zero:0.3=1");

	(void)state;
	assert_int_equal(position_path(position)->buffering, BUFFERING_ZERO);
	assert_int_equal(position_path(position)->choices->len, 1);
	assert_true(position_has_cut(position));
	assert_int_equal(position_calls(position, 0), 3);
	assert_int_equal(position_calls(position, 1), 0);
	assert_int_equal(position_calls(position, 2), 5);
	assert_int_equal(position_calls(position, 3), 0);
	assert_false(position_has_cut(whole));
	assert_int_equal(position_calls(whole, 0), 0);
	assert_false(position_equal(position, whole));
	position_cut(whole, 2, 5);
	position_cut(whole, 1, 7);
	position_cut(whole, 0, 2);
	position_cut(whole, 0, 3);
	assert_false(position_equal(position, whole));
	position_cut(whole, 1, 0);
	assert_true(position_equal(position, whole));
	position_free(position);
	position_free(whole);
}

static void assert_refused(const char *text, const char *message)
{
	g_autoptr(GError) error = NULL;

	assert_null(position_parse(text, &error));
	assert_true(g_error_matches(error, PATH_ERROR, PATH_ERROR_SYNTAX));
	assert_string_equal(error->message, message);
}

static void check_leads_to(const char *one, const char *other, bool leads)
{
	struct position *a = parse(one), *b = parse(other);

	assert_true(position_leads_to(a, b) == leads);
	position_free(a);
	position_free(b);
}

static void one_leads_to_another(void **state)
{
	(void)state;
	check_leads_to("mp1:n3:0.2=1", "mp1:n3:0.2=1", true);
	check_leads_to("mp1:n3:0.2=1", "mp1:n3:1.2=0,0.2=1", true);
	check_leads_to("mp1:n3:1.2=0,0.2=1", "mp1:n3:0.2=1", false);
	check_leads_to("mp1:n3:0.2=1", "mp1:n3:0.2=2,1.2=0", false);
	check_leads_to("mp1:n3:zero:", "mp1:n3:infinite:", false);
	check_leads_to("mp1:n3:zero:sync:", "mp1:n3:zero:", false);
	/* Calls that were made stay made. */
	check_leads_to("mp1:n3:@0.2,1.1", "mp1:n3:0.2=1@0.2,1.1", true);
	check_leads_to("mp1:n3:@0.2,1.1", "mp1:n3:0.2=1@0.2", false);
	check_leads_to("mp1:n3:@0.2", "mp1:n3:", true);
	check_leads_to("mp1:n3:", "mp1:n3:@0.2", false);
	/* If no rank is beyond MPI_Init, nothing depends on conditions. */
	check_leads_to("mp1:n3:@0.1,1.1,2.1", "mp1:n3:zero:0.2=1", true);
	check_leads_to("mp1:n3:@", "mp1:n3:zero:0.2=1@0.2", true);
	check_leads_to("mp1:n3:@0.1,1.1,2.2", "mp1:n3:zero:0.2=1", false);
	check_leads_to("mp1:n3:@0.1", "mp1:n3:zero:0.2=1@1.1", false);
	check_leads_to("mp1:n3:@0.1,1.1,2.1", "mp1:n2:zero:", false);
}

static void invalid_text_is_refused(void **state)
{
	g_autoptr(GError) error = NULL;

	(void)state;
	assert_refused("mp1:n4:4.3=1",
	               "not a path: column 8: the receiver's rank must be from 0 to 3");
	assert_refused("mp1:n4:0.3=1;", "not a path: column 13: ',', '@' or the end expected");
	assert_refused("mp1:n4:@0.1;", "not a path: column 12: ',' or the end expected");
	assert_refused("mp1:n4:@4.1",
	               "not a path: column 9: a rank of the cut must be from 0 to 3");
	assert_refused("mp1:n4:@01.1",
	               "not a path: column 9: a rank of the cut expected, without leading zeros");
	assert_refused("mp1:n4:@0", "not a path: column 10: '.' expected");
	assert_refused("mp1:n4:@0.0", "not a path: column 11: the number of its last call must be "
	                              "from 1 to 4294967295");
	assert_refused("mp1:n4:@1.1,0.1",
	               "not a path: column 13: the ranks of the cut must ascend");
	assert_refused("mp1:n4:@1.1,1.2",
	               "not a path: column 13: the ranks of the cut must ascend");
	assert_refused("mp1:n4:@1.1,", "not a path: column 13: a rank of the cut expected, "
	                               "without leading zeros");
	assert_refused("mp1:n4:@@", "not a path: column 9: a rank of the cut expected, without "
	                            "leading zeros");
	assert_null(path_parse("mp1:n4:0.3=1@0.3", &error));
	assert_string_equal(error->message, "not a path: column 13: ',' or the end expected");
}

static void assert_equal(const char *one, const char *other, bool equal)
{
	struct position *a = parse(one), *b = parse(other);
	g_autoptr(GByteArray) a_bytes = g_byte_array_new(), b_bytes = g_byte_array_new();
	int order = position_compare(a, b);

	position_put(a_bytes, a);
	position_put(b_bytes, b);
	assert_true(position_equal(a, b) == equal);
	assert_true(position_key_equal(a, b) == equal);
	assert_true((order == 0) == equal);
	assert_true((order < 0) == (position_compare(b, a) > 0));
	assert_true((a_bytes->len == b_bytes->len
	             && memcmp(a_bytes->data, b_bytes->data, a_bytes->len) == 0)
	            == equal);
	assert_true((position_hash(a) == position_hash(b)) == equal);
	assert_true(position_key_hash(a) == position_key_hash(b) || !equal);
	position_free(a);
	position_free(b);
}

static void the_order_of_choices_does_not_matter(void **state)
{
	(void)state;
	assert_equal("mp1:n4:0.3=1,2.5=3,w1.0.1=2", "mp1:n4:w1.0.1=2,2.5=3,0.3=1", true);
	assert_equal("mp1:n4:0.3=1,2.5=3@0.3", "mp1:n4:2.5=3,0.3=1@0.3", true);
	assert_equal("mp1:n4:0.3=1,2.5=3", "mp1:n4:0.3=3,2.5=1", false);
	assert_equal("mp1:n4:0.3=1,2.5=3", "mp1:n4:0.3=1", false);
	assert_equal("mp1:n4:0.3=1", "mp1:n4:0.3/1=1", false);
	assert_equal("mp1:n4:0.3=#0+1", "mp1:n4:0.3=#64+65", false);
	assert_equal("mp1:n4:0.3=1", "mp1:n5:0.3=1", false);
	assert_equal("mp1:n4:0.3=1", "mp1:n4:zero:0.3=1", false);
	assert_equal("mp1:n4:0.3=1", "mp1:n4:sync:0.3=1", false);
	assert_equal("mp1:n4:", "mp1:n4:@", false);
	assert_equal("mp1:n4:@0.1", "mp1:n4:@1.1", false);
	assert_equal("mp1:n4:@0.1", "mp1:n4:@0.2", false);
	assert_equal("mp1:n4:@0.1", "mp1:n4:@0.1,1.1", false);
}

static void which_message_follows_from_the_rest(void **state)
{
	struct path *path = path_new(2, NULL, BUFFERING_ANY, COLLECTIVES_ANY);
	struct choice choice = {point_call(0, 3, 0), taken_message((struct op_id){1, 7, 2})};
	struct position *position, *named = parse("mp1:n2:0.3=1");
	g_autoptr(GByteArray) bytes = g_byte_array_new(), named_bytes = g_byte_array_new();

	(void)state;
	g_array_append_val(path->choices, choice);
	position = position_new(path);
	assert_true(position_equal(position, named));
	assert_true(position_hash(position) == position_hash(named));
	position_put(bytes, position);
	position_put(named_bytes, named);
	assert_int_equal(bytes->len, named_bytes->len);
	assert_memory_equal(bytes->data, named_bytes->data, bytes->len);
	position_free(position);
	position_free(named);
}

/* --- random positions ------------------------------------------------------------------------ */

static uint32_t below(GRand *dice, uint32_t count)
{
	return (uint32_t)g_rand_int(dice) % count;
}

static struct position *some_position(GRand *dice)
{
	struct path *path = path_new(RANKS, NULL, (enum buffering)below(dice, 2),
	                             (enum collective_mode)below(dice, 2));
	struct position *position;

	for (uint32_t i = below(dice, 4); i > 0; i--) {
		struct choice choice = {
			point_call((int32_t)below(dice, 2), 1 + below(dice, 2), 0),
			taken_message((struct op_id){(int32_t)below(dice, 2), below(dice, 3), 0})};

		if (!choices_find(path->choices, &choice.point))
			g_array_append_val(path->choices, choice);
	}
	position = position_new(path);
	for (uint32_t i = below(dice, 4); i > 0; i--)
		position_cut(position, (int32_t)below(dice, RANKS), below(dice, 3));
	return position;
}

static void text_round_trips(void **state)
{
	GRand *dice = g_rand_new_with_seed(7);

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct position *position = some_position(dice);
		g_autofree char *text = position_print(position);
		struct position *read = parse(text);

		assert_true(position_equal(position, read));
		assert_true(position_hash(position) == position_hash(read));
		position_free(position);
		position_free(read);
	}
	g_rand_free(dice);
}

/* The same position with its choices in reverse order. */
static struct position *reversed(const struct position *position)
{
	const GArray *choices = position_path(position)->choices;
	g_autoptr(GArray) other = g_array_new(false, false, sizeof(struct choice));

	for (guint i = choices->len; i-- > 0;)
		g_array_append_val(other, g_array_index(choices, struct choice, i));
	return position_with_choices(position, other);
}

/* The order is total, and two positions are equal exactly if their bytes are. */
static void order_and_equality_agree(void **state)
{
	GRand *dice = g_rand_new_with_seed(11);
	int equal = 0;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct position *a = some_position(dice), *c = some_position(dice);
		struct position *b = below(dice, 4) == 0 ? reversed(a) : some_position(dice);
		g_autoptr(GByteArray) a_bytes = g_byte_array_new(), b_bytes = g_byte_array_new();
		int ab = position_compare(a, b), bc = position_compare(b, c);

		position_put(a_bytes, a);
		position_put(b_bytes, b);
		assert_true((ab == 0)
		            == (a_bytes->len == b_bytes->len
		                && memcmp(a_bytes->data, b_bytes->data, a_bytes->len) == 0));
		assert_true((ab == 0) == (position_hash(a) == position_hash(b)));
		assert_true((ab < 0) == (position_compare(b, a) > 0));
		if (ab <= 0 && bc <= 0)
			assert_true(position_compare(a, c) <= 0);
		equal += ab == 0;
		position_free(a);
		position_free(b);
		position_free(c);
	}
	assert_true(equal > ROUNDS / 5 && equal < ROUNDS / 2);
	g_rand_free(dice);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(printed_positions_are_parsed),
		cmocka_unit_test(a_cut_has_the_calls_made),
		cmocka_unit_test(one_leads_to_another),
		cmocka_unit_test(invalid_text_is_refused),
		cmocka_unit_test(the_order_of_choices_does_not_matter),
		cmocka_unit_test(which_message_follows_from_the_rest),
		cmocka_unit_test(text_round_trips),
		cmocka_unit_test(order_and_equality_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
