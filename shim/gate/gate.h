/* The gate: every controlled MPI call is reported to the scheduler here and, where it may have to
 * wait for other ranks, held until the scheduler lets it go. caller.h decides which calls are the
 * program's own; the generated wrappers then come to shim_MPI_X, which looks like this:
 *
 *   int shim_MPI_X(void *site, args)
 *   {
 *           struct wire_call call = gate_call(MPI_CALL_X, site);   takes the next call number
 *           struct wire_op op = { .name = { call.call, 0 }, ... };
 *           gate_wait_for(&call, &op, WIRE_WAIT_ALL);              or gate_report(&call): a credit
 *           code = real_mpi()->Ix(args, &request);
 *           if (code == MPI_SUCCESS)
 *                   code = gate_complete(&request, &status);
 *           return code == MPI_SUCCESS ? code : error_raise(comm, code, ...);
 *   }
 *
 * The gate is a guest in the process: it prints nothing, leaves errno alone, and when the scheduler
 * goes away the process ends at once with _exit. */
#ifndef MATCHPOINT_SHIM_GATE_GATE_H
#define MATCHPOINT_SHIM_GATE_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "common/wire.h"
#include "shim/process/digest.h"

/* Whether calls of the program are controlled: between MPI_Init and MPI_Finalize, in a process that
 * matchpoint started. */
bool gate_is_active(void);

/* Calls of several threads must go one after another (MPI_THREAD_MULTIPLE; threading.h). */
bool gate_is_serialised(void);

/* For threads.c: waits until the scheduler admits the calling thread. */
void gate_enter(const struct wire_enter *enter);

/* A call of this rank with the next number, without operations, waiting for nothing. `function` is
 * an enum mpi_call. */
struct wire_call gate_call(unsigned function, const void *site);

/* Number of the call that the calling thread opened last, for further steps of it. */
uint32_t gate_current_call(void);
/* That call, for a further step of it: without operations, waiting for nothing. */
struct wire_call gate_call_again(unsigned function, const void *site);
/* Its function (enum mpi_call) and site. */
void gate_current(uint16_t *ret_function, const void **ret_site);

/* A credit: told to the scheduler, not awaited (unless it wants every call to wait). */
void gate_report(const struct wire_call *call);

/* Which of the operations waited for are done: indices into call->waited, valid until the next
 * gate_wait. For WIRE_WAIT_ALL the list is empty and all are done. */
struct gate_answer {
	uint32_t count;
	const uint32_t *done;
};

/* Reports the call and waits for its GO. Meanwhile carries out the scheduler's orders (BIND, PARK,
 * END) and drives MPI's progress. After a PARK it may return in another process. */
struct gate_answer gate_wait(const struct wire_call *call);

/* The same for a call that starts this one operation and waits for it, or asks (WIRE_TEST_ALL). */
struct gate_answer gate_wait_for(const struct wire_call *call, struct wire_op *op,
                                 enum wire_wait wait);

/* Whether the call opened last is known to return, and is not to be held: it need not wait for GO
 * where its rank knows by itself what it takes. */
bool gate_may_go_ahead(void);
/* Such a call is told and not waited for; and it has completed what it started. */
void gate_tell_ahead(struct wire_call *call);
void gate_came_ahead(void);

/* Sends anything else (WIRE_COMM, WIRE_ERROR), in order with the calls. */
void gate_tell(const struct wire_message *message);
/* The last thing before the rank goes, or is held: it may wait for that (channel_send_kept). */
void gate_tell_last(const struct wire_message *message);
/* The same beside another thread that may be telling at this moment. */
void gate_tell_apart(const struct wire_message *message);
/* After that: obeys in place of the other thread where that does not listen. */
_Noreturn void gate_wait_apart(void);

/* Sends what access.h has gathered, which else goes with the next message. */
void gate_tell_accesses(void);

/* Never returns: the process ends when the scheduler says so. */
_Noreturn void gate_wait_for_end(void);
/* The same from inside of MPI, which must not be driven there. */
_Noreturn void gate_wait_for_end_in_mpi(void);

/* Completes a request of the MPI library, whose turn has come, by testing and yielding, never
 * inside a blocking MPI call; still obeys orders. MPI's error code; status may be
 * MPI_STATUS_IGNORE. */
int gate_complete(MPI_Request *request, MPI_Status *status);

/* One round of such a loop, for callers that test by themselves (MPI_Iprobe): yields, then sleeps
 * shortly when `round` grows; looks at the socket now and then. */
void gate_yield(unsigned round);

/* Carries out the orders that are there already. */
void gate_obey(void);

/* What the scheduler asked for; may change when the process is restored in another world. */
const struct wire_welcome *gate_welcome(void);

/* What the gate knows nothing of: what becomes of the scheduler's orders, and how what is under way
 * in MPI goes on while a call waits. */
struct gate_orders {
	/* BIND: a receive or a send that waits for it goes to MPI. */
	void (*bind)(struct wire_name name, int source, int tag);
	/* PARK: comes back in the same rank, or in a rank of a new world with a socket of its own
	 * on the same descriptor and another welcome. */
	void (*park)(struct wire_welcome *ret_welcome);
	/* IMAGE, REWIND, FORGET: park_rewind.h; and whatever lets the rank move, or lets it wait
	 * once more after it has; whether it is still, which it becomes with a state or an image
	 * if it may: then it drives no progress. */
	void (*image)(const struct wire_image *order, bool may_be_idle,
	              struct wire_welcome *ret_welcome);
	void (*rewind)(const struct wire_rewind *order, struct wire_welcome *ret_welcome);
	void (*forget)(uint32_t image);
	void (*moved)(void);
	bool (*is_still)(void);
	/* END: never comes back. */
	void (*end)(const struct wire_end *order) __attribute__((noreturn));

	/* Moves what is under way in MPI; how many requests are not complete, and of how many
	 * data was seen to move; whether other ranks may need this one's progress at any time. */
	void (*progress)(void);
	unsigned (*incomplete)(void);
	unsigned (*moving)(void);
	bool (*serves_windows)(void);
	/* A wait is over: data that has come may be seen. */
	void (*arrive)(void);

	/* What the program goes by when this call returns (digest.h), but for memory of the gate's;
	 * zero: it cannot be told. */
	struct wire_digest (*digest)(const struct wire_call *call, const struct digest_range *own,
	                             size_t own_count);
	/* Tells of a call before it is told, and the state of the rank while it waits (state.h);
	 * which has been foreseen perhaps. */
	void (*tell_seal)(uint32_t call);
	void (*tell_state)(const struct wire_call *pending, bool may_be_idle);
	void (*foresee_state)(const struct wire_call *pending);
	/* The calling thread's stack, as backtrace(3); 0: it cannot be told. */
	int (*backtrace)(void **ret_frames, int most);
};

/* For startup. Takes over a connected socket, says hello, and waits for the welcome. `orders` stay
 * valid. */
void gate_open(int socket, const struct gate_orders *orders, const struct wire_hello *hello);
void gate_activate(bool active);
void gate_serialise(void);

#endif
