/* Locks of windows; post, start, complete and wait (MPI 3.1, section 11.5).
 *
 * A call that may wait is passed to MPI only after the scheduler knows that it need not wait. The
 * end of an epoch is reported only after MPI has ended it. So no rank waits inside MPI for more
 * than progress, and the contents of a window are a function of the grants. */
#include <stdlib.h>

#include "file_and_window.h"
#include "shim/check/access.h"
#include "shim/gate/blocking_call.h"
#include "shim/gate/gate.h"
#include "shim/mpi/real.h"
#include "shim/objects/communicator.h"
#include "shim/objects/windows.h"

static struct wire_op lock_op(const struct wire_call *call, uint8_t kind, uint64_t number,
                              int target)
{
	return (struct wire_op){
		.name = {call->call, 0}, .kind = kind, .comm = number, .peer = target};
}

static void note_blocking_call(const struct wire_call *call)
{
	blocking_call_wait(call->function, call->site);
}

/* The window's number; 0: none. */
static uint64_t number_of_all(MPI_Win window)
{
	uint64_t number;

	return window_find(window, &number) ? number : 0;
}

/* The same if `target` is a rank of its group; otherwise 0, also for MPI_PROC_NULL. */
static uint64_t number_of(MPI_Win window, int target)
{
	uint64_t number = number_of_all(window);
	MPI_Group group;
	int size = 0;

	if (number == 0 || real_mpi()->Win_get_group(window, &group) != MPI_SUCCESS)
		return 0;
	real_mpi()->Group_size(group, &size);
	real_mpi()->Group_free(&group);
	return target >= 0 && target < size ? number : 0;
}

/* --- locks ---------------------------------------------------------------------------------- */

struct lock {
	uint64_t window; /* its number; 0: it cannot be locked this way */
	int target;      /* WIRE_ANY: all of the window's ranks */
	bool shared;
};

/* Returns when MPI may be asked for the lock: it will get it at once. */
static void before_lock(const struct wire_call *call, const struct lock *lock, int assert)
{
	struct wire_op op = lock_op(call, WIRE_LOCK, lock->window, lock->target);

	op.mode = lock->shared ? WIRE_LOCK_SHARED : WIRE_LOCK_EXCLUSIVE;
	if (lock->window != 0 && !(assert &MPI_MODE_NOCHECK))
		gate_wait_for(call, &op, WIRE_WAIT_ALL);
	else
		gate_report(call);
	note_blocking_call(call);
}

/* Reports the end of a lock; `step` is the operation's sub-number in the call. */
static void report_unlock(const struct wire_call *call, uint64_t number, int target, uint32_t step)
{
	struct wire_call report = *call;
	struct wire_op op = lock_op(call, WIRE_UNLOCK, number, target);
	struct window_locks *locks = window_locks();

	op.name.sub = step;
	op.tag = locks->unordered != locks->told ? locks->unordered : WIRE_UNORDERED_NONE;
	locks->told = locks->unordered;
	report.ops = &op;
	report.op_count = 1;
	report.wait = WIRE_WAIT_NONE;
	report.waited_count = 0;
	gate_report(&report);
}

static void count_held(MPI_Win window, bool shared, int change)
{
	uint64_t number;
	struct window_epochs *epochs = window_find(window, &number);
	struct window_locks *locks = window_locks();

	if (epochs && (change > 0 || epochs->locks > 0))
		epochs->locks += (uint32_t)change;
	if (shared)
		locks->shared += (unsigned)change;
	else
		locks->exclusive += (unsigned)change;
}

/* Returns `code`, which is MPI's. */
static int after_lock(const struct wire_call *call, const struct lock *lock, MPI_Win window,
                      int assert, int code)
{
	blocking_call_leave();
	if (code == MPI_SUCCESS)
		window_called((enum mpi_call)call->function, lock->target,
		              assert | (lock->shared ? WINDOW_STATE_SHARED : 0), window);
	if (code == MPI_SUCCESS && lock->window != 0)
		count_held(window, lock->shared, 1);
	else if (lock->window != 0)
		report_unlock(call, lock->window, lock->target, WIRE_LOCK_REFUSED);
	return code;
}

static int after_unlock(const struct wire_call *call, const struct lock *lock, MPI_Win window,
                        int code)
{
	blocking_call_leave();
	access_arrived();
	if (code == MPI_SUCCESS)
		window_called((enum mpi_call)call->function, lock->target, 0, window);
	if (code != MPI_SUCCESS || lock->window == 0) {
		gate_report(call);
		return code;
	}
	if ((lock->shared ? window_locks()->shared : window_locks()->exclusive) > 0)
		count_held(window, lock->shared, -1);
	report_unlock(call, lock->window, lock->target, 0);
	return code;
}

static bool is_own_rank(MPI_Win window, int rank)
{
	MPI_Group group;
	int own = MPI_UNDEFINED;

	if (real_mpi()->Win_get_group(window, &group) != MPI_SUCCESS)
		return false;
	real_mpi()->Group_rank(group, &own);
	real_mpi()->Group_free(&group);
	return own == rank;
}

int shim_MPI_Win_lock(void *site, int lock_type, int rank, int assert, MPI_Win win)
{
	struct wire_call call = gate_call(MPI_CALL_Win_lock, site);
	bool shared = lock_type == MPI_LOCK_SHARED;
	const struct lock lock = {
		.window = shared || lock_type == MPI_LOCK_EXCLUSIVE ? number_of(win, rank) : 0,
		.target = rank,
		.shared = shared,
	};

	before_lock(&call, &lock, assert);
	int code = real_mpi()->Win_lock(lock_type, rank, assert, win);

	/* A rank that locks its own window is about to read it. */
	if (code == MPI_SUCCESS && is_own_rank(win, rank))
		access_step(WIRE_ACCESS_LOOK, MPI_CALL_Win_lock, site, lock.window, rank);
	return after_lock(&call, &lock, win, assert, code);
}

/* MPI_Win_unlock does not know the kind of lock. It is taken to end a shared lock only if no
 * exclusive one is held. */
int shim_MPI_Win_unlock(void *site, int rank, MPI_Win win)
{
	struct wire_call call = gate_call(MPI_CALL_Win_unlock, site);
	const struct lock lock = {number_of(win, rank), rank, window_locks()->exclusive == 0};

	access_step(WIRE_ACCESS_FLUSH, MPI_CALL_Win_unlock, site, lock.window, rank);
	note_blocking_call(&call);
	return after_unlock(&call, &lock, win, real_mpi()->Win_unlock(rank, win));
}

int shim_MPI_Win_lock_all(void *site, int assert, MPI_Win win)
{
	struct wire_call call = gate_call(MPI_CALL_Win_lock_all, site);
	const struct lock lock = {number_of_all(win), WIRE_ANY, true};

	before_lock(&call, &lock, assert);
	return after_lock(&call, &lock, win, assert, real_mpi()->Win_lock_all(assert, win));
}

int shim_MPI_Win_unlock_all(void *site, MPI_Win win)
{
	struct wire_call call = gate_call(MPI_CALL_Win_unlock_all, site);
	const struct lock lock = {number_of_all(win), WIRE_ANY, true};

	access_step(WIRE_ACCESS_FLUSH, MPI_CALL_Win_unlock_all, site, lock.window, WIRE_ANY);
	note_blocking_call(&call);
	return after_unlock(&call, &lock, win, real_mpi()->Win_unlock_all(win));
}

void window_meet_to_free(const void *site, MPI_Win window)
{
	uint64_t number;
	struct wire_call call;

	if (!window_find(window, &number))
		return;
	access_window_end(site, number);
	if (window_locks()->unordered == window_locks()->told) {
		communicator_meet(number, MPI_CALL_Win_free, site, 0);
		return;
	}
	call = gate_call(MPI_CALL_Win_free, site);
	report_unlock(&call, number, WIRE_ANY, 0);
	communicator_meet_again(number, MPI_CALL_Win_free, site, WIRE_LOCK_REFUSED);
}

/* --- post, start, complete, wait ------------------------------------------------------------- */

/* The ranks of `group` in the window's group. The caller frees them. NULL: some are not in it, or
 * out of memory. */
static int *ranks_in_window(MPI_Win window, MPI_Group group, int *ret_count)
{
	MPI_Group all = MPI_GROUP_NULL;
	int *own = NULL, *ranks = NULL;
	int code = MPI_ERR_GROUP;

	*ret_count = 0;
	if (group != MPI_GROUP_NULL && real_mpi()->Group_size(group, ret_count) == MPI_SUCCESS
	    && real_mpi()->Win_get_group(window, &all) == MPI_SUCCESS) {
		own = malloc(sizeof(int) * ((size_t)*ret_count + 1));
		ranks = malloc(sizeof(int) * ((size_t)*ret_count + 1));
	}
	for (int i = 0; own && i < *ret_count; i++)
		own[i] = i;
	if (own && ranks)
		code = real_mpi()->Group_translate_ranks(group, *ret_count, own, all, ranks);
	for (int i = 0; code == MPI_SUCCESS && i < *ret_count; i++)
		code = ranks[i] < 0 ? MPI_ERR_GROUP : MPI_SUCCESS;
	if (all != MPI_GROUP_NULL)
		real_mpi()->Group_free(&all);
	free(own);
	if (code == MPI_SUCCESS)
		return ranks;
	free(ranks);
	return NULL;
}

/* Adds an operation to the call for each rank: a buffered send without data, or the receive of one.
 * call->ops must have room. */
static void add_messages(struct wire_call *call, uint64_t number, uint8_t kind, int tag,
                         const int *ranks, int count)
{
	for (int i = 0; i < count; i++) {
		call->ops[call->op_count] = (struct wire_op){
			.name = {call->call, call->op_count},
			.kind = kind,
			.mode = kind == WIRE_SEND ? WIRE_BUFFERED : WIRE_STANDARD,
			.nonblocking = kind == WIRE_RECEIVE,
			.comm = number,
			.peer = ranks[i],
			.tag = tag,
		};
		call->op_count++;
	}
}

/* Waits for `count` operations from `first` on, or asks about them (WIRE_TEST_ALL). Returns whether
 * they are done. */
static bool wait_for_messages(struct wire_call *call, struct wire_name first, uint32_t count,
                              enum wire_wait wait)
{
	bool done;
	struct wire_name *names = malloc(sizeof(*names) * ((size_t)count + 1));

	for (uint32_t i = 0; names && i < count; i++)
		names[i] = (struct wire_name){first.call, first.sub + i};
	call->wait = (uint8_t)wait;
	call->waited = names;
	call->waited_count = names ? count : 0;
	done = gate_wait(call).count > 0 || wait == WIRE_WAIT_ALL;
	free(names);
	return done;
}

static struct wire_name first_origin(const struct window_epochs *epochs)
{
	return (struct wire_name){epochs->exposure, epochs->first_origin};
}

int shim_MPI_Win_post(void *site, MPI_Group group, int assert, MPI_Win win)
{
	struct wire_call call = gate_call(MPI_CALL_Win_post, site);
	uint64_t number;
	struct window_epochs *epochs = window_find(win, &number);
	int count = 0, code;
	int *origins = epochs ? ranks_in_window(win, group, &count) : NULL;

	note_blocking_call(&call);
	code = real_mpi()->Win_post(group, assert, win);
	blocking_call_leave();
	if (code == MPI_SUCCESS)
		window_called(MPI_CALL_Win_post, WIRE_ANY, assert, win);
	call.ops = origins && code == MPI_SUCCESS ? calloc(2 * (size_t)count + 1, sizeof(*call.ops))
	                                          : NULL;
	if (call.ops) {
		if (!(assert &MPI_MODE_NOCHECK))
			add_messages(&call, number, WIRE_SEND, WIRE_EXPOSED, origins, count);
		epochs->exposure = call.call;
		epochs->first_origin = call.op_count;
		epochs->origins = (uint32_t)count;
		add_messages(&call, number, WIRE_RECEIVE, WIRE_COMPLETED, origins, count);
	}
	gate_report(&call);
	free(call.ops);
	free(origins);
	return code;
}

int shim_MPI_Win_start(void *site, MPI_Group group, int assert, MPI_Win win)
{
	struct wire_call call = gate_call(MPI_CALL_Win_start, site);
	uint64_t number;
	struct window_epochs *epochs = window_find(win, &number);
	int count = 0, code;
	int *targets = epochs ? ranks_in_window(win, group, &count) : NULL;

	call.ops = targets && !(assert &MPI_MODE_NOCHECK) && !epochs->targets
	                   ? calloc((size_t)count + 1, sizeof(*call.ops))
	                   : NULL;
	if (call.ops) {
		add_messages(&call, number, WIRE_RECEIVE, WIRE_EXPOSED, targets, count);
		wait_for_messages(&call, (struct wire_name){call.call, 0}, (uint32_t)count,
		                  WIRE_WAIT_ALL);
	} else {
		gate_report(&call);
	}
	free(call.ops);
	note_blocking_call(&call);
	code = real_mpi()->Win_start(group, assert, win);
	blocking_call_leave();
	if (code == MPI_SUCCESS)
		window_called(MPI_CALL_Win_start, WIRE_ANY, assert, win);
	if (code != MPI_SUCCESS || !epochs) {
		free(targets);
		return code;
	}
	epochs->targets = targets;
	epochs->target_count = count;
	return code;
}

int shim_MPI_Win_complete(void *site, MPI_Win win)
{
	struct wire_call call = gate_call(MPI_CALL_Win_complete, site);
	uint64_t number;
	struct window_epochs *epochs = window_find(win, &number);
	int code;

	if (epochs)
		access_step(WIRE_ACCESS_COMPLETE, MPI_CALL_Win_complete, site, number, WIRE_ANY);
	note_blocking_call(&call);
	code = real_mpi()->Win_complete(win);
	blocking_call_leave();
	access_arrived();
	if (code == MPI_SUCCESS)
		window_called(MPI_CALL_Win_complete, WIRE_ANY, 0, win);
	call.ops = epochs && epochs->targets && code == MPI_SUCCESS
	                   ? calloc((size_t)epochs->target_count + 1, sizeof(*call.ops))
	                   : NULL;
	if (call.ops) {
		add_messages(&call, number, WIRE_SEND, WIRE_COMPLETED, epochs->targets,
		             epochs->target_count);
		free(epochs->targets);
		epochs->targets = NULL;
	}
	gate_report(&call);
	free(call.ops);
	return code;
}

static void end_exposure(struct window_epochs *epochs, uint64_t number)
{
	epochs->exposure = 0;
	access_step(WIRE_ACCESS_WAIT, MPI_CALL_NONE, NULL, number, WIRE_ANY);
}

int shim_MPI_Win_wait(void *site, MPI_Win win)
{
	struct wire_call call = gate_call(MPI_CALL_Win_wait, site);
	uint64_t number;
	struct window_epochs *epochs = window_find(win, &number);
	int code;

	if (epochs && epochs->exposure != 0)
		wait_for_messages(&call, first_origin(epochs), epochs->origins, WIRE_WAIT_ALL);
	else
		gate_report(&call);
	note_blocking_call(&call);
	code = real_mpi()->Win_wait(win);
	blocking_call_leave();
	if (code == MPI_SUCCESS)
		window_called(MPI_CALL_Win_wait, WIRE_ANY, 0, win);
	if (epochs && code == MPI_SUCCESS)
		end_exposure(epochs, number);
	return code;
}

int shim_MPI_Win_test(void *site, MPI_Win win, int *flag)
{
	struct wire_call call = gate_call(MPI_CALL_Win_test, site);
	uint64_t number;
	struct window_epochs *epochs = window_find(win, &number);
	bool done = true;
	int code;

	if (epochs && epochs->exposure != 0 && epochs->origins > 0)
		done = wait_for_messages(&call, first_origin(epochs), epochs->origins,
		                         WIRE_TEST_ALL);
	else
		gate_report(&call);
	if (!done) {
		*flag = 0;
		return MPI_SUCCESS;
	}
	/* All origins have completed; MPI needs only progress to know it, too. */
	for (unsigned round = 0;; round++) {
		code = real_mpi()->Win_test(win, flag);
		if (code != MPI_SUCCESS || *flag || !epochs || epochs->exposure == 0)
			break;
		gate_yield(round);
	}
	if (code == MPI_SUCCESS && *flag)
		window_called(MPI_CALL_Win_test, WIRE_ANY, 0, win);
	if (epochs && code == MPI_SUCCESS && *flag)
		end_exposure(epochs, number);
	return code;
}
