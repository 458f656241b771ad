#define _GNU_SOURCE
#include "pipes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "call.h"
#include "devices.h"
#include "files.h"
#include "outside.h"
#include "replay.h"
#include "shim/mpi/next.h"

#define SITE __builtin_return_address(0)
enum {
	PATIENCE = 1000
}; /* ms that another thread of the program has for reading from a full pipe */

/* --- making them ------------------------------------------------------------------------------ */

/* `result`: of the function, which is carried out in both modes. */
static int marked(const void *site, int result, int ends[2])
{
	if (result != 0 || !inputs_enter(INPUTS_PIPE, site))
		return result;
	for (int i = 2; i-- > 0;) {
		const int recorded = (int)log_signed(ends[i]);

		if (log_replaying)
			ends[i] = files_moved(ends[i], recorded);
		devices_mark_pipe(ends[i], site);
	}
	inputs_leave();
	return 0;
}

EXPORTED int pipe(int ends[2])
{
	return marked(SITE, NEXT(pipe)(ends), ends);
}

EXPORTED int pipe2(int ends[2], int flags)
{
	return marked(SITE, NEXT(pipe2)(ends, flags), ends);
}

EXPORTED int socketpair(int domain, int type, int protocol, int ends[2])
{
	return marked(SITE, NEXT(socketpair)(domain, type, protocol, ends), ends);
}

/* --- at replay -------------------------------------------------------------------------------- */

/* What the end is ready for; 0: nothing, within this time. */
static int is_ready(int file, short events, int milliseconds)
{
	struct pollfd one = {.fd = file, .events = events};

	return NEXT(poll)(&one, 1, milliseconds) > 0 ? one.revents : 0;
}

void pipes_skip(int file, size_t size)
{
	char bytes[PIPE_BUF];
	ssize_t got = 1;

	while (size > 0 && got > 0 && is_ready(file, POLLIN, 0) & POLLIN) {
		got = NEXT(read)(file, bytes, size < sizeof(bytes) ? size : sizeof(bytes));
		size -= got > 0 ? (size_t)got : 0;
	}
}

static bool has_threads(void)
{
	struct stat status;

	return syscall(SYS_newfstatat, AT_FDCWD, "/proc/self/task", &status, 0) == 0
	       && status.st_nlink > 3;
}

/* For other threads of the program. A child that would read it is not there, so a pipe that stays
 * full, or has no other end, takes nothing. */
static void pass_on(int file, const char *bytes, size_t size)
{
	while (size > 0) {
		const size_t part = size < PIPE_BUF ? size : PIPE_BUF;
		int ready = is_ready(file, POLLOUT, 0);
		ssize_t written;

		if (ready == 0 && has_threads())
			ready = is_ready(file, POLLOUT, PATIENCE);
		if ((ready & POLLOUT) == 0 || ready & (POLLERR | POLLHUP))
			return;
		written = NEXT(write)(file, bytes, part);
		if (written <= 0)
			return;
		bytes += written;
		size -= (size_t)written;
	}
}

static bool is_replayed(int file, const void *site)
{
	return log_replaying && devices_is_pipe(file) && outside_is_programs(site);
}

ssize_t pipes_write(int file, const void *bytes, size_t size)
{
	if (!log_replaying || !devices_is_pipe(file))
		return NEXT(write)(file, bytes, size);
	pass_on(file, bytes, size);
	return (ssize_t)size;
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Not in the log: handlers of signals write to pipes, whenever signals come. */
EXPORTED ssize_t write(int file, const void *bytes, size_t size)
{
	return is_replayed(file, SITE) ? pipes_write(file, bytes, size)
	                               : NEXT(write)(file, bytes, size);
}

EXPORTED ssize_t send(int file, const void *bytes, size_t size, int flags)
{
	if (!is_replayed(file, SITE))
		return NEXT(send)(file, bytes, size, flags);
	pass_on(file, bytes, size);
	return (ssize_t)size;
}

EXPORTED ssize_t writev(int file, const struct iovec *parts, int count)
{
	ssize_t whole = 0;

	if (!is_replayed(file, SITE))
		return NEXT(writev)(file, parts, count);
	for (int i = 0; i < count; i++) {
		pass_on(file, parts[i].iov_base, parts[i].iov_len);
		whole += (ssize_t)parts[i].iov_len;
	}
	return whole;
}

/* --- reading in other ways -------------------------------------------------------------------- */

EXPORTED ssize_t readv(int file, const struct iovec *parts, int count)
{
	struct outside_call call;
	ssize_t got = 0;

	if (!devices_is_marked(file))
		return NEXT(readv)(file, parts, count);
	if (outside_begin(&call, INPUTS_READ, SITE))
		OUTSIDE_RUN(call, got = NEXT(readv)(file, parts, count));
	if (outside_logs(&call))
		return devices_given(file, got, parts, count);
	return call.is_refused ? NEXT(readv)(file, parts, count) : got;
}

static ssize_t recv_from(const void *site, int file, void *buffer, size_t size, int flags)
{
	const struct iovec part = {buffer, size};
	struct outside_call call;
	ssize_t got = 0;

	if (!devices_is_marked(file))
		return NEXT(recv)(file, buffer, size, flags);
	if (outside_begin(&call, INPUTS_READ, site))
		OUTSIDE_RUN(call, got = NEXT(recv)(file, buffer, size, flags));
	if (outside_logs(&call))
		return devices_given(flags & MSG_PEEK ? -1 : file, got, &part, 1);
	return call.is_refused ? NEXT(recv)(file, buffer, size, flags) : got;
}

EXPORTED ssize_t recv(int file, void *buffer, size_t size, int flags)
{
	return recv_from(SITE, file, buffer, size, flags);
}

/* What recv and poll are where the compiler knows the size of the buffer (-D_FORTIFY_SOURCE). */
ssize_t __recv_chk(int file, void *buffer, size_t size, size_t room, int flags);
int __poll_chk(struct pollfd *all, nfds_t count, int milliseconds, size_t room);

EXPORTED ssize_t __recv_chk(int file, void *buffer, size_t size, size_t room, int flags)
{
	return size <= room ? recv_from(SITE, file, buffer, size, flags)
	                    : NEXT(__recv_chk)(file, buffer, size, room, flags);
}

/* --- waiting for them ------------------------------------------------------------------------- */

static bool has_marked(const struct pollfd *all, nfds_t count)
{
	for (nfds_t i = 0; i < count; i++)
		if (devices_is_marked(all[i].fd))
			return true;
	return false;
}

static int polled(struct outside_call *call, struct pollfd *all, nfds_t count, int ready)
{
	if (!outside_logs(call))
		return ready;
	ready = (int)inputs_result(ready);
	for (nfds_t i = 0; i < count && ready >= 0; i++)
		all[i].revents = (short)log_signed(all[i].revents);
	inputs_leave();
	return ready;
}

static int poll_from(const void *site, struct pollfd *all, nfds_t count, int milliseconds)
{
	struct outside_call call;
	int ready = 0;

	if (!has_marked(all, count))
		return NEXT(poll)(all, count, milliseconds);
	if (outside_begin(&call, INPUTS_POLL, site) || call.is_refused)
		OUTSIDE_RUN(call, ready = NEXT(poll)(all, count, milliseconds));
	return polled(&call, all, count, ready);
}

EXPORTED int poll(struct pollfd *all, nfds_t count, int milliseconds)
{
	return poll_from(SITE, all, count, milliseconds);
}

EXPORTED int __poll_chk(struct pollfd *all, nfds_t count, int milliseconds, size_t room)
{
	return count <= room / sizeof(*all) ? poll_from(SITE, all, count, milliseconds)
	                                    : NEXT(__poll_chk)(all, count, milliseconds, room);
}

EXPORTED int ppoll(struct pollfd *all, nfds_t count, const struct timespec *time,
                   const sigset_t *signals)
{
	struct outside_call call;
	int ready = 0;

	if (!has_marked(all, count))
		return NEXT(ppoll)(all, count, time, signals);
	if (outside_begin(&call, INPUTS_POLL, SITE) || call.is_refused)
		OUTSIDE_RUN(call, ready = NEXT(ppoll)(all, count, time, signals));
	return polled(&call, all, count, ready);
}

static bool has_marked_bit(int count, fd_set *const sets[3])
{
	for (int i = 0; i < 3; i++)
		for (int file = 0; sets[i] && file < count && file < FD_SETSIZE; file++)
			if (FD_ISSET(file, sets[i]) && devices_is_marked(file))
				return true;
	return false;
}

static int selected(struct outside_call *call, int count, fd_set *const sets[3], int ready)
{
	const int bits = 8 * (int)sizeof(fd_mask);
	const size_t size = (size_t)((count + bits - 1) / bits) * sizeof(fd_mask);

	if (!outside_logs(call))
		return ready;
	ready = (int)inputs_result(ready);
	for (int i = 0; i < 3; i++)
		if (sets[i] && ready >= 0)
			log_data(sets[i], size);
	return ready;
}

EXPORTED int select(int count, fd_set *restrict reads, fd_set *restrict writes,
                    fd_set *restrict others, struct timeval *restrict time)
{
	fd_set *const sets[] = {reads, writes, others};
	struct outside_call call;
	int ready = 0;

	if (!has_marked_bit(count, sets))
		return NEXT(select)(count, reads, writes, others, time);
	if (outside_begin(&call, INPUTS_POLL, SITE) || call.is_refused)
		OUTSIDE_RUN(call, ready = NEXT(select)(count, reads, writes, others, time));
	ready = selected(&call, count, sets, ready);
	if (!call.is_given)
		return ready;
	if (time)
		log_data(time, sizeof(*time)); /* Linux leaves there what is left of it */
	inputs_leave();
	return ready;
}

EXPORTED int pselect(int count, fd_set *restrict reads, fd_set *restrict writes,
                     fd_set *restrict others, const struct timespec *restrict time,
                     const sigset_t *restrict signals)
{
	fd_set *const sets[] = {reads, writes, others};
	struct outside_call call;
	int ready = 0;

	if (!has_marked_bit(count, sets))
		return NEXT(pselect)(count, reads, writes, others, time, signals);
	if (outside_begin(&call, INPUTS_POLL, SITE) || call.is_refused)
		OUTSIDE_RUN(call,
		            ready = NEXT(pselect)(count, reads, writes, others, time, signals));
	ready = selected(&call, count, sets, ready);
	if (call.is_given)
		inputs_leave();
	return ready;
}
