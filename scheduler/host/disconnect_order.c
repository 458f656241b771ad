#include "disconnect_order.h"

#include <stdbool.h>
#include <sys/epoll.h>
#include <unistd.h>

#define AT_ONCE 64

struct disconnect_order {
	int epoll;
	GArray *order;
};

struct disconnect_order *disconnect_order_new(void)
{
	struct disconnect_order *order = g_new0(struct disconnect_order, 1);

	order->epoll = epoll_create1(EPOLL_CLOEXEC);
	order->order = g_array_new(false, false, sizeof(int));
	return order;
}

void disconnect_order_free(struct disconnect_order *order)
{
	if (!order)
		return;
	if (order->epoll >= 0)
		close(order->epoll);
	g_array_unref(order->order);
	g_free(order);
}

void disconnect_order_watch(struct disconnect_order *order, int rank, int socket)
{
	/* Not EPOLLIN: readable data would put the socket on the ready list before it
	 * disconnects. */
	struct epoll_event event = {.events = EPOLLRDHUP | EPOLLONESHOT, .data.fd = rank};

	epoll_ctl(order->epoll, EPOLL_CTL_ADD, socket, &event);
}

void disconnect_order_add(struct disconnect_order *order, int rank)
{
	g_array_append_val(order->order, rank);
}

/* The kernel returns sockets in the order in which they became ready, each one once. */
const GArray *disconnect_order_of(struct disconnect_order *order)
{
	struct epoll_event events[AT_ONCE];
	int count;

	while ((count = epoll_wait(order->epoll, events, AT_ONCE, 0)) > 0)
		for (int i = 0; i < count; i++)
			g_array_append_val(order->order, events[i].data.fd);
	return order->order;
}
