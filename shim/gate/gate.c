#define _GNU_SOURCE
#include "gate.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "blocking_call.h"
#include "channel.h"
#include "contents.h"
#include "forked.h"
#include "region.h"
#include "shim/libc/clocks.h"
#include "shim/libc/virtual_time.h"
#include "shim/mpi/python_stack.h"
#include "shim/mpi/real.h"
#include "threading.h"
#include "yielding.h"

#define IN_CALL __attribute__((tls_model("initial-exec")))

enum {
	IDLE_MILLISECONDS = 20, /* between two drives of MPI's progress while nothing is under
	                           way */
	STACK_FRAMES = 32,      /* innermost frames of a call that are reported */
};

/* A thread that waits while other threads of its process may call MPI. */
struct waiter {
	struct waiter *next;
	uint32_t number; /* of its call; of the thread, if it waits for admission */
	bool enters, done;
	struct wire_message go;
};

static struct {
	bool serialised, welcomed;
	uint32_t call; /* the latest */
	bool released;
	const struct wire_call *pending; /* waits for GO; NULL: none, or several threads may call */
	bool reading;                    /* one of several waiting threads reads */
	struct waiter *waiters;
	pthread_mutex_t telling;
	struct wire_welcome welcome;
	struct wire_message go; /* answer to the last wait */
	const struct gate_orders *orders;
} gate = {.telling = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local struct waiter waiter IN_CALL;
static _Thread_local uint32_t own_call IN_CALL; /* the thread's latest */
static _Thread_local uint16_t own_function IN_CALL;
static _Thread_local const void *own_site IN_CALL;
static _Thread_local uint64_t denied_at IN_CALL; /* when the thread's last poll was answered "not
                                                    yet", as from clocks_computed; 0: it was not */

/* Encodes the gathered accesses, then one message, and a second one right behind it (NULL: none),
 * and sends or keeps them (channel.h). */
static void send_messages(const struct wire_message *message, const struct wire_message *next,
                          void (*send)(void))
{
	struct wire_buffer *out;
	int saved = errno;

	if (gate.serialised)
		threading_lock(&gate.telling);
	out = channel_begin();
	gate.orders->encode_ahead(out);
	contents_encode(out);
	if (message)
		wire_encode(out, message);
	if (next)
		wire_encode(out, next);
	if (next || (message && message->type == WIRE_CALL))
		gate.orders->encode_behind(out, (next ? next : message)->call.call);
	send();
	if (gate.serialised)
		pthread_mutex_unlock(&gate.telling);
	errno = saved;
}

void gate_send(const struct wire_message *message)
{
	send_messages(message, NULL, channel_send);
}

void gate_send_last(const struct wire_message *message)
{
	send_messages(message, NULL, channel_keep);
}

void gate_send_apart(const struct wire_message *message)
{
	channel_send_apart(message);
}

void gate_wait_apart(void)
{
	enum { A_WHILE = 50 }; /* milliseconds; a thread that listens answers much sooner */
	const struct timespec now = {0};

	for (;;) {
		channel_wait(NULL);
		poll(NULL, 0, A_WHILE);
		if (channel_wait(&now))
			gate_wait_for_end();
	}
}

void gate_send_accesses(void)
{
	send_messages(NULL, NULL, channel_send);
}

/* The stack begins at the call's site, which is known even if the stack cannot be unwound. */
static void send_call_with_stack(const struct wire_message *call)
{
	void *addresses[STACK_FRAMES];
	uint64_t frames[STACK_FRAMES] = {call->call.site};
	int saved = errno, count = gate.orders->backtrace(addresses, STACK_FRAMES), inner = 0;
	uint32_t stored = 1;

	while (inner < count && (uintptr_t)addresses[inner] != call->call.site)
		inner++;
	for (int i = inner + 1; i < count; i++)
		frames[stored++] = (uintptr_t)addresses[i];
	struct wire_line lines[STACK_FRAMES];
	struct wire_message stack = {
		.type = WIRE_STACK,
		.stack = {.call = call->call.call,
	                  .count = stored,
	                  .frames = frames,
	                  .line_count = python_stack(lines, STACK_FRAMES),
	                  .lines = lines},
	};
	if (stack.stack.line_count > 0)
		python_stack_leave_out(&stack.stack);
	errno = saved;
	send_messages(&stack, call, channel_send);
}

static void send_call(const struct wire_call *call)
{
	const struct wire_message message = {.type = WIRE_CALL, .call = *call};

	if (gate.welcome.states)
		gate.orders->send_seal(call->call);
	if (gate.welcome.stacks)
		send_call_with_stack(&message);
	else
		gate_send(&message);
}

/* Wakes the thread that waits for this message. false: none does. */
static bool release_waiter(bool enters, uint32_t number, struct wire_message *message)
{
	struct waiter *one = gate.waiters;

	while (one && (one->enters != enters || one->number != number))
		one = one->next;
	if (!one)
		return false;
	wire_message_release(&one->go);
	one->go = *message;
	one->done = true;
	threading_wake();
	return true;
}

static void send_digest(void)
{
	struct memory_range own[CHANNEL_RANGES];
	struct wire_message message = {.type = WIRE_DIGEST};

	channel_memory(own);
	if (gate.pending)
		message.digest = gate.orders->digest(gate.pending, own, CHANNEL_RANGES);
	gate_send(&message);
}

/* The rank may be idle if nothing in MPI needs its progress. */
static bool may_be_idle(void)
{
	return gate.welcome.images && !gate.serialised && gate.orders->incomplete() == 0
	       && !gate.orders->serves_windows();
}

static void drive_progress(void)
{
	struct wire_blocking_call before = blocking_call_drive();

	gate.orders->moved();
	gate.orders->progress();
	blocking_call_driven(&before);
}

static void obey(struct wire_message *message)
{
	if (!wire_moves_nothing(message->type))
		gate.orders->moved();
	switch (message->type) {
	case WIRE_WELCOME:
		gate.welcome = message->welcome;
		gate.welcomed = true;
		virtual_time_welcome(&gate.welcome);
		break;
	case WIRE_BIND: gate.orders->bind(&message->bind); break;
	case WIRE_ADMIT:
		threading_note_turn();
		release_waiter(true, message->admitted, message);
		return;
	case WIRE_GO:
		if (release_waiter(false, message->go.call, message))
			return;
		if (message->go.call == gate.call) {
			wire_message_release(&gate.go);
			gate.go = *message;
			gate.released = true;
			return;
		}
		break;
	case WIRE_PARK:
		channel_leave_ring();
		gate.orders->park(&gate.welcome);
		channel_limit_waiting(IDLE_MILLISECONDS);
		break;
	case WIRE_IMAGE:
		channel_leave_ring();
		gate.orders->image(&message->image, may_be_idle(), &gate.welcome);
		channel_limit_waiting(IDLE_MILLISECONDS);
		break;
	case WIRE_REWIND:
		channel_leave_ring();
		gate.orders->rewind(&message->rewind, &gate.welcome);
		break;
	case WIRE_FORGET: gate.orders->forget(message->forget); break;
	case WIRE_LOOK: send_digest(); break;
	case WIRE_TELL: gate.orders->send_state(gate.pending, may_be_idle()); break;
	case WIRE_DRIVE: drive_progress(); break;
	case WIRE_FORWARD: virtual_time_put_forward(message->forward); break;
	case WIRE_END: gate.orders->end(&message->end);
	default: channel_lost();
	}
	wire_message_release(message);
}

/* Obeys until the call may continue, or there is nothing more to read. */
static void obey_all(void)
{
	struct wire_message message;
	while (!gate.released && channel_next(&message))
		obey(&message);
}

/* Microseconds. The first pauses are short, because MPI's operations often move quickly: a peer
 * takes messages out of a full queue one call at a time. With more ranks than cores, the pauses of
 * a rank that only waits must not cost the others time. The target of one-sided communication
 * serves its peers here, message by message. */
static long pause_of_round(unsigned round)
{
	enum { QUICK_ROUNDS = 32, WINDOW_ROUNDS = 20000, QUICK = 100, SLOW = 1000 };

	return round < (gate.orders->serves_windows() ? WINDOW_ROUNDS : QUICK_ROUNDS) ? QUICK
	                                                                              : SLOW;
}

/* Waits for the socket while MPI has operations under way. Fragments of a large message may need
 * many steps on both sides, so it takes several at once. */
static void receive_with_progress(unsigned round)
{
	enum { STEPS = 4, MOVING_STEPS = 32, MOVING_ROUNDS = 100 };
	unsigned before = gate.orders->incomplete();
	int steps = gate.orders->moving() > 0 ? MOVING_STEPS : STEPS;

	for (int i = 0; i < steps && gate.orders->incomplete() == before; i++) {
		drive_progress();
		if (channel_receive(false))
			return;
		sched_yield();
	}
	if (gate.orders->incomplete() != before
	    || (gate.orders->moving() > 0 && round < MOVING_ROUNDS))
		return;
	const struct timespec pause = {.tv_nsec = pause_of_round(round) * 1000};
	if (channel_wait(&pause))
		channel_receive(false);
}

static void receive_orders(void)
{
	unsigned round = 0;

	obey_all();
	while (!gate.released) {
		unsigned incomplete = gate.orders->incomplete();
		if (gate.orders->is_idle())
			channel_receive(true);
		else if (incomplete > 0 || gate.orders->serves_windows())
			receive_with_progress(round);
		else if (!channel_receive(true))
			drive_progress();
		round = channel_has_unread() || gate.orders->incomplete() != incomplete ? 0
		                                                                        : round + 1;
		obey_all();
	}
}

/* One round of the thread that reads for all. Returns the number of the next round. */
static unsigned read_for_all(unsigned round)
{
	const long idle = IDLE_MILLISECONDS * 1000;
	unsigned incomplete = gate.orders->incomplete();
	bool heard = channel_has_unread();

	gate.released = false;
	obey_all();
	while (channel_receive(false)) {
		heard = true;
		obey_all();
	}
	if (waiter.done)
		return 0;
	drive_progress();
	if (heard || gate.orders->incomplete() != incomplete)
		return 0;
	bool busy = incomplete > 0 || gate.orders->serves_windows();
	const struct timespec pause = {.tv_nsec = (busy ? pause_of_round(round) : idle) * 1000};
	unsigned held = threading_let_in();
	channel_wait(&pause);
	threading_take_back(held);
	return round + 1;
}

/* Waits while the other threads may come and go. One of the waiting threads reads for all. */
static void wait_among_threads(bool enters, uint32_t number)
{
	struct waiter **at = &gate.waiters;
	unsigned round = 0;

	waiter.enters = enters;
	waiter.number = number;
	waiter.done = false;
	waiter.next = gate.waiters;
	gate.waiters = &waiter;
	while (!waiter.done) {
		if (gate.reading) {
			threading_wait();
			continue;
		}
		gate.reading = true;
		round = read_for_all(round);
		gate.reading = false;
	}
	threading_wake();
	while (*at != &waiter)
		at = &(*at)->next;
	*at = waiter.next;
}

void gate_enter(const struct wire_enter *enter)
{
	const struct wire_message message = {.type = WIRE_ENTER, .enter = *enter};
	int saved = errno;

	gate_send(&message);
	wait_among_threads(true, enter->thread);
	errno = saved;
}

static bool is_poll(const struct wire_call *call)
{
	return call->wait == WIRE_TEST_ALL || call->wait == WIRE_TEST_ANY
	       || call->wait == WIRE_TEST_SOME;
}

/* With the digest, if the scheduler expects to ask for it: that saves LOOK and DIGEST. */
static void send_call_of_wait(const struct wire_call *call)
{
	struct memory_range own[CHANNEL_RANGES];
	struct wire_call told = *call;

	if (gate.go.go.look && is_poll(call) && !gate.serialised) {
		channel_memory(own);
		told.has_digest = true;
		told.digest = gate.orders->digest(call, own, CHANNEL_RANGES);
	}
	send_call(&told);
}

struct gate_answer gate_wait(const struct wire_call *call)
{
	int saved = errno;
	const struct wire_message *answer = &gate.go;

	yielding_end(); /* a copy of the rank would have no timer */
	gate.orders->moved();
	gate.released = false;
	channel_expect(true);
	send_call_of_wait(call);
	if (threading_keep_out()) {
		wait_among_threads(false, call->call);
		answer = &waiter.go;
	} else {
		gate.pending = call;
		receive_orders();
		gate.pending = NULL;
	}
	channel_expect(false);
	virtual_time_catch_up();
	if (is_poll(call) && answer->go.count == 0)
		denied_at = clocks_computed();
	gate.orders->let_arrive();
	errno = saved;
	return (struct gate_answer){answer->go.count, answer->go.done};
}

struct gate_answer gate_wait_for(const struct wire_call *call, struct wire_op *op,
                                 enum wire_wait wait)
{
	struct wire_call whole = *call;

	whole.ops = op;
	whole.op_count = 1;
	whole.wait = (uint8_t)wait;
	whole.waited = &op->name;
	whole.waited_count = 1;
	return gate_wait(&whole);
}

/* A rank whose progress others need, or whose threads share the gate, waits. */
bool gate_may_go_ahead(void)
{
	return gate.call < gate.welcome.ahead && !gate.serialised && !gate.orders->serves_windows();
}

bool gate_hurries_if_matched(void)
{
	return gate.welcome.hurries && !gate.serialised && !gate.orders->serves_windows();
}

bool gate_hurries(void)
{
	return gate_hurries_if_matched() && gate.welcome.buffering == WIRE_BUFFERING_INFINITE;
}

void gate_report_ahead(struct wire_call *call)
{
	enum { LOOK_EVERY = 16 }; /* calls: reads the socket, as this may change */

	call->ahead = true;
	send_call(call);
	if (call->call % LOOK_EVERY == 0)
		gate_obey();
}

void gate_completed_ahead(void)
{
	virtual_time_catch_up();
}

/* A loop of nothing but calls that start nothing and wait for nothing must be heard and held, too:
 * once in a while such a call is a poll that asks about nothing. */
static bool is_to_wait(const struct wire_call *call)
{
	enum { WAIT_EVERY = 1000 }; /* calls */
	static unsigned in_a_row;

	if (call->wait != WIRE_WAIT_NONE || call->op_count > 0 || gate.serialised) {
		in_a_row = 0;
		return false;
	}
	return ++in_a_row % WAIT_EVERY == 0;
}

void gate_report(const struct wire_call *call)
{
	if (is_to_wait(call)) {
		struct wire_call waits = *call;

		waits.wait = WIRE_TEST_ALL;
		gate_wait(&waits);
	} else if (gate.welcome.every_call_waits) {
		gate_wait(call);
	} else {
		send_call(call);
	}
}

_Noreturn void gate_wait_for_end(void)
{
	for (;;) {
		gate.released = false;
		receive_orders();
	}
}

_Noreturn void gate_wait_for_end_in_mpi(void)
{
	for (;;) {
		gate.released = false;
		if (gate.serialised)
			poll(NULL, 0, IDLE_MILLISECONDS); /* another thread may be reading */
		else if (channel_receive(true))
			obey_all();
	}
}

void gate_obey(void)
{
	int saved = errno;

	gate.released = false;
	obey_all();
	if (channel_receive(false))
		obey_all();
	errno = saved;
}

void gate_yield(unsigned round)
{
	enum { LOOK_EVERY = 16, PATIENCE = 2000, LONG_PATIENCE = 10000 };
	int saved = errno;

	if (round % LOOK_EVERY == LOOK_EVERY - 1 && channel_receive(false)) {
		gate.released = false;
		obey_all();
	}
	if (round < PATIENCE) {
		sched_yield();
	} else {
		long nanoseconds = round < LONG_PATIENCE ? 50 * 1000 : 500 * 1000;
		nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL);
	}
	errno = saved;
}

int gate_complete(MPI_Request *request, MPI_Status *status)
{
	enum { TESTS = 16 }; /* much cheaper than yielding: a large message moves in many steps */
	int done = 0, code = MPI_SUCCESS;
	struct wire_blocking_call before = blocking_call_drive();

	for (unsigned round = 0;; round++) {
		blocking_call_step();
		for (int i = 0; i < TESTS && code == MPI_SUCCESS && !done; i++)
			code = real_mpi()->Test(request, &done, status);
		if (code != MPI_SUCCESS || done)
			break;
		gate_yield(round);
	}
	blocking_call_driven(&before);
	return code;
}

/* Microseconds that the program computed since its last call, if that was a poll answered "not
 * yet". */
static uint32_t busy_since_poll(void)
{
	uint64_t since = denied_at, busy;

	if (since == 0)
		return 0;
	denied_at = 0;
	busy = clocks_computed() - since;
	return busy < UINT32_MAX ? (uint32_t)busy : UINT32_MAX;
}

struct wire_call gate_call(unsigned function, const void *site)
{
	int saved = errno;
	uint32_t busy = busy_since_poll();
	bool timed = clocks_were_asked();
	bool real_time = timed && clocks_are_real();

	if (gate.orders)
		gate.orders->begin();
	forked_check(function, site);
	errno = saved;
	own_call = ++gate.call;
	own_function = (uint16_t)function;
	own_site = site;
	return (struct wire_call){
		.call = own_call,
		.thread = gate.serialised ? threading_self() : 0,
		.function = (uint16_t)function,
		.wait = WIRE_WAIT_NONE,
		.marked = region_is_marked(),
		.site = (uintptr_t)site,
		.timed = timed,
		.real_time = real_time,
		.busy = busy,
	};
}

struct wire_call gate_call_again(unsigned function, const void *site)
{
	return (struct wire_call){
		.call = own_call,
		.thread = gate.serialised ? threading_self() : 0,
		.function = (uint16_t)function,
		.site = (uintptr_t)site,
	};
}

uint32_t gate_current_call(void)
{
	return own_call > 0 ? own_call : gate.call;
}

void gate_current(uint16_t *ret_function, const void **ret_site)
{
	*ret_function = own_function;
	*ret_site = own_site;
}

bool gate_is_serialised(void)
{
	return gate.serialised;
}

const struct wire_welcome *gate_welcome(void)
{
	return &gate.welcome;
}

void gate_serialise(void)
{
	gate.serialised = true;
	channel_share();
}

void gate_open(int socket, const struct gate_orders *orders, const struct wire_hello *hello)
{
	const struct wire_message message = {.type = WIRE_HELLO, .hello = *hello};

	channel_open(socket);
	gate.orders = orders;
	gate_send(&message);
	while (!gate.welcomed) {
		channel_receive(true);
		obey_all();
	}
	channel_limit_waiting(IDLE_MILLISECONDS);
	if (gate.welcome.images || gate.welcome.states)
		channel_stop_at_rewind();
	else if (gate.welcome.hurries)
		channel_offer_ring();
}
