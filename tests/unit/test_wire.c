#include "common/wire.h"
#include "mpi_calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct wire_message decode(const struct wire_buffer *buffer)
{
	struct wire_message message;

	assert_false(buffer->failed);
	assert_int_equal(wire_frame_length(buffer->bytes, buffer->count), buffer->count);
	assert_int_equal(wire_decode(buffer->bytes, buffer->count, &message), 0);
	return message;
}

/* Every prefix, and one byte too many, is refused; what is decoded encodes to the same bytes. */
static struct wire_message round_trip(const struct wire_message *message)
{
	struct wire_buffer buffer = {0}, again = {0};
	struct wire_message decoded, ignored;

	wire_encode(&buffer, message);
	decoded = decode(&buffer);
	wire_encode(&again, &decoded);
	assert_int_equal(again.count, buffer.count);
	assert_memory_equal(again.bytes, buffer.bytes, buffer.count);

	for (size_t count = 0; count < buffer.count; count++) {
		assert_int_equal(wire_frame_length(buffer.bytes, count), 0);
		assert_int_equal(wire_decode(buffer.bytes, count, &ignored), -1);
	}
	for (size_t cut = 6; cut < buffer.count; cut++) {
		uint32_t length = (uint32_t)(cut - 4);
		for (int i = 0; i < 4; i++)
			again.bytes[i] = (uint8_t)(length >> (8 * i));
		assert_int_equal(wire_decode(again.bytes, cut, &ignored), -1);
	}
	wire_buffer_release(&buffer);
	wire_buffer_release(&again);
	return decoded;
}

static void hello_keeps_its_strings(void **state)
{
	(void)state;
	static char program[] = "/bin/program", mpi[] = "MPICH 4";
	static const struct wire_message message = {
		.type = WIRE_HELLO,
		.hello = {WIRE_VERSION, 7, -1, 4711, 1ull << 40, true, program, mpi},
	};
	struct wire_message decoded = round_trip(&message);
	assert_int_equal(decoded.hello.world, 7);
	assert_int_equal(decoded.hello.rank, -1);
	assert_int_equal(decoded.hello.pid, 4711);
	assert_true(decoded.hello.inside == 1ull << 40);
	assert_true(decoded.hello.restored);
	assert_string_equal(decoded.hello.program, program);
	assert_string_equal(decoded.hello.mpi, mpi);
	wire_message_release(&decoded);
}

static void null_string_is_read_as_empty(void **state)
{
	(void)state;
	const struct wire_message message = {.type = WIRE_HELLO};
	struct wire_message decoded = round_trip(&message);
	assert_string_equal(decoded.hello.program, "");
	assert_string_equal(decoded.hello.mpi, "");
	wire_message_release(&decoded);
}

static void call_keeps_its_ops_and_names(void **state)
{
	(void)state;
	struct wire_run runs[2] = {{0x405, 3}, {0x80b, 1ull << 33}};
	struct wire_op ops[2] = {
		{.name = {9, 0},
	         .kind = WIRE_SEND,
	         .mode = WIRE_READY,
	         .comm = UINT64_MAX,
	         .bytes = 1ull << 40,
	         .types = {.basic = 0x405}},
		{.name = {9, 1},
	         .kind = WIRE_RECEIVE,
	         .joined = true,
	         .function = 400,
	         .peer = WIRE_ANY,
	         .types = {.run_count = 2, .runs = runs}},
	};
	struct wire_name waited[3] = {{9, 0}, {9, 1}, {2, 0}};
	struct wire_types types[2] = {{.basic = 0x405}, {.run_count = 2, .runs = runs}};
	uint64_t amounts[2] = {8, 1ull << 41};
	int32_t peers[2] = {3, -1};
	ops[1].sends = (struct wire_side){WIRE_WITH_LISTED, 2, peers, 2, amounts, 2, types};
	ops[1].receives = (struct wire_side){WIRE_WITH_EACH, 0, NULL, 1, amounts, 1, types};
	const struct wire_message message = {
		.type = WIRE_CALL,
		.call = {9, 3, 300, WIRE_WAIT_SOME, true, true, -5, 0xdeadbeefcafe, true, true,
	                 true, 77, 2, ops, 3, waited, .has_digest = true,
	                 .digest = {{UINT64_MAX, 6}}},
	};
	struct wire_message decoded = round_trip(&message);
	assert_int_equal(decoded.call.wait, WIRE_WAIT_SOME);
	assert_true(decoded.call.timed && decoded.call.by_rule && decoded.call.real_time);
	assert_true(decoded.call.marked && decoded.call.ahead);
	assert_int_equal(decoded.call.status, -5);
	assert_true(decoded.call.site == 0xdeadbeefcafe);
	assert_int_equal(decoded.call.op_count, 2);
	assert_int_equal(decoded.call.ops[0].mode, WIRE_READY);
	assert_true(decoded.call.ops[0].bytes == 1ull << 40);
	assert_true(decoded.call.ops[0].comm == UINT64_MAX);
	assert_int_equal(decoded.call.ops[1].peer, WIRE_ANY);
	assert_true(decoded.call.ops[1].joined);
	assert_int_equal(decoded.call.ops[1].function, 400);
	assert_int_equal(decoded.call.ops[0].types.basic, 0x405);
	assert_int_equal(decoded.call.ops[0].types.run_count, 0);
	assert_int_equal(decoded.call.ops[1].types.run_count, 2);
	assert_int_equal(decoded.call.ops[1].types.runs[0].basic, 0x405);
	assert_true(decoded.call.ops[1].types.runs[1].count == 1ull << 33);
	assert_int_equal(decoded.call.ops[0].sends.partners, WIRE_WITH_NOBODY);
	assert_int_equal(decoded.call.ops[1].sends.peer_count, 2);
	assert_int_equal(decoded.call.ops[1].sends.peers[1], -1);
	assert_true(decoded.call.ops[1].sends.bytes[1] == 1ull << 41);
	assert_int_equal(decoded.call.ops[1].sends.types[1].run_count, 2);
	assert_int_equal(decoded.call.ops[1].receives.part_count, 1);
	assert_int_equal(decoded.call.ops[1].receives.types[0].basic, 0x405);
	assert_int_equal(decoded.call.waited_count, 3);
	assert_int_equal(decoded.call.waited[2].call, 2);
	assert_true(decoded.call.has_digest && decoded.call.digest.hash[0] == UINT64_MAX);
	assert_int_equal(decoded.call.digest.hash[1], 6);
	wire_message_release(&decoded);
}

/* Only calls that return indices have places, and others have no room for them. */
static void places_go_with_calls_that_return_indices(void **state)
{
	(void)state;
	uint32_t places[3] = {1, 4, WIRE_UNDEFINED};
	struct wire_name waited[2] = {{3, 0}, {5, 0}};
	struct wire_message message = {
		.type = WIRE_CALL,
		.call = {.function = MPI_CALL_Testany,
	                 .waited_count = 2,
	                 .waited = waited,
	                 .place_count = 3,
	                 .places = places},
	};
	const uint16_t functions[] = {MPI_CALL_Waitany, MPI_CALL_Testany, MPI_CALL_Waitsome,
	                              MPI_CALL_Testsome};
	struct wire_buffer with = {0}, without = {0};
	struct wire_message decoded = round_trip(&message);

	assert_int_equal(decoded.call.place_count, 3);
	assert_memory_equal(decoded.call.places, places, sizeof(places));
	assert_int_equal(decoded.call.waited[1].call, 5);
	wire_message_release(&decoded);
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		assert_true(wire_returns_indices(functions[i]));
	assert_false(wire_returns_indices(MPI_CALL_Testall));
	assert_false(wire_returns_indices(UINT16_MAX));
	wire_encode(&with, &message);
	message.call.function = MPI_CALL_Testall;
	wire_encode(&without, &message);
	assert_int_equal(with.count - without.count, 4 + sizeof(places));
	wire_buffer_release(&with);
	wire_buffer_release(&without);
	decoded = round_trip(&message);
	assert_int_equal(decoded.call.place_count, 0);
	wire_message_release(&decoded);
}

static void rank_messages_round_trip(void **state)
{
	(void)state;
	int32_t local[2] = {4, 2}, remote[1] = {0};
	uint32_t indices[2] = {0, INT32_MAX};
	uint64_t frames[2] = {1, UINT64_MAX};
	static char text[] = "why";
	static char digits[] = "01ff";
	struct wire_run run = {0x0405, 2};
	struct wire_line line = {text, text, 12};
	struct wire_mapping mapping = {4096, 8192, 0, 22, 1000, 3};
	struct wire_left left = {WIRE_OBJECT_WINDOW, 12, UINT64_MAX, 3};
	struct wire_part part = {WIRE_PART_WRITTEN, -8, 4, 2, 3, -16, 64};
	struct wire_access access = {
		.kind = WIRE_ACCESS_DATA,
		.flags = WIRE_ACCESS_WRITES,
		.target = WIRE_ANY,
		.displacement = -1,
		.unit = 8,
		.part_count = 1,
		.parts = &part,
	};
	struct wire_need need = {3, text};
	const struct wire_message messages[] = {
		{.type = WIRE_COMM,
	         .comm = {77, 2, 1, local, remote, 1, 5, 8, text, 1, 9, 1ull << 40, text}},
		{.type = WIRE_NAMED, .named = {1ull << 40, text}},
		{.type = WIRE_NAMED},
		{.type = WIRE_PARTITIONS, .partitions = {1ull << 63, 7, 8, 1, 3}},
		{.type = WIRE_RETURNED, .returned = {7, 2, indices}},
		{.type = WIRE_NEEDS, .needs = {2, 1ull << 40, 1, &need}},
		{.type = WIRE_NEEDS},
		{.type = WIRE_RING, .ring = {201, 1ull << 63}},
		{.type = WIRE_BELL},
		{.type = WIRE_ERROR, .error = {3, 2, 12, 99, 14, true, true, false, text}},
		{.type = WIRE_STACK, .stack = {7, 2, frames, 1, true, 1, &line}},
		{.type = WIRE_STACK},
		{.type = WIRE_HELD, .held = {true, text}},
		{.type = WIRE_IMAGED, .imaged = {3, true, 1ull << 33, text}},
		{.type = WIRE_PARKED, .parked = {text, true, 1, &mapping}},
		{.type = WIRE_CHILD, .child = {5, 1234, true, 256}},
		{.type = WIRE_THREAD, .thread = {2, 4711, true}},
		{.type = WIRE_ENTER,
	         .enter = {2, true, false, 1ull << 40, 1, 2, WIRE_ANY, WIRE_ANY}},
		{.type = WIRE_ENDING, .ending = {0, 11, 3, 2, frames}},
		{.type = WIRE_LEFT, .objects = {1, &left}},
		{.type = WIRE_LEFT},
		{.type = WIRE_ACCESSES, .accesses = {1, &access}},
		{.type = WIRE_ACCESSES},
		{.type = WIRE_CONTENTS, .contents = {{3, 1}, 8, {0, 1, &run}, digits}},
		{.type = WIRE_CONTENTS},
		{.type = WIRE_MISUSE,
	         .misuse = {.why = WIRE_MISUSE_FREE,
	                    .moved = {8, {0, 1, &run}},
	                    .expected = {4, {0, 1, &run}},
	                    .difference = text}},
		{.type = WIRE_MISUSE},
		{.type = WIRE_DIGEST, .digest = {{1, UINT64_MAX}}},
		{.type = WIRE_SEAL, .seal = {3, true, true, {1, 2}, {3, UINT64_MAX}}},
		{.type = WIRE_STATE, .state = {{1, UINT64_MAX}, true, text}},
		{.type = WIRE_STATE},
	};
	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
		struct wire_message decoded = round_trip(&messages[i]);
		assert_int_equal(decoded.type, messages[i].type);
		wire_message_release(&decoded);
	}
}

static void scheduler_messages_round_trip(void **state)
{
	(void)state;
	uint32_t done[2] = {0, 3};
	static char directory[] = "/dev/shm/w1";
	struct wire_clone clone = {4096, 8192, 0, 3, 1};
	const struct wire_message messages[] = {
		{.type = WIRE_WELCOME,
	         .welcome = {2, true, false, true, true, true, true, true, true, WIRE_ATOMICS_SUMS,
	                     5000, 1u << 20, 7}},
		{.type = WIRE_BIND, .bind = {{4, 1}, 2, 7, 16}},
		{.type = WIRE_GO, .go = {4, 2, done, true}},
		{.type = WIRE_GO, .go = {4, 0, NULL, false}},
		{.type = WIRE_ADMIT, .admitted = 2},
		{.type = WIRE_END, .end = {true, 3, true}},
		{.type = WIRE_RELEASE, .end = {false, 0}},
		{.type = WIRE_PARK},
		{.type = WIRE_RESUME},
		{.type = WIRE_LOOK},
		{.type = WIRE_TELL},
		{.type = WIRE_FORWARD, .forward = 60},
		{.type = WIRE_REWIND, .rewind = {7, 2, true}},
		{.type = WIRE_IMAGE, .image = {true}},
		{.type = WIRE_DRIVE},
		{.type = WIRE_FORGET, .forget = 4},
		{.type = WIRE_RESTORE, .restore = {3, 1, directory, 1, &clone}},
	};
	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
		struct wire_message decoded = round_trip(&messages[i]);
		assert_int_equal(decoded.type, messages[i].type);
		wire_message_release(&decoded);
	}
}

static void frames_are_taken_one_after_another(void **state)
{
	(void)state;
	struct wire_buffer buffer = {0};
	const struct wire_message park = {.type = WIRE_PARK};
	const struct wire_message end = {.type = WIRE_END, .end = {true, 9}};
	struct wire_message decoded;

	wire_encode(&buffer, &park);
	wire_encode(&buffer, &end);
	long first = wire_frame_length(buffer.bytes, buffer.count);
	assert_int_equal(first, 6);
	assert_int_equal(wire_decode(buffer.bytes, (size_t)first, &decoded), 0);
	assert_int_equal(decoded.type, WIRE_PARK);
	assert_int_equal(wire_decode(buffer.bytes + 6, buffer.count - 6, &decoded), 0);
	assert_int_equal(decoded.end.status, 9);
	wire_buffer_release(&buffer);
}

static void assert_refused(const uint8_t *bytes, size_t count)
{
	struct wire_message message;
	assert_int_equal(wire_decode(bytes, count, &message), -1);
}

static void malformed_frames_are_refused(void **state)
{
	(void)state;
	const uint8_t too_long[] = {0xff, 0xff, 0xff, 0xff, 1, 0};
	const uint8_t too_short[] = {1, 0, 0, 0, 1};
	const uint8_t unknown_type[] = {2, 0, 0, 0, 40, 0};
	const uint8_t bad_bool[] = {8, 0, 0, 0, WIRE_END, 0, 2, 0, 0, 0, 0, 0};
	const uint8_t endless_list[] = {10, 0, 0, 0,    WIRE_GO, 0,    1,
	                                0,  0, 0, 0xff, 0xff,    0xff, 0x7f};
	const uint8_t endless_stack[] = {10, 0, 0, 0,    WIRE_STACK, 0,    1,
	                                 0,  0, 0, 0xff, 0xff,       0xff, 0xff};
	/* no frame, and one of them further in */
	const uint8_t inner_of_none[] = {19, 0, 0, 0, WIRE_STACK, 0, 1, 0, 0, 0, 0, 0,
	                                 0,  0, 1, 0, 0,          0, 0, 0, 0, 0, 0};
	const uint8_t none_inner[] = {19, 0, 0, 0, WIRE_STACK, 0, 1, 0, 0, 0, 0, 0,
	                              0,  0, 0, 0, 0,          0, 0, 0, 0, 0, 0};
	struct wire_message none;

	assert_int_equal(wire_frame_length(too_long, sizeof(too_long)), -1);
	assert_int_equal(wire_frame_length(too_short, sizeof(too_short)), -1);
	assert_refused(too_long, sizeof(too_long));
	assert_refused(too_short, sizeof(too_short));
	assert_refused(unknown_type, sizeof(unknown_type));
	assert_refused(bad_bool, sizeof(bad_bool));
	assert_refused(endless_list, sizeof(endless_list));
	assert_refused(endless_stack, sizeof(endless_stack));
	assert_refused(inner_of_none, sizeof(inner_of_none));
	assert_int_equal(wire_decode(none_inner, sizeof(none_inner), &none), 0);
}

static void string_with_nul_is_refused(void **state)
{
	(void)state;
	struct wire_buffer buffer = {0};
	static char text[] = "abc";
	const struct wire_message message = {.type = WIRE_ERROR, .error = {.text = text}};

	wire_encode(&buffer, &message);
	buffer.bytes[buffer.count - 2] = 0;
	assert_refused(buffer.bytes, buffer.count);
	wire_buffer_release(&buffer);
}

static void unknown_enumerators_are_refused(void **state)
{
	(void)state;
	enum { WAIT_AT = 4 + 2 + 4 + 4 + 2, OP_KIND_AT = WAIT_AT + 1 + 2 + 4 + 8 + 3 + 4 + 4 + 8 };
	struct wire_op op = {.kind = WIRE_SEND};
	const struct wire_message message = {
		.type = WIRE_CALL,
		.call = {.op_count = 1, .ops = &op},
	};
	const size_t places[] = {WAIT_AT, OP_KIND_AT, OP_KIND_AT + 1};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct wire_buffer buffer = {0};
		wire_encode(&buffer, &message);
		buffer.bytes[places[i]] = 100;
		assert_refused(buffer.bytes, buffer.count);
		wire_buffer_release(&buffer);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hello_keeps_its_strings),
		cmocka_unit_test(null_string_is_read_as_empty),
		cmocka_unit_test(call_keeps_its_ops_and_names),
		cmocka_unit_test(places_go_with_calls_that_return_indices),
		cmocka_unit_test(rank_messages_round_trip),
		cmocka_unit_test(scheduler_messages_round_trip),
		cmocka_unit_test(frames_are_taken_one_after_another),
		cmocka_unit_test(malformed_frames_are_refused),
		cmocka_unit_test(string_with_nul_is_refused),
		cmocka_unit_test(unknown_enumerators_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
