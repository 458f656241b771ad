#include "orders.h"

#include <signal.h>
#include <unistd.h>

#include "ending.h"
#include "shim/check/access.h"
#include "shim/check/direct.h"
#include "shim/check/gone.h"
#include "shim/check/overlap.h"
#include "shim/check/reduction.h"
#include "shim/objects/windows.h"
#include "shim/park/park.h"
#include "shim/park/park_rewind.h"
#include "shim/process/process.h"
#include "shim/process/stack_residue.h"
#include "shim/request/awaited.h"
#include "shim/request/request.h"
#include "shim/request/request_names.h"
#include "shim/state/digest.h"
#include "shim/state/state.h"
#include "shim/state/state_memory.h"
#include "startup.h"

enum { MOST_RANGES = 8 };

static void park(struct wire_welcome *ret_welcome)
{
	awaited_stop();
	if (state_is_wanted() || state_can_digest())
		state_memory_note_shared();
	if (park_wait(ret_welcome) == PARK_RESTORED)
		ending_adopt_process();
}

static void take_image(const struct wire_image *order, bool may_be_idle,
                       struct wire_welcome *ret_welcome)
{
	awaited_stop();
	if (park_take_image(order, may_be_idle && !park_handles_signals(), ret_welcome))
		ending_adopt_process();
}

/* Here a debugger shows where the rank is when the interleaving is over: blocked, or where MPI
 * failed. */
static void stop_in_debugger(void)
{
	if (ending_is_traced())
		raise(SIGTRAP);
}

static _Noreturn void end_rank(const struct wire_end *order)
{
	stop_in_debugger();
	if (order->flush) {
		startup_flush();
		gate_send_apart(&(const struct wire_message){.type = WIRE_ENDING,
		                                             .ending.status = order->status});
	}
	if (order->hold && !ending_was_struck())
		park_hold();
	park_finish_launcher();
	_exit(order->status);
}

/* If a rank waits before MPI is initialised, there is nothing to drive. */
static void progress(void)
{
	if (process_is_initialised())
		request_progress();
}

/* If MPI's memory cannot be left out: unknown while MPI has operations under way, because they may
 * change it. */
static struct wire_digest digest(const struct wire_call *call, const struct memory_range *own,
                                 size_t own_count)
{
	struct memory_range ranges[MOST_RANGES] = {{0}};
	struct wire_digest digest = {0};
	size_t count = 0;

	if (state_can_digest()) {
		if (!state_digest(call, digest.hash))
			digest = (struct wire_digest){0};
		return digest;
	}
	if (own_count + 2 > MOST_RANGES || request_incomplete() > 0 || window_exists())
		return digest;
	for (; count < own_count; count++)
		ranges[count] = own[count];
	ranges[count++] = request_names_memory();
	if (call->op_count > 0) /* a probe is a different request each time */
		ranges[count++] = request_memory(request_find_named(call->ops[0].name));
	if (!digest_take(call->site, ranges, count, digest.hash))
		digest = (struct wire_digest){0};
	return digest;
}

static void send_seal(uint32_t call)
{
	if (!gate_welcome()->seals) {
		state_go_unsealed();
		return;
	}
	stack_residue_want();
	gate_send(&(const struct wire_message){.type = WIRE_SEAL, .seal = state_seal(call)});
}

static void send_state(const struct wire_call *pending, bool may_be_idle)
{
	static char none[] = "";
	struct wire_message message = {.type = WIRE_STATE, .state = state_compute(pending)};

	if (!message.state.hazard)
		message.state.hazard = none;
	message.state.idle = may_be_idle && !park_handles_signals();
	if (message.state.idle)
		park_be_idle();
	gate_send(&message);
}

static void encode_behind(struct wire_buffer *out, uint32_t call)
{
	overlap_encode(out, call);
	gone_encode(out, call);
	reduction_encode(out, call);
}

const struct gate_orders orders = {
	.bind = request_bind,
	.park = park,
	.image = take_image,
	.rewind = park_rewind,
	.forget = park_forget_image,
	.moved = park_note_moved,
	.is_idle = park_is_idle,
	.end = end_rank,
	.begin = direct_flush,
	.encode_ahead = access_encode,
	.encode_behind = encode_behind,
	.progress = progress,
	.incomplete = request_incomplete,
	.moving = request_moving,
	.serves_windows = window_exists,
	.let_arrive = request_let_arrive,
	.digest = digest,
	.send_seal = send_seal,
	.send_state = send_state,
	.backtrace = ending_backtrace,
};
