/* A rank at the end of an interleaving stays, to be rewound (ckpt/agent_rewind.h). */
#include "ckpt/agent_failure.h"
#include "park_internal.h"
#include "park_rewind.h"
#include "shim/gate/channel.h"
#include "shim/process/sanitizer.h"
#include "shim/process/tracer.h"

#include <poll.h>
#include <unistd.h>

void park_send_private_stack(const struct wire_message *message)
{
	uint8_t bytes[512];
	struct wire_buffer buffer = {.bytes = bytes, .capacity = sizeof(bytes)};

	wire_encode(&buffer, message);
	if (buffer.failed)
		park_leave_without_scheduler();
	channel_send_bytes(buffer.bytes, buffer.count);
}

static void send_held(const char *hazard, bool unshared)
{
	const struct wire_message message = {.type = WIRE_HELD,
	                                     .held = {unshared, (char *)(uintptr_t)hazard}};

	park_send_private_stack(&message);
}

_Noreturn void park_refuse_rewind(const char *hazard)
{
	send_held(hazard, false);
	_exit(AGENT_FAILURE_REWIND);
}

/* Reads the next frame, as much of it as fits. Returns its size. */
static size_t read_frame(uint8_t *frame, size_t room)
{
	uint32_t length, beyond;
	uint8_t unused;

	if (park_receive_all(park.control_fd, frame, 4) < 0)
		park_leave_without_scheduler();
	length = (uint32_t)frame[0] | (uint32_t)frame[1] << 8 | (uint32_t)frame[2] << 16
	         | (uint32_t)frame[3] << 24;
	beyond = length > room - 4 ? length - (uint32_t)(room - 4) : 0;
	if (length > WIRE_FRAME_MAX
	    || park_receive_all(park.control_fd, frame + 4, length - beyond) < 0)
		park_leave_without_scheduler();
	for (uint32_t i = 0; i < beyond; i++)
		if (park_receive_all(park.control_fd, &unused, 1) < 0)
			park_leave_without_scheduler();
	return 4 + (size_t)length;
}

/* Orders to a held rank are REWIND, FORGET and END. Others (BIND, GO) are about operations that it
 * has completed, because the other ranks may have moved meanwhile. */
static void read_order(struct wire_message *ret_message)
{
	uint8_t frame[64];
	size_t count;
	int type;

	do {
		count = read_frame(frame, sizeof(frame));
		type = count < 6 ? 0 : frame[4] | frame[5] << 8;
	} while (type != WIRE_END && type != WIRE_REWIND && type != WIRE_FORGET);
	if (count > sizeof(frame) || wire_decode(frame, count, ret_message) < 0)
		park_leave_without_scheduler();
}

/* The memory is restored. */
static void finish(const struct wire_rewind *order, int result, bool held)
{
	const bool elsewhere = order->world != park.world;

	if (result < 0 || agent_rewind_rest(park.agent, order->image) < 0) {
		park_refuse_rewind(agent_rewind_trouble(park.agent));
	}
	park.world = order->world;
	if ((elsewhere || held) && park_reuse_pmi() < 0)
		park_refuse_rewind("it could not connect to the job launcher again");
	park_join_world(&park.welcome, order->follows);
	park.image = order->image;
	park.moved = false;
	park.result = RETURN_RESTORED;
}

void park_rewind_private_stack(void)
{
	const struct wire_rewind order = park.rewind;

	finish(&order, agent_rewind_memory(park.agent, order.image), false);
}

/* On the private stack: the program's stack is about to be restored. */
static void hold(void)
{
	struct pollfd control = {.fd = park.control_fd, .events = POLLIN};
	struct wire_message message;
	/* Meanwhile the other ranks come to their end. */
	int result = agent_rewind_memory(park.agent, 0);

	for (;;) {
		while (poll(&control, 1, -1) <= 0)
			;
		read_order(&message);
		if (message.type == WIRE_END)
			_exit(message.end.status);
		if (message.type == WIRE_REWIND)
			break;
		agent_image_forget(park.agent, message.forget);
	}
	if (result == 0 && message.rewind.image)
		result = agent_rewind_memory(park.agent, message.rewind.image);
	finish(&message.rewind, result, true);
}

const char *park_find_hazard(void)
{
	const char *trouble;

	if (sanitizer_is_there())
		return PARK_SANITIZED;
	if (park.program_forks)
		return "it has forked";
	if (park.program_moves)
		return "it has moved memory onto other memory (mremap)";
	if (agent_has_birth(park.agent))
		return NULL;
	trouble = park.agent ? agent_rewind_trouble(park.agent) : "";
	/* In HELD, "" means that the rank stays. */
	return *trouble ? trouble : "it was parked, and has continued";
}

void park_hold(void)
{
	const char *hazard;
	sigset_t all;

	if (!park_is_rank() || !park.rewinds)
		return;
	hazard = park_find_hazard();
	/* Rewinding would take the debugger's breakpoints away. */
	if (!hazard && tracer_is_there())
		hazard = PARK_TRACED;
	if (hazard) {
		send_held(hazard, false);
		return;
	}
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	send_held("", !park.welcome.images && !agent_has_opened(park.agent));
	agent_stay_private_stack(park.agent, hold);
}
