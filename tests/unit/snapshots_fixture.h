/* Snapshots of a world of three ranks, with a host that only notes what it is asked for, and
 * executions that are nothing but a placement. */
#ifndef SNAPSHOTS_FIXTURE_H
#define SNAPSHOTS_FIXTURE_H

#include "world_fixture.h"

#include "scheduler/snapshot/held_ranks.h"
#include "scheduler/snapshot/image.h"
#include "scheduler/snapshot/process_group.h"
#include "scheduler/snapshot/snapshots.h"

enum { RANKS = 3, FIRST_PID = 100 };

struct fake_host {
	struct host host; /* must be first */
	GString *asked;   /* what was sent to ranks, and done with worlds */
	gint64 now;
	bool no_memory; /* that of a snapshot cannot be copied */
};

struct execution {
	struct placement placement;
	struct fake_host *fake;
	bool again, missing, orders_lost;
	int held;
	const struct snapshot *state;
};

struct snapshots_fixture {
	struct fixture world;
	struct fake_host fake;
	struct snapshots *snapshots;
	struct host_link links[4 * RANKS];
	int made;
	int hellos;
};

/* --- the host --------------------------------------------------------------------------------- */

static const char *word_of(const struct wire_message *message)
{
	switch (message->type) {
	case WIRE_PARK: return "PARK";
	case WIRE_RESTORE: return "RESTORE";
	case WIRE_REWIND: return "REWIND";
	case WIRE_RELEASE: return "RELEASE";
	case WIRE_RESUME: return "RESUME";
	case WIRE_IMAGE: return "IMAGE";
	case WIRE_END: return "END";
	case WIRE_GO: return "GO";
	default: return "?";
	}
}

static void note(struct host *host, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void note(struct host *host, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	g_string_append_vprintf(((struct fake_host *)host)->asked, format, arguments);
	va_end(arguments);
}

static void send(struct host_link *link, const struct wire_message *message)
{
	note(link->host, "%s ", word_of(message));
}

static gint64 now(struct host *host)
{
	return ((struct fake_host *)host)->now += 1000;
}

static void close_link(struct host_link *link)
{
	(void)link;
}

static char *world_add(struct host *host, guint32 world, GError **error)
{
	(void)error;
	note(host, "add%u ", world);
	return g_strdup_printf("/w%u", world);
}

static void world_remove(struct host *host, guint32 world)
{
	note(host, "remove%u ", world);
}

static char *world_rename(struct host *host, guint32 from, guint32 to, const bool *stays, int ranks,
                          GError **error)
{
	(void)stays, (void)ranks, (void)error;
	note(host, "rename%u-%u ", from, to);
	return g_strdup_printf("/w%u", to);
}

static struct host_snapshot *memory_new(struct host *host, int ranks, const char *directory)
{
	(void)ranks, (void)directory;
	return (struct host_snapshot *)host;
}

static struct host_snapshot *memory_of_world(struct host *host, const char *directory,
                                             const struct host_snapshot *before, guint64 *ret_bytes,
                                             GError **error)
{
	(void)directory, (void)before, (void)error;
	*ret_bytes = 4096;
	return (struct host_snapshot *)host;
}

static void memory_add(struct host_snapshot *memory, int rank, pid_t process,
                       const struct wire_parked *parked)
{
	(void)memory, (void)parked;
	assert_int_equal(process, FIRST_PID + rank);
}

static bool memory_complete(struct host_snapshot *memory, GError **error)
{
	(void)memory, (void)error;
	return true;
}

static bool memory_put(struct host_snapshot *memory, const char *directory, GError **error)
{
	(void)directory;
	if (((struct fake_host *)(void *)memory)->no_memory)
		g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOSPC, "no room");
	return !((struct fake_host *)(void *)memory)->no_memory;
}

static guint32 memory_clones(const struct host_snapshot *memory, int rank, struct wire_clone **ret)
{
	(void)memory, (void)rank;
	*ret = NULL;
	return 0;
}

static void memory_free(struct host_snapshot *memory)
{
	(void)memory;
}

static guint64 size_of(struct host *host, pid_t process)
{
	(void)host, (void)process;
	return 4096;
}

static void keep_left_behind(struct host *host)
{
	(void)host;
}

static const struct host_operations operations = {.send = send,
                                                  .now = now,
                                                  .close = close_link,
                                                  .world_add = world_add,
                                                  .world_remove = world_remove,
                                                  .world_rename = world_rename,
                                                  .snapshot_new = memory_new,
                                                  .snapshot_of_world = memory_of_world,
                                                  .snapshot_add = memory_add,
                                                  .snapshot_complete = memory_complete,
                                                  .snapshot_restore = memory_put,
                                                  .snapshot_rewind = memory_put,
                                                  .snapshot_clones = memory_clones,
                                                  .snapshot_free = memory_free,
                                                  .memory_of = size_of,
                                                  .keep_left_behind = keep_left_behind};

/* --- the executions --------------------------------------------------------------------------- */

static void on_fail(void *user, int rank, const char *what)
{
	(void)user;
	fail_msg("rank %d made %s", rank, what);
}

static void on_hello(void *user, struct host_link *link, const struct wire_hello *hello)
{
	(void)link, (void)hello;
	((struct snapshots_fixture *)user)->hellos++;
}

static void on_made(void *user, const struct snapshot *snapshot)
{
	assert_non_null(snapshot);
	((struct snapshots_fixture *)user)->made++;
}

static void on_placed(struct execution *execution, const struct snapshot *state)
{
	execution->state = state;
}

static void on_welcome(const struct execution *execution, int rank, struct host_link *link)
{
	(void)rank, (void)link;
	note(&execution->fake->host, "welcome ");
}

static void on_nothing(struct execution *execution)
{
	(void)execution;
}

static void on_located(struct execution *execution, int rank, pid_t pid, guint64 inside)
{
	(void)execution, (void)inside;
	assert_int_equal(pid, FIRST_PID + rank);
}

static void on_held(struct execution *execution, int rank)
{
	execution->placement.slots[rank].link = NULL;
	execution->held++;
}

static void on_again(struct execution *execution)
{
	execution->again = true;
}

static bool on_not_rewound(struct execution *execution, int rank, bool ordered)
{
	(void)rank;
	execution->orders_lost |= ordered;
	execution->missing = true;
	return !ordered;
}

static void on_ended(struct execution *execution, int rank, int status)
{
	(void)execution, (void)rank, (void)status;
}

static bool yes(const struct execution *execution)
{
	(void)execution;
	return true;
}

static const struct snapshots_client client = {.fail = on_fail,
                                               .hello = on_hello,
                                               .made = on_made,
                                               .placed = on_placed,
                                               .welcome = on_welcome,
                                               .connected = on_nothing,
                                               .located = on_located,
                                               .held = on_held,
                                               .begin_again = on_again,
                                               .not_rewound = on_not_rewound,
                                               .ended = on_ended,
                                               .is_running = yes,
                                               .advance = on_nothing};

/* --- the fixture ------------------------------------------------------------------------------ */

static int set_up_with(void **state, bool images)
{
	struct snapshots_fixture *fixture = g_new0(struct snapshots_fixture, 1);
	const struct snapshots_options options = {.host = &fixture->fake.host,
	                                          .ranks = RANKS,
	                                          .memory_most = 1 << 30,
	                                          .enabled = true,
	                                          .rewinds = true,
	                                          .images = images,
	                                          .client = &client,
	                                          .user = fixture};

	fixture->fake.host.operations = &operations;
	fixture->fake.asked = g_string_new(NULL);
	fixture_init(&fixture->world, BUFFERING_ZERO);
	for (guint i = 0; i < G_N_ELEMENTS(fixture->links); i++)
		fixture->links[i].host = &fixture->fake.host;
	fixture->snapshots = snapshots_new(&options);
	*state = fixture;
	return 0;
}

static int set_up(void **state)
{
	return set_up_with(state, false);
}

static int set_up_images(void **state)
{
	return set_up_with(state, true);
}

static int tear_down(void **state)
{
	struct snapshots_fixture *fixture = *state;

	snapshots_release_all(fixture->snapshots);
	snapshots_free(fixture->snapshots);
	fixture_release(&fixture->world);
	g_string_free(fixture->fake.asked, true);
	g_free(fixture);
	return 0;
}

static void assert_asked(struct snapshots_fixture *fixture, const char *expected)
{
	assert_string_equal(fixture->fake.asked->str, expected);
	g_string_truncate(fixture->fake.asked, 0);
}

static void begin(struct snapshots_fixture *fixture, struct execution *execution)
{
	*execution = (struct execution){.fake = &fixture->fake};
	placement_init(&execution->placement, fixture->snapshots, execution);
}

/* Its ranks connect, by these links of the fixture. */
static void connect_ranks(struct snapshots_fixture *fixture, struct execution *execution, int first)
{
	for (int rank = 0; rank < RANKS; rank++) {
		struct rank_slot *slot = &execution->placement.slots[rank];

		slot->link = &fixture->links[first + rank];
		slot->pid = FIRST_PID + rank;
		placement_assign(slot->link, LINK_RANK, execution, rank);
	}
	execution->placement.connected = RANKS;
}

/* What a snapshot is taken of. */
static struct snapshot_subject subject_of(struct snapshots_fixture *fixture,
                                          struct execution *execution)
{
	static const struct state_fingerprint none;

	return (struct snapshot_subject){.placement = &execution->placement,
	                                 .world = fixture->world.world,
	                                 .fingerprint = &none};
}

/* The job that the launcher has started is parked: the root. */
static struct snapshot *park_root(struct snapshots_fixture *fixture, struct execution *execution,
                                  const char *hazard)
{
	struct wire_parked parked = {.unshared = true};
	const struct snapshot_subject subject = subject_of(fixture, execution);
	struct snapshot *snapshot;

	begin(fixture, execution);
	placement_put(&execution->placement, snapshots_next_world(fixture->snapshots), "/w0", NULL,
	              NULL, false);
	assert_null(execution->state);
	connect_ranks(fixture, execution, 0);
	snapshot = snapshot_park(&subject);
	assert_asked(fixture, "PARK PARK PARK ");
	for (int rank = 0; rank < RANKS; rank++) {
		parked.hazard = rank == 1 ? (char *)hazard : NULL;
		assert_true(snapshot_parked(snapshot, rank, &parked) == (rank == RANKS - 1));
		execution->placement.slots[rank].link = NULL;
	}
	return snapshot;
}

/* Each rank reports that it is held, and the execution is over. */
static void hold(struct snapshots_fixture *fixture, struct execution *execution, int ranks)
{
	const struct wire_held held = {.unshared = true};

	(void)fixture;
	for (int rank = 0; rank < ranks; rank++)
		held_ranks_add(&execution->placement, rank, &held);
	assert_int_equal(execution->held, ranks);
	assert_true(held_ranks_keep(&execution->placement, true));
	placement_release(&execution->placement);
}

/* The ranks of a restored execution keep an image of themselves. NULL: one of them refuses. */
static struct snapshot *keep_image(struct snapshots_fixture *fixture, struct execution *execution,
                                   const char *hazard)
{
	const struct snapshot_subject subject = subject_of(fixture, execution);
	struct wire_imaged imaged = {.image = 1, .idle = true, .bytes = 4096};
	struct snapshot *image;

	assert_true(image_is_possible(&execution->placement, false));
	g_string_truncate(fixture->fake.asked, 0);
	image = image_begin(&subject);
	assert_asked(fixture, "IMAGE IMAGE IMAGE ");
	for (int rank = 0; rank < RANKS; rank++) {
		imaged.hazard = rank == 2 ? (char *)hazard : NULL;
		assert_true(image_answered(image, rank, &imaged));
		assert_false(image_answered(image, rank, &imaged)); /* nobody asked again */
	}
	if (image_complete(image, &execution->placement))
		return image;
	snapshot_release(image);
	return NULL;
}

/* Ranks keep an image, rank 1 moves on, and all are held. */
static struct snapshot *hold_moved(struct snapshots_fixture *fixture, struct snapshot *root,
                                   struct execution *execution)
{
	const struct wire_message go = {.type = WIRE_GO};
	struct snapshot *image;

	assert_true(snapshot_restore(root, &execution->placement, NULL));
	connect_ranks(fixture, execution, RANKS);
	image = keep_image(fixture, execution, NULL);
	placement_order(&execution->placement, 1, &go);
	hold(fixture, execution, RANKS);
	return image;
}

#define IMAGES_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_images, tear_down)
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
