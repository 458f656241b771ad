#define _GNU_SOURCE
#include "channel.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include "ckpt/agent.h"
#include "ckpt/agent_failure.h"
#include "ring_writer.h"

enum {
	FIRST_INPUT = 4096,
};

static struct {
	int socket;
	struct wire_buffer out;
	size_t kept; /* bytes of `out` that go with the next send */
	bool shared; /* by threads that send by themselves */
	bool rewinds;
	uint8_t *input;
	size_t input_start, input_count, input_capacity;
	struct timespec limit; /* for waiting; zero: no limit */
	uint64_t sent;         /* bytes, without BELL */
	struct ring_writer ring;
	struct wire_buffer bell; /* one frame */
} channel = {.socket = -1, .ring = {.descriptor = -1}};

_Noreturn void channel_lost(void)
{
	_exit(AGENT_FAILURE_SCHEDULER_GONE);
}

void channel_open(int socket)
{
	channel.socket = socket;
}

/* --- sending ---------------------------------------------------------------------------------- */

/* Sends both ranges, which may be empty, at once: so the scheduler wakes up once. */
static void send_both(const uint8_t *first, size_t first_count, const uint8_t *bytes, size_t count)
{
	channel.sent += first_count + count;
	while (first_count + count > 0) {
		struct iovec parts[] = {{(void *)(uintptr_t)first, first_count},
		                        {(void *)(uintptr_t)bytes, count}};
		const struct msghdr both = {.msg_iov = parts, .msg_iovlen = 2};
		ssize_t sent = sendmsg(channel.socket, &both, MSG_NOSIGNAL);
		size_t of_first;

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			channel_lost();
		of_first = (size_t)sent < first_count ? (size_t)sent : first_count;
		first += of_first;
		first_count -= of_first;
		bytes += (size_t)sent - of_first;
		count -= (size_t)sent - of_first;
	}
}

static void send_bell(void)
{
	send_both(channel.bell.bytes, channel.bell.count, NULL, 0);
	channel.sent -= channel.bell.count;
}

/* Lets the scheduler read for a moment. */
static void wait_for_reader(void)
{
	enum { MOMENT = 1 }; /* milliseconds */
	struct pollfd lost = {.fd = channel.socket};

	if (ring_writer_must_ring(&channel.ring, true))
		send_bell();
	sched_yield();
	if (poll(&lost, 1, MOMENT) > 0)
		channel_lost();
}

/* By the ring, if it is its turn. */
static void send_out(const uint8_t *bytes, size_t count)
{
	if (!ring_writer_is_next(&channel.ring, channel.sent)) {
		send_both(bytes, count, NULL, 0);
		return;
	}
	while (count > 0) {
		size_t written = ring_writer_put(&channel.ring, bytes, count);

		bytes += written;
		count -= written;
		if (count > 0)
			wait_for_reader();
	}
	if (ring_writer_must_ring(&channel.ring, false))
		send_bell();
}

void channel_offer_ring(void)
{
	struct wire_message offer = {.type = WIRE_RING};

	wire_encode(&channel.bell, &(const struct wire_message){.type = WIRE_BELL});
	if (channel.bell.failed || !ring_writer_open(&channel.ring, AGENT_WORLD_FD + 1))
		return;
	offer.ring.descriptor = (uint32_t)channel.ring.descriptor;
	offer.ring.key = channel.ring.ring->key;
	channel_send_apart(&offer);
}

void channel_leave_ring(void)
{
	while (ring_writer_has_unread(&channel.ring))
		wait_for_reader();
	ring_writer_close(&channel.ring);
}

void channel_expect(bool answer)
{
	ring_writer_expect(&channel.ring, answer);
}

struct wire_buffer *channel_begin(void)
{
	channel.out.count = channel.kept;
	channel.kept = 0;
	return &channel.out;
}

void channel_send(void)
{
	if (channel.out.failed)
		channel_lost();
	send_out(channel.out.bytes, channel.out.count);
}

void channel_keep(void)
{
	if (channel.out.failed)
		channel_lost();
	channel.kept = channel.out.count;
	if (channel.shared)
		channel_send_kept();
}

void channel_share(void)
{
	channel_leave_ring();
	channel.shared = true;
}

void channel_send_kept(void)
{
	const size_t kept = channel.kept;

	channel.kept = 0;
	if (kept > 0)
		send_out(channel.out.bytes, kept);
}

void channel_send_bytes(const uint8_t *bytes, size_t count)
{
	size_t kept;

	if (channel.ring.used)
		channel_send_kept();
	kept = channel.kept;
	channel.kept = 0;
	send_both(channel.out.bytes, kept, bytes, count);
}

void channel_send_apart(const struct wire_message *message)
{
	struct wire_buffer out = {0};

	wire_encode(&out, message);
	if (!out.failed)
		channel_send_bytes(out.bytes, out.count);
	free(out.bytes);
}

/* --- receiving -------------------------------------------------------------------------------- */

static void make_room(void)
{
	if (channel.input_start > 0) {
		memmove(channel.input, channel.input + channel.input_start, channel.input_count);
		channel.input_start = 0;
	}
	if (channel.input_count < channel.input_capacity)
		return;
	size_t capacity = channel.input_capacity > 0 ? 2 * channel.input_capacity : FIRST_INPUT;
	uint8_t *grown = realloc(channel.input, capacity);
	if (!grown)
		channel_lost();
	channel.input = grown;
	channel.input_capacity = capacity;
}

/* Of `more` bytes behind the input so far: how many may be read. Bytes behind REWIND are for the
 * state that the rank will have then, which reads them itself. */
static size_t until_rewind(size_t more)
{
	const uint8_t *bytes = channel.input + channel.input_start;
	const size_t count = channel.input_count + more;
	long length;

	for (size_t at = 0; (length = wire_frame_length(bytes + at, count - at)) > 0;) {
		const bool rewinds = wire_frame_type(bytes + at) == WIRE_REWIND;

		at += (size_t)length;
		if (rewinds)
			return at > channel.input_count ? at - channel.input_count : 0;
	}
	return more;
}

static ssize_t receive(uint8_t *bytes, size_t room)
{
	ssize_t count = recv(channel.socket, bytes, room,
	                     MSG_DONTWAIT | (channel.rewinds ? MSG_PEEK : 0));

	if (!channel.rewinds || count <= 0)
		return count;
	room = until_rewind((size_t)count);
	if (room > 0)
		return recv(channel.socket, bytes, room, MSG_DONTWAIT);
	errno = EAGAIN;
	return -1;
}

bool channel_receive(bool waits)
{
	if (channel.input_count == 0)
		channel.input_start = 0;
	if (channel.input_start + channel.input_count == channel.input_capacity)
		make_room();
	if (waits && !channel_wait(channel.limit.tv_nsec > 0 ? &channel.limit : NULL))
		return false;
	size_t end = channel.input_start + channel.input_count;
	ssize_t count = receive(channel.input + end, channel.input_capacity - end);
	if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
		return false;
	if (count <= 0)
		channel_lost();
	channel.input_count += (size_t)count;
	return true;
}

void channel_stop_at_rewind(void)
{
	channel.rewinds = true;
}

void channel_limit_waiting(long milliseconds)
{
	channel.limit.tv_nsec = milliseconds * 1000 * 1000;
}

bool channel_wait(const struct timespec *most)
{
	struct pollfd readable = {.fd = channel.socket, .events = POLLIN};

	channel_send_kept();
	if (ring_writer_has_unread(&channel.ring) && ring_writer_must_ring(&channel.ring, true))
		send_bell();
	return ppoll(&readable, 1, most, NULL) > 0;
}

bool channel_next(struct wire_message *ret_message)
{
	const uint8_t *bytes = channel.input + channel.input_start;
	long length = channel.input_count > 0 ? wire_frame_length(bytes, channel.input_count) : 0;

	if (length == 0)
		return false;
	if (length < 0 || wire_decode(bytes, (size_t)length, ret_message) < 0)
		channel_lost();
	channel.input_start += (size_t)length;
	channel.input_count -= (size_t)length;
	return true;
}

bool channel_has_unread(void)
{
	return channel.input_count > 0;
}

static struct memory_range range_of(const uint8_t *bytes, size_t count)
{
	return (struct memory_range){(uintptr_t)bytes, (uintptr_t)bytes + count};
}

void channel_memory(struct memory_range ret_ranges[CHANNEL_RANGES])
{
	ret_ranges[0] = range_of(channel.out.bytes, channel.out.capacity);
	ret_ranges[1] = range_of(channel.input, channel.input_capacity);
	ret_ranges[2] = range_of((const uint8_t *)channel.ring.ring,
	                         channel.ring.ring ? sizeof(struct report_ring) : 0);
}
