#include "gdb_link.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rsp.h"

struct gdb_link {
	int fd;
	GByteArray *received;
	bool acknowledges;
	bool is_gone;
};

struct gdb_link *gdb_link_new(void)
{
	struct gdb_link *link = g_new0(struct gdb_link, 1);

	link->fd = -1;
	link->received = g_byte_array_new();
	link->acknowledges = true;
	return link;
}

void gdb_link_open(struct gdb_link *link, int fd)
{
	link->fd = fd;
}

void gdb_link_free(struct gdb_link *link)
{
	if (!link)
		return;
	if (link->fd >= 0)
		close(link->fd);
	g_byte_array_unref(link->received);
	g_free(link);
}

static bool read_more(struct gdb_link *link, int flags)
{
	guint8 bytes[16384];
	ssize_t count;

	do
		count = recv(link->fd, bytes, sizeof bytes, flags);
	while (count < 0 && errno == EINTR);
	if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return true;
	if (count <= 0)
		link->is_gone = true;
	else
		g_byte_array_append(link->received, bytes, (guint)count);
	return !link->is_gone;
}

static void send_bytes(struct gdb_link *link, const char *bytes, gsize count)
{
	while (count > 0 && !link->is_gone) {
		ssize_t sent = send(link->fd, bytes, count, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0) {
			link->is_gone = true;
			return;
		}
		bytes += sent;
		count -= (gsize)sent;
	}
}

bool gdb_link_receive(struct gdb_link *link, GString *ret_packet)
{
	while (!link->is_gone) {
		switch (rsp_take(link->received, ret_packet)) {
		case RSP_PACKET:
			if (link->acknowledges)
				send_bytes(link, "+", 1);
			return true;
		case RSP_MORE: read_more(link, 0); break;
		case RSP_INTERRUPT: break; /* it stands still already */
		case RSP_DAMAGED: send_bytes(link, "-", 1); break;
		case RSP_TOO_LONG: return false;
		}
	}
	return false;
}

void gdb_link_send(struct gdb_link *link, const GString *packet)
{
	g_autoptr(GString) out = g_string_new(NULL);

	rsp_frame(out, packet->str, packet->len);
	send_bytes(link, out->str, out->len);
}

bool gdb_link_is_gone(const struct gdb_link *link)
{
	return link->is_gone;
}

void gdb_link_trust(struct gdb_link *link)
{
	link->acknowledges = false;
}

bool gdb_link_is_interrupted(void *user)
{
	struct gdb_link *link = user;

	if (!read_more(link, MSG_DONTWAIT))
		return true;
	for (guint i = 0; i < link->received->len; i++) {
		if (link->received->data[i] == 3) {
			g_byte_array_remove_index(link->received, i);
			return true;
		}
	}
	return false;
}
