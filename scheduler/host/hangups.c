#include "hangups.h"

#include <stdbool.h>
#include <sys/epoll.h>
#include <unistd.h>

#define AT_ONCE 64

struct hangups {
	int epoll;
	GArray *order;
};

struct hangups *hangups_new(void)
{
	struct hangups *hangups = g_new0(struct hangups, 1);

	hangups->epoll = epoll_create1(EPOLL_CLOEXEC);
	hangups->order = g_array_new(false, false, sizeof(int));
	return hangups;
}

void hangups_free(struct hangups *hangups)
{
	if (!hangups)
		return;
	if (hangups->epoll >= 0)
		close(hangups->epoll);
	g_array_unref(hangups->order);
	g_free(hangups);
}

void hangups_watch(struct hangups *hangups, int rank, int socket)
{
	/* Not for what can be read: that would put it in line before it hangs up. */
	struct epoll_event event = {.events = EPOLLRDHUP | EPOLLONESHOT, .data.fd = rank};

	epoll_ctl(hangups->epoll, EPOLL_CTL_ADD, socket, &event);
}

/* The kernel hands out what became ready in that order, and each but once. */
const GArray *hangups_order(struct hangups *hangups)
{
	struct epoll_event events[AT_ONCE];
	int count;

	while ((count = epoll_wait(hangups->epoll, events, AT_ONCE, 0)) > 0)
		for (int i = 0; i < count; i++)
			g_array_append_val(hangups->order, events[i].data.fd);
	return hangups->order;
}
