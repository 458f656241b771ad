/* What a debugger that works with checkpoints finds in a rank: Hursey et al., "Checkpoint/Restart-
 * Enabled Parallel Debugging" (EuroMPI 2010), with the names and the types of that paper's
 * implementation. The debugger sets MPIR_debug_with_checkpoint. So it promises to leave when
 * MPIR_checkpoint_debugger_detach is called, before the rank becomes a keeper, and to come back:
 * copies, also those in a restarted job, wait in MPIR_checkpoint_debugger_waitpoint until it has
 * set MPIR_checkpoint_debug_gate. The functions are called from the program's stack. A rank that is
 * copied has no other threads, so only one waits. */
#define _GNU_SOURCE
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ckpt/agent_disk.h"
#include "park_internal.h"
#include "shim/mpi/next.h"

EXPORTED volatile int MPIR_debug_with_checkpoint;
EXPORTED volatile int MPIR_checkpoint_debug_gate;

EXPORTED int MPIR_checkpoint_debugger_detach(void);
EXPORTED void *MPIR_checkpoint_debugger_waitpoint(void);
EXPORTED void *MPIR_checkpoint_debugger_breakpoint(void);
EXPORTED void MPIR_checkpoint_debugger_signal_handler(int signal_number);

/* The debugger stops here, and leaves. */
__attribute__((noinline)) int MPIR_checkpoint_debugger_detach(void)
{
	__asm__ volatile("" ::: "memory");
	return 0;
}

/* The debugger is back, and may stop here. */
__attribute__((noinline)) void *MPIR_checkpoint_debugger_breakpoint(void)
{
	__asm__ volatile("" ::: "memory");
	return NULL;
}

/* Whether the scheduler wants what cannot wait: the rank's end, or its becoming a keeper. */
static bool is_called_away(void)
{
	struct {
		uint32_t length;
		uint16_t type;
	} __attribute__((packed)) head;
	long got = syscall(SYS_recvfrom, park.control_fd, &head, sizeof(head),
	                   MSG_PEEK | MSG_DONTWAIT, NULL, NULL);

	return got == 0
	       || (got == (long)sizeof(head) && (head.type == WIRE_END || head.type == WIRE_PARK));
}

/* By system calls: clocks of the program may be virtual. */
__attribute__((noinline)) void *MPIR_checkpoint_debugger_waitpoint(void)
{
	const struct timespec pause = {.tv_nsec = 5000000};

	while (MPIR_debug_with_checkpoint && !MPIR_checkpoint_debug_gate && !is_called_away())
		syscall(SYS_nanosleep, &pause, NULL);
	return NULL;
}

/* For debuggers that bring threads into the waitpoint by a signal. */
void MPIR_checkpoint_debugger_signal_handler(int signal_number)
{
	(void)signal_number;
	MPIR_checkpoint_debugger_waitpoint();
}

void park_debugger_leaves(void)
{
	if (!MPIR_debug_with_checkpoint)
		return;
	MPIR_checkpoint_debug_gate = 0;
	MPIR_checkpoint_debugger_detach();
}

void park_debugger_returns(void)
{
	if (!MPIR_debug_with_checkpoint)
		return;
	MPIR_checkpoint_debugger_waitpoint();
	MPIR_checkpoint_debugger_breakpoint();
}

void park_debugger_restarted(void)
{
	MPIR_debug_with_checkpoint = *agent_disk_told("debugger") != '\0';
	MPIR_checkpoint_debug_gate = 0;
}
