/* The C library's own function that calls main(). Programs call it; the shim stands in between, to
 * fork the ranks, to clear the stack before main() has its frame there, to wait for a debugger, and
 * to keep a process that waits to be spawned. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "common/prelaunched.h"
#include "common/start_line.h"
#include "forked_start.h"
#include "shim/mpi/next.h"
#include "shim/process/process.h"
#include "shim/process/stack_residue.h"
#include "startup.h"

typedef int main_function(int count, char **arguments, char **environment);
typedef int start_function(main_function *start, int count, char **arguments, void (*init)(void),
                           void (*fini)(void), void (*linker_fini)(void), void *stack_end);

static main_function *program_main;
static struct prelaunched group; /* of this process, if it waits to be spawned */

/* Both calls have their frames in the same place, if none of them is the last thing done here. */
static int clear_and_start(int count, char **arguments, char **environment)
{
	int status;

	if (stack_residue_range.end > 0)
		stack_residue_clear_below();
	status = program_main(count, arguments, environment);
	__asm__ volatile("" : "+r"(status));
	return status;
}

static int wait_and_start(int count, char **arguments, char **environment)
{
	startup_wait_for_spawn(&group, (const char *)program_main + 1, &count, &arguments);
	return clear_and_start(count, arguments, environment);
}

/* Not the shell that starts it, nor what it starts itself. */
static bool waits(const char *name)
{
	const char *text = prelaunched_own(false), *rank = getenv("PMI_RANK");

	return process_is_managed() && text && rank && prelaunched_of(text, atoi(rank), &group)
	       && prelaunched_is_named(&group, name);
}

start_function __libc_start_main;

EXPORTED int __libc_start_main(main_function *start, int count, char **arguments,
                               void (*init)(void), void (*fini)(void), void (*linker_fini)(void),
                               void *stack_end)
{
	forked_start(arguments);
	if (process_is_managed() && start_line_is_rank())
		start_line_wait(atoi(getenv("PMI_RANK")));
	stack_residue_start();
	program_main = start;
	if (waits(arguments[0]))
		start = wait_and_start;
	else if (stack_residue_range.end > 0)
		start = clear_and_start;
	return NEXT(__libc_start_main)(start, count, arguments, init, fini, linker_fini, stack_end);
}
