#define _GNU_SOURCE
#include "replay.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ckpt/agent_marks.h"
#include "log.h"
#include "matches.h"
#include "mpi_calls.h"

/* The C library has it from 2.35 on, and may be older where this runs than where it was built. */
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#pragma weak __rseq_offset
#pragma weak __rseq_size
#endif

__attribute__((visibility("default"))) volatile uint64_t replay_call, replay_site;

static int told = -1;

void replay_start(int descriptor)
{
	told = descriptor;
}

__attribute__((visibility("default"), noinline)) void replay_call_begin(uint64_t number,
                                                                        uint64_t site)
{
	replay_call = number;
	replay_site = site;
	__asm__ volatile("" ::: "memory");
	agent_mark();
}

/* Otherwise the kernel writes the processor's number into the program's memory. The recorded
 * environment, which could forbid it beforehand, must stay as it is. */
static void end_rseq(void)
{
#ifdef RSEQ_SIG
	enum { UNREGISTER = 1, SIZE = 32 };
	char *area;

	if (!&__rseq_offset || !&__rseq_size || __rseq_size == 0)
		return;
	area = (char *)__builtin_thread_pointer() + __rseq_offset;
	if (syscall(SYS_rseq, area, SIZE, UNREGISTER, RSEQ_SIG) != 0)
		syscall(SYS_rseq, area, __rseq_size, UNREGISTER, RSEQ_SIG);
#endif
}

bool replay_begin_marks(void)
{
	char name[128];
	const ssize_t got = told < 0 ? -1 : read(told, name, sizeof(name) - 1);

	if (got <= 0)
		return false;
	name[got] = '\0';
	end_rseq();
	return agent_marks_begin(name, log_place);
}

static void tell(enum replay_news news, const char *where, const char *format, va_list arguments)
{
	char text[2048];
	int used = snprintf(text, sizeof(text), "%c%s", news, where);

	used += vsnprintf(text + used, sizeof(text) - (size_t)used - 1, format, arguments);
	if (used > (int)sizeof(text) - 2)
		used = (int)sizeof(text) - 2;
	text[used++] = '\n';
	if (told >= 0 && write(told, text, (size_t)used) < 0)
		told = -1;
}

void replay_tell(enum replay_news news, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	tell(news, "", format, arguments);
	va_end(arguments);
}

static void tell_call(enum replay_news news, const char *format, va_list arguments)
{
	char where[128];

	snprintf(where, sizeof(where), "call %llu, %s: ", (unsigned long long)log_place->call,
	         mpi_call_name(log_place->function));
	tell(news, where, format, arguments);
}

void replay_tell_call(enum replay_news news, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	tell_call(news, format, arguments);
	va_end(arguments);
}

void replay_stop(enum replay_news news, const char *format, ...)
{
	va_list arguments;

	fflush(NULL); /* what the program has printed so far */
	matches_end();
	va_start(arguments, format);
	tell_call(news, format, arguments);
	va_end(arguments);
	agent_marks_end();
	_exit(0);
}

void replay_ended(void)
{
	const uint64_t damaged = log_damaged();

	if (damaged > 0)
		replay_stop(REPLAY_CANNOT, "the recording is damaged behind call %llu",
		            (unsigned long long)(damaged - 1));
	if (!log_place->inside)
		replay_stop(REPLAY_OVER, "the recording ends behind this call");
	replay_stop(REPLAY_OVER, "the recording ends in this call");
}
