/* Ranks that take turns in one process. awaited.c belongs to the shim, which is no library for
 * others: it is compiled in here, with communicators of the test's own. */
#include "shim/request/awaited.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RANKS = 3, COMM = 1, OTHER_COMM = 2, INTER_COMM = 3 };

static struct wire_welcome welcome;
static char directory[] = "/tmp/matchpoint-test-awaited-XXXXXX";

const struct wire_welcome *gate_welcome(void)
{
	return &welcome;
}

bool gate_hurries(void)
{
	return welcome.hurries;
}

struct communicator {
	MPI_Comm handle;
};

struct communicator *communicator_find(MPI_Comm comm)
{
	static struct communicator known;

	known.handle = comm;
	return comm ? &known : NULL;
}

uint64_t communicator_number(MPI_Comm comm)
{
	return (uint64_t)comm;
}

bool communicator_is_inter(const struct communicator *communicator)
{
	return communicator->handle == (MPI_Comm)INTER_COMM;
}

/* Ranks of OTHER_COMM are those of the job in another order. */
int communicator_world_rank(const struct communicator *communicator, int rank)
{
	return communicator->handle == (MPI_Comm)OTHER_COMM ? RANKS - 1 - rank : rank;
}

/* --- ranks ------------------------------------------------------------------------------------ */

static __typeof__(awaited) memories[RANKS];
static int current;

/* What follows happens in this rank. */
static void in_rank(int rank)
{
	memcpy(&memories[current], &awaited, sizeof(awaited));
	memcpy(&awaited, &memories[rank], sizeof(awaited));
	current = rank;
}

static struct request sending(int comm, int to, int tag)
{
	struct request request = {
		.kind = REQUEST_SEND, .comm = (MPI_Comm)comm, .peer = to, .tag = tag};

	awaited_count_send(&request);
	return request;
}

static struct request receiving(int comm, int from, int tag)
{
	struct request request = {
		.kind = REQUEST_RECEIVE, .comm = (MPI_Comm)comm, .peer = from, .tag = tag};

	awaited_count_receive(&request, from, tag);
	return request;
}

static void wait_for(int comm, int from, int tag)
{
	struct request request = receiving(comm, from, tag);

	awaited_tell(&request);
}

static bool send_is_told(int comm, int to, int tag)
{
	struct request request = sending(comm, to, tag);

	return awaited_is_told(&request);
}

static int start_all(void **state)
{
	int opened;

	(void)state;
	strcpy(directory + strlen(directory) - 6, "XXXXXX");
	assert_non_null(mkdtemp(directory));
	opened = open(directory, O_RDONLY | O_DIRECTORY);
	assert_int_equal(dup2(opened, AGENT_WORLD_FD), AGENT_WORLD_FD);
	close(opened);
	welcome = (struct wire_welcome){.buffering = WIRE_BUFFERING_INFINITE, .hurries = true};
	for (int rank = 0; rank < RANKS; rank++) {
		in_rank(rank);
		memset(&awaited, 0, sizeof(awaited));
		awaited_start(rank, RANKS);
	}
	return 0;
}

static int remove_all(void **state)
{
	(void)state;
	for (int rank = 0; rank < RANKS; rank++) {
		in_rank(rank);
		if (awaited.pairs)
			munmap(awaited.pairs, sizeof(struct pair) * RANKS * RANKS);
	}
	unlinkat(AGENT_WORLD_FD, AWAITED_FILE, 0);
	return rmdir(directory);
}

/* --- tests ------------------------------------------------------------------------------------ */

static void test_told(void **state)
{
	struct request message;

	(void)state;
	in_rank(0);
	message = sending(COMM, 1, 7);
	assert_false(awaited_is_told(&message));
	in_rank(1);
	wait_for(COMM, 0, 7);
	in_rank(0);
	assert_true(awaited_is_told(&message));
	assert_false(send_is_told(COMM, 1, 7)); /* the next one */
	in_rank(1);
	wait_for(COMM, 0, 7);
	in_rank(0);
	assert_false(send_is_told(COMM, 1, 7)); /* that was for the second */
	assert_false(send_is_told(COMM, 2, 7));
}

static void test_kinds_apart(void **state)
{
	(void)state;
	in_rank(1);
	wait_for(COMM, 0, 7);
	wait_for(COMM, 2, 7);
	in_rank(0);
	assert_false(send_is_told(COMM, 1, 8));
	assert_false(send_is_told(OTHER_COMM, 1, 7));
	assert_true(send_is_told(COMM, 1, 7));
	in_rank(2);
	assert_true(send_is_told(COMM, 1, 7));
	in_rank(0);
	wait_for(OTHER_COMM, 0, 1); /* from rank 2 of the job */
	in_rank(2);
	assert_true(send_is_told(OTHER_COMM, 2, 1));
}

/* An earlier receive from any source has taken the first message. */
static void test_counted_but_not_told(void **state)
{
	(void)state;
	in_rank(1);
	receiving(COMM, 0, 7);
	wait_for(COMM, 0, 7);
	in_rank(0);
	assert_false(send_is_told(COMM, 1, 7));
	assert_true(send_is_told(COMM, 1, 7));
}

/* A message was taken past the counts. The rank then tells of one that was sent before. */
static void test_receiver_counts_too_few(void **state)
{
	(void)state;
	in_rank(0);
	sending(COMM, 1, 7);
	in_rank(1);
	wait_for(COMM, 0, 7);
	in_rank(0);
	assert_false(send_is_told(COMM, 1, 7));
}

static void test_several_at_once(void **state)
{
	(void)state;
	in_rank(1);
	for (int i = 0; i < AT_ONCE + 1; i++)
		wait_for(COMM, 0, 7);
	in_rank(0);
	assert_false(send_is_told(COMM, 1, 7)); /* forgotten for the last one */
	for (int i = 0; i < AT_ONCE; i++)
		assert_true(send_is_told(COMM, 1, 7));
	assert_false(send_is_told(COMM, 1, 7));
}

static void test_intercommunicator(void **state)
{
	(void)state;
	in_rank(1);
	wait_for(INTER_COMM, 0, 7);
	wait_for(0, 0, 7); /* freed */
	in_rank(0);
	assert_false(send_is_told(INTER_COMM, 1, 7));
	assert_false(send_is_told(0, 1, 7));
}

static void test_stopped(void **state)
{
	(void)state;
	in_rank(1);
	wait_for(COMM, 0, 7);
	awaited_stop();
	wait_for(COMM, 0, 7);
	in_rank(0);
	assert_true(send_is_told(COMM, 1, 7));
	assert_false(send_is_told(COMM, 1, 7));
	in_rank(1);
	wait_for(COMM, 0, 8);
	in_rank(0);
	awaited_stop();
	assert_false(send_is_told(COMM, 1, 8));
	in_rank(1);
	awaited.pairs = NULL;
}

static void test_too_many_kinds(void **state)
{
	(void)state;
	in_rank(1);
	wait_for(COMM, 0, 7);
	in_rank(0);
	for (int tag = 100; tag < 100 + MOST_COUNTS; tag++)
		sending(COMM, 1, tag);
	assert_false(send_is_told(COMM, 1, 7));
}

static void test_not_wanted(void **state)
{
	(void)state;
	in_rank(0);
	munmap(awaited.pairs, sizeof(struct pair) * RANKS * RANKS);
	awaited.pairs = NULL;
	awaited_start(0, MOST_RANKS + 1);
	assert_null(awaited.pairs);
	welcome.buffering = WIRE_BUFFERING_ZERO;
	awaited_start(0, RANKS);
	assert_null(awaited.pairs);
	welcome = (struct wire_welcome){.buffering = WIRE_BUFFERING_INFINITE};
	awaited_start(0, RANKS);
	assert_null(awaited.pairs);
	assert_false(send_is_told(COMM, 1, 7));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_told, start_all, remove_all),
		cmocka_unit_test_setup_teardown(test_kinds_apart, start_all, remove_all),
		cmocka_unit_test_setup_teardown(test_counted_but_not_told, start_all, remove_all),
		cmocka_unit_test_setup_teardown(test_receiver_counts_too_few, start_all,
	                                        remove_all),
		cmocka_unit_test_setup_teardown(test_several_at_once, start_all, remove_all),
		cmocka_unit_test_setup_teardown(test_intercommunicator, start_all, remove_all),
		cmocka_unit_test_setup_teardown(test_stopped, start_all, remove_all),
		cmocka_unit_test_setup_teardown(test_too_many_kinds, start_all, remove_all),
		cmocka_unit_test_setup_teardown(test_not_wanted, start_all, remove_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
