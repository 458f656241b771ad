#include "process_group.h"

struct kept {
	guint32 shared; /* references that the rank does not know of */
	bool idle;
};

struct process_group *process_group_new(int ranks)
{
	struct process_group *group = g_malloc0(sizeof(*group)
	                                        + (gsize)ranks * sizeof(*group->ranks));

	group->users = 1;
	group->count = ranks;
	for (int rank = 0; rank < ranks; rank++)
		group->ranks[rank].kept = g_array_new(false, true, sizeof(struct kept));
	return group;
}

struct process_group *process_group_ref(struct process_group *group)
{
	if (group)
		group->users++;
	return group;
}

void process_group_unref(struct process_group *group)
{
	if (!group || --group->users > 0)
		return;
	for (int rank = 0; rank < group->count; rank++)
		g_array_unref(group->ranks[rank].kept);
	g_free(group->directory);
	g_free(group);
}

void process_group_lose(struct process_group *group)
{
	if (!group)
		return;
	group->losses++;
	for (int rank = 0; rank < group->count; rank++) {
		process_group_rewound(group, rank, 0);
		g_array_set_size(group->ranks[rank].kept, 0);
	}
}

static struct kept *kept_of(struct rank_process *rank, guint32 image)
{
	if (rank->kept->len <= image)
		g_array_set_size(rank->kept, image + 1);
	return &g_array_index(rank->kept, struct kept, image);
}

void process_group_be_idle(struct process_group *group, int rank)
{
	if (group)
		group->ranks[rank].idle = true;
}

void process_group_imaged(struct process_group *group, int rank, guint32 image, bool idle,
                          guint64 bytes)
{
	struct rank_process *one = &group->ranks[rank];

	kept_of(one, image)->idle = idle;
	one->image = image;
	one->idle |= idle;
	one->bytes = bytes;
}

void process_group_rewound(struct process_group *group, int rank, guint32 image)
{
	struct rank_process *one = &group->ranks[rank];

	one->image = image;
	one->idle = image && kept_of(one, image)->idle;
	one->owed = false; /* WELCOME answers HELLO */
}

void process_group_moves(struct process_group *group, int rank)
{
	if (!group)
		return;
	group->ranks[rank].image = 0;
	group->ranks[rank].idle = false;
}

bool process_group_is_idle(const struct process_group *group, int rank)
{
	return group && group->ranks[rank].idle;
}

bool process_group_is_idle_whole(const struct process_group *group)
{
	for (int rank = 0; group && rank < group->count; rank++)
		if (!group->ranks[rank].idle)
			return false;
	return group != NULL;
}

guint32 process_group_stays(const struct process_group *group, int rank)
{
	return process_group_is_idle(group, rank) ? group->ranks[rank].image : 0;
}

bool process_group_settle(struct process_group *group, int rank)
{
	const bool owed = group && group->ranks[rank].owed;

	if (owed)
		group->ranks[rank].owed = false;
	return owed;
}

void process_group_share(struct process_group *group, int rank, guint32 image)
{
	kept_of(&group->ranks[rank], image)->shared++;
}

/* After FORGET of the image that it equals, the rank may keep another under that number. */
bool process_group_forget(struct process_group *group, int rank, guint32 image)
{
	struct rank_process *one = &group->ranks[rank];
	struct kept *kept = kept_of(one, image);

	if (kept->shared > 0) {
		kept->shared--;
		return false;
	}
	if (one->image == image)
		one->image = 0;
	return true;
}
