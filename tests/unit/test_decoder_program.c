/* Programs that decode messages: whatever they do, the prompt is answered in time. room: debug. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "scheduler/debug/decoder_program.h"
#include "scheduler/debug/pickles.h"
#include "scheduler/host/child_reaper.h"

#define SOON 100      /* milliseconds */
#define MUCH 1000000u /* bytes: more than pipes hold */

static struct decoder_program *started(const char *command)
{
	const char *const words[] = {"sh", "-c", command, NULL};
	g_autoptr(GError) error = NULL;
	struct decoder_program *program = decoder_program_new("it", words, true, &error);

	assert_null(error);
	assert_non_null(program);
	return program;
}

/* The answer to "hello", or the problem. */
static char *decode(const char *command, guint milliseconds)
{
	struct decoder_program *program = started(command);
	g_autoptr(GError) error = NULL;
	char *text = decoder_program_decode(program, (const guint8 *)"hello", 5, milliseconds,
	                                    &error);

	decoder_program_free(program);
	assert_true((text == NULL) == (error != NULL));
	return text ? text : g_strdup(error->message);
}

static void assert_decodes(const char *command, guint milliseconds, const char *expected)
{
	g_autofree char *text = decode(command, milliseconds);

	assert_string_equal(text, expected);
}

static void the_output_is_the_answer(void **state)
{
	(void)state;
	assert_decodes("cat; echo .", DECODER_MS_MOST, "hello.\n");
	assert_decodes("printf 'a\\033b\\377'", DECODER_MS_MOST, "a?b\xef\xbf\xbd");
	assert_decodes("exit 3", DECODER_MS_MOST, "it exits with 3");
	assert_decodes("kill -9 $$", DECODER_MS_MOST, "it is ended by signal 9");
}

static void a_slow_decoder_is_ended(void **state)
{
	(void)state;
	assert_decodes("sleep 100", SOON, "it did not end within 0.1 s");
	assert_decodes("cat; exec >&-; sleep 100", SOON, "it did not end within 0.1 s");
	assert_decodes("cat; sleep 100 & wait", SOON, "it did not end within 0.1 s");
}

static void only_the_first_of_much_is_taken(void **state)
{
	g_autofree char *text = decode("yes", DECODER_MS_MOST);

	(void)state;
	assert_int_equal(strlen(text), DECODER_TEXT_MOST);
}

/* One that answers each line, with a NUL. */
static void a_decoder_that_stays_is_asked_again(void **state)
{
	struct decoder_program *program = started(
		"while read line; do printf '<%s>\\0' \"$line\"; done");

	(void)state;
	for (int i = 0; i < 3; i++) {
		g_autoptr(GError) error = NULL;
		g_autofree char *text = decoder_program_ask(program, (const guint8 *)"hi\n", 3,
		                                            DECODER_MS_MOST, &error);

		assert_null(error);
		assert_string_equal(text, "<hi>");
	}
	decoder_program_free(program);
}

static void assert_fails(const char *command, gsize length, const char *expected)
{
	struct decoder_program *program = started(command);
	g_autofree guint8 *bytes = g_malloc0(length);
	g_autoptr(GError) error = NULL;

	assert_null(decoder_program_ask(program, bytes, length,
	                                strstr(expected, "0.1 s") ? SOON : DECODER_MS_MOST,
	                                &error));
	assert_non_null(error);
	assert_string_equal(error->message, expected);
	decoder_program_free(program);
}

static void a_decoder_that_stays_may_fail(void **state)
{
	(void)state;
	assert_fails("exit 0", MUCH, "it exits with 0");
	assert_fails("printf half; exit 1", 1, "it exits with 1");
	assert_fails("printf half; sleep 100", MUCH, "it did not end within 0.1 s");
	assert_fails("yes", 1, "it prints too much");
}

static void count(void *user, const char *reason)
{
	assert_true(g_str_has_prefix(reason, "pickles are shown as bytes: "));
	++*(int *)user;
}

/* There is no python3, and show_pickle.py is not beside a test's program. */
static void missing_python_is_reported_once(void **state)
{
	static const char bytes[] = "\x80\x05N.", text[] = "text";
	struct contents pickle = {.first = g_bytes_new_static(bytes, 4)};
	struct contents other = {.first = g_bytes_new_static(text, 4)};
	g_autofree char *path = g_strdup(g_getenv("PATH"));
	int told = 0;
	struct pickles *pickles = pickles_new(count, &told);

	(void)state;
	g_setenv("PATH", "/nowhere", true);
	pickle.types.bytes = other.types.bytes = 4;
	assert_null(pickles_show(pickles, &other, 100));
	assert_int_equal(told, 0);
	assert_null(pickles_show(pickles, &pickle, 100));
	assert_null(pickles_show(pickles, &pickle, 100));
	assert_int_equal(told, 1);
	pickles_try_again(pickles);
	assert_null(pickles_show(pickles, &pickle, 100));
	assert_int_equal(told, 2);
	pickles_free(pickles);
	g_bytes_unref(pickle.first);
	g_bytes_unref(other.first);
	g_setenv("PATH", path, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_output_is_the_answer),
		cmocka_unit_test(a_slow_decoder_is_ended),
		cmocka_unit_test(only_the_first_of_much_is_taken),
		cmocka_unit_test(a_decoder_that_stays_is_asked_again),
		cmocka_unit_test(a_decoder_that_stays_may_fail),
		cmocka_unit_test(missing_python_is_reported_once),
	};

	child_reaper_adopt(); /* as a session does */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
