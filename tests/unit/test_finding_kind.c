/* room: store. The table of the kinds of findings: every row is complete, and names lead back to
 * their rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <glib.h>

#include "scheduler/store/finding_kind.h"

static void assert_sentences(const char *name, const char *text)
{
	gsize length = strlen(text);

	if (length < 2 || !g_ascii_isupper(text[0]) || text[length - 1] != '.'
	    || strstr(text, "  "))
		fail_msg("%s: no whole sentences: %s", name, text);
}

static void test_rows(void **state)
{
	(void)state;
	for (enum finding_kind kind = FINDING_ABORT; kind < FINDING_KINDS; kind++) {
		const struct finding_kind_info *info = finding_kind_info(kind);

		if (!info->name || !info->summary || !info->help)
			fail_msg("row %d is not complete", (int)kind);
		assert_sentences(info->name, info->summary);
		assert_sentences(info->name, info->help);
		if (info->detail)
			assert_sentences(info->name, info->detail);
		/* It follows a colon. */
		if (info->no_calls && strchr(".", info->no_calls[strlen(info->no_calls) - 1]))
			fail_msg("%s: %s", info->name, info->no_calls);
		/* A kind that calls do not show needs no other reason. */
		assert_true(!info->no_calls || info->emit == FINDING_EMIT_CALLS);
	}
}

static void test_names(void **state)
{
	(void)state;
	for (enum finding_kind kind = 0; kind < FINDING_KINDS; kind++) {
		assert_int_equal(finding_kind_find(finding_kind_name(kind)), kind);
		assert_int_equal(strspn(finding_kind_name(kind), "abcdefghijklmnopqrstuvwxyz-"),
		                 strlen(finding_kind_name(kind)));
	}
	assert_int_equal(finding_kind_find("no-such-kind"), FINDING_UNKNOWN);
	assert_int_equal(finding_kind_find(NULL), FINDING_UNKNOWN);
	assert_string_equal(finding_kind_name(FINDING_KINDS), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
