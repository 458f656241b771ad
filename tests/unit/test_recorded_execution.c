/* room: recording. A recorded run as a record: from the lines that replays of its ranks tell
 * (shim/record/matches.h) to calls, messages and collectives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/recording.h"
#include "common/recording_steps.h"
#include "common/wire.h"
#include "mpi_calls.h"
#include "scheduler/recording/recorded_execution.h"
#include "scheduler/recording/recorded_holds.h"

enum { RANKS_MOST = 4, WORLD = WIRE_COMM_WORLD, MADE = 0x84000000, LINES_MOST = 64 };

/* Ranks with the lines of their replays. */
struct run {
	int ranks;
	char *lines[RANKS_MOST][LINES_MOST];
	int counts[RANKS_MOST];
	guint32 numbers[RANKS_MOST]; /* of the last call */
	GPtrArray *matches, *ends, *notes, *holds;
	struct record_execution *execution;
};

static void line(struct run *run, int rank, const char *format, ...) G_GNUC_PRINTF(3, 4);
static void line(struct run *run, int rank, const char *format, ...)
{
	va_list arguments;

	assert_true(run->counts[rank] < LINES_MOST - 1);
	va_start(arguments, format);
	run->lines[rank][run->counts[rank]++] = g_strdup_vprintf(format, arguments);
	va_end(arguments);
}

/* A call that is open: other lines of it follow, then leave. Returns its number. */
static guint32 enter(struct run *run, int rank, enum mpi_call function)
{
	line(run, rank, "k %u %d 4096", ++run->numbers[rank], (int)function);
	return run->numbers[rank];
}

static void leave(struct run *run, int rank, const char *given)
{
	line(run, rank, "a sent=4 received=8 %s", given);
	line(run, rank, "l");
}

static guint32 whole(struct run *run, int rank, enum mpi_call function, const char *given)
{
	guint32 number = enter(run, rank, function);

	leave(run, rank, given);
	return number;
}

static guint32 send_to(struct run *run, int rank, int dest, int tag)
{
	g_autofree char *given = g_strdup_printf("dest=%d tag=%d comm=%d", dest, tag, WORLD);

	return whole(run, rank, MPI_CALL_Send, given);
}

/* A blocking receive that names `source` and took that message; -1: the rank stands in it. */
static guint32 receive(struct run *run, int rank, int source, int tag, int got, int got_tag)
{
	g_autofree char *given = g_strdup_printf("source=%d tag=%d comm=%d", source, tag, WORLD);
	guint32 number = enter(run, rank, MPI_CALL_Recv);

	if (got < 0) {
		line(run, rank, "a sent=0 received=8 %s", given);
		return number;
	}
	line(run, rank, "s 0 %u 0 %d %d 0", number, got, got_tag);
	leave(run, rank, given);
	return number;
}

static struct place no_place(void *user, int rank, guint64 site)
{
	(void)user;
	(void)rank;
	return (struct place){.function = "work", .offset = site};
}

static struct roll_call_entry *end_of(struct run *run, int rank)
{
	return g_ptr_array_index(run->ends, rank);
}

static void begin(struct run *run, int ranks)
{
	memset(run, 0, sizeof(*run));
	run->ranks = ranks;
	run->notes = g_ptr_array_new_with_free_func(g_free);
	run->ends = g_ptr_array_new_with_free_func(g_free);
	for (int rank = 0; rank < ranks; rank++) {
		struct roll_call_entry *entry = g_new0(struct roll_call_entry, 1);

		entry->rank = rank;
		entry->has_ended = true;
		g_ptr_array_add(run->ends, entry);
	}
}

/* What was recorded, for logs. */
static struct recorded_logs read_logs(struct run *run)
{
	run->matches = g_ptr_array_new();
	for (int rank = 0; rank < run->ranks; rank++)
		g_ptr_array_add(
			run->matches,
			end_of(run, rank)->is_missing
				? NULL
				: recorded_matches_of_lines((const char *const *)run->lines[rank]));
	return (struct recorded_logs){.ranks = run->ranks,
	                              .matches = run->matches,
	                              .ends = run->ends,
	                              .find_place = no_place};
}

static void build(struct run *run)
{
	const struct recorded_logs logs = read_logs(run);

	run->execution = recorded_execution(&logs, run->notes);
	run->holds = recorded_holds(&logs);
}

static void end(struct run *run)
{
	for (guint rank = 0; rank < run->matches->len; rank++)
		recorded_matches_free(run->matches->pdata[rank]);
	for (int rank = 0; rank < run->ranks; rank++)
		for (int i = 0; i < run->counts[rank]; i++)
			g_free(run->lines[rank][i]);
	g_ptr_array_unref(run->matches);
	g_ptr_array_unref(run->ends);
	g_ptr_array_unref(run->notes);
	g_ptr_array_unref(run->holds);
	record_execution_free(run->execution);
}

static const struct record_call *call_of(const struct run *run, int rank, guint32 number)
{
	for (guint i = 0; i < run->execution->calls->len; i++) {
		const struct record_call *call = &g_array_index(run->execution->calls,
		                                                struct record_call, i);

		if (call->rank == rank && call->call == number)
			return call;
	}
	fail_msg("rank %d has no call %u", rank, number);
	return NULL;
}

/* "0.3<1.2 1.4<0.1": rank and call of each receive, and of its send. */
static void assert_matches(const struct run *run, const char *expected)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < run->execution->matches->len; i++) {
		const struct record_match *match = &g_array_index(run->execution->matches,
		                                                  struct record_match, i);

		g_string_append_printf(text, "%s%d.%u<%d.%u", i > 0 ? " " : "", match->rank,
		                       match->call, match->source, match->send_call);
	}
	assert_string_equal(text->str, expected);
}

/* "3<1.2 4<0.1": the rank's calls that are held, and for what. */
static void assert_holds(const struct run *run, int rank, const char *expected)
{
	const GArray *holds = run->holds->pdata[rank];
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < holds->len; i++) {
		const struct recording_hold *hold = &g_array_index(holds, struct recording_hold, i);

		g_string_append_printf(text, "%s%u<%u.%u", i > 0 ? " " : "", hold->call, hold->rank,
		                       hold->until);
	}
	assert_string_equal(text->str, expected);
}

static const char *note(const struct run *run, guint at)
{
	return at < run->notes->len ? run->notes->pdata[at] : "";
}

/* --- messages --------------------------------------------------------------------------------- */

/* Each channel keeps its order; the tag and the source that a receive took tell the channel. */
static void test_order(void **state)
{
	struct run run;

	(void)state;
	begin(&run, 3);
	send_to(&run, 1, 0, 7);
	send_to(&run, 1, 0, 8);
	send_to(&run, 1, 0, 7);
	send_to(&run, 2, 0, 7);
	receive(&run, 0, 1, 8, 1, 8);
	receive(&run, 0, WIRE_ANY, -1, 2, 7);
	receive(&run, 0, WIRE_ANY, 7, 1, 7);
	receive(&run, 0, 1, -1, 1, 7);
	build(&run);
	assert_matches(&run, "0.1<1.2 0.2<2.1 0.3<1.1 0.4<1.3");
	assert_holds(&run, 0, "1<1.2 2<2.1 3<1.1 4<1.3");
	assert_holds(&run, 1, "");
	assert_int_equal(run.notes->len, 0);
	assert_int_equal(call_of(&run, 0, 2)->peer, -1);
	assert_int_equal(call_of(&run, 0, 2)->tag, -1);
	assert_int_equal(call_of(&run, 0, 1)->bytes, 8);
	assert_int_equal(call_of(&run, 1, 1)->bytes, 4);
	assert_int_equal(call_of(&run, 1, 1)->kind, RECORD_CALL_SEND);
	assert_int_equal(run.execution->status, FINDING_RECORDED);
	end(&run);
}

/* A receive that was begun and never completed: an exact one took the earlier message, and one from
 * any source may have taken any. */
static void open_receive(struct run *run, int source)
{
	begin(run, 2);
	send_to(run, 1, 0, 7);
	send_to(run, 1, 0, 7);
	enter(run, 0, MPI_CALL_Irecv);
	g_autofree char *given = g_strdup_printf("source=%d tag=7 comm=%d", source, WORLD);
	leave(run, 0, given);
	receive(run, 0, 1, 7, 1, 7);
	build(run);
}

static void test_open_receive(void **state)
{
	struct run run;

	(void)state;
	open_receive(&run, 1);
	assert_matches(&run, "0.1<1.1 0.2<1.2");
	assert_int_equal(call_of(&run, 0, 1)->completed, 0);
	end(&run);
	open_receive(&run, WIRE_ANY);
	assert_matches(&run, "");
	assert_non_null(strstr(note(&run, 0), "1 message is not drawn"));
	end(&run);
}

/* What MPI has names for comes as a name: an MPI library may use any numbers. */
static void test_names_stand_for_no_rank(void **state)
{
	struct run run;
	guint32 number;

	(void)state;
	begin(&run, 2);
	send_to(&run, 1, 0, 7);
	whole(&run, 1, MPI_CALL_Send, "dest=MPI_PROC_NULL tag=7 comm=MPI_COMM_WORLD");
	number = enter(&run, 0, MPI_CALL_Recv);
	line(&run, 0, "s 0 %u 0 -5 -5 0", number); /* as some library fills the status */
	leave(&run, 0, "source=MPI_PROC_NULL tag=MPI_ANY_TAG comm=MPI_COMM_WORLD");
	number = enter(&run, 0, MPI_CALL_Recv);
	line(&run, 0, "s 0 %u 0 1 7 0", number);
	leave(&run, 0, "source=MPI_ANY_SOURCE tag=MPI_ANY_TAG comm=MPI_COMM_WORLD");
	build(&run);
	assert_matches(&run, "0.2<1.1");
	assert_int_equal(run.notes->len, 0);
	for (int rank = 0; rank < 2; rank++)
		for (guint32 call = 1; call <= 2; call++)
			assert_int_equal(call_of(&run, rank, call)->communicator, 1);
	assert_int_equal(call_of(&run, 1, 2)->peer_given, -1);
	assert_int_equal(call_of(&run, 0, 1)->peer_given, -1);
	assert_int_equal(call_of(&run, 0, 2)->peer_given, -1);
	assert_int_equal(call_of(&run, 0, 2)->tag, -1);
	end(&run);
}

/* Behind the last receive that took something, nothing is known. */
static void test_pending_at_the_end(void **state)
{
	struct run run;

	(void)state;
	begin(&run, 2);
	send_to(&run, 1, 0, 7);
	receive(&run, 0, 1, 7, -1, 0);
	end_of(&run, 0)->has_ended = false;
	end_of(&run, 0)->is_inside = true;
	end_of(&run, 0)->call = 1;
	build(&run);
	assert_matches(&run, "");
	assert_holds(&run, 0, "");
	const struct record_rank *rank = run.execution->ranks->pdata[0];
	assert_null(rank->ended);
	assert_int_equal(rank->call, 1);
	assert_string_equal(rank->arguments, "source=1, tag=7");
	assert_int_equal(rank->waits_for->len, 1);
	assert_int_equal(g_array_index(rank->waits_for, int32_t, 0), 1);
	assert_string_equal(((struct record_rank *)run.execution->ranks->pdata[1])->ended, "ended");
	end(&run);
}

/* Requests complete in other calls; cancelled ones take nothing; Sendrecv does both. */
static void test_requests(void **state)
{
	struct run run;

	(void)state;
	begin(&run, 2);
	for (int i = 0; i < 2; i++) {
		enter(&run, 0, MPI_CALL_Irecv);
		leave(&run, 0, "source=1 tag=7 comm=MPI_COMM_WORLD");
	}
	enter(&run, 0, MPI_CALL_Waitall);
	line(&run, 0, "s 0 1 0 -1 -1 1");
	line(&run, 0, "s 1 2 0 1 7 0");
	leave(&run, 0, "");
	enter(&run, 0, MPI_CALL_Sendrecv);
	line(&run, 0, "s 0 4 0 1 5 0");
	leave(&run, 0, "dest=1 sendtag=4 source=1 recvtag=5 comm=MPI_COMM_WORLD");
	send_to(&run, 1, 0, 7);
	enter(&run, 1, MPI_CALL_Sendrecv);
	line(&run, 1, "s 0 2 0 0 4 0");
	leave(&run, 1, "dest=0 sendtag=5 source=0 recvtag=4 comm=MPI_COMM_WORLD");
	build(&run);
	assert_matches(&run, "0.2<1.1 0.4<1.2 1.2<0.4");
	assert_int_equal(call_of(&run, 0, 2)->completed, 3);
	assert_int_equal(call_of(&run, 0, 4)->operations, 2);
	assert_int_equal(g_array_index(run.execution->matches, struct record_match, 1).sub, 1);
	end(&run);
}

/* What is prepared is started later. */
static void test_persistent(void **state)
{
	struct run run;

	(void)state;
	begin(&run, 2);
	whole(&run, 0, MPI_CALL_Recv_init, "source=1 tag=3 comm=MPI_COMM_WORLD");
	whole(&run, 0, MPI_CALL_Send_init, "dest=1 tag=4 comm=MPI_COMM_WORLD");
	enter(&run, 0, MPI_CALL_Startall);
	line(&run, 0, "p 0 1");
	line(&run, 0, "p 1 2");
	leave(&run, 0, "");
	enter(&run, 0, MPI_CALL_Waitall);
	line(&run, 0, "s 0 3 0 1 3 0");
	line(&run, 0, "s 1 3 1 -1 -1 0");
	leave(&run, 0, "");
	send_to(&run, 1, 0, 3);
	receive(&run, 1, 0, 4, 0, 4);
	build(&run);
	assert_matches(&run, "0.3<1.1 1.2<0.3");
	assert_int_equal(call_of(&run, 0, 1)->kind, RECORD_CALL_OTHER);
	assert_int_equal(call_of(&run, 0, 3)->kind, RECORD_CALL_RECEIVE);
	assert_int_equal(call_of(&run, 0, 3)->operations, 2);
	assert_int_equal(call_of(&run, 0, 3)->completed, 4);
	end(&run);
}

/* The probe takes the message; MPI_Mrecv tells whose it was. */
static void test_mprobe(void **state)
{
	struct run run;

	(void)state;
	begin(&run, 2);
	send_to(&run, 1, 0, 7);
	send_to(&run, 1, 0, 7);
	whole(&run, 0, MPI_CALL_Mprobe,
	      "source=MPI_ANY_SOURCE tag=MPI_ANY_TAG comm=MPI_COMM_WORLD made_message=99");
	receive(&run, 0, 1, 7, 1, 7);
	enter(&run, 0, MPI_CALL_Mrecv);
	line(&run, 0, "s 0 3 0 1 7 0");
	leave(&run, 0, "message=99 made_message=738197504");
	build(&run);
	assert_matches(&run, "0.1<1.1 0.2<1.2");
	end(&run);
}

static void test_polls(void **state)
{
	struct run run;

	(void)state;
	begin(&run, 1);
	line(&run, 0, "n 1 %d 3 4096", (int)MPI_CALL_Iprobe);
	run.numbers[0] = 3;
	whole(&run, 0, MPI_CALL_Finalize, "");
	build(&run);
	assert_int_equal(run.execution->calls->len, 4);
	for (guint32 number = 1; number <= 4; number++)
		call_of(&run, 0, number);
	assert_int_equal(call_of(&run, 0, 4)->kind, RECORD_CALL_COLLECTIVE);
	end(&run);
}

/* --- communicators and collectives ------------------------------------------------------------ */

/* Ranks 2, 0 and ranks 3, 1, with equal handles. */
static void split(struct run *run)
{
	for (int rank = 0; rank < 4; rank++) {
		enter(run, rank, MPI_CALL_Comm_split);
		line(run, rank, "c %u", (guint)MADE);
		line(run, rank, "g 0 %d -2 2", 2 + rank % 2);
		g_autofree char *given = g_strdup_printf("comm=%d color=%d key=%d made_comm=%u",
		                                         WORLD, rank % 2, -rank, (guint)MADE);
		leave(run, rank, given);
	}
}

static void test_split(void **state)
{
	struct run run;
	g_autofree char *root = g_strdup_printf("root=0 comm=%u", (guint)MADE);
	g_autofree char *to = g_strdup_printf("dest=0 tag=7 comm=%u", (guint)MADE);
	g_autofree char *from = g_strdup_printf("source=1 tag=7 comm=%u", (guint)MADE);

	(void)state;
	begin(&run, 4);
	split(&run);
	for (int rank = 0; rank < 4; rank++)
		whole(&run, rank, MPI_CALL_Bcast, root);
	whole(&run, 1, MPI_CALL_Send, to); /* to rank 3 */
	enter(&run, 3, MPI_CALL_Recv);
	line(&run, 3, "s 0 3 0 1 7 0");
	leave(&run, 3, from);
	build(&run);
	assert_matches(&run, "3.3<1.3");
	assert_string_equal(call_of(&run, 0, 2)->communicator_group, "2,0");
	assert_string_equal(call_of(&run, 1, 2)->communicator_group, "3,1");
	assert_int_equal(call_of(&run, 0, 2)->peer, 2);
	assert_int_equal(call_of(&run, 0, 2)->peer_given, 0);
	assert_int_equal(call_of(&run, 0, 2)->waits, RECORD_WAIT_ROOT);
	assert_int_equal(call_of(&run, 2, 2)->waits, RECORD_WAIT_NOBODY);
	assert_int_equal(call_of(&run, 0, 1)->collective, call_of(&run, 3, 1)->collective);
	assert_int_equal(call_of(&run, 0, 2)->collective, call_of(&run, 2, 2)->collective);
	assert_int_not_equal(call_of(&run, 0, 2)->collective, call_of(&run, 1, 2)->collective);
	assert_int_not_equal(call_of(&run, 0, 2)->communicator, call_of(&run, 1, 2)->communicator);
	end(&run);
}

/* Ranks that call different functions do not meet. */
static void test_mismatch(void **state)
{
	struct run run;

	(void)state;
	begin(&run, 2);
	whole(&run, 0, MPI_CALL_Barrier, "comm=MPI_COMM_WORLD");
	enter(&run, 1, MPI_CALL_Allreduce);
	line(&run, 1, "a sent=4 received=4 comm=MPI_COMM_WORLD");
	end_of(&run, 1)->has_ended = false;
	end_of(&run, 1)->is_inside = true;
	build(&run);
	assert_int_not_equal(call_of(&run, 0, 1)->collective, call_of(&run, 1, 1)->collective);
	const struct record_rank *rank = run.execution->ranks->pdata[1];
	assert_int_equal(g_array_index(rank->waits_for, int32_t, 0), 0);
	assert_int_equal(call_of(&run, 1, 1)->completed, 0);
	end(&run);
}

/* --- what is missing -------------------------------------------------------------------------- */

static void test_missing_log(void **state)
{
	struct run run;

	(void)state;
	begin(&run, 2);
	end_of(&run, 1)->is_missing = true;
	receive(&run, 0, 1, 7, 1, 7);
	build(&run);
	assert_matches(&run, "");
	assert_non_null(strstr(note(&run, 0), "rank 1 left no log"));
	assert_non_null(strstr(note(&run, 1), "1 message is not drawn"));
	assert_string_equal(((struct record_rank *)run.execution->ranks->pdata[1])->ended,
	                    "left no log");
	end(&run);
}

/* --- what holds a rank ------------------------------------------------------------------------ */

/* A message holds the call that gives it, and whoever is told of it before. */
static void test_holds_of_messages(void **state)
{
	struct run run;

	(void)state;
	begin(&run, 2);
	send_to(&run, 1, 0, 7);
	send_to(&run, 1, 0, 7);
	send_to(&run, 1, 0, 8);
	enter(&run, 0, MPI_CALL_Irecv);
	leave(&run, 0, "source=1 tag=7 comm=MPI_COMM_WORLD");
	whole(&run, 0, MPI_CALL_Probe, "source=1 tag=7 comm=MPI_COMM_WORLD");
	enter(&run, 0, MPI_CALL_Probe);
	line(&run, 0, "s 0 3 0 1 8 0");
	leave(&run, 0, "source=MPI_ANY_SOURCE tag=MPI_ANY_TAG comm=MPI_COMM_WORLD");
	whole(&run, 0, MPI_CALL_Mprobe, "source=1 tag=8 comm=MPI_COMM_WORLD made_message=99");
	enter(&run, 0, MPI_CALL_Request_get_status);
	line(&run, 0, "s 0 1 0 1 7 0");
	leave(&run, 0, "");
	enter(&run, 0, MPI_CALL_Mrecv);
	line(&run, 0, "s 0 6 0 1 8 0");
	leave(&run, 0, "message=99 made_message=738197504");
	enter(&run, 0, MPI_CALL_Wait);
	line(&run, 0, "s 0 1 0 1 7 0");
	leave(&run, 0, "");
	build(&run);
	assert_holds(&run, 0, "2<1.2 3<1.3 4<1.3 5<1.1 7<1.1");
	end(&run);
}

/* Those whose data a collective gives. */
static void test_holds_of_collectives(void **state)
{
	static const char given[] = "comm=MPI_COMM_WORLD", rooted[] = "root=1 comm=MPI_COMM_WORLD";
	struct run run;

	(void)state;
	begin(&run, 3);
	for (int rank = 0; rank < 3; rank++) {
		whole(&run, rank, MPI_CALL_Reduce, rooted);
		whole(&run, rank, MPI_CALL_Bcast, rooted);
		whole(&run, rank, MPI_CALL_Scan, given);
		whole(&run, rank, MPI_CALL_Ibarrier, given);
		enter(&run, rank, MPI_CALL_Wait);
		line(&run, rank, "s 0 4 0 -2 -1 0");
		leave(&run, rank, "");
		whole(&run, rank, MPI_CALL_Neighbor_alltoall, given);
	}
	enter(&run, 2, MPI_CALL_Barrier); /* the recording ends here */
	line(&run, 2, "a sent=0 received=0 %s", given);
	build(&run);
	assert_holds(&run, 0, "2<1.2 5<1.4 5<2.4");
	assert_holds(&run, 1, "1<0.1 1<2.1 3<0.3 5<0.4 5<2.4");
	assert_holds(&run, 2, "2<1.2 3<0.3 3<1.3 5<0.4 5<1.4");
	end(&run);
}

/* Nobody is held by a poll that is answered "not yet", however often it is. */
static void test_holds_of_polls(void **state)
{
	const guint32 times = 4000000000u;
	struct recorded_logs logs;
	struct run run;

	(void)state;
	begin(&run, 2);
	send_to(&run, 1, 0, 7);
	line(&run, 0, "n 1 %d %u 4096", MPI_CALL_Iprobe, times);
	run.numbers[0] = times;
	receive(&run, 0, 1, 7, 1, 7);
	logs = read_logs(&run);
	run.holds = recorded_holds(&logs);
	assert_holds(&run, 0, "4000000001<1.1");
	run.execution = NULL;
	end(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_open_receive),
		cmocka_unit_test(test_names_stand_for_no_rank),
		cmocka_unit_test(test_pending_at_the_end),
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_persistent),
		cmocka_unit_test(test_mprobe),
		cmocka_unit_test(test_polls),
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_mismatch),
		cmocka_unit_test(test_missing_log),
		cmocka_unit_test(test_holds_of_messages),
		cmocka_unit_test(test_holds_of_collectives),
		cmocka_unit_test(test_holds_of_polls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
