/* process_vm_readv() and process_vm_writev(), for the program and for UCX. In a copy of a rank, the
 * process numbers that it knows belong to keepers, whose memory must not change. If the program
 * names its own number, the copy's own memory is used. If it names another one, the scheduler is
 * told. It then runs the program along the path instead, where each number is the real one. UCX
 * names the sender of a message, and gets that rank's process in this world (peers.h). Direct
 * system calls of the program are not seen. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "park_internal.h"
#include "peers.h"
#include "shim/gate/gate.h"
#include "shim/mpi/next.h"
#include "shim/mpi/real.h"
#include "shim/process/process.h"

static char reason[] = "it reads or writes the memory of other processes (process_vm_readv, "
		       "process_vm_writev)";

/* The real number of the process that the program means. */
static pid_t find(pid_t pid)
{
	const struct wire_message message = {.type = WIRE_ERROR,
	                                     .error = {.refused = true, .text = reason}};

	if (!park_is_rank() || pid == park.real_pid || !process_is_controlled())
		return pid;
	if (pid == park.visible_pid)
		return park.real_pid;
	gate_send(&message);
	gate_wait_for_end();
}

static size_t bytes_of(const struct iovec *parts, unsigned long count)
{
	size_t bytes = 0;

	for (unsigned long i = 0; i < count; i++)
		bytes += parts[i].iov_len;
	return bytes;
}

/* UCX reads a part of a message. If the sender is gone, this rank waits for its end, as it would
 * with shared memory; an error would be a failure of its own. UCX would take a partial read for a
 * complete one, so that is an error. */
static ssize_t read_message(pid_t number, const struct iovec *local, unsigned long local_count,
                            const struct iovec *remote, unsigned long remote_count,
                            unsigned long flags)
{
	pid_t process = number;
	ssize_t got;

	if (park_is_rank())
		process = peers_find(park.world, number, park.control_fd);
	if (process < 0)
		park_leave_without_scheduler();
	got = syscall(SYS_process_vm_readv, (long)(process > 0 ? process : find(number)), local,
	              local_count, remote, remote_count, flags);
	if (got < 0 && errno == ESRCH && process_is_controlled())
		gate_wait_for_end_in_mpi();
	if (got >= 0 && (size_t)got < bytes_of(local, local_count)) {
		errno = EFAULT;
		return -1;
	}
	return got;
}

EXPORTED ssize_t process_vm_readv(pid_t pid, const struct iovec *local, unsigned long local_count,
                                  const struct iovec *remote, unsigned long remote_count,
                                  unsigned long flags)
{
	const void *site = __builtin_return_address(0);

	if (!real_is_shim(site) && peers_is_asked_by(site))
		return read_message(pid, local, local_count, remote, remote_count, flags);
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
