/* Texts as the sanitizers of GCC 12 and Clang 14 print them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "scheduler/execution/sanitizer_report.h"

static const char overflow[] =
	"some output\n"
	"=================================================================\n"
	"==77==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000005918 at pc "
	"0x5555555554df bp 0x7ff sp 0x7fe\n"
	"WRITE of size 4 at 0x602000005918 thread T0\n"
	"    #0 0x5555555554de in __interceptor_memcpy ../../../../src/libsanitizer/x.inc:827\n"
	"    #1 0x5555555554ff in main /home/me/solver.c:8:3\n"
	"    #2 0x7ffff4a45249 in __libc_start_call_main ../sysdeps/libc_start_call_main.h:58\n"
	"\n"
	"0x602000005918 is located 0 bytes to the right of 8-byte region\n"
	"allocated by thread T0 here:\n"
	"    #0 0x7ffff74b89cf in malloc /other.c:3\n"
	"\n"
	"SUMMARY: AddressSanitizer: heap-buffer-overflow /home/me/solver.c:8 in main\n";

static const char leak[] = "==77==ERROR: LeakSanitizer: detected memory leaks\n"
			   "\n"
			   "Direct leak of 40 byte(s) in 1 object(s) allocated from:\n"
			   "    #0 0x7f01  (/lib/x86_64-linux-gnu/libasan.so.8+0xb89cf)\n"
			   "    #1 0x5555  (/home/me/solver+0x555)\n"
			   "\n"
			   "SUMMARY: AddressSanitizer: 40 byte(s) leaked in 1 allocation(s).\n";

static const char undefined[] =
	"/home/me/solver.c:24:15: runtime error: store to address 0x602000005f54 with insufficient "
	"space for an object of type 'char'\n"
	"0x602000005f54: note: pointer points here\n"
	"  be be be be 00 00 00 00\n"
	"              ^ \n";

static void expect_error(const char *text, bool aborted, const char *error)
{
	struct sanitizer_report *report = sanitizer_report_find(text, strlen(text), aborted);

	assert_int_equal(report != NULL, error != NULL);
	if (error)
		assert_string_equal(report->error, error);
	sanitizer_report_free(report);
}

static void test_errors_of_address_sanitizer(void **state)
{
	struct sanitizer_report *report = sanitizer_report_find(overflow, strlen(overflow), true);

	(void)state;
	assert_string_equal(report->error,
	                    "AddressSanitizer: heap-buffer-overflow (WRITE of size 4)");
	assert_false(report->is_leak);
	assert_int_equal(report->frames->len, 3);
	assert_int_equal(g_array_index(report->frames, guint64, 0), 0x5555555554df);
	assert_string_equal(report->file, "solver.c");
	assert_int_equal(report->line, 8);
	sanitizer_report_free(report);

	expect_error("==1==ERROR: AddressSanitizer: SEGV on unknown address 0x0 (pc 0x5 T0)\n",
	             true, "AddressSanitizer: SEGV");
	expect_error("==1==ERROR: AddressSanitizer: attempting double-free on 0x60 in thread T0:\n",
	             false, "AddressSanitizer: attempting double-free");
	expect_error("==1==ERROR: AddressSanitizer: alloc-dealloc-mismatch (malloc vs operator "
	             "delete) on 0x60\n",
	             true, "AddressSanitizer: alloc-dealloc-mismatch (malloc vs operator delete)");
	expect_error("==1==ERROR: AddressSanitizer: memcpy-param-overlap: memory ranges "
	             "[0x1,0x2) and [0x1, 0x2) overlap\n",
	             true, "AddressSanitizer: memcpy-param-overlap");
	expect_error("WARNING: ThreadSanitizer: data race (pid=7)\n", false,
	             "ThreadSanitizer: data race");
}

static void test_leaks(void **state)
{
	struct sanitizer_report *report = sanitizer_report_find(leak, strlen(leak), true);

	(void)state;
	assert_string_equal(report->error, "LeakSanitizer: 40 byte(s) leaked in 1 allocation(s)");
	assert_true(report->is_leak);
	assert_int_equal(report->frames->len, 2);
	assert_int_equal(g_array_index(report->frames, guint64, 1), 0x5556);
	assert_null(report->file);
	sanitizer_report_free(report);
}

static void test_undefined_behaviour(void **state)
{
	const char *error = "UndefinedBehaviorSanitizer: store to address with insufficient space "
			    "for an object of type 'char'";
	g_autofree char *more = g_strconcat(undefined, "the program went on\n", NULL);
	g_autofree char *survived = sanitizer_report_find_survived(more, strlen(more));

	(void)state;
	expect_error(undefined, true, error);
	expect_error(undefined, false, NULL); /* ended by something else */
	expect_error(more, true, NULL);
	assert_string_equal(survived, "solver.c:24: store to address with insufficient space for "
	                              "an object of type 'char'");
}

static void test_other_texts(void **state)
{
	static const char *const texts[] = {
		"",
		"\n",
		"ERROR: Sanitizer: ",
		"no ERROR: MySanitizer: x",
		": runtime error: \n",
		"==1==WARNING: ASan doesn't fully support makecontext/swapcontext functions\n",
		"my: runtime error: went wrong\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		expect_error(texts[i], true, NULL);
		assert_null(sanitizer_report_find_survived(texts[i], strlen(texts[i])));
	}
}

/* Reports that are cut anywhere, and contain NUL, are read without a fault. */
static void test_cut_texts(void **state)
{
	static const char *const texts[] = {overflow, leak, undefined};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		for (size_t length = 0; length <= strlen(texts[i]); length++) {
			g_autofree char *copy = g_memdup2(texts[i], length ? length : 1);

			sanitizer_report_free(sanitizer_report_find(copy, length, true));
			copy[length / 2] = '\0';
			sanitizer_report_free(sanitizer_report_find(copy, length, true));
			g_free(sanitizer_report_find_survived(copy, length));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_errors_of_address_sanitizer),
		cmocka_unit_test(test_leaks),
		cmocka_unit_test(test_undefined_behaviour),
		cmocka_unit_test(test_other_texts),
		cmocka_unit_test(test_cut_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
