/* A connection on which frames go in both directions: between the scheduler and its outposts
 * (outpost.h), by TCP, and between it and the errands of the job launcher (errand.h), on this
 * machine. It belongs to a libuv loop, or its owner waits for it.
 *
 * A frame is three numbers of 32 bits, the lowest byte first: how many bytes follow them, a kind,
 * and a number that says what it is about; then those bytes. */
#ifndef MATCHPOINT_SCHEDULER_HOST_FRAMES_H
#define MATCHPOINT_SCHEDULER_HOST_FRAMES_H

#include <glib.h>
#include <stdbool.h>
#include <uv.h>

/* A frame with more bytes ends the connection. */
#define FRAMES_MOST ((guint32)256 << 20)

struct frame {
	guint32 kind, id;
	GBytes *bytes;
};

struct frames_user {
	/* A frame has arrived. It is freed afterwards. The callback may call frames_free. */
	void (*arrived)(void *user, const struct frame *frame);
	/* The other side has closed the connection, or it is broken: why, for messages. Not called
	 * after frames_free. */
	void (*lost)(void *user, const char *why);
	void *user;
};

struct frames;

/* Takes over the socket, of which reading and writing never blocks from now on. `user` is copied;
 * its functions are called from the loop only. `loop`: NULL: only frames_ask is used. */
struct frames *frames_new(uv_loop_t *loop, int socket, const struct frames_user *user);
/* Closes the connection without a word. The memory is freed by the loop. NULL is legal. */
void frames_free(struct frames *frames);

/* From now on it belongs to another user. */
void frames_give(struct frames *frames, const struct frames_user *user);
/* Takes the connection for lost. */
void frames_give_up(struct frames *frames, const char *why);

/* Queues a frame. It is written before the loop waits, or frames_ask does. */
void frames_send(struct frames *frames, guint32 kind, guint32 id, const void *bytes, gsize count);
/* The same; `value` is consumed if it is floating. frames_value is the way back: a value of that
 * type, owned by the caller; NULL: it has another type. */
void frames_send_value(struct frames *frames, guint32 kind, guint32 id, GVariant *value);
GVariant *frames_value(GBytes *bytes, const char *type);

/* Writes what is queued, and waits until a frame of that kind and number has arrived, which is
 * taken out of the order. Others are delivered by the loop. Returns its bytes, owned by the caller;
 * NULL: the connection is lost, or there was no answer in so many seconds. */
GBytes *frames_ask(struct frames *frames, guint32 kind, guint32 id, double seconds);

/* Whether something has arrived that was not delivered. */
bool frames_has_unread(struct frames *frames);
bool frames_is_lost(const struct frames *frames);

/* Makes the kernel find out within `seconds` that the other machine cannot be reached, even if
 * nothing is to be sent (tcp(7)). */
void frames_watch(struct frames *frames, int seconds);

#endif
