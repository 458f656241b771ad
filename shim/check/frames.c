#define _GNU_SOURCE
#include "frames.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/resource.h>

#include "shim/process/process.h"

struct stack {
	uintptr_t start, end; /* both 0: not known */
};

static struct stack first; /* of the process's first thread */
static _Thread_local struct stack own __attribute__((tls_model("initial-exec")));
static struct frame_watch *watches;

/* The arguments of main lie above all frames. A stack without a limit still ends somewhere. */
__attribute__((constructor)) static void find_first(int count, char **arguments)
{
	enum { MOST = 64 << 20 };
	struct rlimit limit;

	(void)count;
	if (getrlimit(RLIMIT_STACK, &limit) < 0 || limit.rlim_cur > MOST)
		limit.rlim_cur = MOST;
	first = (struct stack){(uintptr_t)arguments - limit.rlim_cur, (uintptr_t)arguments};
}

static bool contains(const struct stack *stack, uintptr_t address)
{
	return address >= stack->start && address < stack->end;
}

/* The stack of another thread than the first. Looked up once. */
static void find_own(void)
{
	pthread_attr_t attributes;
	void *start;
	size_t size;

	if (own.end != 0 || pthread_getattr_np(pthread_self(), &attributes) != 0)
		return;
	if (pthread_attr_getstack(&attributes, &start, &size) == 0)
		own = (struct stack){(uintptr_t)start, (uintptr_t)start + size};
	pthread_attr_destroy(&attributes);
}

void frame_watch_begin(struct frame_watch *watch, const struct wire_user *user,
                       const struct bytes *bytes)
{
	enum { NEAR = 64 << 20 }; /* of the stack pointer, else no stack is looked for */
	const uintptr_t pointer = process_stack_pointer;
	const struct stack *stack = &first;
	int64_t low, high;
	uintptr_t address;

	watch->address = 0;
	if (!bytes_span_all(bytes, &low, &high))
		return;
	address = (uintptr_t)low;
	if (address < pointer || address - pointer > NEAR || user->name.call == 0)
		return;
	if (!contains(&first, pointer)) {
		find_own();
		stack = &own;
	}
	if (!contains(stack, pointer) || !contains(stack, address))
		return;
	*watch = (struct frame_watch){.user = *user,
	                              .address = address,
	                              .stack = stack->start,
	                              .stack_end = stack->end,
	                              .next = watches};
	if (watches)
		watches->previous = watch;
	watches = watch;
}

void frame_watch_end(struct frame_watch *watch)
{
	if (watch->address == 0)
		return;
	*(watch->previous ? &watch->previous->next : &watches) = watch->next;
	if (watch->next)
		watch->next->previous = watch->previous;
	watch->address = 0;
}

void frames_encode(struct wire_buffer *out, uint32_t call)
{
	const uintptr_t pointer = process_stack_pointer;
	struct frame_watch *next;

	for (struct frame_watch *watch = watches; watch; watch = next) {
		next = watch->next;
		if (watch->address >= pointer || pointer < watch->stack
		    || pointer >= watch->stack_end || watch->user.name.call >= call)
			continue;
		wire_encode(out, &(struct wire_message){
					 .type = WIRE_TOUCHED,
					 .touched = {.name = watch->user.name,
		                                     .noticed = call,
		                                     .kind = watch->user.kind,
		                                     .how = WIRE_TOUCH_LEFT},
				 });
		frame_watch_end(watch);
		watch->found = true;
	}
}
