#define _GNU_SOURCE
#include "channel.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum {
	FIRST_INPUT = 4096,
	SCHEDULER_GONE = 118, /* exit status, as in park.c */
};

static struct {
	int socket;
	struct wire_buffer out;
	uint8_t *input;
	size_t input_start, input_count, input_capacity;
	struct timespec limit; /* for waiting; none: without end */
} channel = {.socket = -1};

_Noreturn void channel_lost(void)
{
	_exit(SCHEDULER_GONE);
}

void channel_open(int socket)
{
	channel.socket = socket;
}

/* --- what is said ----------------------------------------------------------------------------- */

static void send_all(const uint8_t *bytes, size_t count)
{
	while (count > 0) {
		ssize_t sent = send(channel.socket, bytes, count, MSG_NOSIGNAL);
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			channel_lost();
		bytes += sent;
		count -= (size_t)sent;
	}
}

struct wire_buffer *channel_begin(void)
{
	channel.out.count = 0;
	return &channel.out;
}

void channel_send(void)
{
	if (channel.out.failed)
		channel_lost();
	send_all(channel.out.bytes, channel.out.count);
}

void channel_send_apart(const struct wire_message *message)
{
	struct wire_buffer out = {0};

	wire_encode(&out, message);
	if (!out.failed)
		send_all(out.bytes, out.count);
	free(out.bytes);
}

/* --- what is heard ---------------------------------------------------------------------------- */

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

bool channel_receive(bool waits)
{
	if (channel.input_count == 0)
		channel.input_start = 0;
	if (channel.input_start + channel.input_count == channel.input_capacity)
		make_room();
	if (waits && !channel_wait(channel.limit.tv_nsec > 0 ? &channel.limit : NULL))
		return false;
	size_t end = channel.input_start + channel.input_count;
	ssize_t count = recv(channel.socket, channel.input + end, channel.input_capacity - end,
	                     MSG_DONTWAIT);
	if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
		return false;
	if (count <= 0)
		channel_lost();
	channel.input_count += (size_t)count;
	return true;
}

void channel_limit_waiting(long milliseconds)
{
	channel.limit.tv_nsec = milliseconds * 1000 * 1000;
}

bool channel_wait(const struct timespec *most)
{
	struct pollfd readable = {.fd = channel.socket, .events = POLLIN};

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

void channel_memory(struct digest_range ret_ranges[CHANNEL_RANGES])
{
	ret_ranges[0] = (struct digest_range){channel.out.bytes, channel.out.capacity};
	ret_ranges[1] = (struct digest_range){channel.input, channel.input_capacity};
}
