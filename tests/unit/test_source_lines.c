#include <glib.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "scheduler/places/source_lines.h"

static uint64_t return_address;

/* Notes its return address. */
__attribute__((noinline)) static int note_caller(const void *one, const void *other)
{
	(void)one;
	(void)other;
	return_address = (uint64_t)(uintptr_t)__builtin_return_address(0);
	return 0;
}

#define NOTE_HERE() (note_caller(NULL, NULL), __LINE__)

static void a_call_has_its_own_line(void **state)
{
	struct source_lines *lines = source_lines_new();
	int line = NOTE_HERE();
	struct place place = source_lines_find(lines, getpid(), return_address);

	(void)state;
	assert_non_null(place.file);
	assert_string_equal(place.file, "test_source_lines.c");
	assert_int_equal(place.line, line);
	assert_non_null(place.directory);
	assert_true(g_path_is_absolute(place.directory));
	assert_true(g_str_has_suffix(place.directory, "tests/unit"));
	source_lines_free(lines);
}

/* libc has no debugging information here. Its caller of note_caller has a function, or at least a
 * file. */
static void code_without_lines_has_function_and_offset(void **state)
{
	struct source_lines *lines = source_lines_new();
	int numbers[] = {2, 1};
	struct place place;
	g_autofree char *text = NULL;

	(void)state;
	qsort(numbers, 2, sizeof(numbers[0]), note_caller);
	place = source_lines_find(lines, getpid(), return_address);
	text = place_print(&place);
	assert_true(place.file || place.function);
	assert_true(place.file || strstr(text, "+0x"));
	source_lines_free(lines);
}

static void the_program_is_preferred_to_its_libraries(void **state)
{
	struct source_lines *lines = source_lines_new();
	int numbers[] = {2, 1};
	uint64_t frames[2];
	struct place place;
	int line;

	(void)state;
	qsort(numbers, 2, sizeof(numbers[0]), note_caller);
	frames[0] = return_address;
	line = NOTE_HERE();
	frames[1] = return_address;
	place = source_lines_find_caller(lines, getpid(), frames, 2);
	assert_int_equal(place.line, line);
	source_lines_free(lines);
}

/* Always inlined, as an optimizing compiler does by itself. */
static inline __attribute__((always_inline)) int note_inlined(void)
{
	note_caller(NULL, NULL);
	return __LINE__ - 1;
}

static void an_inlined_function_is_a_frame_of_its_own(void **state)
{
	struct source_lines *lines = source_lines_new();
	g_autoptr(GArray) frames = g_array_new(false, false, sizeof(struct record_frame));
	const struct record_frame *inner, *outer;
	int inner_line = note_inlined(), outer_line = __LINE__;

	(void)state;
	assert_true(source_lines_frames(lines, getpid(), return_address, frames));
	assert_int_equal(frames->len, 2);
	inner = &g_array_index(frames, struct record_frame, 0);
	outer = &g_array_index(frames, struct record_frame, 1);
	assert_string_equal(inner->function, "note_inlined");
	assert_int_equal(inner->place.line, inner_line);
	assert_string_equal(outer->function, __func__);
	assert_string_equal(outer->place.file, "test_source_lines.c");
	assert_int_equal(outer->place.line, outer_line);
	/* frames are appended */
	assert_true(source_lines_frames(lines, getpid(), return_address, frames));
	assert_int_equal(frames->len, 4);
	source_lines_free(lines);
}

static void the_c_library_is_no_part_of_a_stack(void **state)
{
	struct source_lines *lines = source_lines_new();
	g_autoptr(GArray) frames = g_array_new(false, false, sizeof(struct record_frame));
	int numbers[] = {2, 1};

	(void)state;
	qsort(numbers, 2, sizeof(numbers[0]), note_caller);
	assert_true(source_lines_frames(lines, getpid(), return_address, frames));
	assert_false(source_lines_frames(lines, getpid(), 1, frames));
	assert_false(source_lines_frames(lines, getpid(), 0, frames));
	assert_int_equal(frames->len, 0);
	source_lines_free(lines);
}

static void another_process_of_the_same_program_resolves_alike(void **state)
{
	struct source_lines *lines = source_lines_new();
	int line = NOTE_HERE();
	struct place place;
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		pause();
		_exit(0);
	}
	place = source_lines_find(lines, child, return_address);
	assert_int_equal(place.line, line);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	place = source_lines_find(lines, child, return_address);
	assert_int_equal(place.line, line);
	source_lines_free(lines);
}

static void a_process_once_known_resolves_after_its_end(void **state)
{
	struct source_lines *lines = source_lines_new();
	int line = NOTE_HERE();
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		pause();
		_exit(0);
	}
	source_lines_know(lines, child);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	source_lines_know(lines, child);
	assert_int_equal(source_lines_find(lines, child, return_address).line, line);
	source_lines_free(lines);
}

static void nonsense_is_nowhere(void **state)
{
	struct source_lines *lines = source_lines_new();
	struct place place = source_lines_find(lines, getpid(), 1);
	g_autofree char *text = place_print(&place);

	(void)state;
	assert_string_equal(text, "?");
	assert_null(source_lines_find(lines, -1, return_address).file);
	assert_null(source_lines_find(lines, getpid(), 0).file);
	assert_null(source_lines_find_caller(lines, getpid(), NULL, 0).file);
	source_lines_free(lines);
	source_lines_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_has_its_own_line),
		cmocka_unit_test(code_without_lines_has_function_and_offset),
		cmocka_unit_test(the_program_is_preferred_to_its_libraries),
		cmocka_unit_test(an_inlined_function_is_a_frame_of_its_own),
		cmocka_unit_test(the_c_library_is_no_part_of_a_stack),
		cmocka_unit_test(another_process_of_the_same_program_resolves_alike),
		cmocka_unit_test(a_process_once_known_resolves_after_its_end),
		cmocka_unit_test(nonsense_is_nowhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
