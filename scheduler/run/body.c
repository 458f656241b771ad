#include "body.h"

struct kept {
	guint32 shared; /* of those that refer to it: so many the rank does not know of */
	bool still;
};

struct rank {
	guint32 image; /* that it is; 0: not known to be one */
	bool still, owed;
	guint64 bytes;
	GArray *kept; /* struct kept, by number of the image */
};

struct body {
	guint users;
	bool lost;
	int count;
	struct rank ranks[];
};

struct body *body_new(int ranks)
{
	struct body *body = g_malloc0(sizeof(*body) + (gsize)ranks * sizeof(*body->ranks));

	body->users = 1;
	body->count = ranks;
	for (int rank = 0; rank < ranks; rank++)
		body->ranks[rank].kept = g_array_new(false, true, sizeof(struct kept));
	return body;
}

struct body *body_use(struct body *body)
{
	if (body)
		body->users++;
	return body;
}

void body_let_go(struct body *body)
{
	if (!body || --body->users > 0)
		return;
	for (int rank = 0; rank < body->count; rank++)
		g_array_unref(body->ranks[rank].kept);
	g_free(body);
}

void body_lose(struct body *body)
{
	if (body)
		body->lost = true;
}

bool body_is_lost(const struct body *body)
{
	return body->lost;
}

static struct kept *kept_of(struct rank *rank, guint32 image)
{
	if (rank->kept->len <= image)
		g_array_set_size(rank->kept, image + 1);
	return &g_array_index(rank->kept, struct kept, image);
}

void body_be_still(struct body *body, int rank)
{
	if (body)
		body->ranks[rank].still = true;
}

void body_imaged(struct body *body, int rank, guint32 image, bool still, guint64 bytes)
{
	struct rank *one = &body->ranks[rank];

	kept_of(one, image)->still = still;
	one->image = image;
	one->still |= still;
	one->bytes = bytes;
}

void body_rewound(struct body *body, int rank, guint32 image)
{
	struct rank *one = &body->ranks[rank];

	one->image = image;
	one->still = image && kept_of(one, image)->still;
	one->owed = false; /* HELLO is answered */
}

void body_moves(struct body *body, int rank)
{
	if (!body)
		return;
	body->ranks[rank].image = 0;
	body->ranks[rank].still = false;
}

bool body_is_still(const struct body *body, int rank)
{
	return body && body->ranks[rank].still;
}

bool body_is_still_whole(const struct body *body)
{
	for (int rank = 0; body && rank < body->count; rank++)
		if (!body->ranks[rank].still)
			return false;
	return body != NULL;
}

guint32 body_stays(const struct body *body, int rank)
{
	return body_is_still(body, rank) ? body->ranks[rank].image : 0;
}

void body_owe(struct body *body, int rank)
{
	body->ranks[rank].owed = true;
}

bool body_is_owed(const struct body *body, int rank)
{
	return body && body->ranks[rank].owed;
}

bool body_settle(struct body *body, int rank)
{
	const bool owed = body_is_owed(body, rank);

	if (owed)
		body->ranks[rank].owed = false;
	return owed;
}

guint64 body_bytes(const struct body *body, int rank)
{
	return body->ranks[rank].bytes;
}

void body_share(struct body *body, int rank, guint32 image)
{
	kept_of(&body->ranks[rank], image)->shared++;
}

/* One that is told to forget what it is may keep another there. */
bool body_forget(struct body *body, int rank, guint32 image)
{
	struct rank *one = &body->ranks[rank];
	struct kept *kept = kept_of(one, image);

	if (kept->shared > 0) {
		kept->shared--;
		return false;
	}
	if (one->image == image)
		one->image = 0;
	return true;
}
