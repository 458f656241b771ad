/* room: host. A rank process that reports through memory, and a scheduler that listens. channel.c
 * and ring_writer.c belong to the shim, which is no library for others: they are compiled in. */
#include "shim/gate/channel.c"
#include "shim/gate/ring_writer.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <cmocka.h>
#include <glib/gstdio.h>

#include "scheduler/host/link.h"
#include "scheduler/host/ring_reader.h"
#include "scheduler/host/run_directory.h"

/* --- the memory ------------------------------------------------------------------------------- */

static struct ring_reader *read_of(const struct ring_writer *writer)
{
	return ring_reader_new(getpid(), &(const struct wire_ring){(uint32_t)writer->descriptor,
	                                                           writer->ring->key});
}

static void test_bytes_arrive_in_order_however_they_are_cut(void **state)
{
	enum { BYTES = 3 * REPORT_RING_ROOM + 77, PIECE = 5000 };
	struct ring_writer writer;
	struct ring_reader *reader;
	uint8_t next = 0, expected = 0, bytes[PIECE];
	size_t written = 0, read = 0;
	g_autoptr(GRand) random = g_rand_new_with_seed(32);

	(void)state;
	assert_true(ring_writer_open(&writer, 100));
	assert_true(writer.descriptor >= 100);
	reader = read_of(&writer);
	assert_non_null(reader);
	assert_false(ring_writer_is_next(&writer, 100));
	ring_reader_hear(reader, 99);
	assert_false(ring_writer_is_next(&writer, 100)); /* something is on its way */
	assert_true(writer.descriptor >= 100);
	ring_reader_hear(reader, 100);
	assert_true(ring_writer_is_next(&writer, 100));
	assert_int_equal(writer.descriptor, -1);
	while (read < BYTES) {
		size_t most = (size_t)g_rand_int_range(random, 0, PIECE), count;
		gssize got;

		for (size_t i = 0; i < most; i++)
			bytes[i] = (uint8_t)(next + i);
		count = ring_writer_put(&writer, bytes, most);
		assert_int_equal(count, MIN(most, REPORT_RING_ROOM - (written - read)));
		next = (uint8_t)(next + count);
		written += count;
		assert_int_equal(ring_reader_unread(reader), written - read);
		/* At first less is read than written, so the ring becomes full. */
		most = (size_t)g_rand_int_range(random, 0, read < BYTES / 3 ? PIECE / 2 : PIECE);
		got = ring_reader_take(reader, bytes, most);
		assert_true(got >= 0 && (size_t)got == MIN(most, written - read));
		for (gssize i = 0; i < got; i++)
			assert_int_equal(bytes[i], expected++);
		read += (size_t)got;
	}
	ring_reader_free(reader);
	ring_writer_close(&writer);
}

static void test_who_waits_is_woken(void **state)
{
	struct ring_writer writer;
	struct ring_reader *reader;

	(void)state;
	assert_true(ring_writer_open(&writer, 100));
	reader = read_of(&writer);
	ring_reader_hear(reader, 1);
	assert_true(ring_writer_is_next(&writer, 1));
	assert_false(ring_writer_must_ring(&writer, true)); /* it is awake */
	ring_reader_wake(reader, REPORT_RING_IF_WAITS);
	assert_false(ring_writer_must_ring(&writer, false));
	assert_true(ring_writer_must_ring(&writer, true));
	assert_false(ring_writer_must_ring(&writer, true)); /* once is enough */
	ring_reader_wake(reader, REPORT_RING_IF_WAITS);
	ring_writer_expect(&writer, true);
	assert_true(ring_reader_waits(reader));
	assert_true(ring_writer_must_ring(&writer, false));
	ring_writer_expect(&writer, false);
	assert_false(ring_reader_waits(reader));
	ring_reader_wake(reader, REPORT_RING_ALWAYS);
	assert_true(ring_writer_must_ring(&writer, false));
	/* What is sent wakes it, if both wait and the ring is empty. */
	ring_reader_wake(reader, REPORT_RING_ALWAYS);
	assert_true(ring_writer_is_next(&writer, 1));
	ring_writer_expect(&writer, true);
	assert_false(ring_writer_is_next(&writer, 1));
	ring_reader_wake(reader, REPORT_RING_ALWAYS);
	assert_int_equal(ring_writer_put(&writer, (const uint8_t *)"x", 1), 1);
	assert_true(ring_writer_is_next(&writer, 1));
	ring_reader_free(reader);
	ring_writer_close(&writer);
}

static void test_what_is_no_ring_is_refused(void **state)
{
	struct ring_writer writer;
	struct wire_ring offer;
	int file = memfd_create("short", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	(void)state;
	assert_true(ring_writer_open(&writer, 100));
	offer = (struct wire_ring){(uint32_t)writer.descriptor, writer.ring->key + 1};
	assert_null(ring_reader_new(getpid(), &offer));
	offer = (struct wire_ring){9999, writer.ring->key};
	assert_null(ring_reader_new(getpid(), &offer));
	offer = (struct wire_ring){(uint32_t)file, 0};
	assert_int_equal(ftruncate(file, sizeof(struct report_ring) - 1), 0);
	assert_int_equal(fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	assert_null(ring_reader_new(getpid(), &offer)); /* too short */
	close(file);
	file = memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	assert_int_equal(ftruncate(file, sizeof(struct report_ring)), 0);
	offer.descriptor = (uint32_t)file;
	assert_null(ring_reader_new(getpid(), &offer)); /* could be made short */
	close(file);
	assert_int_equal(atomic_load(&writer.ring->heard), 0);
	ring_writer_close(&writer);
}

static void test_counts_that_were_overwritten_are_an_error(void **state)
{
	struct ring_writer writer;
	struct ring_reader *reader;
	uint8_t byte;

	(void)state;
	assert_true(ring_writer_open(&writer, 100));
	reader = read_of(&writer);
	atomic_store(&writer.ring->written, UINT64_MAX);
	assert_int_equal(ring_reader_take(reader, &byte, 1), -1);
	ring_reader_free(reader);
	ring_writer_close(&writer);
}

/* --- a rank process --------------------------------------------------------------------------- */

struct fixture {
	char *directory;
	uv_loop_t loop;
	struct link_server *server;
	uint32_t heard; /* the last number; they come in order */
	bool wrong, closed;
};

/* Reports have numbers. ENTER has an answer, ADMIT; THREAD has none. */
static uint32_t number_of(const struct wire_message *message)
{
	switch (message->type) {
	case WIRE_ENTER: return message->enter.thread;
	case WIRE_THREAD: return message->thread.thread;
	default: return 0;
	}
}

static void on_message(struct host_link *link, const struct wire_message *message)
{
	struct fixture *fixture = link->owner;

	fixture->wrong |= number_of(message) != ++fixture->heard;
	if (message->type == WIRE_ENTER)
		link_send(link, &(const struct wire_message){.type = WIRE_ADMIT,
		                                             .admitted = fixture->heard});
}

static void on_closed(struct host_link *link, const char *why)
{
	struct fixture *fixture = link->owner;

	fixture->wrong |= why != NULL;
	fixture->closed = true;
}

static const struct host_listener listener = {.message = on_message, .closed = on_closed};

static int set_up(void **state)
{
	struct fixture *fixture = g_new0(struct fixture, 1);
	struct link_options options = {
		.loop = &fixture->loop, .listener = &listener, .user = fixture};

	fixture->directory = g_dir_make_tmp("matchpoint-test-XXXXXX", NULL);
	options.directory = fixture->directory;
	uv_loop_init(&fixture->loop);
	fixture->server = link_listen(&options, NULL);
	*state = fixture;
	return fixture->server ? 0 : -1;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	g_autofree char *path = g_build_filename(fixture->directory, RUN_DIRECTORY_SOCKET, NULL);

	link_server_close(fixture->server);
	uv_run(&fixture->loop, UV_RUN_DEFAULT);
	uv_loop_close(&fixture->loop);
	g_unlink(path);
	g_rmdir(fixture->directory);
	g_free(fixture->directory);
	g_free(fixture);
	return 0;
}

static void connect_rank(const char *directory)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int connected = socket(AF_UNIX, SOCK_STREAM, 0);

	g_snprintf(address.sun_path, sizeof(address.sun_path), "%s/%s", directory,
	           RUN_DIRECTORY_SOCKET);
	if (connect(connected, (struct sockaddr *)&address, sizeof(address)) != 0)
		_exit(1);
	channel_open(connected);
	channel_offer_ring();
}

static void report(uint32_t number, bool asks)
{
	struct wire_message message = {.type = WIRE_THREAD, .thread.thread = number}, answer;

	if (asks)
		message = (struct wire_message){.type = WIRE_ENTER, .enter.thread = number};
	channel_expect(asks);
	wire_encode(channel_begin(), &message);
	channel_send();
	while (asks && !channel_next(&answer))
		channel_receive(true);
	if (asks && answer.admitted != number)
		_exit(1);
	channel_expect(false);
}

/* What a rank does: it waits for an answer after `ask_every` reports, 0: never; it leaves the ring
 * after half of them. */
struct course {
	uint32_t reports, ask_every;
	bool leaves;
};

static _Noreturn void be_rank(const char *directory, const struct course *course)
{
	bool used = false;

	connect_rank(directory);
	for (uint32_t number = 1; number <= course->reports; number++) {
		report(number, course->ask_every > 0 && number % course->ask_every == 0);
		used |= channel.ring.used;
		if (course->leaves && number == course->reports / 2)
			channel_leave_ring();
	}
	_exit(!used);
}

static void serve(struct fixture *fixture, const struct course *course)
{
	pid_t rank = fork();
	int status;

	if (rank == 0)
		be_rank(fixture->directory, course);
	while (!fixture->closed)
		uv_run(&fixture->loop, UV_RUN_ONCE);
	assert_int_equal(waitpid(rank, &status, 0), rank);
	assert_int_equal(status, 0);
	assert_false(fixture->wrong);
	assert_int_equal(fixture->heard, course->reports);
}

static void test_credits_are_heard_before_the_end(void **state)
{
	serve(*state, &(const struct course){.reports = 300 * 1000});
}

static void test_each_report_has_an_answer(void **state)
{
	serve(*state, &(const struct course){.reports = 3000, .ask_every = 1});
}

static void test_some_reports_have_an_answer(void **state)
{
	serve(*state, &(const struct course){.reports = 100 * 1000, .ask_every = 50});
}

static void test_a_rank_goes_back_to_the_socket(void **state)
{
	serve(*state, &(const struct course){10 * 1000, 7, true});
}

/* Nobody waits for an answer, and the rank does not end. */
static void test_a_credit_is_heard_while_the_rank_computes(void **state)
{
	struct fixture *fixture = *state;
	const gint64 begin = g_get_monotonic_time();
	const pid_t rank = fork();

	if (rank == 0) {
		connect_rank(fixture->directory);
		for (uint32_t number = 1; number <= 20; number++) {
			report(number, number < 10);
			poll(NULL, 0, 10); /* the scheduler waits again */
		}
		poll(NULL, 0, 60 * 1000);
		_exit(0);
	}
	while (fixture->heard < 20)
		uv_run(&fixture->loop, UV_RUN_ONCE);
	assert_true(g_get_monotonic_time() - begin < 30 * G_USEC_PER_SEC);
	kill(rank, SIGKILL);
	waitpid(rank, NULL, 0);
	assert_false(fixture->wrong);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes_arrive_in_order_however_they_are_cut),
		cmocka_unit_test(test_who_waits_is_woken),
		cmocka_unit_test(test_what_is_no_ring_is_refused),
		cmocka_unit_test(test_counts_that_were_overwritten_are_an_error),
		cmocka_unit_test_setup_teardown(test_credits_are_heard_before_the_end, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(test_each_report_has_an_answer, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_some_reports_have_an_answer, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(test_a_rank_goes_back_to_the_socket, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(test_a_credit_is_heard_while_the_rank_computes,
	                                        set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
