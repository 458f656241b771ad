/* room: world. Labels of communicators, and where they were made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mpi_calls.h"
#include "scheduler/world/made_comms.h"

static struct wire_comm comm_of(guint64 number, guint16 function, guint64 site)
{
	return (struct wire_comm){.comm = number, .function = function, .site = site};
}

static void assert_label(const struct made_comms *comms, guint64 number, const char *kind,
                         const char *wanted)
{
	const struct made_comm *made = made_comms_find(comms, number);
	g_autofree char *label = NULL;

	assert_non_null(made);
	label = made_comm_label(made);
	assert_string_equal(label, wanted);
	assert_string_equal(made_comm_kind(made), kind);
}

/* Labels do not depend on which rank comes first. */
static void test_labels(void **state)
{
	const struct wire_comm first = comm_of(100, MPI_CALL_Comm_split, 7);
	const struct wire_comm second = comm_of(200, MPI_CALL_Comm_dup, 8);
	const struct wire_comm apart = comm_of(300, MPI_CALL_Comm_split, 9);
	const struct wire_comm window = comm_of(400, MPI_CALL_Win_create, 10);
	static const int orders[][2] = {{0, 1}, {1, 0}};

	(void)state;
	for (guint i = 0; i < G_N_ELEMENTS(orders); i++) {
		struct made_comms *comms = made_comms_new();

		made_comms_add(comms, 1, &apart);
		for (guint k = 0; k < 2; k++) {
			made_comms_add(comms, orders[i][k], &first);
			made_comms_add(comms, orders[i][k], &second);
			made_comms_add(comms, orders[i][k], &window);
		}
		assert_label(comms, 100, "comm", "2");
		assert_label(comms, 200, "comm", "3");
		assert_label(comms, 300, "comm", "1.2");
		assert_label(comms, 400, "window", "1");
		assert_null(made_comms_find(comms, 500));
		made_comms_free(comms);
	}
}

/* The lowest rank says where; a number that stands for another has no label of its own. */
static void test_origin(void **state)
{
	struct made_comms *comms = made_comms_new(), *copy;
	struct wire_comm comm = comm_of(100, MPI_CALL_Comm_create_group, 71);
	struct wire_comm alias = comm_of(200, MPI_CALL_Start, 5);

	(void)state;
	comm.argument = (char *)"tag=\x1b\xff";
	made_comms_add(comms, 2, &comm);
	comm.site = 70;
	comm.argument = (char *)"tag=1";
	copy = made_comms_copy(comms);
	made_comms_add(comms, 1, &comm);
	alias.stands_for = 100;
	made_comms_add(comms, 1, &alias);
	assert_int_equal(made_comms_find(comms, 100)->site, 70);
	assert_string_equal(made_comms_find(comms, 100)->argument, "tag=1");
	assert_int_equal(made_comms_find(copy, 100)->site, 71);
	assert_string_equal(made_comms_find(copy, 100)->argument, "tag=?\357\277\275");
	assert_int_equal(made_comms_find(comms, 200)->stands_for, 100);
	assert_int_equal(made_comms_find(comms, 200)->number, 0);
	comm = comm_of(300, MPI_CALL_Comm_dup, 9);
	made_comms_add(comms, 1, &comm);
	assert_label(comms, 300, "comm", "1.3");
	assert_null(made_comms_find(copy, 300));
	made_comms_free(comms);
	made_comms_free(copy);
}

/* Calls that do not exist come from ranks that lie. */
static void test_nonsense(void **state)
{
	struct made_comms *comms = made_comms_new();
	const struct wire_comm comm = comm_of(100, UINT16_MAX, 1);

	(void)state;
	made_comms_add(comms, 0, &comm);
	assert_int_equal(made_comms_find(comms, 100)->number, 0);
	made_comms_free(comms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_origin),
		cmocka_unit_test(test_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
