#include "atomic_order.h"

#include <string.h>

#include "common/mix.h"
#include "common/mpi_codes.h"
#include "fetched.h"
#include "mpi_calls.h"
#include "shim/gate/blocking_call.h"
#include "shim/gate/gate.h"
#include "shim/mpi/abi.h"
#include "shim/mpi/real.h"
#include "shim/objects/windows.h"
#include "shim/types/bytes.h"
#include "shim/types/codes.h"
#include "shim/types/signature.h"

enum { BYTES_MOST = 512 };

/* The bytes at the target, from the displacement on. */
struct span {
	MPI_Aint low;
	uint64_t bytes;
};

static bool is_swap(const struct access_call *call)
{
	return mpi_call_access(call->function) == MPI_CALL_ACCESS_SWAP;
}

/* Whether it commutes with all others that share their words. */
static bool shares(const struct access_call *call)
{
	if (gate_welcome()->atomics == WIRE_ATOMICS_SUMS)
		return call->op == MPI_SUM && !mpi_call_fetches(call->function);
	return call->op == MPI_NO_OP && !is_swap(call);
}

/* All bytes between the first and the last one, with gaps. false: there are none, or too many. */
static bool find_span(const struct access_call *call, struct span *ret_span)
{
	MPI_Aint low, extent, true_low, true_extent;
	MPI_Count bytes;

	if (call->target_type == MPI_DATATYPE_NULL || call->target_count <= 0
	    || call->target_count > BYTES_MOST
	    || real_mpi()->Type_get_extent(call->target_type, &low, &extent) != MPI_SUCCESS
	    || real_mpi()->Type_get_true_extent(call->target_type, &true_low, &true_extent)
	               != MPI_SUCCESS)
		return false;
	bytes = (call->target_count - 1) * extent + true_extent;
	*ret_span = (struct span){true_low, (uint64_t)bytes};
	return extent >= 0 && true_extent > 0 && bytes <= BYTES_MOST && true_low <= BYTES_MOST
	       && true_low >= -BYTES_MOST;
}

static bool is_dynamic(MPI_Win window)
{
	int *flavor = NULL, found = 0;

	real_mpi()->Win_get_attr(window, MPI_WIN_CREATE_FLAVOR, &flavor, &found);
	return found && *flavor == MPI_WIN_FLAVOR_DYNAMIC;
}

/* Whether other ranks may be able to make an operation there at the same time. */
static bool is_concurrent(const struct access_call *call, const struct window_epochs *epochs)
{
	const struct window_locks *locks = window_locks();
	MPI_Group group;
	int size = 0;

	if (epochs->locks > 0 && locks->exclusive > 0 && locks->shared == 0)
		return false;
	if (real_mpi()->Win_get_group(call->window, &group) != MPI_SUCCESS)
		return false;
	real_mpi()->Group_size(group, &size);
	real_mpi()->Group_free(&group);
	return size > 1 && call->target >= 0 && call->target < size;
}

static struct wire_op op_of(const struct access_call *call, uint64_t window)
{
	return (struct wire_op){
		.mode = shares(call) ? WIRE_LOCK_SHARE : WIRE_LOCK_UPDATE,
		.comm = window,
		.peer = call->target,
	};
}

static void ask(const struct access_call *call, uint64_t window, const struct span *span)
{
	struct wire_call report = gate_call(call->function, call->site);
	struct wire_op op = op_of(call, window);

	op.name = (struct wire_name){report.call, 0};
	op.kind = WIRE_LOCK;
	op.counts = (uint64_t)call->displacement;
	op.tag = (int32_t)span->low;
	op.bytes = span->bytes;
	op.reduction = (uint8_t)type_code_size(signature_of(call->target_type).basic);
	blocking_call_leave();
	gate_wait_for(&report, &op, WIRE_WAIT_ALL);
	blocking_call_wait(call->function, (uintptr_t)call->site);
}

static bool windows_overlap;

void atomic_order_overlap(void)
{
	windows_overlap = true;
}

void atomic_order_begin(struct access_call *call)
{
	const enum wire_atomics which = gate_welcome()->atomics;
	const struct window_epochs *epochs;
	struct span span;
	uint64_t window;

	if (!mpi_call_is_atomic(call->function) || call->target == MPI_PROC_NULL
	    || call->target_count == 0)
		return;
	epochs = window_find(call->window, &window);
	if (!epochs || window == 0 || !is_concurrent(call, epochs))
		return;
	if (which < WIRE_ATOMICS_READS && !mpi_call_fetches(call->function)) {
		window_note_atomic((uint8_t)(WIRE_UNORDERED_ONE_OP + codes_of_op(call->op)));
		if (call->op != MPI_REPLACE)
			return;
	}
	if (which == WIRE_ATOMICS_NONE
	    || (which == WIRE_ATOMICS_REPLACE && mpi_call_fetches(call->function))
	    || gate_is_serialised() || is_dynamic(call->window) || !find_span(call, &span)
	    || (epochs->locks == 0 && span.low != 0)) {
		window_note_atomic(WIRE_UNORDERED_ANY);
		return;
	}
	if (windows_overlap) /* the words of two windows are different places */
		window_note_atomic(WIRE_UNORDERED_ANY);
	ask(call, window, &span);
	call->ordered = window;
}

/* --- what it has done ------------------------------------------------------------------------- */

static bool add_bytes(void *hash, uintptr_t address, size_t length)
{
	for (size_t i = 0; i < length; i++)
		*(uint64_t *)hash = mix(*(uint64_t *)hash, ((const unsigned char *)address)[i]);
	return true;
}

/* Never 0. */
static uint64_t hash_of(const void *data, MPI_Count count, MPI_Datatype type)
{
	struct bytes *bytes = bytes_of(WIRE_PART_WRITTEN, data, count, type);
	uint64_t hash = 1;

	if (bytes)
		bytes_locate(bytes, WIRE_PART_WRITTEN, 0, UINT64_MAX, add_bytes, &hash);
	bytes_release(bytes);
	return hash | 1;
}

static bool is_zero(const void *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (((const unsigned char *)data)[i] != 0)
			return false;
	return true;
}

/* Whether the window may have other contents now. */
static bool has_changed(const struct access_call *call)
{
	int size = 0;

	if (is_swap(call)) {
		real_mpi()->Type_size(call->origin_type, &size);
		return memcmp(call->arrives, call->compare, (size_t)size) == 0
		       && memcmp(call->origin, call->compare, (size_t)size) != 0;
	}
	if (call->op == MPI_NO_OP)
		return false;
	if (!call->arrives || call->target_count != 1 || call->origin_count != 1
	    || call->result_count != 1 || !abi_is_basic(call->target_type)
	    || call->origin_type != call->target_type || call->result_type != call->target_type)
		return true;
	real_mpi()->Type_size(call->target_type, &size);
	if (call->op == MPI_REPLACE)
		return memcmp(call->arrives, call->origin, (size_t)size) != 0;
	return (call->op != MPI_SUM && call->op != MPI_BOR && call->op != MPI_LOR
	        && call->op != MPI_BXOR)
	       || !is_zero(call->origin, (size_t)size);
}

static void give_back(struct access_call *call, uint64_t fetched, bool changed)
{
	struct wire_call report = gate_call_again(call->function, call->site);
	struct wire_op op = op_of(call, call->ordered);

	op.name = (struct wire_name){report.call, WIRE_LOCK_REFUSED};
	op.kind = WIRE_UNLOCK;
	op.counts = fetched;
	op.tag = changed;
	report.ops = &op;
	report.op_count = 1;
	blocking_call_leave();
	gate_report(&report);
	blocking_call_wait(call->function, (uintptr_t)call->site);
	call->ordered = 0;
}

void atomic_order_made(struct access_call *call)
{
	uint64_t window, fetched = 0;
	const struct window_epochs *epochs = window_find(call->window, &window);

	if (call->ordered == 0)
		return;
	if (!fetched_settle(call, epochs && epochs->locks > 0))
		window_note_atomic(WIRE_UNORDERED_ANY);
	if (call->arrives)
		fetched = hash_of(call->arrives, call->result_count, call->result_type);
	give_back(call, fetched, has_changed(call));
}

void atomic_order_refused(struct access_call *call)
{
	if (call->ordered != 0)
		give_back(call, 0, false);
}
