/* room: scheduler/session. Errors that MPI returned: a line for each call in the program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "scheduler/session/returned_errors.h"
#include "scheduler/store/record.h"

static void add_line(struct record_finding *finding, int rank, guint32 line, const char *error)
{
	struct record_rank *one = record_rank_new(rank);

	one->function = "MPI_Recv";
	one->place.file = "a.c";
	one->place.line = line;
	one->does = g_strdup_printf("goes on after an error that MPI returned: %s", error);
	g_ptr_array_add(finding->ranks, one);
}

static void add(struct returned_errors *errors, int ranks, guint32 line, const char *error)
{
	g_autoptr(GPtrArray)
		findings = g_ptr_array_new_with_free_func((GDestroyNotify)record_finding_free);
	struct record_finding *finding = record_finding_new(FINDING_ERROR_RETURNED);

	for (int rank = 0; rank < ranks; rank++)
		add_line(finding, rank, line, error);
	g_ptr_array_add(findings, finding);
	returned_errors_add(errors, findings);
}

static void assert_words(const struct returned_errors *errors, const char *expected)
{
	g_autofree char *words = returned_errors_words(errors);

	assert_string_equal(words, expected);
}

static void test_places(void **state)
{
	struct returned_errors *errors = returned_errors_new();

	(void)state;
	assert_null(returned_errors_words(errors));
	add(errors, 1, 7, "Message truncated: 5 bytes");
	add(errors, 2, 3, "Invalid count");
	add(errors, 1, 7, "Message truncated: 6 bytes");
	assert_words(errors, "whether the program heeds errors that MPI returned: "
	                     "MPI_Recv at a.c:3: Invalid count (2 ranks, 1 interleaving); "
	                     "MPI_Recv at a.c:7: Message truncated: 5 bytes (rank 0, "
	                     "2 interleavings)");
	for (guint32 line = 10; line < 20; line++)
		add(errors, 1, line, "x");
	{
		g_autofree char *words = returned_errors_words(errors);

		assert_non_null(strstr(words, "; and at 7 more places"));
	}
	returned_errors_free(errors);
}

static void test_resumed(void **state)
{
	struct returned_errors *errors = returned_errors_new(), *later = returned_errors_new();
	g_autoptr(GVariant) saved = NULL;
	GVariantDict dict;

	(void)state;
	add(errors, 1, 7, "x");
	g_variant_dict_init(&dict, NULL);
	returned_errors_save(errors, &dict);
	saved = g_variant_ref_sink(g_variant_dict_end(&dict));
	g_variant_dict_init(&dict, saved);
	returned_errors_restore(later, &dict);
	g_variant_dict_clear(&dict);
	add(later, 1, 7, "x");
	assert_words(later, "whether the program heeds errors that MPI returned: MPI_Recv at "
	                    "a.c:7: x (rank 0, 2 interleavings)");
	returned_errors_free(errors);
	returned_errors_free(later);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_resumed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
