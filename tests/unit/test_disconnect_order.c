#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/socket.h>
#include <unistd.h>

#include "scheduler/host/disconnect_order.h"

enum { RANKS = 5 };

static void test_returns_the_order(void **state)
{
	static const int order[] = {3, 0, 4, 1, 2};
	struct disconnect_order *watched = disconnect_order_new();
	int pairs[RANKS][2];
	const GArray *gone;

	(void)state;
	for (int rank = 0; rank < RANKS; rank++) {
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[rank]), 0);
		disconnect_order_watch(watched, rank, pairs[rank][0]);
	}
	/* What a rank sends before it disconnects does not put it first. */
	for (int rank = 0; rank < RANKS; rank++)
		assert_int_equal(write(pairs[rank][1], "x", 1), 1);
	assert_int_equal(disconnect_order_of(watched)->len, 0);
	for (int i = 0; i < 4; i++)
		close(pairs[order[i]][1]);
	for (int again = 0; again < 2; again++) {
		gone = disconnect_order_of(watched);
		assert_int_equal(gone->len, 4);
		for (guint i = 0; i < gone->len; i++)
			assert_int_equal(g_array_index(gone, int, i), order[i]);
	}
	for (int i = 0; i < 4; i++)
		close(pairs[order[i]][0]);
	close(pairs[2][1]);
	gone = disconnect_order_of(watched);
	assert_int_equal(gone->len, 5);
	assert_int_equal(g_array_index(gone, int, 4), 2);
	close(pairs[2][0]);
	disconnect_order_free(watched);
	disconnect_order_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_returns_the_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
