#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scheduler/verdict/leaks.h"

static void add(struct leaks *leaks, int rank, guint kind, guint32 line, guint count)
{
	const struct leak leak = {.rank = rank,
	                          .kind = kind,
	                          .function = g_intern_string("MPI_X"),
	                          .arguments = "dest=0, tag=7",
	                          .place = {.file = g_intern_string("a.c"), .line = line},
	                          .count = count};

	leaks_add(leaks, &leak);
}

/* The messages of all findings, joined. */
static char *messages(struct leaks *leaks, int ranks)
{
	g_autoptr(GPtrArray) findings = leaks_findings(leaks, ranks);
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < findings->len; i++) {
		struct record_finding *finding = findings->pdata[i];

		g_string_append_printf(text, "%s%s", i > 0 ? "\n" : "", finding->message);
		record_finding_free(finding);
	}
	leaks_free(leaks);
	return g_string_free(text, false);
}

static void test_messages(void **state)
{
	struct leaks *leaks = leaks_new();
	g_autofree char *text = NULL;

	(void)state;
	add(leaks, 0, WIRE_OBJECT_COMMUNICATOR, 88, 3);
	add(leaks, 1, WIRE_OBJECT_WINDOW, 9, 1);
	add(leaks, 0, WIRE_OBJECT_WINDOW, 9, 1);
	add(leaks, 2, WIRE_OBJECT_FILE, 10, 2);
	add(leaks, 0, WIRE_OBJECT_FILE, 10, 1);
	add(leaks, 1, LEAK_UNRECEIVED, 12, 1);
	add(leaks, 1, LEAK_UNRECEIVED, 13, 1);
	add(leaks, 1, LEAK_UNRECEIVED, 13, 1);
	text = messages(leaks, 2);
	assert_string_equal(
		text, "3 communicators made by MPI_X at a.c:88 are never freed (rank 0: 3)\n"
		      "2 windows made by MPI_X at a.c:9 are never freed (1 on each rank)\n"
		      "3 files opened by MPI_X at a.c:10 are never closed (rank 0: 1, rank 2: 2)\n"
		      "rank 1's MPI_X(dest=0, tag=7) at a.c:12 is never received\n"
		      "2 messages sent by MPI_X at a.c:13 are never received (rank 1: 2)");
}

static void test_many_ranks(void **state)
{
	struct leaks *leaks = leaks_new();
	g_autofree char *text = NULL;

	(void)state;
	for (int rank = 0; rank < 12; rank++)
		add(leaks, rank, WIRE_OBJECT_GROUP, 1, 1 + (guint)rank % 2);
	text = messages(leaks, 12);
	assert_non_null(g_strrstr(text, "rank 7: 2, and on 4 other ranks)"));
}

/* Numbers and ranks may differ from one interleaving to the next. */
static void test_numbers_are_not_in_the_key(void **state)
{
	char *keys[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct leaks *leaks = leaks_new();
		g_autoptr(GPtrArray) findings = NULL;

		add(leaks, i, WIRE_OBJECT_GROUP, 5, 1 + (guint)i);
		findings = leaks_findings(leaks, 3);
		assert_int_equal(findings->len, 1);
		keys[i] = record_finding_key(findings->pdata[0]);
		record_finding_free(findings->pdata[0]);
		leaks_free(leaks);
	}
	assert_string_equal(keys[0], keys[1]);
	g_free(keys[0]);
	g_free(keys[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_many_ranks),
		cmocka_unit_test(test_numbers_are_not_in_the_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
