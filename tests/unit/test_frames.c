/* room: host */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "scheduler/host/frames.h"

/* Two ends: one on a loop, one that only asks. */
struct fixture {
	uv_loop_t loop;
	struct frames *listener, *asker;
	GString *heard; /* kinds, numbers and lengths */
	char *lost;
	bool leaves; /* frees its end at the first frame */
};

static void on_frame(void *user, const struct frame *frame)
{
	struct fixture *fixture = user;

	g_string_append_printf(fixture->heard, "%u/%u:%u ", frame->kind, frame->id,
	                       (guint)g_bytes_get_size(frame->bytes));
	if (fixture->leaves)
		frames_free(g_steal_pointer(&fixture->listener));
}

static void on_lost(void *user, const char *why)
{
	((struct fixture *)user)->lost = g_strdup(why);
}

static int setup(void **state)
{
	struct fixture *fixture = g_new0(struct fixture, 1);
	const struct frames_user user = {on_frame, on_lost, fixture}, nobody = {0};
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	uv_loop_init(&fixture->loop);
	fixture->heard = g_string_new(NULL);
	fixture->listener = frames_new(&fixture->loop, ends[0], &user);
	fixture->asker = frames_new(NULL, ends[1], &nobody);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	frames_free(fixture->listener);
	frames_free(fixture->asker);
	uv_run(&fixture->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&fixture->loop), 0);
	g_string_free(fixture->heard, true);
	g_free(fixture->lost);
	g_free(fixture);
	return 0;
}

/* Sends what the asker has queued. */
static void send_off(struct fixture *fixture)
{
	g_autoptr(GBytes) nothing = frames_ask(fixture->asker, 99, 0, 0);

	assert_null(nothing);
}

static void frames_arrive_in_order(void **state)
{
	struct fixture *fixture = *state;

	frames_send(fixture->asker, 1, 7, "abc", 3);
	frames_send(fixture->asker, 2, 8, NULL, 0);
	send_off(fixture);
	uv_run(&fixture->loop, UV_RUN_ONCE);
	assert_string_equal(fixture->heard->str, "1/7:3 2/8:0 ");
}

static void a_large_frame_takes_many_writes(void **state)
{
	const gsize size = 4 << 20;
	struct fixture *fixture = *state;
	g_autofree char *bytes = g_malloc0(size);

	frames_send(fixture->asker, 3, 0, bytes, size);
	while (fixture->heard->len == 0) {
		send_off(fixture);
		uv_run(&fixture->loop, UV_RUN_NOWAIT);
	}
	assert_string_equal(fixture->heard->str, "3/0:4194304 ");
}

static void an_answer_overtakes_what_came_before_it(void **state)
{
	struct fixture *fixture = *state;
	g_autoptr(GBytes) answer = NULL;

	frames_send(fixture->asker, 1, 1, NULL, 0);
	frames_send(fixture->asker, 5, 4, "yes", 3);
	send_off(fixture);
	answer = frames_ask(fixture->listener, 5, 4, 10);
	assert_non_null(answer);
	assert_int_equal(g_bytes_get_size(answer), 3);
	assert_int_equal(fixture->heard->len, 0); /* not from within */
	assert_true(frames_has_unread(fixture->listener));
	uv_run(&fixture->loop, UV_RUN_ONCE);
	assert_string_equal(fixture->heard->str, "1/1:0 ");
}

static void an_end_is_reported_once_and_after_the_frames(void **state)
{
	struct fixture *fixture = *state;
	g_autoptr(GBytes) answer = NULL;

	frames_send(fixture->asker, 1, 1, NULL, 0);
	frames_free(g_steal_pointer(&fixture->asker));
	answer = frames_ask(fixture->listener, 5, 5, 10);
	assert_null(answer);
	assert_true(frames_is_lost(fixture->listener));
	assert_null(fixture->lost);
	uv_run(&fixture->loop, UV_RUN_ONCE);
	assert_string_equal(fixture->heard->str, "1/1:0 ");
	assert_string_equal(fixture->lost, "the connection was closed");
}

static void nonsense_ends_the_connection(void **state)
{
	struct fixture *fixture = *state;
	const struct frames_user user = {on_frame, on_lost, fixture};
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	frames_free(fixture->listener);
	fixture->listener = frames_new(&fixture->loop, ends[0], &user);
	assert_int_equal(write(ends[1], "GET / HTTP/1.1\r\n\r\n", 18), 18);
	uv_run(&fixture->loop, UV_RUN_ONCE);
	assert_non_null(strstr(fixture->lost, "cannot be understood"));
	assert_int_equal(fixture->heard->len, 0);
	close(ends[1]);
}

static void a_callback_may_free_its_end(void **state)
{
	struct fixture *fixture = *state;

	fixture->leaves = true;
	frames_send(fixture->asker, 1, 1, NULL, 0);
	frames_send(fixture->asker, 1, 2, NULL, 0);
	send_off(fixture);
	uv_run(&fixture->loop, UV_RUN_DEFAULT);
	assert_string_equal(fixture->heard->str, "1/1:0 ");
	assert_null(fixture->lost);
}

static void a_value_has_its_type_or_is_none(void **state)
{
	g_autoptr(GVariant) value = g_variant_ref_sink(g_variant_new("(sb)", "word", true));
	g_autoptr(GBytes) bytes = g_variant_get_data_as_bytes(value);
	g_autoptr(GBytes) other = g_bytes_new_static("\377", 1);
	g_autoptr(GVariant) back = frames_value(bytes, "(sb)");
	g_autoptr(GVariant) wrong = frames_value(other, "(sb)");

	(void)state;
	assert_true(g_variant_equal(value, back));
	assert_null(wrong);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(frames_arrive_in_order, setup, teardown),
		cmocka_unit_test_setup_teardown(a_large_frame_takes_many_writes, setup, teardown),
		cmocka_unit_test_setup_teardown(an_answer_overtakes_what_came_before_it, setup,
	                                        teardown),
		cmocka_unit_test_setup_teardown(an_end_is_reported_once_and_after_the_frames, setup,
	                                        teardown),
		cmocka_unit_test_setup_teardown(nonsense_ends_the_connection, setup, teardown),
		cmocka_unit_test_setup_teardown(a_callback_may_free_its_end, setup, teardown),
		cmocka_unit_test(a_value_has_its_type_or_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
