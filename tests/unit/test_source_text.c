#include <glib/gstdio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <utime.h>

#include <cmocka.h>

#include "scheduler/places/source_text.h"

struct fixture {
	char *directory, *file, *program;
	struct source_text *source;
};

static int set_up(void **state)
{
	struct fixture *fixture = g_new0(struct fixture, 1);

	fixture->directory = g_dir_make_tmp("matchpoint-test-XXXXXX", NULL);
	fixture->file = g_build_filename(fixture->directory, "a.c", NULL);
	fixture->program = g_build_filename(fixture->directory, "a", NULL);
	fixture->source = source_text_new();
	*state = fixture;
	return g_file_set_contents(fixture->file, "one\n\ttwo\nthree\r\nfour\nfive\nsix", -1, NULL)
	                       && g_file_set_contents(fixture->program, "", -1, NULL)
	                       && g_chmod(fixture->program, 0700) == 0
	               ? 0
	               : -1;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	g_unlink(fixture->file);
	g_unlink(fixture->program);
	g_rmdir(fixture->directory);
	g_free(fixture->directory);
	g_free(fixture->file);
	g_free(fixture->program);
	source_text_free(fixture->source);
	g_free(fixture);
	return 0;
}

static bool around(const struct fixture *fixture, guint32 line, struct record_excerpt *ret)
{
	struct place place = {.directory = fixture->directory, .file = "a.c", .line = line};

	return source_text_around(fixture->source, &place, ret);
}

static void three_lines_before_and_after(void **state)
{
	struct record_excerpt excerpt;

	assert_true(around(*state, 5, &excerpt));
	assert_int_equal(excerpt.first, 2);
	assert_string_equal(excerpt.text, "\ttwo\nthree\nfour\nfive\nsix\n");
	g_free(excerpt.text);
	assert_true(around(*state, 1, &excerpt));
	assert_int_equal(excerpt.first, 1);
	assert_string_equal(excerpt.text, "one\n\ttwo\nthree\nfour\n");
	g_free(excerpt.text);
}

static void what_is_not_there_has_no_source(void **state)
{
	struct fixture *fixture = *state;
	struct place nowhere = {.file = "a.c", .line = 1};
	struct place unreadable = {.directory = "/", .file = "proc", .line = 1};
	struct record_excerpt excerpt;

	assert_false(around(fixture, 7, &excerpt));
	assert_false(around(fixture, 0, &excerpt));
	assert_false(around(fixture, G_MAXUINT32, &excerpt));
	assert_false(source_text_around(fixture->source, &nowhere, &excerpt));
	assert_false(source_text_around(fixture->source, &unreadable, &excerpt));
}

static void a_source_newer_than_its_program_is_not_shown(void **state)
{
	struct fixture *fixture = *state;
	struct utimbuf old = {1000, 1000}, new = {2000, 2000};
	struct record_excerpt excerpt;

	assert_int_equal(utime(fixture->program, &old), 0);
	assert_int_equal(utime(fixture->file, &new), 0);
	source_text_program(fixture->source, fixture->program);
	assert_false(around(fixture, 1, &excerpt));
	source_text_free(fixture->source);
	fixture->source = source_text_new();
	assert_int_equal(utime(fixture->file, &old), 0);
	source_text_program(fixture->source, fixture->program);
	assert_true(around(fixture, 1, &excerpt));
	g_free(excerpt.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(three_lines_before_and_after, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_not_there_has_no_source, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_source_newer_than_its_program_is_not_shown,
	                                        set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
