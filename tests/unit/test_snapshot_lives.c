/* room: snapshot. What leads to ranks and snapshots that are gone, or that answer late
 * (snapshots_fixture.h). */
#include "snapshots_fixture.h"

/* Begins an execution whose ranks are rewound in place, and count as connected at once. */
static void begin_ahead(struct snapshots_fixture *fixture, struct snapshot *root,
                        struct execution *first, struct execution *next)
{
	assert_true(snapshot_restore(root, &first->placement, NULL));
	connect_ranks(fixture, first, RANKS);
	hold(fixture, first, RANKS);
	begin(fixture, next);
	assert_true(snapshot_restore(root, &next->placement, NULL));
	assert_int_equal(next->placement.connected, RANKS);
	g_string_truncate(fixture->fake.asked, 0);
}

static struct wire_message hello_of(const struct execution *execution, int rank)
{
	return (struct wire_message){.type = WIRE_HELLO,
	                             .hello = {.world = execution->placement.number,
	                                       .rank = rank,
	                                       .pid = FIRST_PID + rank,
	                                       .restored = true}};
}

/* A blocked rank may send HELLO only after its world was ordered to park. Until then its connection
 * leads to the process group. */
static void a_world_is_parked_before_a_hello(void **state)
{
	struct snapshots_fixture *fixture = *state;
	struct execution first, next;
	struct snapshot *root = park_root(fixture, &first, NULL), *parking;
	const struct snapshot_subject subject = subject_of(fixture, &next);
	const struct wire_parked parked = {.unshared = true};

	begin_ahead(fixture, root, &first, &next);
	parking = snapshot_park(&subject);
	for (int rank = 0; rank < RANKS; rank++) {
		struct host_link *link = next.placement.slots[rank].link;
		struct wire_message hello = hello_of(&next, rank);

		held_ranks_message(link, &hello);
		assert_int_equal(link->role, LINK_RANK);
		assert_ptr_equal(link->owner, &next);
		assert_true(snapshot_parked(parking, rank, &parked) == (rank == RANKS - 1));
		next.placement.slots[rank].link = NULL;
	}
	placement_release(&next.placement);
}

/* The connections belong to the snapshot, and are closed when the ranks have been killed. Nothing
 * of the execution may lead to them. */
static void parking_is_given_up_before_a_hello(void **state)
{
	struct snapshots_fixture *fixture = *state;
	struct execution first, next;
	struct snapshot *root = park_root(fixture, &first, NULL), *parking;
	const struct snapshot_subject subject = subject_of(fixture, &next);
	struct wire_message hello;
	const struct wire_child child = {.world = 1, .pid = FIRST_PID + 1, .ended = true};
	pid_t process;

	begin_ahead(fixture, root, &first, &next);
	hello = hello_of(&next, 0);
	parking = snapshot_park(&subject);
	held_ranks_message(next.placement.slots[0].link, &hello);
	g_string_truncate(fixture->fake.asked, 0);
	snapshot_give_up(parking, &next.placement);
	assert_asked(fixture, "RELEASE RELEASE RELEASE remove2 ");
	for (int rank = 0; rank < RANKS; rank++) {
		assert_int_equal(fixture->links[RANKS + rank].role, LINK_IGNORED);
		assert_null(next.placement.slots[rank].link);
		assert_null(held_ranks_link(next.placement.group, rank, &process));
	}
	/* The report that a rank has ended is not kept for a HELLO that never comes. */
	assert_false(held_ranks_child_ended(fixture->snapshots, 1, &child));
	assert_false(held_ranks_keep(&next.placement, false));
	assert_asked(fixture, "");
	placement_release(&next.placement);
}

/* A rank that was ordered to rewind itself, and has not answered, does not wait. */
static void a_rank_that_does_not_answer_is_not_kept(void **state)
{
	struct snapshots_fixture *fixture = *state;
	struct execution first, next;
	struct snapshot *root = park_root(fixture, &first, NULL);
	const struct wire_held held = {.unshared = true};

	assert_true(snapshot_restore(root, &first.placement, NULL));
	connect_ranks(fixture, &first, RANKS);
	hold(fixture, &first, RANKS - 1);
	begin(fixture, &next);
	assert_true(snapshot_restore(root, &next.placement, NULL));
	assert_int_equal(next.placement.connected, 0);
	next.placement.slots[2].link = &fixture->links[2 * RANKS + 2]; /* that was forked */
	next.placement.slots[2].pid = FIRST_PID + 2;
	held_ranks_add(&next.placement, 2, &held);
	g_string_truncate(fixture->fake.asked, 0);
	assert_true(held_ranks_keep(&next.placement, true));
	assert_asked(fixture, "END END ");
	assert_int_equal(fixture->links[RANKS + 1].role, LINK_IGNORED);
	assert_int_equal(((struct process_group *)root->held_ranks->pdata[0])->held, 1);
	placement_release(&next.placement);
}

/* It may be refused, and closed. The group does not know it any more. */
static void a_rank_is_new_when_it_has_been_rewound(void **state)
{
	struct snapshots_fixture *fixture = *state;
	struct execution first, next;
	struct snapshot *root = park_root(fixture, &first, NULL);
	struct wire_message hello;

	assert_true(snapshot_restore(root, &first.placement, NULL));
	connect_ranks(fixture, &first, RANKS);
	hold(fixture, &first, RANKS - 1);
	begin(fixture, &next);
	assert_true(snapshot_restore(root, &next.placement, NULL));
	hello = hello_of(&next, 1);
	held_ranks_message(&fixture->links[RANKS + 1], &hello);
	assert_int_equal(fixture->hellos, 1);
	assert_int_equal(fixture->links[RANKS + 1].role, LINK_NEW);
	assert_ptr_equal(fixture->links[RANKS + 1].owner, fixture);
	held_ranks_keep(&next.placement, false);
	placement_release(&next.placement);
}

/* The launcher and all snapshots end while an execution is a copy of one. */
static void copies_outlive_their_snapshot(void **state)
{
	struct snapshots_fixture *fixture = *state;
	struct execution first;
	struct snapshot *root = park_root(fixture, &first, NULL);

	assert_true(snapshot_restore(root, &first.placement, NULL));
	assert_ptr_equal(first.placement.from, root);
	snapshots_release_all(fixture->snapshots);
	assert_null(first.placement.from);
	placement_release(&first.placement);
}

static void a_parking_snapshot_outlives_its_parent(void **state)
{
	struct snapshots_fixture *fixture = *state;
	struct execution first;
	struct snapshot *root = park_root(fixture, &first, NULL), *parking;
	const struct snapshot_subject subject = subject_of(fixture, &first);

	assert_true(snapshot_restore(root, &first.placement, NULL));
	connect_ranks(fixture, &first, RANKS);
	parking = snapshot_park(&subject);
	assert_ptr_equal(parking->parent, root);
	snapshots_release_all(fixture->snapshots);
	assert_null(parking->parent);
	snapshot_give_up(parking, &first.placement);
	placement_release(&first.placement);
}

static void copies_outlive_the_image_that_they_go_back_to(void **state)
{
	struct snapshots_fixture *fixture = *state;
	struct execution first, next;
	struct snapshot *root = park_root(fixture, &first, NULL), *image;

	image = hold_moved(fixture, root, &first);
	begin(fixture, &next);
	assert_true(snapshot_restore(image, &next.placement, NULL));
	assert_ptr_equal(next.placement.image, image);
	snapshots_release_all(fixture->snapshots);
	assert_null(next.placement.image);
	assert_false(held_ranks_keep(&next.placement, true));
	placement_release(&next.placement);
}

/* An execution is given up where it is, and its ranks are held, before one has sent HELLO. */
static void a_rank_that_is_ahead_is_not_held(void **state)
{
	struct snapshots_fixture *fixture = *state;
	const struct wire_message go = {.type = WIRE_GO};
	const struct wire_held held = {0};
	struct wire_imaged imaged = {.image = 2, .idle = true, .bytes = 4096};
	struct execution first, next;
	const struct snapshot_subject subject = subject_of(fixture, &first);
	struct snapshot *root = park_root(fixture, &first, NULL), *image, *later;

	assert_true(snapshot_restore(root, &first.placement, NULL));
	connect_ranks(fixture, &first, RANKS);
	image = keep_image(fixture, &first, NULL);
	placement_order(&first.placement, 1, &go);
	later = image_begin(&subject);
	for (int rank = 1; rank < RANKS; rank++)
		if (!later->answered[rank])
			assert_true(image_answered(later, rank, &imaged));
	assert_true(image_complete(later, &first.placement));
	hold(fixture, &first, RANKS);
	g_string_truncate(fixture->fake.asked, 0);
	begin(fixture, &next);
	assert_true(snapshot_restore(image, &next.placement, NULL));
	assert_int_equal(next.placement.connected, RANKS);
	assert_true(next.placement.group->ranks[1].ahead);
	for (int rank = 0; rank < RANKS; rank++)
		held_ranks_add(&next.placement, rank, &held);
	assert_int_equal(next.placement.group->held, RANKS);
	held_ranks_keep(&next.placement, true);
	assert_int_equal(fixture->links[RANKS + 1].role, LINK_IGNORED);
	assert_false(image_serves(image));
	placement_release(&next.placement);
}

/* No rank gets FORGET: where they wait is not known any more. */
static void an_image_outlives_its_parent(void **state)
{
	struct snapshots_fixture *fixture = *state;
	struct wire_imaged imaged = {.image = 1, .idle = true, .bytes = 4096};
	struct execution first;
	const struct snapshot_subject subject = subject_of(fixture, &first);
	struct snapshot *root = park_root(fixture, &first, NULL), *image;

	assert_true(snapshot_restore(root, &first.placement, NULL));
	connect_ranks(fixture, &first, RANKS);
	image = image_begin(&subject);
	snapshots_release_all(fixture->snapshots);
	for (int rank = 0; rank < RANKS; rank++) {
		imaged.hazard = rank == 2 ? (char *)"it has opened a file" : NULL;
		assert_true(image_answered(image, rank, &imaged));
	}
	assert_false(image_complete(image, &first.placement));
	snapshot_release(image);
	held_ranks_keep(&first.placement, false);
	placement_release(&first.placement);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_world_is_parked_before_a_hello),
		TEST(parking_is_given_up_before_a_hello),
		TEST(a_rank_that_does_not_answer_is_not_kept),
		TEST(a_rank_is_new_when_it_has_been_rewound),
		TEST(copies_outlive_their_snapshot),
		TEST(a_parking_snapshot_outlives_its_parent),
		IMAGES_TEST(copies_outlive_the_image_that_they_go_back_to),
		IMAGES_TEST(a_rank_that_is_ahead_is_not_held),
		IMAGES_TEST(an_image_outlives_its_parent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
