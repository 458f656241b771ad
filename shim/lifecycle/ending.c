#define _GNU_SOURCE
#include "ending.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "shim/calls/tracking.h"
#include "shim/gate/caller.h"
#include "shim/gate/forked.h"
#include "shim/gate/gate.h"
#include "shim/libc/output.h"
#include "shim/mpi/real.h"
#include "shim/park/park.h"
#include "shim/process/known_stacks.h"
#include "shim/process/process.h"
#include "startup.h"

enum { FRAMES_MAX = 48, STACK_BYTES = 128 * 1024 };

static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS};

static uint8_t signal_stack[STACK_BYTES]; /* a stack overflow is a crash, too */
static bool was_struck;                   /* by a deadly signal */
static bool shown;                        /* why the rank ends has been shown to a debugger, if
                                             there is one */

/* Where a thread continues after a signal during unwinding. */
static _Thread_local sigjmp_buf *way_out __attribute__((tls_model("initial-exec")));

/* Skips the handler's own frames, before the frame that was struck. The address where a signal
 * struck is not a return address; adding 1 makes it look like one. */
static uint32_t struck_frames(uint64_t *frames, const ucontext_t *context)
{
	void *found[FRAMES_MAX];
	int count = backtrace(found, FRAMES_MAX), first = 0;
#if defined(__x86_64__)
	const uint64_t place = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
#else
	const uint64_t place = (uint64_t)context->uc_mcontext.pc;
#endif

	while (first < count && (uint64_t)(uintptr_t)found[first] != place)
		first++;
	frames[0] = place + 1;
	uint32_t kept = 1;
	for (int i = first + 1; i < count; i++)
		frames[kept++] = (uint64_t)(uintptr_t)found[i];
	return kept;
}

static void watch_signal(int number);

static _Noreturn void leave_unwinding(int number)
{
	sigset_t struck;

	sigemptyset(&struck);
	sigaddset(&struck, number);
	watch_signal(number);
	pthread_sigmask(SIG_UNBLOCK, &struck, NULL);
	siglongjmp(*way_out, 1);
}

/* `known`: it may be one that was unwound before. 0: it struck. */
static int take_stack(void **ret_frames, int most, bool known)
{
	const void *site = caller_site();
	sigjmp_buf here;
	volatile int count = 0;

	way_out = &here;
	if (sigsetjmp(here, 0) == 0) {
		if (known)
			count = known_stacks_find(site, process_stack_pointer, ret_frames, most);
		if (count == 0) {
			count = real_backtrace(ret_frames, most);
			if (known)
				known_stacks_add(site, process_stack_pointer, ret_frames, count);
		}
	} else if (known) {
		known_stacks_forget();
	}
	way_out = NULL;
	return count;
}

int ending_backtrace(void **ret_frames, int most)
{
	int count = process_is_in_call() ? take_stack(ret_frames, most, true) : 0;

	return count > 0 ? count : take_stack(ret_frames, most, false);
}

static void on_deadly(int number, siginfo_t *info, void *context)
{
	(void)info;
	if (way_out)
		leave_unwinding(number);
	shown = was_struck = true;
	signal(number, SIG_DFL);
	if (!process_is_own())
		return; /* a process that the program forked: the signal strikes again */
	output_mark();
	uint64_t frames[FRAMES_MAX + 1];
	struct wire_message message = {.type = WIRE_ENDING};
	message.ending.signal = number;
	message.ending.call = caller_call();
	message.ending.count = struck_frames(frames, context);
	message.ending.frames = frames;
	gate_send(&message);
	gate_wait_for_end();
}

static void watch_signal(int number)
{
	const struct sigaction action = {.sa_sigaction = on_deadly,
	                                 .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND};

	sigaction(number, &action, NULL);
}

/* Fortran's run-time library prints a backtrace and lets the signal strike again. The finding has
 * both the place and the stack, and the rank must stay. */
static bool is_of_fortran(const struct sigaction *action)
{
	void *handler = (action->sa_flags & SA_SIGINFO) ? (void *)action->sa_sigaction
	                                                : (void *)action->sa_handler;
	Dl_info info;

	/* dladdr takes long, and in most copies of a rank the handler is ours */
	return handler != (void *)SIG_IGN && handler != (void *)(uintptr_t)on_deadly
	       && dladdr(handler, &info) && info.dli_fname
	       && strstr(info.dli_fname, "libgfortran.so");
}

void ending_adopt_process(void)
{
	const stack_t stack = {.ss_sp = signal_stack, .ss_size = sizeof(signal_stack)};
	stack_t taken;

	process_adopt();
	if (sigaltstack(NULL, &taken) == 0 && (taken.ss_flags & SS_DISABLE))
		sigaltstack(&stack, NULL);
	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++) {
		struct sigaction now;
		if (sigaction(deadly[i], NULL, &now) == 0
		    && (now.sa_handler == SIG_DFL || is_of_fortran(&now)))
			watch_signal(deadly[i]);
	}
}

bool ending_was_struck(void)
{
	return was_struck;
}

bool ending_is_traced(void)
{
	char line[256], file[64];
	long tracer = 0;
	bool found = false;

	if (shown)
		return false;
	FILE *status = fopen("/proc/self/status", "re");
	while (status && fgets(line, sizeof(line), status) && tracer == 0)
		sscanf(line, "TracerPid: %ld", &tracer);
	if (status)
		fclose(status);
	if (tracer == 0)
		return false;
	snprintf(file, sizeof(file), "/proc/%ld/comm", tracer);
	FILE *name = fopen(file, "re");
	if (name && fgets(line, sizeof(line), name))
		found = strncmp(line, "gdb", 3) == 0 || strncmp(line, "lldb", 4) == 0;
	if (name)
		fclose(name);
	return found;
}

void ending_exit(int status, bool finalised)
{
	startup_flush();
	ending_leave(status, finalised);
}

void ending_leave(int status, bool finalised)
{
	struct wire_message message = {.type = WIRE_ENDING};

	shown = true;
	output_mark();
	forked_report();
	if (finalised)
		tracking_report_last();
	message.ending.status = status;
	gate_send_last(&message);
	/* When one rank fails, the launcher kills the others, even before they report how they
	 * end. */
	if (!finalised || status != 0)
		gate_wait_for_end();
}
