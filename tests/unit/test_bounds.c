#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explorer/cost.h"
#include "scheduler/world/bounds.h"

static const struct bound *at(const GArray *bounds, guint index)
{
	return &g_array_index(bounds, struct bound, index);
}

static void assert_text(char *text, const char *expected)
{
	assert_string_equal(text, expected);
	g_free(text);
}

static void test_parse(void **state)
{
	char *const ranks[] = {"0=1", "3=0", NULL};
	char *const sites[] = {"solver.c:118=2", "./src/../a=b.c:7=0", NULL};
	g_autoptr(GArray) bounds = bounds_parse(ranks, sites, true, 4, NULL);

	(void)state;
	assert_non_null(bounds);
	assert_int_equal(bounds->len, 5);
	assert_int_equal(at(bounds, 0)->kind, BOUND_REGION);
	assert_int_equal(at(bounds, 0)->most, 0);
	assert_text(bound_print(at(bounds, 1)), "--bound-rank 0=1");
	assert_text(bound_print(at(bounds, 2)), "--bound-rank 3=0");
	assert_text(bound_print(at(bounds, 3)), "--bound-site solver.c:118=2");
	assert_text(bound_print(at(bounds, 4)), "--bound-site a=b.c:7=0");
	assert_text(bound_words(at(bounds, 1)), "at most 1 deviation of rank 0");
	assert_text(bound_words(at(bounds, 3)), "at most 2 deviations at solver.c:118");
}

static void test_no_bounds(void **state)
{
	g_autoptr(GArray) bounds = bounds_parse(NULL, NULL, false, 1, NULL);

	(void)state;
	assert_non_null(bounds);
	assert_int_equal(bounds->len, 0);
}

static void assert_refused(char *rank, char *site)
{
	char *const ranks[] = {rank, NULL};
	char *const sites[] = {site, NULL};
	g_autoptr(GError) error = NULL;

	assert_null(bounds_parse(rank ? ranks : NULL, site ? sites : NULL, false, 4, &error));
	assert_non_null(error);
	assert_non_null(strstr(error->message, rank ? rank : site));
}

static void test_wrong_options_are_refused(void **state)
{
	(void)state;
	assert_refused("4=1", NULL);
	assert_refused("1", NULL);
	assert_refused("-1=1", NULL);
	assert_refused("1=4294967296", NULL);
	assert_refused("99999999999=1", NULL);
	assert_refused(NULL, "x.c:99999999999=1");
	assert_refused(NULL, "x.c:-4=1");
	assert_refused(NULL, "/:4=1");
	assert_refused(NULL, "x.c=4");
}

static bool is_at(char *text, const struct place *place)
{
	char *const sites[] = {text, NULL};
	g_autoptr(GArray) bounds = bounds_parse(NULL, sites, false, 1, NULL);

	return bound_is_at(at(bounds, 0), place);
}

static void test_places(void **state)
{
	struct place place = {.directory = "/home/me/src", .file = "x.c", .line = 12};
	struct place unknown = {.function = "work", .offset = 7};

	(void)state;
	assert_true(is_at("x.c:12=0", &place));
	assert_true(is_at("./x.c:12=0", &place));
	assert_true(is_at("src/x.c:12=0", &place));
	assert_true(is_at("/home/me/src/x.c:12=0", &place));
	assert_false(is_at("x.c:13=0", &place));
	assert_false(is_at("rc/x.c:12=0", &place));
	assert_false(is_at("/src/x.c:12=0", &place));
	assert_false(is_at("more/home/me/src/x.c:12=0", &place));
	assert_false(is_at("ax.c:12=0", &place));
	assert_false(is_at("x.c:12=0", &unknown));
}

static void test_costs_add_up(void **state)
{
	struct cost none = {0}, one = cost_plus(&none, 1), both = cost_plus(&one, 1u | 1ull << 63);
	struct cost more = cost_plus(&both, 0), copy = cost_copy(&more);

	(void)state;
	assert_int_equal(cost_of(&none, 0), 0);
	assert_int_equal(cost_of(&one, 0), 1);
	assert_int_equal(cost_of(&both, 0), 2);
	assert_int_equal(cost_of(&both, 62), 0);
	assert_int_equal(cost_of(&both, 63), 1);
	cost_release(&both);
	cost_release(&one);
	cost_release(&more);
	assert_int_equal(copy.deviations, 3);
	assert_int_equal(cost_of(&copy, 0), 2);
	cost_release(&copy);
	assert_int_equal(cost_of(&copy, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_no_bounds),
		cmocka_unit_test(test_wrong_options_are_refused),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_costs_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
