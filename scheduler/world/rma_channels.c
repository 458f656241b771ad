#include "rma_channels.h"

#include "mpi_calls.h"

enum channel {
	CHANNEL_ATOMIC, /* one rank updates, another one fetches */
	CHANNEL_LOOK,   /* one rank writes, another one looks into its memory */
	CHANNELS
};

/* The steps of one rank, in program order. */
struct steps {
	GArray *written; /* struct rma_clock pointers: what the rank knew when it wrote */
	GArray *learnt;  /* guint32: times at which it may have learnt something */
};

/* What is known of the loads of one rank. */
struct sight {
	bool seen;      /* they are reported */
	guint32 looked; /* then: the time of a look, by which the next one may learn; 0: none */
};

/* All channels of one window: steps[rank * CHANNELS + channel]. */
struct window {
	guint64 number;
	struct sight *sights; /* by rank */
	struct steps steps[];
};

struct rma_channels {
	int ranks;
	GPtrArray *windows;
};

static void clear_clock(gpointer clock)
{
	rma_clock_unref(*(struct rma_clock **)clock);
}

static struct window *window_new(guint64 number, int ranks)
{
	guint count = (guint)ranks * CHANNELS;
	struct window *window = g_malloc(sizeof(*window) + count * sizeof(struct steps));

	window->number = number;
	window->sights = g_new0(struct sight, ranks);
	for (guint i = 0; i < count; i++) {
		window->steps[i].written = g_array_new(false, false, sizeof(struct rma_clock *));
		window->steps[i].learnt = g_array_new(false, false, sizeof(guint32));
		g_array_set_clear_func(window->steps[i].written, clear_clock);
	}
	return window;
}

struct rma_channels *rma_channels_new(int ranks)
{
	struct rma_channels *channels = g_new0(struct rma_channels, 1);

	channels->ranks = ranks;
	channels->windows = g_ptr_array_new();
	return channels;
}

void rma_channels_free(struct rma_channels *channels)
{
	if (!channels)
		return;
	for (guint i = 0; i < channels->windows->len; i++) {
		struct window *window = channels->windows->pdata[i];

		for (guint j = 0; j < (guint)channels->ranks * CHANNELS; j++) {
			g_array_unref(window->steps[j].written);
			g_array_unref(window->steps[j].learnt);
		}
		g_free(window->sights);
		g_free(window);
	}
	g_ptr_array_unref(channels->windows);
	g_free(channels);
}

static struct window *window_of(const struct rma_channels *channels, guint64 number)
{
	struct window *window = NULL;

	for (guint i = channels->windows->len; i-- > 0 && !window;) {
		struct window *one = channels->windows->pdata[i];

		if (one->number == number)
			window = one;
	}
	if (!window) {
		window = window_new(number, channels->ranks);
		g_ptr_array_add(channels->windows, window);
	}
	return window;
}

static struct steps *steps_of(struct window *window, int rank, enum channel channel)
{
	return &window->steps[(guint)rank * CHANNELS + channel];
}

/* Several steps with the same knowledge are kept once. */
static void add_step(struct steps *steps, struct rma_clock *known)
{
	guint count = steps->written->len;

	if (count > 0 && g_array_index(steps->written, struct rma_clock *, count - 1) == known)
		rma_clock_unref(known);
	else
		g_array_append_val(steps->written, known);
}

static void learn(struct rma_order *order, int rank, struct steps *steps)
{
	guint32 time = rma_order_tick(order, rank);

	g_array_append_val(steps->learnt, time);
}

/* The rank loads: what it sees was there when it looked. */
static void learn_by_look(struct sight *sight, struct steps *steps)
{
	if (sight->looked > 0)
		g_array_append_val(steps->learnt, sight->looked);
	sight->looked = 0;
}

static bool has_role(const struct wire_access *access, guint8 role)
{
	for (guint32 i = 0; i < access->part_count; i++)
		if (access->parts[i].role == role)
			return true;
	return false;
}

/* Loads and stores. An atomic instruction that stores may also load. */
static void read_direct(struct window *window, struct rma_order *order, int rank,
                        const struct wire_access *access)
{
	struct steps *memory = steps_of(window, rank, CHANNEL_LOOK);
	struct sight *sight = &window->sights[rank];

	if (access->flags & WIRE_ACCESS_ATOMIC && has_role(access, WIRE_PART_WRITTEN))
		add_step(memory, rma_order_now(order, rank));
	if (access->flags & WIRE_ACCESS_ATOMIC || has_role(access, WIRE_PART_READ))
		learn_by_look(sight, memory);
	if (access->flags & WIRE_ACCESS_ATOMIC)
		learn(order, rank, memory);
}

void rma_channels_read(struct rma_channels *channels, struct rma_order *order, int rank,
                       const struct wire_access *access)
{
	bool moves = access->kind == WIRE_ACCESS_DATA;
	bool looks = access->kind == WIRE_ACCESS_LOOK;
	bool writes = moves && access->flags & WIRE_ACCESS_WRITES;
	bool atomic = moves && access->flags & WIRE_ACCESS_ATOMIC;
	bool fetches = atomic && access->flags & WIRE_ACCESS_READS;
	bool direct = access->kind == WIRE_ACCESS_LOCAL && access->flags & WIRE_ACCESS_DIRECT;
	bool seen = access->kind == WIRE_ACCESS_WINDOW && access->flags & WIRE_WINDOW_SEEN;
	struct window *window;

	if (!moves && !looks && !direct && !seen)
		return;
	window = window_of(channels, access->window);
	if (seen)
		window->sights[rank].seen = true;
	if (direct)
		read_direct(window, order, rank, access);
	if (writes && atomic)
		add_step(steps_of(window, rank, CHANNEL_ATOMIC), rma_order_now(order, rank));
	/* MPI_Win_sync makes visible to others what a rank has stored into its own memory. */
	if (writes || (looks && access->function == MPI_CALL_Win_sync))
		add_step(steps_of(window, rank, CHANNEL_LOOK), rma_order_now(order, rank));
	if (fetches)
		learn(order, rank, steps_of(window, rank, CHANNEL_ATOMIC));
	else if (looks && window->sights[rank].seen)
		window->sights[rank].looked = rma_order_tick(order, rank);
	else if (looks)
		learn(order, rank, steps_of(window, rank, CHANNEL_LOOK));
}

/* What the rank knew at its first step that passes this knowledge on; false: there is no such
 * step. */
static bool first_written(const struct steps *steps, int rank, guint32 time,
                          struct rma_clock **ret_known)
{
	guint low = 0, high = steps->written->len;

	while (low < high) {
		guint middle = low + (high - low) / 2;

		if (rma_clock_knows(g_array_index(steps->written, struct rma_clock *, middle), rank,
		                    time))
			high = middle;
		else
			low = middle + 1;
	}
	if (low == steps->written->len)
		return false;
	*ret_known = g_array_index(steps->written, struct rma_clock *, low);
	return true;
}

/* The time of the rank's last learning step before `later`; 0: none. */
static guint32 last_learnt(const struct steps *steps, int rank, const struct rma_clock *later)
{
	guint low = 0, high = steps->learnt->len;

	while (low < high) {
		guint middle = low + (high - low) / 2;

		if (rma_clock_knows(later, rank, g_array_index(steps->learnt, guint32, middle)))
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? g_array_index(steps->learnt, guint32, low - 1) : 0;
}

static bool passes(const struct rma_channels *channels, const struct window *window, guint channel,
                   int rank, guint32 time, const struct rma_clock *later)
{
	for (int from = 0; from < channels->ranks; from++) {
		struct rma_clock *written;

		if (!first_written(&window->steps[(guint)from * CHANNELS + channel], rank, time,
		                   &written))
			continue;
		for (int to = 0; to < channels->ranks; to++) {
			const struct steps *steps = &window->steps[(guint)to * CHANNELS + channel];
			guint32 learnt = to == from ? 0 : last_learnt(steps, to, later);

			/* What was learnt before it was written was something else. */
			if (learnt > 0 && !rma_clock_knows(written, to, learnt))
				return true;
		}
	}
	return false;
}

bool rma_channels_pass(const struct rma_channels *channels, int rank, guint32 time,
                       const struct rma_clock *later)
{
	for (guint i = 0; i < channels->windows->len; i++) {
		for (guint channel = 0; channel < CHANNELS; channel++)
			if (passes(channels, channels->windows->pdata[i], channel, rank, time,
			           later))
				return true;
	}
	return false;
}

/* --- what still matters ----------------------------------------------------------------------- */

/* The time of the rank's last learning step; 0: none. */
static guint32 learnt_last(const struct steps *steps)
{
	return steps->learnt->len > 0
	               ? g_array_index(steps->learnt, guint32, steps->learnt->len - 1)
	               : 0;
}

bool rma_channels_learnt(const struct rma_channels *channels)
{
	for (guint i = 0; i < channels->windows->len; i++) {
		const struct window *window = channels->windows->pdata[i];

		for (guint j = 0; j < (guint)channels->ranks * CHANNELS; j++)
			if (learnt_last(&window->steps[j]) > 0)
				return true;
	}
	return false;
}

static bool all_know(const struct rma_channels *channels, const struct rma_order *order, int rank,
                     guint32 time)
{
	for (int other = 0; time > 0 && other < channels->ranks; other++)
		if (!rma_order_knows(order, other, rank, time))
			return false;
	return true;
}

bool rma_channels_known(const struct rma_channels *channels, const struct rma_order *order)
{
	for (guint i = 0; i < channels->windows->len; i++) {
		const struct window *window = channels->windows->pdata[i];

		for (guint j = 0; j < (guint)channels->ranks * CHANNELS; j++)
			if (!all_know(channels, order, (int)(j / CHANNELS),
			              learnt_last(&window->steps[j])))
				return false;
		for (int rank = 0; rank < channels->ranks; rank++)
			if (!all_know(channels, order, rank, window->sights[rank].looked))
				return false;
	}
	return true;
}

static bool has_passed(const struct rma_channels *channels, const struct window *window,
                       guint channel, int from, const struct rma_clock *written)
{
	for (int to = 0; to < channels->ranks; to++) {
		guint32 last = learnt_last(&window->steps[(guint)to * CHANNELS + channel]);

		if (to != from && last > 0 && !rma_clock_knows(written, to, last))
			return true;
	}
	return false;
}

void rma_channels_fingerprint(const struct rma_channels *channels, int rank, guint32 time,
                              struct state_hash *ret)
{
	struct state_hash sum = {{0, 0}};

	for (guint i = 0; i < channels->windows->len; i++) {
		const struct window *window = channels->windows->pdata[i];

		for (guint j = 0; j < (guint)channels->ranks * CHANNELS; j++) {
			struct state_hash one = {{window->number, j}};
			struct rma_clock *written;

			if (!first_written(&window->steps[j], rank, time, &written))
				continue;
			state_hash_add(&one, has_passed(channels, window, j % CHANNELS,
			                                (int)(j / CHANNELS), written));
			state_hash_add_member(&sum, &one);
		}
	}
	state_hash_add(ret, sum.word[0]);
	state_hash_add(ret, sum.word[1]);
}
