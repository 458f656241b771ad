/* room: snapshot. Snapshots, held ranks and images (snapshots_fixture.h). */
#include "snapshots_fixture.h"

static void keepers_are_copied(void **state)
{
	struct snapshots_fixture *fixture = *state;
	struct execution first, next;
	struct snapshot *root = park_root(fixture, &first, NULL);

	assert_ptr_equal(snapshots_root(fixture->snapshots), root);
	assert_int_equal(fixture->made, 1);
	assert_true(snapshot_restore(root, &first.placement, NULL));
	assert_asked(fixture, "add1 RESTORE RESTORE RESTORE ");
	assert_ptr_equal(first.state, root);
	begin(fixture, &next);
	assert_true(snapshot_restore(root, &next.placement, NULL));
	assert_asked(fixture, "add2 RESTORE RESTORE RESTORE ");
	assert_int_equal(snapshots_rewinding(fixture->snapshots)->forked, 2 * RANKS);
	assert_ptr_equal(snapshots_find(fixture->snapshots, 2), &next);
	assert_int_equal(snapshots_count_executions(fixture->snapshots), 2);
	placement_release(&first.placement);
	placement_release(&next.placement);
	assert_null(snapshots_find(fixture->snapshots, 2));
	snapshot_release(root);
	assert_asked(fixture, "RELEASE RELEASE RELEASE ");
	assert_null(snapshots_root(fixture->snapshots));
}

static void a_hazard_lets_the_ranks_go_on(void **state)
{
	struct snapshots_fixture *fixture = *state;
	struct execution first;
	struct snapshot *snapshot = park_root(fixture, &first, "it has a timer");

	assert_string_equal(snapshot->hazard, "rank 1: it has a timer");
	assert_null(snapshots_root(fixture->snapshots));
	snapshot_resume(snapshot);
	assert_asked(fixture, "RESUME RESUME RESUME ");
	placement_release(&first.placement);
}

static void held_ranks_are_rewound_in_place(void **state)
{
	struct snapshots_fixture *fixture = *state;
	struct execution first, next;
	struct snapshot *root = park_root(fixture, &first, NULL);

	assert_true(snapshot_restore(root, &first.placement, NULL));
	connect_ranks(fixture, &first, RANKS);
	hold(fixture, &first, RANKS);
	g_string_truncate(fixture->fake.asked, 0);
	begin(fixture, &next);
	assert_true(snapshot_restore(root, &next.placement, NULL));
	/* Nothing that they put back is seen by others, so they count as connected at once. */
	assert_asked(fixture, "rename1-2 REWIND welcome REWIND welcome REWIND welcome ");
	assert_int_equal(next.placement.connected, RANKS);
	assert_true(next.placement.rewound);
	held_ranks_keep(&next.placement, false);
	assert_asked(fixture, "END END END ");
	placement_release(&next.placement);
}

static void a_rank_that_is_not_held_is_forked(void **state)
{
	struct snapshots_fixture *fixture = *state;
	struct execution first, next;
	struct snapshot *root = park_root(fixture, &first, NULL);

	assert_true(snapshot_restore(root, &first.placement, NULL));
	connect_ranks(fixture, &first, RANKS);
	hold(fixture, &first, RANKS - 1);
	g_string_truncate(fixture->fake.asked, 0);
	begin(fixture, &next);
	assert_true(snapshot_restore(root, &next.placement, NULL));
	assert_asked(fixture, "rename1-2 REWIND welcome REWIND welcome RESTORE ");
	assert_int_equal(next.placement.connected, 0);
	held_ranks_keep(&next.placement, false);
	placement_release(&next.placement);
}

static void a_rank_that_cannot_be_rewound_is_forked(void **state)
{
	struct snapshots_fixture *fixture = *state;
	struct execution first, next;
	struct snapshot *root = park_root(fixture, &first, NULL);
	struct wire_message refusal = {.type = WIRE_HELD, .held.hazard = "it has moved its stack"};

	assert_true(snapshot_restore(root, &first.placement, NULL));
	connect_ranks(fixture, &first, RANKS);
	hold(fixture, &first, RANKS - 1);
	begin(fixture, &next);
	assert_true(snapshot_restore(root, &next.placement, NULL));
	g_string_truncate(fixture->fake.asked, 0);
	held_ranks_message(&fixture->links[RANKS], &refusal);
	assert_asked(fixture, "RESTORE ");
	assert_true(next.missing);
	assert_false(next.orders_lost);
	assert_int_equal(snapshots_rewinding(fixture->snapshots)->refused, 1);
	assert_string_equal(snapshots_rewinding(fixture->snapshots)->reason,
	                    "rank 0: it has moved its stack");
	held_ranks_keep(&next.placement, false);
	placement_release(&next.placement);
}

/* It counted as connected, so its orders are lost: the execution has to be begun again. */
static void a_rank_that_got_orders_is_not_forked(void **state)
{
	struct snapshots_fixture *fixture = *state;
	struct execution first, next;
	struct snapshot *root = park_root(fixture, &first, NULL);

	assert_true(snapshot_restore(root, &first.placement, NULL));
	connect_ranks(fixture, &first, RANKS);
	hold(fixture, &first, RANKS);
	begin(fixture, &next);
	assert_true(snapshot_restore(root, &next.placement, NULL));
	g_string_truncate(fixture->fake.asked, 0);
	held_ranks_closed(next.placement.group, 0);
	assert_asked(fixture, "");
	assert_true(next.orders_lost);
	held_ranks_keep(&next.placement, false);
	placement_release(&next.placement);
}

static void without_room_the_ranks_are_forked(void **state)
{
	struct snapshots_fixture *fixture = *state;
	struct execution first, next;
	struct snapshot *root = park_root(fixture, &first, NULL);
	g_autoptr(GError) error = NULL;

	assert_true(snapshot_restore(root, &first.placement, NULL));
	connect_ranks(fixture, &first, RANKS);
	hold(fixture, &first, RANKS);
	fixture->fake.no_memory = true;
	g_string_truncate(fixture->fake.asked, 0);
	begin(fixture, &next);
	assert_false(snapshot_restore(root, &next.placement, &error));
	assert_string_equal(error->message, "no room");
	/* The held ranks are ended, and a new world is begun, which has no room either. */
	assert_asked(fixture, "rename1-2 remove2 END END END add3 ");
	placement_release(&next.placement);
}

static void after_many_refusals_no_rank_is_rewound(void **state)
{
	struct snapshots_fixture *fixture = *state;
	const struct wire_held refusal = {.hazard = "it has sockets"};
	struct execution first;
	struct snapshot *root = park_root(fixture, &first, NULL);

	assert_true(snapshot_restore(root, &first.placement, NULL));
	for (int i = 0; i < 8 * RANKS; i++) {
		assert_true(snapshots_rewind(fixture->snapshots));
		held_ranks_add(&first.placement, i % RANKS, &refusal);
	}
	assert_false(snapshots_rewind(fixture->snapshots));
	assert_true(snapshots_may_rewind(fixture->snapshots));
	assert_false(held_ranks_keep(&first.placement, true));
	placement_release(&first.placement);
}

/* Ranks that equal the image are not touched. Their next order brings them WELCOME. */
static void idle_ranks_stay_what_they_are(void **state)
{
	struct snapshots_fixture *fixture = *state;
	const struct wire_message go = {.type = WIRE_GO};
	struct execution first, next;
	struct snapshot *root = park_root(fixture, &first, NULL), *image;

	assert_true(snapshot_restore(root, &first.placement, NULL));
	connect_ranks(fixture, &first, RANKS);
	image = keep_image(fixture, &first, NULL);
	assert_non_null(image);
	assert_false(image_serves(image)); /* its ranks run on */
	hold(fixture, &first, RANKS);
	assert_true(image_serves(image));
	g_string_truncate(fixture->fake.asked, 0);
	begin(fixture, &next);
	assert_true(snapshot_restore(image, &next.placement, NULL));
	assert_asked(fixture, "");
	assert_ptr_equal(next.state, image);
	assert_ptr_equal(next.placement.from, root);
	assert_int_equal(next.placement.connected, RANKS);
	placement_order(&next.placement, 1, &go);
	placement_order(&next.placement, 1, &go);
	assert_asked(fixture, "welcome GO GO ");
	held_ranks_keep(&next.placement, false);
	placement_release(&next.placement);
}

static void a_rank_that_has_moved_is_rewound_to_the_image(void **state)
{
	struct snapshots_fixture *fixture = *state;
	struct execution first, next;
	struct snapshot *root = park_root(fixture, &first, NULL), *image;

	image = hold_moved(fixture, root, &first);
	g_string_truncate(fixture->fake.asked, 0);
	begin(fixture, &next);
	assert_true(snapshot_restore(image, &next.placement, NULL));
	assert_asked(fixture, "REWIND ");
	assert_int_equal(next.placement.connected, RANKS - 1);
	assert_ptr_equal(next.placement.image, image);
	held_ranks_keep(&next.placement, false);
	placement_release(&next.placement);
}

static void an_image_that_a_rank_refuses_is_none(void **state)
{
	struct snapshots_fixture *fixture = *state;
	struct execution first;
	struct snapshot *root = park_root(fixture, &first, NULL);

	assert_true(snapshot_restore(root, &first.placement, NULL));
	connect_ranks(fixture, &first, RANKS);
	assert_null(keep_image(fixture, &first, "it has opened a file"));
	assert_false(image_has_any(fixture->snapshots, first.placement.group, false));
	placement_release(&first.placement);
}

/* One of the processes is gone: no image of the group can be returned to. */
static void images_are_lost_with_a_process(void **state)
{
	struct snapshots_fixture *fixture = *state;
	struct execution first;
	struct snapshot *root = park_root(fixture, &first, NULL), *image;

	assert_true(snapshot_restore(root, &first.placement, NULL));
	connect_ranks(fixture, &first, RANKS);
	image = keep_image(fixture, &first, NULL);
	hold(fixture, &first, RANKS);
	assert_true(image_serves(image));
	held_ranks_closed(root->held_ranks->pdata[0], 2);
	assert_false(image_serves(image));
	assert_true(image_is_lost(image));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(keepers_are_copied),
		TEST(a_hazard_lets_the_ranks_go_on),
		TEST(held_ranks_are_rewound_in_place),
		TEST(a_rank_that_is_not_held_is_forked),
		TEST(a_rank_that_cannot_be_rewound_is_forked),
		TEST(a_rank_that_got_orders_is_not_forked),
		TEST(without_room_the_ranks_are_forked),
		TEST(after_many_refusals_no_rank_is_rewound),
		IMAGES_TEST(idle_ranks_stay_what_they_are),
		IMAGES_TEST(a_rank_that_has_moved_is_rewound_to_the_image),
		IMAGES_TEST(an_image_that_a_rank_refuses_is_none),
		IMAGES_TEST(images_are_lost_with_a_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
