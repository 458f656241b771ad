/* Sentences about the choice to blame. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reports/words.h"

static struct place at(uint32_t line)
{
	return (struct place){.file = "a.c", .line = line};
}

static struct record_message message_of(int32_t source, uint32_t line)
{
	return (struct record_message){
		.taken = {.kind = TAKEN_MESSAGE}, .source = source, .place = at(line)};
}

/* A poll `ahead` calls later finds a request complete. */
static struct record_message completion(char *call, uint16_t ahead, uint32_t line)
{
	return (struct record_message){.taken = {.kind = TAKEN_YES, .ahead = ahead},
	                               .answer = (char *)"yes",
	                               .requests = call,
	                               .place = at(line)};
}

static const struct record_message not_yet = {.taken = {.kind = TAKEN_NO}, .answer = (char *)"no"};

static void expect(const char *function, struct record_message taken, struct record_message other,
                   const char *expected)
{
	struct record_choice *choice = record_choice_new();
	g_autofree char *text = NULL;

	choice->point.kind = POINT_CALL;
	choice->rank = 1;
	choice->function = function;
	choice->place = at(22);
	choice->taken = taken;
	g_array_append_val(choice->alternatives, other);
	text = words_blame(choice);
	assert_string_equal(text, expected);
	record_choice_free(choice);
}

static void a_receive_takes_a_message(void **state)
{
	(void)state;
	expect("MPI_Recv", message_of(0, 14), message_of(2, 14),
	       "rank 1's MPI_Recv(ANY_SOURCE) at a.c:22 takes rank 0's message (a.c:14), "
	       "not rank 2's");
	expect("MPI_Probe", message_of(0, 14), message_of(2, 14),
	       "rank 1's MPI_Probe(ANY_SOURCE) at a.c:22 reports rank 0's message (a.c:14), "
	       "not rank 2's");
}

static void a_poll_returns_an_answer(void **state)
{
	(void)state;
	expect("MPI_Iprobe", not_yet, message_of(0, 14),
	       "rank 1's MPI_Iprobe at a.c:22 returns \"not yet\", not rank 0's message (a.c:14)");
	expect("MPI_Test", completion((char *)"4", 0, 32), not_yet,
	       "rank 1's MPI_Test at a.c:22 finds the request of call 4 (a.c:32) complete, not "
	       "\"not "
	       "yet\"");
}

/* What the loop finds first is nothing that its first poll returns. */
static void a_loop_of_polls_finds_something_first(void **state)
{
	(void)state;
	expect("MPI_Iprobe", completion((char *)"4", 1, 32), message_of(0, 14),
	       "in rank 1's loop of polls at a.c:22, the request of call 4 (a.c:32) comes first, "
	       "not rank 0's message (a.c:14)");
	expect("MPI_Iprobe", message_of(0, 14), completion((char *)"4", 1, 32),
	       "in rank 1's loop of polls at a.c:22, rank 0's message (a.c:14) comes first, "
	       "not the request of call 4 (a.c:32)");
	expect("MPI_Iprobe", not_yet, completion((char *)"4", 1, 32),
	       "rank 1's MPI_Iprobe at a.c:22 returns \"not yet\", not the request of call 4 "
	       "(a.c:32)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_receive_takes_a_message),
		cmocka_unit_test(a_poll_returns_an_answer),
		cmocka_unit_test(a_loop_of_polls_finds_something_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
