/* A job without MPI. Its ranks are processes that send what the shim would send. Rank 0 receives
 * from any source twice, the others send to it. */
#ifndef FAKE_RANKS_H
#define FAKE_RANKS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/wire.h"
#include "mpi_calls.h"
#include "scheduler/host/environment.h"
#include "scheduler/host/run_directory.h"

enum { RANKS = 3 };

#define DIES_PARKED "FAKE_RANK_DIES_PARKED" /* the number of that rank */

static int fake_rank;
static int fake_dead[2]; /* a pipe that is closed when that rank is dead */

static void send_message(int socket, const struct wire_message *message)
{
	struct wire_buffer buffer = {0};

	wire_encode(&buffer, message);
	if (write(socket, buffer.bytes, buffer.count) != (ssize_t)buffer.count)
		_exit(1);
	wire_buffer_release(&buffer);
}

static void read_bytes(int socket, uint8_t *bytes, size_t count)
{
	for (size_t had = 0; had < count;) {
		ssize_t got = read(socket, bytes + had, count - had);

		if (got <= 0)
			_exit(1);
		had += (size_t)got;
	}
}

/* That rank answers and dies; the others answer when it is dead. */
static void park(int socket)
{
	const struct wire_message parked = {.type = WIRE_PARKED, .parked = {.hazard = (char *)""}};
	const char *dies = g_getenv(DIES_PARKED);
	char byte;

	if (!dies)
		_exit(1);
	if (fake_rank == atoi(dies)) {
		send_message(socket, &parked);
		_exit(1);
	}
	close(fake_dead[1]);
	while (read(fake_dead[0], &byte, 1) > 0)
		;
	usleep(20000); /* the closed connection has to be noticed */
	send_message(socket, &parked);
}

/* Waits for a message of this type. END ends the rank. */
static void await(int socket, uint16_t type)
{
	struct wire_message message;
	uint16_t got = 0;

	while (got != type) {
		uint8_t bytes[4096];
		size_t length = 4; /* of the length field itself */

		read_bytes(socket, bytes, length);
		while (wire_frame_length(bytes, length) != (long)length)
			read_bytes(socket, bytes + length++, 1);
		if (wire_decode(bytes, length, &message) != 0)
			_exit(1);
		got = message.type;
		if (got == WIRE_END && message.end.flush)
			send_message(socket, &(struct wire_message){.type = WIRE_ENDING});
		wire_message_release(&message);
		if (got == WIRE_END)
			_exit(0);
		if (got == WIRE_PARK)
			park(socket);
	}
}

/* Makes a blocking call that starts one operation. */
static void call(int socket, uint32_t *number, uint16_t function, uint8_t kind, int peer)
{
	struct wire_name name = {++*number, 0};
	struct wire_op op = {.name = name, .kind = kind, .comm = WIRE_COMM_WORLD, .peer = peer};
	struct wire_message message = {.type = WIRE_CALL,
	                               .call = {.call = name.call,
	                                        .function = function,
	                                        .wait = WIRE_WAIT_ALL,
	                                        .op_count = 1,
	                                        .ops = &op,
	                                        .waited_count = 1,
	                                        .waited = &name}};

	send_message(socket, &message);
	await(socket, WIRE_GO);
}

static void be_rank(int rank)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct wire_message hello = {.type = WIRE_HELLO,
	                             .hello = {.version = WIRE_VERSION,
	                                       .rank = rank,
	                                       .pid = getpid(),
	                                       .program = "fake",
	                                       .mpi = "none"}};
	struct wire_message ending = {.type = WIRE_ENDING};
	int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	uint32_t number = 0;

	fake_rank = rank;
	hello.hello.world = (uint32_t)atoi(g_getenv(ENVIRONMENT_WORLD));
	g_snprintf(address.sun_path, sizeof(address.sun_path), "%s/%s",
	           g_getenv(ENVIRONMENT_DIRECTORY), RUN_DIRECTORY_SOCKET);
	if (connect(descriptor, (struct sockaddr *)&address, sizeof(address)) != 0)
		_exit(1);
	send_message(descriptor, &hello);
	await(descriptor, WIRE_WELCOME);
	call(descriptor, &number, MPI_CALL_Init, WIRE_COLLECTIVE, -1);
	if (rank == 0) {
		call(descriptor, &number, MPI_CALL_Recv, WIRE_RECEIVE, WIRE_ANY);
		call(descriptor, &number, MPI_CALL_Recv, WIRE_RECEIVE, WIRE_ANY);
	} else {
		call(descriptor, &number, MPI_CALL_Send, WIRE_SEND, 0);
	}
	call(descriptor, &number, MPI_CALL_Finalize, WIRE_COLLECTIVE, -1);
	send_message(descriptor, &ending);
	_exit(0);
}

/* Replaces mpiexec. */
static int be_job(void)
{
	if (pipe(fake_dead) != 0)
		return 1;
	for (int rank = 0; rank < RANKS; rank++)
		if (fork() == 0)
			be_rank(rank);
	close(fake_dead[1]);
	while (wait(NULL) > 0)
		;
	return 0;
}

#endif
