/* Part of the preloaded shim, compiled in here with an MPI that accepts any buffer. */
#include "shim/request/buffer.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MESSAGE = 100, ROOM = MESSAGE + MPI_BSEND_OVERHEAD };

static unsigned rounds;

static int attach(void *address, int size)
{
	(void)address;
	(void)size;
	return MPI_SUCCESS;
}

static int detach(void *address, int *size)
{
	(void)address;
	(void)size;
	return MPI_SUCCESS;
}

struct real_mpi real_table = {.Buffer_attach = attach, .Buffer_detach = detach};
bool real_found = true;

int real_find(void)
{
	return 0;
}

int error_check(MPI_Comm comm, int code, enum mpi_call function, const void *site)
{
	(void)comm;
	(void)function;
	(void)site;
	return code;
}

int error_raise(MPI_Comm comm, int code, uint32_t call, enum mpi_call function, const void *site)
{
	(void)comm;
	(void)call;
	(void)function;
	(void)site;
	return code;
}

struct wire_call gate_call(unsigned function, const void *site)
{
	return (struct wire_call){.function = (uint16_t)function, .site = (uintptr_t)site};
}

void gate_report(const struct wire_call *call)
{
	(void)call;
}

struct gate_answer gate_wait(const struct wire_call *call)
{
	(void)call;
	return (struct gate_answer){0};
}

void gate_yield(unsigned round)
{
	rounds = round + 1;
}

void request_progress(void)
{
}

static void attach_for(int messages)
{
	static char memory[8 * ROOM];

	assert_int_equal(shim_MPI_Buffer_attach(NULL, memory, messages * ROOM), MPI_SUCCESS);
}

static void detach_it(void)
{
	void *address;
	int size;

	assert_int_equal(shim_MPI_Buffer_detach(NULL, &address, &size), MPI_SUCCESS);
}

static void test_room_given_back_can_be_taken_again(void **state)
{
	struct buffer_room room;

	(void)state;
	attach_for(1);
	room = buffer_take(MESSAGE);
	assert_int_equal(room.bytes, ROOM);
	assert_int_equal(buffer_take(MESSAGE).bytes, 0);
	buffer_give_back(room);
	assert_int_equal(buffer_take(MESSAGE).bytes, ROOM);
	detach_it();
}

/* A message's copy may outlive the buffer that it was sent through. */
static void test_room_of_a_detached_buffer_is_not_added_to_the_next(void **state)
{
	struct buffer_room before, room;

	(void)state;
	attach_for(1);
	before = buffer_take(MESSAGE);
	detach_it();
	attach_for(1);
	room = buffer_take(MESSAGE);
	assert_int_equal(room.bytes, ROOM);
	buffer_give_back(before);
	assert_int_equal(buffer_take(MESSAGE).bytes, 0);
	buffer_give_back(room);
	assert_int_equal(buffer_take(MESSAGE).bytes, ROOM);
	detach_it();
}

static void test_a_message_that_cannot_fit_is_refused_without_waiting(void **state)
{
	(void)state;
	rounds = 0;
	assert_int_equal(buffer_take(MESSAGE).bytes, 0);
	attach_for(1);
	assert_int_equal(buffer_take(2 * MESSAGE + MPI_BSEND_OVERHEAD).bytes, 0);
	assert_int_equal(rounds, 0);
	detach_it();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_room_given_back_can_be_taken_again),
		cmocka_unit_test(test_room_of_a_detached_buffer_is_not_added_to_the_next),
		cmocka_unit_test(test_a_message_that_cannot_fit_is_refused_without_waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
