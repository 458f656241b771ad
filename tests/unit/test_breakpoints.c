/* room: debug. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "scheduler/debug/breakpoints.h"

static struct breakpoint_call receive(void)
{
	return (struct breakpoint_call){.function = "MPI_Recv",
	                                .rank = 1,
	                                .number = 12,
	                                .moves_data = true,
	                                .peer = 2,
	                                .tag = 7,
	                                .bytes = 100,
	                                .comm = "5",
	                                .comm_name = "halo"};
}

static bool fits_call(const char *text, const struct breakpoint_call *call)
{
	struct breakpoints *breakpoints = breakpoints_new(4);
	char *problem;
	bool fits;

	assert_int_equal(breakpoints_add(breakpoints, text, false, &problem), 1);
	fits = breakpoints_fit(breakpoints, call) == 1;
	breakpoints_free(breakpoints);
	return fits;
}

static bool fits(const char *text)
{
	const struct breakpoint_call call = receive();

	return fits_call(text, &call);
}

static void a_call_must_match_every_part(void **state)
{
	(void)state;
	assert_true(fits("MPI_Recv"));
	assert_true(fits("mpi_*RECV"));
	assert_true(fits("MPI_?ecv"));
	assert_false(fits("MPI_Irecv"));
	assert_true(fits(""));
	assert_true(fits("rank 1"));
	assert_false(fits("rank 0"));
	assert_true(fits("MPI_Recv rank 1 tag 7 peer 2 call 12"));
	assert_false(fits("MPI_Recv rank 1 tag 8"));
	assert_false(fits("peer 1"));
	assert_false(fits("call 13"));
	assert_true(fits("comm halo"));
	assert_true(fits("comm 5"));
	assert_true(fits("comm ha*"));
	assert_false(fits("comm 6"));
}

static void conditions_compare_values(void **state)
{
	(void)state;
	assert_true(fits("if bytes > 99"));
	assert_false(fits("if bytes > 100"));
	assert_true(fits("if bytes >= 100 and bytes <= 100"));
	assert_true(fits("MPI_Recv if bytes==100&&tag!=8"));
	assert_false(fits("MPI_Recv rank 1 if tag < 7"));
	assert_true(fits("rank 1 if peer == 2 and call < 13 and rank != 0"));
}

static void wildcards_match_but_no_condition(void **state)
{
	struct breakpoint_call call = receive();

	(void)state;
	call.peer = call.tag = BREAKPOINT_ANY;
	assert_true(fits_call("tag 3 peer 0", &call));
	assert_false(fits_call("if tag != 3", &call));
	call.moves_data = false;
	assert_false(fits_call("tag 3", &call));
	assert_false(fits_call("comm halo", &call));
	assert_false(fits_call("if bytes >= 0", &call));
	assert_true(fits_call("MPI_Recv rank 1", &call));
}

static void a_place_matches_anywhere_in_the_stack(void **state)
{
	g_autoptr(GArray) frames = g_array_new(false, true, sizeof(struct record_frame));
	const struct record_frame told[] = {
		{.function = "solver::grid::exchange", .place = {.file = "halo.c", .line = 20}},
		{.function = "main", .place = {.file = "solver.c", .line = 7}},
	};
	struct breakpoint_call call = receive();

	(void)state;
	assert_false(fits_call("main", &call));
	g_array_append_vals(frames, told, 2);
	call.frames = frames;
	assert_true(fits_call("main", &call));
	assert_true(fits_call("exch*", &call));
	assert_true(fits_call("solver.c:7", &call));
	assert_true(fits_call("../src/halo.c:20 rank 1", &call));
	assert_false(fits_call("solver.c:8", &call));
	assert_false(fits_call("halo.c:7", &call));
	assert_false(fits_call("solve", &call));
	assert_true(fits_call("grid::exchange", &call));
	assert_true(fits_call("SOLVER::*", &call));
	assert_false(fits_call("solver::exchange", &call));
	assert_false(fits_call("grid", &call));
}

static void ignore_and_tbreak_limit_the_hits(void **state)
{
	struct breakpoints *breakpoints = breakpoints_new(4);
	const struct breakpoint_call call = receive();
	GString *text = g_string_new(NULL);
	char *problem;

	(void)state;
	assert_int_equal(breakpoints_add(breakpoints, "MPI_Recv", false, &problem), 1);
	assert_int_equal(breakpoints_add(breakpoints, "rank 1", true, &problem), 2);
	assert_true(breakpoints_ignore(breakpoints, 1, 2));
	assert_false(breakpoints_ignore(breakpoints, 3, 2));
	assert_int_equal(breakpoints_hit(breakpoints, &call), 2);
	assert_int_equal(breakpoints_hit(breakpoints, &call), 0);
	assert_int_equal(breakpoints_hit(breakpoints, &call), 1);
	assert_true(breakpoints_enable(breakpoints, 1, false));
	assert_int_equal(breakpoints_hit(breakpoints, &call), 0);
	assert_true(breakpoints_enable(breakpoints, 1, true));
	assert_false(breakpoints_condition(breakpoints, 1, "size > 3", &problem));
	g_free(problem);
	assert_int_equal(breakpoints_hit(breakpoints, &call), 1);
	assert_true(breakpoints_condition(breakpoints, 1, "tag == 8", &problem));
	assert_int_equal(breakpoints_hit(breakpoints, &call), 0);
	breakpoints_tell(text, breakpoints);
	assert_string_equal(text->str, "  1  MPI_Recv if tag == 8, fired 2 times\n");
	assert_true(breakpoints_condition(breakpoints, 1, "", &problem));
	assert_int_equal(breakpoints_hit(breakpoints, &call), 1);
	assert_false(breakpoints_delete(breakpoints, 2));
	assert_true(breakpoints_delete(breakpoints, 1));
	assert_int_equal(breakpoints_hit(breakpoints, &call), 0);
	/* Numbers are not used again. */
	assert_int_equal(breakpoints_add(breakpoints, "main", false, &problem), 3);
	assert_true(breakpoints_want_stacks(breakpoints));
	breakpoints_delete_all(breakpoints);
	assert_false(breakpoints_want_stacks(breakpoints));
	g_string_free(text, true);
	breakpoints_free(breakpoints);
}

static void an_impossible_breakpoint_is_refused(void **state)
{
	static const char *const texts[][2] = {
		{"MPI_Comm_rank",
	         "MPI_Comm_rank does not communicate: breakpoints do not stop at it"},
		{"MPI_Frobnicate", "no MPI function matches MPI_Frobnicate"},
		{"rank 4", "there is no rank 4; ranks are 0 to 3"},
		{"MPI_Recv peer 9", "there is no rank 9; ranks are 0 to 3"},
		{"if rank == 4", "there is no rank 4; ranks are 0 to 3"},
		{"call 0", "calls are numbered from 1"},
		{"solver.c:x", "solver.c:x is not FILE:LINE"},
		{"MPI_Recv rank", "rank needs a number"},
		{"MPI_Recv tag x", "tag needs a number"},
		{"MPI_Recv size 3", "size: expected rank, tag, peer, comm, call or if"},
		{"MPI_Recv if size > 3",
	         "size: expected bytes, tag, peer, rank or call, as in bytes > 1000"},
		{"if bytes", "bytes needs one of ==, !=, <, <=, > or >="},
		{"if bytes > many", "bytes must be compared with a number, not with many"},
		{"if bytes >", "bytes must be compared with a number, not with nothing"},
	};
	struct breakpoints *breakpoints = breakpoints_new(4);

	(void)state;
	for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autofree char *problem = NULL;

		assert_int_equal(breakpoints_add(breakpoints, texts[i][0], false, &problem), 0);
		assert_string_equal(problem, texts[i][1]);
	}
	breakpoints_free(breakpoints);
}

static void names_with_blanks_are_quoted(void **state)
{
	struct breakpoints *breakpoints = breakpoints_new(3);
	const struct breakpoint_call call = {.function = "MPI_Send",
	                                     .moves_data = true,
	                                     .comm_name = "MPI_Comm_dup of MPI_COMM_WORLD"};
	char *problem = NULL;

	(void)state;
	assert_int_equal(breakpoints_add(breakpoints, "comm \"MPI_Comm_dup of MPI_COMM_WORLD\"",
	                                 false, &problem),
	                 1);
	assert_int_equal(breakpoints_fit(breakpoints, &call), 1);
	assert_int_equal(breakpoints_add(breakpoints, "comm \"MPI_Comm", false, &problem), 0);
	assert_non_null(strstr(problem, "a quotation mark is missing"));
	g_free(problem);
	breakpoints_free(breakpoints);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_with_blanks_are_quoted),
		cmocka_unit_test(a_call_must_match_every_part),
		cmocka_unit_test(conditions_compare_values),
		cmocka_unit_test(wildcards_match_but_no_condition),
		cmocka_unit_test(a_place_matches_anywhere_in_the_stack),
		cmocka_unit_test(ignore_and_tbreak_limit_the_hits),
		cmocka_unit_test(an_impossible_breakpoint_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
