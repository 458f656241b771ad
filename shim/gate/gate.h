/* The gate: it reports every controlled MPI call to the scheduler. If the call may have to wait for
 * other ranks, it holds the call until GO. caller.h decides which calls are the program's own. For
 * those, the generated wrappers call shim_MPI_X, which looks like this:
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
 * The gate is a guest in the process: it prints nothing and preserves errno. If the scheduler goes
 * away, the process ends at once with _exit. */
#ifndef MATCHPOINT_SHIM_GATE_GATE_H
#define MATCHPOINT_SHIM_GATE_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "common/wire.h"
#include "shim/process/memory_range.h"

/* Whether calls of several threads must go one after another (MPI_THREAD_MULTIPLE; threading.h). */
bool gate_is_serialised(void);

/* For threading.c: waits until the scheduler admits the calling thread. */
void gate_enter(const struct wire_enter *enter);

/* A call of this rank with the next number, without operations, that waits for nothing. `function`
 * is an enum mpi_call. */
struct wire_call gate_call(unsigned function, const void *site);

/* Number of the calling thread's latest call, for further steps of it. */
uint32_t gate_current_call(void);
/* That call, for a further step of it: without operations, waiting for nothing. */
struct wire_call gate_call_again(unsigned function, const void *site);
/* Its function (enum mpi_call) and site. */
void gate_current(uint16_t *ret_function, const void **ret_site);

/* Reports a call as a credit: sends it and does not wait, unless the scheduler wants every call to
 * wait. */
void gate_report(const struct wire_call *call);

/* The operations that are done: indices into call->waited, valid until the next gate_wait. Of
 * WIRE_WAIT_ALL: the list is empty, and all are done. */
struct gate_answer {
	uint32_t count;
	const uint32_t *done;
};

/* Reports the call and waits for its GO. Meanwhile carries out the scheduler's orders (BIND, PARK,
 * END) and drives MPI's progress. After PARK it may return in another process. */
struct gate_answer gate_wait(const struct wire_call *call);

/* The same for a call that starts this one operation, and waits for it or asks for it
 * (WIRE_TEST_ALL). */
struct gate_answer gate_wait_for(const struct wire_call *call, struct wire_op *op,
                                 enum wire_wait wait);

/* Whether the latest call is known to return, and must not be held: then it need not wait for GO if
 * its rank knows by itself what completes it. */
bool gate_may_go_ahead(void);
/* Whether the latest call may go on as soon as MPI has completed what it waits for. Under zero
 * buffering only if it is known besides that all of it is matched (gate_hurries_if_matched), and
 * that no receive is pending for which it does not wait. */
bool gate_hurries(void);
bool gate_hurries_if_matched(void);
/* For such a call: reports it without waiting; and what it started is complete. */
void gate_report_ahead(struct wire_call *call);
void gate_completed_ahead(void);

/* Sends any other message (WIRE_COMM, WIRE_ERROR), in order with the calls. */
void gate_send(const struct wire_message *message);
/* The last message before the rank ends or is held: it is sent then (channel_send_kept). */
void gate_send_last(const struct wire_message *message);
/* The same while another thread may be sending. */
void gate_send_apart(const struct wire_message *message);
/* After gate_send_apart: waits for END. Obeys if the other thread does not listen. */
_Noreturn void gate_wait_apart(void);

/* Sends the accesses gathered by access.h now; else they go with the next message. */
void gate_send_accesses(void);

/* Waits until the scheduler ends the process. Never returns. */
_Noreturn void gate_wait_for_end(void);
/* The same inside MPI, whose progress must not be driven there. */
_Noreturn void gate_wait_for_end_in_mpi(void);

/* Completes a request of MPI, which may complete now. Tests and yields, never blocks inside MPI;
 * obeys orders meanwhile. MPI's error code; status may be MPI_STATUS_IGNORE. */
int gate_complete(MPI_Request *request, MPI_Status *status);

/* One round of such a loop, for callers that test by themselves (MPI_Iprobe). Yields; sleeps for a
 * short time when `round` grows; reads the socket now and then. */
void gate_yield(unsigned round);

/* Carries out the orders that have arrived. */
void gate_obey(void);

/* What the scheduler wants. May change when the process is restored in another world. */
const struct wire_welcome *gate_welcome(void);

/* What the gate does through others: it carries out the scheduler's orders, and drives MPI while a
 * call waits. lifecycle/orders.c fills in the table. */
struct gate_orders {
	/* BIND: posts a receive, or a send that waits for it, to MPI. */
	void (*bind)(const struct wire_bind *bind);
	/* PARK: returns in the same rank, or in a rank of a new world. That rank has a socket of
	 * its own on the same descriptor, and another welcome. */
	void (*park)(struct wire_welcome *ret_welcome);
	/* IMAGE, REWIND, FORGET (park_rewind.h). `may_be_idle`: the rank becomes idle. */
	void (*image)(const struct wire_image *order, bool may_be_idle,
	              struct wire_welcome *ret_welcome);
	void (*rewind)(const struct wire_rewind *order, struct wire_welcome *ret_welcome);
	void (*forget)(uint32_t image);
	/* The rank may change from here on: an order moves it, or its call waits again. */
	void (*moved)(void);
	/* Whether the rank is idle: it drives no progress. */
	bool (*is_idle)(void);
	/* END: never returns. */
	void (*end)(const struct wire_end *order) __attribute__((noreturn));

	/* A call of the program begins. */
	void (*begin)(void);

	/* What goes with messages: appends frames ahead of each message, and behind the report of
	 * the call with this number. */
	void (*encode_ahead)(struct wire_buffer *out);
	void (*encode_behind)(struct wire_buffer *out, uint32_t call);

	/* Drives MPI's progress. */
	void (*progress)(void);
	/* Number of requests in MPI that are not complete; of those whose data is moving. */
	unsigned (*incomplete)(void);
	unsigned (*moving)(void);
	/* Whether other ranks may need this rank's progress at any time. */
	bool (*serves_windows)(void);
	/* A wait is over: the program may see data that has arrived. */
	void (*let_arrive)(void);

	/* Hash of all that the program can observe when this call returns (digest.h), without
	 * memory of the gate's. Zero: unknown. */
	struct wire_digest (*digest)(const struct wire_call *call, const struct memory_range *own,
	                             size_t own_count);
	/* Sends the seal of a call, before its report, if seals are wanted. */
	void (*send_seal)(uint32_t call);
	/* Sends the rank's state while `pending` waits (state.h). */
	void (*send_state)(const struct wire_call *pending, bool may_be_idle);
	/* The calling thread's stack, as backtrace(3). 0: unknown. */
	int (*backtrace)(void **ret_frames, int most);
};

/* For start-up. Takes over a connected socket, sends HELLO, and waits for WELCOME. `orders` must
 * stay valid. */
void gate_open(int socket, const struct gate_orders *orders, const struct wire_hello *hello);
void gate_serialise(void);

#endif
