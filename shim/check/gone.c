#define _GNU_SOURCE
#include "gone.h"

#include <pthread.h>
#include <sched.h>
#include <stddef.h>

#include "shim/process/mapped.h"
#include "shim/process/process.h"

/* Of this thread; both ends 0: not known. */
static _Thread_local struct memory_range own __attribute__((tls_model("initial-exec")));
static struct gone_watch *watches;
static int watched; /* number of watches */
static int busy;    /* somebody reads or changes the list */
const int *const gone_is_any = &watched;

static bool try_lock(void)
{
	return !__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE);
}

static void lock(void)
{
	while (!try_lock())
		sched_yield();
}

static void unlock(void)
{
	__atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
}

static bool contains(const struct memory_range *stack, uintptr_t address)
{
	return address >= stack->start && address < stack->end;
}

/* The stack of another thread than the first. Looked up once. */
static void find_own(void)
{
	if (own.end == 0)
		process_find_stack(pthread_self(), &own);
}

/* Whether it lies on the stack of this thread, near its pointer. */
static const struct memory_range *stack_of(uintptr_t address)
{
	enum { NEAR = 64 << 20 }; /* of the stack pointer, else no stack is looked for */
	const uintptr_t pointer = process_stack_pointer;
	const struct memory_range *stack = &mapped_first_stack;

	if (address < pointer || address - pointer > NEAR)
		return NULL;
	if (!contains(&mapped_first_stack, pointer)) {
		find_own();
		stack = &own;
	}
	return contains(stack, pointer) && contains(stack, address) ? stack : NULL;
}

void gone_watch_begin(struct gone_watch *watch, const struct wire_user *user,
                      const struct bytes *bytes)
{
	const struct memory_range *stack;
	int64_t low, high;

	watch->bytes = NULL;
	if (!bytes_span_all(bytes, &low, &high)
	    || (user->name.call == 0 && user->kind != WIRE_USE_ONE_SIDED
	        && !wire_use_is_file(user->kind)))
		return;
	stack = stack_of((uintptr_t)low);
	*watch = (struct gone_watch){.user = *user,
	                             .bytes = bytes,
	                             .address = (uintptr_t)low,
	                             .stack = stack ? stack->start : 0,
	                             .stack_end = stack ? stack->end : 0};
	lock();
	watch->next = watches;
	if (watches)
		watches->previous = watch;
	watches = watch;
	watched++;
	unlock();
}

/* The list is locked. */
static void take_out(struct gone_watch *watch)
{
	*(watch->previous ? &watch->previous->next : &watches) = watch->next;
	if (watch->next)
		watch->next->previous = watch->previous;
	watch->bytes = NULL;
	watched--;
}

void gone_watch_end(struct gone_watch *watch)
{
	if (!watch->bytes)
		return;
	lock();
	take_out(watch);
	unlock();
}

static bool uses(const struct bytes *bytes, uintptr_t start, uintptr_t end)
{
	for (uint32_t i = 0; i < bytes->count; i++) {
		int64_t low, high;

		bytes_span(&bytes->parts[i], &low, &high);
		if ((uintptr_t)low < end && (uintptr_t)high > start)
			return true;
	}
	return false;
}

/* Skips a moment in which the list is in use: the process may also have been forked in it. */
void gone_note_freed(uintptr_t start, uintptr_t end)
{
	if (!try_lock())
		return;
	for (struct gone_watch *watch = watches; watch; watch = watch->next)
		watch->freed |= uses(watch->bytes, start, end);
	unlock();
}

int gone_how(const struct gone_watch *watch)
{
	const uintptr_t pointer = process_stack_pointer;

	if (!watch->bytes)
		return -1;
	if (watch->freed)
		return WIRE_TOUCH_FREED;
	return watch->address < pointer && pointer >= watch->stack && pointer < watch->stack_end
	               ? WIRE_TOUCH_LEFT
	               : -1;
}

void gone_encode(struct wire_buffer *out, uint32_t call)
{
	struct gone_watch *next;

	lock();
	for (struct gone_watch *watch = watches; watch; watch = next) {
		const struct wire_user *user = &watch->user;
		const bool told = user->name.call > 0 || wire_use_is_file(user->kind);
		const int how = told ? gone_how(watch) : -1;

		next = watch->next;
		if (how < 0 || user->name.call >= call)
			continue;
		wire_encode(out, &(struct wire_message){
					 .type = WIRE_TOUCHED,
					 .touched = {.name = user->name,
		                                     .function = user->function,
		                                     .site = user->site,
		                                     .noticed = call,
		                                     .kind = user->kind,
		                                     .how = (uint8_t)how},
				 });
		take_out(watch);
		watch->found = true;
	}
	unlock();
}
