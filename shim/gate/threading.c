#define _GNU_SOURCE
#include "threading.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "caller.h"
#include "error_report.h"
#include "gate.h"
#include "shim/mpi/next.h"
#include "shim/mpi/real.h"
#include "shim/process/process.h"
#include "thread_stacks.h"

#define IN_CALL __attribute__((tls_model("initial-exec")))

enum { UNKNOWN = UINT32_MAX, SECONDS = 3600 };

/* A thread that is being created. */
struct creation {
	uint32_t number;
	void *(*start)(void *);
	int (*start_c11)(void *);
	void *argument;
	sem_t known;
};

/* A living thread. */
struct thread {
	uint32_t number;
	int id;
	struct thread *next;
};

static struct {
	pthread_mutex_t lock; /* of `first` */
	struct thread *first;
	uint32_t last;           /* latest number given */
	_Atomic unsigned living; /* besides the first thread */
	_Atomic unsigned ended;  /* of `living`: have ended; they count until a thread is
	                            admitted */
	pthread_key_t key;       /* its destructor runs when a thread ends */
	bool has_key;
} threads = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The thread that holds it is in a call. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint32_t passed; /* goes up when waiting threads should look again */

static _Thread_local uint32_t self IN_CALL = UNKNOWN;
static _Thread_local unsigned held IN_CALL; /* nesting depth */
static _Thread_local struct wire_enter announced IN_CALL;

static struct timespec in_a_while(void)
{
	struct timespec time;

	NEXT(clock_gettime)(CLOCK_REALTIME, &time); /* the real time */
	time.tv_sec += SECONDS;
	return time;
}

void threading_lock(pthread_mutex_t *mutex)
{
	struct timespec limit;

	if (pthread_mutex_trylock(mutex) == 0)
		return;
	do {
		limit = in_a_while();
	} while (pthread_mutex_timedlock(mutex, &limit) != 0);
}

static int kernel_id(void)
{
	return (int)syscall(SYS_gettid);
}

bool threading_are_many(void)
{
	return gate_is_serialised() && threads.living > 0;
}

uint32_t threading_self(void)
{
	if (self == UNKNOWN && kernel_id() == (int)syscall(SYS_getpid))
		self = 0;
	return self == UNKNOWN ? 0 : self;
}

static void tell_thread(uint32_t number, int id, bool ended)
{
	const struct wire_message message = {
		.type = WIRE_THREAD,
		.thread = {.thread = number, .id = id, .ended = ended},
	};

	gate_send(&message);
}

/* Reports the thread before the thread that created it can continue. */
static void begin_thread(uint32_t number)
{
	struct thread *thread = calloc(1, sizeof(*thread));

	self = number;
	thread_stacks_note_own();
	if (thread) {
		thread->number = number;
		thread->id = kernel_id();
		threading_lock(&threads.lock);
		thread->next = threads.first;
		threads.first = thread;
		pthread_mutex_unlock(&threads.lock);
	}
	if (threads.has_key)
		pthread_setspecific(threads.key, &threads);
	if (process_is_controlled() && gate_is_serialised())
		tell_thread(number, kernel_id(), false);
}

/* Called twice for each thread: in between, other destructors may still call MPI. */
static void end_thread(void *value)
{
	if (value == &threads) {
		pthread_setspecific(threads.key, &threads.key);
		return;
	}
	threading_lock(&threads.lock);
	for (struct thread **at = &threads.first; *at; at = &(*at)->next) {
		struct thread *thread = *at;
		if (thread->number != self)
			continue;
		*at = thread->next;
		free(thread);
		break;
	}
	pthread_mutex_unlock(&threads.lock);
	if (process_is_controlled() && gate_is_serialised() && process_is_own()) {
		threads.ended++;
		tell_thread(self, kernel_id(), true);
	} else {
		threads.living--;
	}
}

/* A thread that is alone need not be admitted. From which moment on must not depend on time: from
 * the rest at which a thread was admitted. The end of a thread that runs on later cannot have been
 * reported yet. */
void threading_note_turn(void)
{
	threads.living -= atomic_exchange(&threads.ended, 0);
}

static void *run_thread(void *pointer)
{
	struct creation *creation = pointer;
	void *(*start)(void *) = creation->start;
	void *argument = creation->argument;

	begin_thread(creation->number);
	sem_post(&creation->known);
	return start(argument);
}

static int run_c11_thread(void *pointer)
{
	struct creation *creation = pointer;
	int (*start)(void *) = creation->start_c11;
	void *argument = creation->argument;

	begin_thread(creation->number);
	sem_post(&creation->known);
	return start(argument);
}

void threading_start(void)
{
	threading_lock(&threads.lock);
	for (struct thread *thread = threads.first; thread; thread = thread->next)
		tell_thread(thread->number, thread->id, false);
	pthread_mutex_unlock(&threads.lock);
}

/* --- creating threads ------------------------------------------------------------------------ */

static bool is_mpi(const void *caller)
{
	return process_is_in_call() || real_is_library(caller);
}

/* Threads that MPI makes for itself do not count. */
static bool is_watched(const void *caller)
{
	if (!process_is_managed() || is_mpi(caller))
		return false;
	process_note_thread();
	return !process_is_initialised() || (gate_is_serialised() && process_is_own());
}

static struct creation *begin_creation(void *argument, const void *caller)
{
	struct creation *creation = calloc(1, sizeof(*creation));

	if (!creation)
		return NULL;
	threading_lock(&threads.lock);
	if (!threads.has_key)
		threads.has_key = pthread_key_create(&threads.key, end_thread) == 0;
	pthread_mutex_unlock(&threads.lock);
	if (process_is_controlled() && gate_is_serialised())
		threading_enter(caller);
	sem_init(&creation->known, 0, 0);
	creation->argument = argument;
	threading_lock(&threads.lock);
	creation->number = ++threads.last;
	pthread_mutex_unlock(&threads.lock);
	threads.living++;
	return creation;
}

static void end_creation(struct creation *creation, bool created)
{
	struct timespec limit = in_a_while();

	while (created && sem_timedwait(&creation->known, &limit) < 0)
		limit = in_a_while();
	if (!created)
		threads.living--;
	threading_leave();
	sem_destroy(&creation->known);
	free(creation);
}

static void *find_next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

EXPORTED int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                            void *(*start)(void *), void *argument)
{
	static create_thread_function *create;
	const void *caller = __builtin_return_address(0);
	void *symbol = find_next("pthread_create");

	memcpy(&create, &symbol, sizeof(create));
	if (!is_watched(caller))
		return thread_stacks_create(create, is_mpi(caller), thread, attributes, start,
		                            argument);
	int saved = errno;
	struct creation *creation = begin_creation(argument, caller);
	if (!creation)
		return EAGAIN;
	creation->start = start;
	int code = create(thread, attributes, run_thread, creation);
	end_creation(creation, code == 0);
	errno = saved;
	return code;
}

EXPORTED int thrd_create(thrd_t *thread, thrd_start_t start, void *argument)
{
	static int (*create)(thrd_t *, thrd_start_t, void *);
	const void *caller = __builtin_return_address(0);
	void *symbol = find_next("thrd_create");

	memcpy(&create, &symbol, sizeof(create));
	if (!is_watched(caller))
		return create(thread, start, argument);
	struct creation *creation = begin_creation(argument, caller);
	if (!creation)
		return thrd_nomem;
	creation->start_c11 = start;
	int code = create(thread, run_c11_thread, creation);
	end_creation(creation, code == thrd_success);
	return code;
}

/* --- admission ------------------------------------------------------------------------------- */

void threading_announce(const struct wire_enter *envelope)
{
	announced = *envelope;
}

void threading_enter(const void *site)
{
	struct wire_enter enter = announced;

	announced = (struct wire_enter){0};
	if (held++ > 0)
		return;
	if (!threading_are_many()) {
		held = 0;
		return;
	}
	enter.thread = threading_self();
	threading_lock(&turn);
	if (self == UNKNOWN)
		error_refuse_thread(site);
	if (process_is_controlled())
		gate_enter(&enter);
}

void threading_leave(void)
{
	if (held > 0 && --held == 0)
		pthread_mutex_unlock(&turn);
}

bool threading_keep_out(void)
{
	return held > 0;
}

unsigned threading_let_in(void)
{
	unsigned before = held;

	held = 0;
	if (before > 0)
		pthread_mutex_unlock(&turn);
	return before;
}

void threading_take_back(unsigned before)
{
	if (before > 0)
		threading_lock(&turn);
	held = before;
}

void threading_wait(void)
{
	const struct timespec limit = {.tv_sec = SECONDS};
	uint32_t before = passed;
	unsigned times = threading_let_in();

	syscall(SYS_futex, &passed, FUTEX_WAIT_PRIVATE, before, &limit, NULL, 0);
	threading_take_back(times);
}

void threading_wake(void)
{
	passed++;
	syscall(SYS_futex, &passed, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

/* --- levels below MPI_THREAD_MULTIPLE -------------------------------------------------------- */

static _Thread_local bool is_first IN_CALL;      /* it has initialised MPI */
static _Thread_local unsigned under_way IN_CALL; /* nested calls of the thread */
static _Atomic unsigned callers;                 /* threads that are in a call */

void threading_be_first(void)
{
	is_first = true;
}

/* Does not return if this thread must not call MPI. `others`: threads that are in an MPI call. */
static void check_thread(const void *site, unsigned others)
{
	int level = process_thread_level();

	if (level == MPI_THREAD_SERIALIZED) {
		if (others > 0)
			error_wrong_thread(site, "while another thread was in a call of it, with "
			                         "MPI_THREAD_SERIALIZED");
	} else if (!is_first) {
		error_wrong_thread(site, level == MPI_THREAD_FUNNELED
		                                 ? "in a thread that has not initialised it, with "
		                                   "MPI_THREAD_FUNNELED"
		                                 : "in a thread that has not initialised it, with "
		                                   "MPI_THREAD_SINGLE");
	}
}

void threading_check_level(const void *site)
{
	if (process_thread_level() == MPI_THREAD_MULTIPLE || under_way++ > 0)
		return;
	check_thread(site, process_thread_level() == MPI_THREAD_SERIALIZED ? callers++ : 0);
}

void threading_check_moment(const void *site)
{
	if (process_thread_level() != MPI_THREAD_MULTIPLE && under_way == 0)
		check_thread(site, callers);
}

void threading_check_over(void)
{
	if (under_way > 0 && --under_way == 0 && process_thread_level() == MPI_THREAD_SERIALIZED)
		callers--;
}
