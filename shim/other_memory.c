/* process_vm_readv() and process_vm_writev() for the program. In a copy of a rank the numbers of
 * processes that it knows are those of keepers, whose memory must stay what it was: its own is
 * answered by itself; when it names another one the scheduler is told, and runs the program along
 * the path instead, where each number is what it was told to be. System calls of the program's own
 * are not seen. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "gate.h"
#include "next.h"
#include "park_internal.h"

static char reason[] = "it reads or writes the memory of other processes (process_vm_readv, "
		       "process_vm_writev)";

/* The number of the process that is meant. */
static pid_t find(pid_t pid)
{
	const struct wire_message message = {.type = WIRE_ERROR,
	                                     .error = {.refused = true, .text = reason}};

	if (!park_is_rank() || pid == park.real_pid || !gate_is_active())
		return pid;
	if (pid == park.told_pid)
		return park.real_pid;
	gate_tell(&message);
	gate_wait_for_end();
}

EXPORTED ssize_t process_vm_readv(pid_t pid, const struct iovec *local, unsigned long local_count,
                                  const struct iovec *remote, unsigned long remote_count,
                                  unsigned long flags)
{
	return syscall(SYS_process_vm_readv, (long)find(pid), local, local_count, remote,
	               remote_count, flags);
}

EXPORTED ssize_t process_vm_writev(pid_t pid, const struct iovec *local, unsigned long local_count,
                                   const struct iovec *remote, unsigned long remote_count,
                                   unsigned long flags)
{
	return syscall(SYS_process_vm_writev, (long)find(pid), local, local_count, remote,
	               remote_count, flags);
}
