/* The C library's own function that calls main(). Programs call it; the shim stands in between, to
 * clear the stack before main() has its frame there, and to wait for a debugger. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "common/start_line.h"
#include "shim/mpi/next.h"
#include "shim/process/process.h"
#include "shim/process/stack_residue.h"

typedef int main_function(int count, char **arguments, char **environment);
typedef int start_function(main_function *start, int count, char **arguments, void (*init)(void),
                           void (*fini)(void), void (*linker_fini)(void), void *stack_end);

static main_function *program_main;

/* Both calls have their frames in the same place, if none of them is the last thing done here. */
static int clear_and_start(int count, char **arguments, char **environment)
{
	int status;

	stack_residue_clear_below();
	status = program_main(count, arguments, environment);
	__asm__ volatile("" : "+r"(status));
	return status;
}

start_function __libc_start_main;

EXPORTED int __libc_start_main(main_function *start, int count, char **arguments,
                               void (*init)(void), void (*fini)(void), void (*linker_fini)(void),
                               void *stack_end)
{
	if (process_is_managed() && start_line_is_rank())
		start_line_wait(atoi(getenv("PMI_RANK")));
	stack_residue_start();
	if (stack_residue_range.end > 0) {
		program_main = start;
		start = clear_and_start;
	}
	return NEXT(__libc_start_main)(start, count, arguments, init, fini, linker_fini, stack_end);
}
