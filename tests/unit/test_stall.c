/* room: liveness. A rank seen from outside: a child process, with a note that the tests write. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpi_calls.h"
#include "scheduler/host/local.h"
#include "scheduler/liveness/stall.h"

#define STEP_US (STALL_LOOK_MS * G_TIME_SPAN_MILLISECOND)

struct fixture {
	struct communicators *comms;
	struct world *world;
	struct host *host;
	struct stall *stall;
	struct wire_blocking_call *note; /* shared with the child */
	pid_t rank;
	int request, done; /* pipes to the child and back */
	gint64 now;
};

/* Writes a byte for each byte that it reads. */
static _Noreturn void be_rank(int requests, int done)
{
	char byte;

	while (read(requests, &byte, 1) == 1 && write(done, &byte, 1) == 1)
		continue;
	_exit(0);
}

static void use_file(const struct fixture *fixture)
{
	char byte = 0;

	assert_int_equal(write(fixture->request, &byte, 1), 1);
	assert_int_equal(read(fixture->done, &byte, 1), 1);
}

static void start_rank(struct fixture *fixture)
{
	int requests[2], done[2];

	fixture->note = mmap(NULL, sizeof(*fixture->note), PROT_READ | PROT_WRITE,
	                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(fixture->note != MAP_FAILED);
	assert_int_equal(pipe(requests), 0);
	assert_int_equal(pipe(done), 0);
	fixture->rank = fork();
	assert_true(fixture->rank >= 0);
	if (fixture->rank == 0) {
		close(requests[1]);
		be_rank(requests[0], done[1]);
	}
	close(requests[0]);
	close(done[1]);
	fixture->request = requests[1];
	fixture->done = done[0];
	use_file(fixture); /* it has started: reads of its start do not count as work */
}

static void fixture_init_of(struct fixture *fixture, int ranks)
{
	const struct world_options options = {
		.ranks = ranks, .buffering = BUFFERING_ZERO, .not_yet = 1};
	const struct world_orders orders = {0};
	struct wire_call makes_window = {.call = 1, .function = MPI_CALL_Win_create};

	*fixture = (struct fixture){.comms = communicators_new(ranks), .now = G_TIME_SPAN_DAY};
	fixture->world = world_new(&options, fixture->comms, &orders, fixture);
	world_start(fixture->world);
	assert_true(world_call(fixture->world, 0, &makes_window, NULL));
	assert_int_equal(world_phase(fixture->world, 0), PHASE_RUNNING);
	assert_true(world_has_windows(fixture->world));
	fixture->host = local_new();
	fixture->stall = stall_new(fixture->host, ranks);
	start_rank(fixture);
	stall_set(fixture->stall, 0, fixture->rank, (guint64)(uintptr_t)fixture->note);
}

static void fixture_init(struct fixture *fixture)
{
	fixture_init_of(fixture, 1);
}

static void fixture_release(struct fixture *fixture)
{
	close(fixture->request);
	close(fixture->done);
	waitpid(fixture->rank, NULL, 0);
	munmap(fixture->note, sizeof(*fixture->note));
	stall_free(fixture->stall);
	local_free(fixture->host);
	world_free(fixture->world);
	communicators_free(fixture->comms);
}

static enum stall_step look(struct fixture *fixture)
{
	fixture->now += STEP_US;
	return stall_look(fixture->stall, fixture->world, fixture->now);
}

/* For so long the rank makes 1,000 calls between two looks. Returns the last answer. */
static enum stall_step goes_round(struct fixture *fixture, unsigned function, int seconds)
{
	gint64 end = fixture->now + seconds * G_TIME_SPAN_SECOND;
	enum stall_step step = STALL_NONE;

	while (fixture->now < end) {
		fixture->note->function = function;
		fixture->note->times += 1000;
		fixture->note->site = 4711;
		step = look(fixture);
	}
	return step;
}

static void test_waits_inside_a_call(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture);
	*fixture.note = (struct wire_blocking_call){
		.function = MPI_CALL_Win_flush, .times = 1, .site = 99, .met = false};
	assert_int_equal(look(&fixture), STALL_NONE);
	for (int i = 0; i < G_TIME_SPAN_SECOND / STEP_US; i++)
		look(&fixture);
	assert_int_equal(look(&fixture), STALL_DECIDE);
	assert_false(stall_hopeless(fixture.stall));
	fixture.now += STALL_OVER_SECONDS * G_TIME_SPAN_SECOND;
	assert_int_equal(look(&fixture), STALL_OVER);
	assert_int_equal(stall_blocking_call(fixture.stall, 0)->site, 99);
	assert_true(stall_hopeless(fixture.stall));
	/* another call, from which it may return */
	fixture.note->times++;
	assert_int_equal(look(&fixture), STALL_DECIDE);
	stall_rest(fixture.stall);
	stall_heard(fixture.stall);
	assert_int_equal(look(&fixture), STALL_NONE);
	fixture_release(&fixture);
}

static void test_only_reads(void **state)
{
	static const unsigned calls[] = {MPI_CALL_Fetch_and_op, MPI_CALL_Get, MPI_CALL_Get_c};
	struct fixture fixture;

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(calls); i++) {
		fixture_init(&fixture);
		goes_round(&fixture, calls[i], STALL_SPIN_SECONDS - 1);
		assert_int_equal(look(&fixture), STALL_DECIDE);
		assert_int_equal(goes_round(&fixture, calls[i], 2), STALL_SPIN);
		assert_int_equal(stall_spin(fixture.stall, 0)->site, 4711);
		assert_int_equal(stall_spin(fixture.stall, 0)->function, calls[i]);
		fixture_release(&fixture);
	}
}

/* All members have entered: what others do next cannot help. */
static void test_waits_in_a_collective(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture);
	*fixture.note = (struct wire_blocking_call){
		.function = MPI_CALL_File_write_all, .times = 1, .site = 99, .met = true};
	for (int i = 0; i < (STALL_OVER_SECONDS - 1) * G_TIME_SPAN_SECOND / STEP_US; i++)
		assert_int_equal(look(&fixture), STALL_NONE);
	fixture.now += 2 * G_TIME_SPAN_SECOND;
	assert_int_equal(look(&fixture), STALL_OVER);
	fixture_release(&fixture);
}

/* The rank waits for a reported call, and drives MPI's progress meanwhile. That may take long,
 * unless one step does. */
static void test_drives_progress(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture);
	*fixture.note = (struct wire_blocking_call){
		.function = MPI_CALL_Wait, .site = 99, .driven = true, .steps = 1};
	for (int i = 0; i < 3 * STALL_OVER_SECONDS * G_TIME_SPAN_SECOND / 2 / STEP_US; i++) {
		fixture.note->steps++;
		assert_int_equal(look(&fixture), STALL_NONE);
	}
	assert_null(stall_blocking_call(fixture.stall, 0));
	for (int i = 0; i < (STALL_OVER_SECONDS - 1) * G_TIME_SPAN_SECOND / STEP_US; i++)
		assert_int_equal(look(&fixture), STALL_NONE);
	fixture.now += 2 * G_TIME_SPAN_SECOND;
	assert_int_equal(look(&fixture), STALL_OVER);
	assert_non_null(stall_blocking_call(fixture.stall, 0));
	fixture_release(&fixture);
}

/* The rank waits for something that an ended rank will never do. Time counts from the end of that
 * rank. */
static void test_drives_progress_for_one_that_is_gone(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_init_of(&fixture, 2);
	*fixture.note = (struct wire_blocking_call){
		.function = MPI_CALL_Recv, .site = 99, .driven = true, .steps = 1};
	for (int i = 0; i < STALL_OVER_SECONDS * G_TIME_SPAN_SECOND / 2 / STEP_US; i++) {
		fixture.note->steps++;
		assert_int_equal(look(&fixture), STALL_NONE);
	}
	world_rank_ended(fixture.world, 1);
	stall_heard(fixture.stall);
	for (int i = 0; i < (STALL_OVER_SECONDS - 1) * G_TIME_SPAN_SECOND / STEP_US; i++) {
		fixture.note->steps++;
		assert_int_equal(look(&fixture), STALL_NONE);
	}
	fixture.now += 2 * G_TIME_SPAN_SECOND;
	fixture.note->steps++;
	assert_int_equal(look(&fixture), STALL_OVER);
	assert_non_null(stall_blocking_call(fixture.stall, 0));
	fixture_release(&fixture);
}

/* A slow disk: the rank writes for long. */
static void test_works_with_files(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture);
	*fixture.note = (struct wire_blocking_call){
		.function = MPI_CALL_File_write_all, .times = 1, .site = 99, .met = true};
	for (int i = 0; i < 3 * STALL_OVER_SECONDS; i++) {
		use_file(&fixture);
		assert_int_equal(look(&fixture), STALL_NONE);
		fixture.now += G_TIME_SPAN_SECOND;
	}
	fixture.now += STALL_OVER_SECONDS * G_TIME_SPAN_SECOND;
	assert_int_equal(look(&fixture), STALL_OVER);
	fixture_release(&fixture);
}

/* The call that it was inside when quiet began does not count for ever. */
static void test_only_reads_after_something_else(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture);
	*fixture.note = (struct wire_blocking_call){
		.function = MPI_CALL_Win_lock_all, .times = 2, .site = 99, .met = false};
	look(&fixture);
	look(&fixture);
	goes_round(&fixture, MPI_CALL_Get, STALL_SPIN_SECONDS / 2);
	fixture.note->function = MPI_CALL_Put;
	look(&fixture);
	assert_int_equal(goes_round(&fixture, MPI_CALL_Get, STALL_SPIN_SECONDS - 1), STALL_DECIDE);
	assert_int_equal(goes_round(&fixture, MPI_CALL_Get, 2), STALL_SPIN);
	fixture_release(&fixture);
}

static void test_does_more_than_read(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture);
	for (int i = 0; i < 3; i++) {
		goes_round(&fixture, MPI_CALL_Get, STALL_SPIN_SECONDS / 2);
		assert_int_equal(goes_round(&fixture, MPI_CALL_Accumulate, 1), STALL_DECIDE);
	}
	/* or computes most of the time */
	assert_int_equal(goes_round(&fixture, 0, 2 * STALL_SPIN_SECONDS), STALL_DECIDE);
	assert_int_not_equal(goes_round(&fixture, MPI_CALL_Get, STALL_SPIN_SECONDS), STALL_SPIN);
	fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waits_inside_a_call),
		cmocka_unit_test(test_waits_in_a_collective),
		cmocka_unit_test(test_drives_progress),
		cmocka_unit_test(test_drives_progress_for_one_that_is_gone),
		cmocka_unit_test(test_works_with_files),
		cmocka_unit_test(test_only_reads),
		cmocka_unit_test(test_only_reads_after_something_else),
		cmocka_unit_test(test_does_more_than_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
