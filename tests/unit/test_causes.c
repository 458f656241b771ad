#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "reports/causes.h"

/* A finding with the receive at this line to blame; 0: no choice. */
static void add(GPtrArray *findings, enum finding_kind kind, uint32_t line)
{
	struct record_finding *finding = record_finding_new(kind);

	finding->id = findings->len + 1;
	if (line > 0) {
		finding->blame = record_choice_new();
		finding->blame->point.kind = POINT_CALL;
		finding->blame->function = "MPI_Recv";
		finding->blame->place = (struct place){.file = "a.c", .line = line};
		finding->blame->taken.taken.kind = TAKEN_MESSAGE;
	}
	g_ptr_array_add(findings, finding);
}

static GPtrArray *five_of_three_causes(void)
{
	GPtrArray *findings = g_ptr_array_new_with_free_func((GDestroyNotify)record_finding_free);

	add(findings, FINDING_DEADLOCK, 11);
	add(findings, FINDING_LEAK, 0);
	add(findings, FINDING_CRASH, 12);
	add(findings, FINDING_CRASH, 11);
	add(findings, FINDING_MISUSE, 0);
	return findings;
}

static void test_findings_of_one_cause_follow_one_another(void **state)
{
	static const uint32_t expected[] = {1, 4, 2, 5, 3};
	g_autoptr(GPtrArray) findings = five_of_three_causes();
	g_autoptr(GPtrArray) order = causes_order(findings);

	(void)state;
	assert_int_equal(order->len, G_N_ELEMENTS(expected));
	for (guint i = 0; i < order->len; i++)
		assert_int_equal(((struct record_finding *)order->pdata[i])->id, expected[i]);
}

static void test_each_cause_has_a_line(void **state)
{
	g_autoptr(GPtrArray) findings = five_of_three_causes();
	g_auto(GStrv) lines = causes_print(findings);

	(void)state;
	assert_int_equal(g_strv_length(lines), 3);
	assert_string_equal(lines[0],
	                    "rank 0's MPI_Recv(ANY_SOURCE) at a.c:11: deadlock #1, crash #4");
	assert_string_equal(lines[1], "no choice to blame: leak #2, misuse #5");
	assert_string_equal(lines[2], "rank 0's MPI_Recv(ANY_SOURCE) at a.c:12: crash #3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_findings_of_one_cause_follow_one_another),
		cmocka_unit_test(test_each_cause_has_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
