/* Messages between processes and the scheduler, and when they arrive. */
#include "sim_internal.h"

#define LATENCY_US 1500 /* the longest time that a message takes */
/* The same with SIM_SLOW, from time to time; less than the scheduler's time-outs. */
#define SLOW_US (3 * G_USEC_PER_SEC / 2)
#define COMPUTE_US 30000             /* the longest time between calls with SIM_LONG */
#define LATE_US 400000               /* the same until a HELLO with SIM_LATE_HELLO */
#define NO_ROLE ((enum link_role)99) /* of a link that is closed */

struct sim_link *sim_link_new(struct sim_process *process)
{
	struct sim_link *link = g_new0(struct sim_link, 1);

	link->base = (struct host_link){
		.host = &process->sim->base, .role = LINK_NEW, .owner = process->sim->user};
	link->process = process;
	link->references = 1;
	return link;
}

void sim_link_unref(struct sim_link *link)
{
	if (--link->references > 0)
		return;
	/* A host would have freed it when it was closed. */
	g_assert_true(!link->closed
	              || (link->base.role == NO_ROLE && !link->base.owner && !link->base.rank));
	g_free(link);
}

void sim_invalidate_closed(struct sim *sim)
{
	for (guint i = 0; i < sim->closed->len; i++) {
		struct sim_link *link = sim->closed->pdata[i];

		link->base = (struct host_link){.host = &sim->base, .role = NO_ROLE};
		sim_link_unref(link);
	}
	g_ptr_array_set_size(sim->closed, 0);
}

static gint64 arrival(struct sim *sim, gint64 *last)
{
	gint64 time = sim->now + 1 + sim_draw(sim, LATENCY_US);

	if (sim->slow && sim_one_in(sim, 20))
		time += sim_draw(sim, SLOW_US);
	*last = MAX(time, *last);
	return *last;
}

static GBytes *frame_of(const struct wire_message *message)
{
	struct wire_buffer buffer = {0};
	GBytes *frame;

	wire_encode(&buffer, message);
	g_assert_false(buffer.failed);
	frame = g_bytes_new(buffer.bytes, buffer.count);
	wire_buffer_release(&buffer);
	return frame;
}

/* false: it is no valid message. */
static bool read_frame(GBytes *frame, struct wire_message *ret_message)
{
	gsize count;
	const guint8 *bytes = g_bytes_get_data(frame, &count);

	return wire_frame_length(bytes, count) == (long)count
	       && wire_decode(bytes, count, ret_message) == 0;
}

static void close_link(struct sim_link *link)
{
	struct sim *sim = sim_of(link->base.host);

	link->closed = true;
	link->closed_in = sim->events_happened;
	link->references++;
	g_ptr_array_add(sim->closed, link);
}

/* A link must not be used after it is gone. */
static void assert_valid_link(const struct sim_link *link)
{
	g_assert_true(!link->closed || link->closed_in == sim_of(link->base.host)->events_happened);
}

static void tell_closed(struct sim_link *link, const char *why)
{
	struct sim *sim = sim_of(link->base.host);

	if (link->closed || link->notified_closed)
		return;
	link->notified_closed = true;
	sim->listener->closed(&link->base, why);
	if (!link->closed)
		close_link(link);
}

static void on_frame_up(void *object, GBytes *frame)
{
	struct sim_link *link = object;
	struct sim *sim = sim_of(link->base.host);
	struct wire_message message;

	link->unread--;
	link->rewinding = false;
	if (!link->closed && !read_frame(frame, &message)) {
		tell_closed(link, "a message that cannot be understood");
		sim_process_die(link->process, 118 << 8); /* its connection is closed */
	} else if (!link->closed) {
		if (message.type == WIRE_HELLO)
			link->reads_ahead = false;
		sim->listener->message(&link->base, &message);
		wire_message_release(&message);
	}
	sim_link_unref(link);
}

/* In some worlds, so that ranks also come to an end where they began, and are rewound there. */
static bool computes(const struct sim_process *process)
{
	return process->sim->computes && process->world % 2 == 1;
}

void sim_say(struct sim_process *process, const struct wire_message *message)
{
	struct sim_link *link = process->link;
	struct sim *sim = process->sim;
	GBytes *frame;

	if (process->dead)
		return;
	if (message->type == WIRE_CALL && sim_strikes(sim, SIM_FRAME_CUT, 100)) {
		sim_process_die(process, 9); /* the message under way is never read completely */
		return;
	}
	frame = frame_of(message);
	if (message->type == WIRE_CALL && sim_goes_wrong(sim, SIM_FRAME_BROKEN, 100)) {
		gsize count;
		g_autofree guint8 *bytes = g_bytes_unref_to_data(frame, &count);

		bytes[4] = 0xee; /* no valid type */
		frame = g_bytes_new(bytes, count);
	}
	if (message->type == WIRE_CALL && computes(process))
		link->up = MAX(link->up, sim->now) + sim_draw(sim, COMPUTE_US);
	link->unread++;
	link->references++;
	sim_plan(sim, arrival(sim, &link->up), on_frame_up, link, frame);
}

void sim_be_late(struct sim_process *process)
{
	struct sim *sim = process->sim;

	if (!(sim->options.faults & 1u << SIM_LATE_HELLO) || !computes(process)
	    || !sim_one_in(sim, 3))
		return;
	sim->happened |= 1u << SIM_LATE_HELLO;
	process->link->up = sim->now + sim_draw(sim, LATE_US);
}

static void on_hang_up(void *object, GBytes *frame)
{
	struct sim_link *link = object;

	(void)frame;
	tell_closed(link, NULL);
	sim_link_unref(link);
}

void sim_hang_up(struct sim_process *process)
{
	struct sim_link *link = process->link;

	if (!process->keeps && sim_goes_wrong(process->sim, SIM_HELD_OPEN, 10))
		link->up = process->sim->now + process->sim->options.longest;
	link->references++;
	sim_plan(process->sim, arrival(process->sim, &link->up), on_hang_up, link, NULL);
}

static void on_frame_down(void *object, GBytes *frame)
{
	struct sim_link *link = object;
	struct wire_message message;

	if (!link->process->dead && read_frame(frame, &message)) {
		sim_process_obey(link->process, &message);
		wire_message_release(&message);
	}
	sim_link_unref(link);
}

/* All ranks of a world must have the same clock when they are let go. */
static void check_clocks(struct sim_link *link, const struct wire_message *message)
{
	guint64 *idle_time;

	if (message->type == WIRE_REWIND)
		link->world = message->rewind.world;
	idle_time = sim_idle(sim_of(link->base.host), link->world);
	if (message->type == WIRE_WELCOME)
		link->idle_time = *idle_time = message->welcome.idle_time;
	g_assert_true(message->type != WIRE_GO || link->idle_time == *idle_time);
}

void sim_send(struct host_link *base, const struct wire_message *message)
{
	struct sim_link *link = (struct sim_link *)base;
	struct sim *sim = sim_of(base->host);

	assert_valid_link(link);
	if (link->closed)
		return;
	check_clocks(link, message);
	g_assert_true(message->type != WIRE_WELCOME || !link->reads_ahead);
	sim->early_parks += message->type == WIRE_PARK && link->rewinding;
	link->rewinding |= message->type == WIRE_REWIND && message->rewind.follows;
	link->reads_ahead |= message->type == WIRE_REWIND && !link->process->held
	                     && !message->rewind.follows;
	link->references++;
	sim_plan(sim, arrival(sim, &link->down), on_frame_down, link, frame_of(message));
}

/* The process reads the end of its connection and exits; models shim/park/park.c and
 * shim/gate/gate.c. */
static void on_close_down(void *object, GBytes *frame)
{
	struct sim_link *link = object;

	(void)frame;
	sim_process_die(link->process, 118 << 8);
	sim_link_unref(link);
}

void sim_link_close(struct sim_link *link)
{
	struct sim *sim = sim_of(link->base.host);

	if (link->closed)
		return;
	close_link(link);
	link->references++;
	sim_plan(sim, arrival(sim, &link->down), on_close_down, link, NULL);
}

void sim_close(struct host_link *base)
{
	assert_valid_link((const struct sim_link *)base);
	sim_link_close((struct sim_link *)base);
}

bool sim_has_unread(const struct host_link *base)
{
	const struct sim_link *link = (const struct sim_link *)base;

	assert_valid_link(link);
	return link->unread > 0;
}
