/* Each report of a rank is validated before it is used. The code that uses it relies on names that
 * are new or known, on ranks that are members, and on calls that wait for what they start. A shim
 * that keeps to the contract (common/wire.h) is never refused. */
#include "communicators.h"
#include "exchange.h"
#include "mpi_calls.h"
#include "windows.h"
#include "world_context.h"
#include "world_returned.h"

/* Whether an operation of this name was started before, by the current call or an earlier one. */
static bool was_started(const struct world *world, int rank, struct wire_name name)
{
	const struct world_call *info = world_call_info(world, rank, name.call);

	return info && name.sub < info->subs;
}

static bool starts_it(const struct wire_call *call, struct wire_name name)
{
	for (uint32_t i = 0; i < call->op_count; i++) {
		if (world_compare_names(call->ops[i].name, name) == 0)
			return true;
	}
	return false;
}

/* --- what a call starts ----------------------------------------------------------------------- */

static const char *validate_message(const struct world *world, int rank, const struct wire_op *op)
{
	if (op->peer != WIRE_ANY || op->kind == WIRE_SEND) {
		if (communicators_to_world(world_comms(world), op->comm, rank, op->peer) < 0)
			return "a peer outside the communicator";
	}
	if (op->tag < 0 && (op->tag != WIRE_ANY || op->kind == WIRE_SEND))
		return "a tag that no message can have";
	if ((op->kind == WIRE_PROBE || op->kind == WIRE_MPROBE) && op->nonblocking)
		return "a request for a probe";
	return NULL;
}

static const char *validate_lock(const struct world *world, int rank, const struct wire_call *call,
                                 const struct wire_op *op)
{
	struct lock_place window;

	if (op->nonblocking)
		return "a request for a lock";
	if (!communicators_window(world_comms(world), op->comm, &window))
		return "an unknown window";
	if (op->peer != WIRE_ANY
	    && communicators_to_world(world_comms(world), op->comm, rank, op->peer) < 0)
		return "a target outside the window";
	if (op->mode >= WIRE_LOCK_MODES)
		return "a lock of an unknown kind";
	if (world_is_of_words(op) && op->peer == WIRE_ANY)
		return "an atomic operation without a target";
	if (op->kind == WIRE_UNLOCK)
		return call->wait == WIRE_WAIT_NONE ? NULL : "an unlock that waits";
	if (call->wait != WIRE_WAIT_ALL || call->op_count != 1 || op->name.sub != 0)
		return "a lock among other operations";
	if (windows_asks(world_locks(world), rank))
		return "a lock while another thread waits for one";
	return NULL;
}

static bool joins_operation(const struct wire_op *before, const struct wire_op *op)
{
	return before->name.sub + 1 == op->name.sub && before->nonblocking && op->nonblocking
	       && !before->joined && before->kind == WIRE_SEND && op->kind == WIRE_RECEIVE;
}

static const char *validate_collective(const struct world *world, int rank,
                                       const struct wire_op *op)
{
	guint group = communicators_peers(world_comms(world), op->comm, rank);
	bool is_inter = communicators_first_group(world_comms(world), op->comm) > 0;

	if (op->peer < (is_inter ? WIRE_ROOT_BESIDE : WIRE_NO_ROOT)
	    || (op->peer >= 0 && (guint)op->peer >= group))
		return "a root that does not exist";
	return exchange_is_sound(op, group) ? NULL : "data for members that do not exist";
}

static const char *validate_op(const struct world *world, int rank, const struct wire_call *call,
                               uint32_t index)
{
	const struct wire_op *op = &call->ops[index];

	if (op->name.call != call->call || op->name.sub > WIRE_LOCK_REFUSED)
		return "an operation of another call";
	if (index > 0 ? op->name.sub <= call->ops[index - 1].name.sub
	              : was_started(world, rank, op->name))
		return "a name that another operation has";
	if (op->joined && (index == 0 || !joins_operation(&call->ops[index - 1], op)))
		return "a joined operation without its other half";
	if (op->function >= MPI_CALL_COUNT)
		return "a call that does not exist";
	if (!communicators_known(world_comms(world), op->comm))
		return "an unknown communicator";
	if (!communicators_is_member(world_comms(world), op->comm, rank))
		return "a communicator of which it is not a member";
	switch (op->kind) {
	case WIRE_COLLECTIVE: return validate_collective(world, rank, op);
	case WIRE_LOCK:
	case WIRE_UNLOCK: return validate_lock(world, rank, call, op);
	default: return validate_message(world, rank, op);
	}
}

static bool is_probe_poll(const struct wire_call *call)
{
	return call->wait == WIRE_TEST_ALL && call->op_count == 1 && call->waited_count == 1
	       && call->ops[0].name.sub == 0
	       && (call->ops[0].kind == WIRE_PROBE || call->ops[0].kind == WIRE_MPROBE);
}

/* A question has the name that the first operation of its call would have. */
static bool asks_beside_operations(const struct world *world, int rank,
                                   const struct wire_call *call)
{
	struct wire_name first = {call->call, 0};

	return call->wait >= WIRE_WAIT_ANY && call->wait <= WIRE_TEST_SOME && !is_probe_poll(call)
	       && was_started(world, rank, first);
}

/* A credit starts only what no rank must wait for. Other calls wait for all their operations that
 * have no request, in the order in which they start them. */
static const char *validate_waiting(const struct wire_call *call)
{
	bool credit = call->wait == WIRE_WAIT_NONE;
	uint32_t place = 0;

	if (call->op_count > 0 && !credit && call->wait != WIRE_WAIT_ALL && !is_probe_poll(call))
		return "a call that cannot start anything";
	for (uint32_t i = 0; i < call->op_count; i++) {
		const struct wire_op *op = &call->ops[i];

		if (op->nonblocking || op->kind == WIRE_UNLOCK
		    || (credit && (op->kind == WIRE_SEND || op->kind == WIRE_COLLECTIVE)))
			continue;
		while (place < call->waited_count
		       && world_compare_names(call->waited[place], op->name) != 0)
			place++;
		if (place == call->waited_count)
			return "it does not wait for an operation without a request";
	}
	return NULL;
}

/* --- what a call waits for -------------------------------------------------------------------- */

static const char *validate_name(const struct world *world, int rank, const struct wire_call *call,
                                 struct wire_name name)
{
	if (name.call == WIRE_NEVER)
		return call->wait == WIRE_CANCEL ? "nothing to cancel" : NULL;
	if (name.call == call->call && starts_it(call, name))
		return NULL;
	if (!was_started(world, rank, name))
		return "a request that was never made";
	if (call->wait == WIRE_WAIT_TAKEN)
		return NULL;
	return world_lives_without_request(world, rank, name) ? "an operation that has no request"
	                                                      : NULL;
}

static const char *validate_waited(const struct world *world, int rank,
                                   const struct wire_call *call)
{
	if (call->wait == WIRE_CANCEL && call->waited_count != 1)
		return "not exactly one request to cancel";
	if (call->wait == WIRE_FETCH)
		return call->waited_count == 1 && call->op_count == 0
		                       && world_has_probed(world, rank, call->waited[0])
		               ? NULL
		               : "not exactly one message that a matched probe took";
	if (call->waited_count > 0 && (call->wait == WIRE_WAIT_NONE || call->wait == WIRE_ABORT))
		return "requests for which it does not wait";
	for (uint32_t i = 0; i < call->waited_count; i++) {
		const char *wrong = validate_name(world, rank, call, call->waited[i]);

		if (wrong)
			return wrong;
	}
	return NULL;
}

/* --- the call --------------------------------------------------------------------------------- */

static const char *validate_number(const struct world *world, int number,
                                   const struct wire_call *call)
{
	const struct world_call *info;
	guint32 calls = world_calls(world, number);

	if (call->function == MPI_CALL_NONE || call->function >= MPI_CALL_COUNT)
		return "a call that does not exist";
	if (call->call == 0 || call->call > calls + 1
	    || (call->call < calls && !world_rank_has_threads(world, number)))
		return "calls are not numbered in order";
	info = world_call_info(world, number, call->call);
	if (info && (info->function != call->function || info->thread != call->thread))
		return "two calls with one number";
	return NULL;
}

const char *world_validation(const struct world *world, int rank, const struct wire_call *call)
{
	const char *wrong = validate_number(world, rank, call);

	for (uint32_t i = 0; !wrong && i < call->op_count; i++)
		wrong = validate_op(world, rank, call, i);
	if (!wrong)
		wrong = validate_waiting(call);
	if (!wrong)
		wrong = world_check_places(call);
	if (!wrong && asks_beside_operations(world, rank, call))
		wrong = "a question in a call that starts an operation";
	return wrong ? wrong : validate_waited(world, rank, call);
}
