#include "overlap.h"

#include <stdlib.h>

#include "direct.h"
#include "intervals.h"
#include "shim/gate/gate.h"

enum {
	OTHERS_MAX = 4096, /* most operations kept for comparison with one */
	FOUND = 64, /* the most pairs not sent yet; the scheduler drops repetitions (remarks.h) */
};

/* Kept while the operation is under way, and while an operation that is to be compared with it
 * exists. */
struct overlap_use {
	unsigned users;
	struct wire_user user;
	struct bytes *bytes; /* NULL: not known yet */
	uint64_t began;
	bool overlaps;
	bool watched;                /* its intervals are watched (direct.h) */
	uint64_t met_by;             /* the last use that met it: its `began` */
	struct overlap_use **others; /* uses to compare with, when the bytes of both are known */
	uint32_t other_count;
	uint32_t interval_count;
	struct interval intervals[]; /* spans of all bytes that it may use */
};

static struct {
	struct intervals messages; /* of collectives, too */
	struct intervals one_sided;
	uint64_t now; /* incremented by each use that begins */
	unsigned under_way;
	struct wire_overlap found[FOUND];
	unsigned found_count;
} uses;

static void release_use(struct overlap_use *use)
{
	if (--use->users > 0)
		return;
	bytes_release(use->bytes);
	free(use->others);
	free(use);
}

static bool is_one_sided(const struct overlap_use *use)
{
	return use->user.kind == WIRE_USE_ONE_SIDED;
}

static struct intervals *intervals_of(const struct overlap_use *use)
{
	return is_one_sided(use) ? &uses.one_sided : &uses.messages;
}

static bool names_equal(struct wire_name one, struct wire_name other)
{
	return one.call == other.call && one.sub == other.sub;
}

static bool are_compared(const struct wire_user *one, const struct wire_user *other)
{
	return one->name.call == 0 || other->name.call == 0 || !names_equal(one->name, other->name);
}

/* The bytes of both are known. Notes an overlap, with the operation that began first in front. */
static void compare(struct overlap_use *one, struct overlap_use *other)
{
	struct overlap_use *first = one->began < other->began ? one : other;
	struct overlap_use *then = first == one ? other : one;
	struct wire_overlap found = {{first->user, then->user}};

	if (!bytes_meet(first->bytes, then->bytes, &found.users[0].writes, &found.users[1].writes))
		return;
	first->overlaps = then->overlaps = true;
	if (uses.found_count < FOUND)
		uses.found[uses.found_count++] = found;
}

/* --- uses whose bytes are not known yet -------------------------------------------------- */

/* The array's size is a power of two. */
static void keep_other(struct overlap_use *use, struct overlap_use *other)
{
	uint32_t count = use->other_count;

	if ((count & (count - 1)) == 0) {
		uint32_t room = count > 0 ? 2 * count : 1;
		struct overlap_use **others = realloc(use->others, room * sizeof(*others));

		if (!others)
			return;
		use->others = others;
	}
	use->others[use->other_count++] = other;
	other->users++;
}

static void forget_others(struct overlap_use *use)
{
	while (use->other_count > 0)
		release_use(use->others[--use->other_count]);
}

static void on_meet(struct interval *interval, void *user)
{
	struct overlap_use *use = user, *other = interval->owner;

	if (other->met_by == use->began || !are_compared(&use->user, &other->user))
		return;
	other->met_by = use->began;
	if (use->bytes && other->bytes) {
		compare(use, other);
		return;
	}
	if (!use->bytes && use->other_count < OTHERS_MAX)
		keep_other(use, other);
	if (!other->bytes && other->other_count < OTHERS_MAX)
		keep_other(other, use);
}

/* --- begin and end ---------------------------------------------------------------------- */

static struct overlap_use *use_new(const struct wire_user *user, const struct bytes *bytes)
{
	struct overlap_use *use = calloc(1, sizeof(*use) + bytes->count * sizeof(*use->intervals));

	if (!use)
		return NULL;
	use->users = 1;
	use->user = *user;
	use->began = ++uses.now;
	for (uint32_t i = 0; i < bytes->count; i++) {
		const struct wire_part *part = &bytes->parts[i];
		struct interval *interval = &use->intervals[use->interval_count];

		if (part->length == 0 || part->times == 0 || part->count == 0)
			continue;
		bytes_span(part, &interval->low, &interval->high);
		interval->owner = use;
		use->interval_count++;
	}
	return use;
}

/* Compares the use with all that are under way. */
static void meet_all(struct overlap_use *use)
{
	for (uint32_t i = 0; i < use->interval_count; i++) {
		const struct interval *own = &use->intervals[i];

		intervals_meet(&uses.messages, own->low, own->high, on_meet, use);
		if (!is_one_sided(use))
			intervals_meet(&uses.one_sided, own->low, own->high, on_meet, use);
	}
}

struct overlap_use *overlap_begin(const struct wire_user *user, struct bytes *bytes, bool at_most)
{
	struct overlap_use *use = use_new(user, bytes);

	if (!use)
		return NULL;
	if (!at_most)
		use->bytes = bytes_keep(bytes);
	if (uses.under_way++ > 0)
		meet_all(use);
	use->watched = direct_is_used();
	for (uint32_t i = 0; i < use->interval_count; i++) {
		struct interval *interval = &use->intervals[i];

		intervals_add(intervals_of(use), interval);
		if (use->watched)
			direct_watch((uintptr_t)interval->low, (uintptr_t)interval->high);
	}
	return use;
}

void overlap_know(struct overlap_use *use, struct bytes *bytes)
{
	if (use->bytes)
		return;
	use->bytes = bytes_keep(bytes);
	for (uint32_t i = 0; i < use->other_count; i++)
		if (use->others[i]->bytes)
			compare(use, use->others[i]);
	forget_others(use);
}

const struct bytes *overlap_bytes(const struct overlap_use *use)
{
	return use->bytes;
}

bool overlap_found(const struct overlap_use *use)
{
	return use->overlaps;
}

void overlap_end(struct overlap_use *use)
{
	if (!use)
		return;
	for (uint32_t i = 0; i < use->interval_count; i++) {
		struct interval *interval = &use->intervals[i];

		intervals_remove(intervals_of(use), interval);
		if (use->watched)
			direct_unwatch((uintptr_t)interval->low, (uintptr_t)interval->high);
	}
	uses.under_way--;
	forget_others(use);
	release_use(use);
}

bool overlap_is_any(void)
{
	return uses.under_way > 0;
}

static void note_any(struct interval *interval, void *user)
{
	(void)interval;
	*(bool *)user = true;
}

bool overlap_may_use(uintptr_t low, uintptr_t high)
{
	bool any = false;

	intervals_meet(&uses.messages, (int64_t)low, (int64_t)high, note_any, &any);
	if (!any)
		intervals_meet(&uses.one_sided, (int64_t)low, (int64_t)high, note_any, &any);
	return any;
}

void overlap_pass(const struct wire_user *user, struct bytes *bytes)
{
	struct overlap_use *use = overlap_is_any() && bytes ? use_new(user, bytes) : NULL;

	if (!use)
		return;
	use->bytes = bytes_keep(bytes);
	meet_all(use);
	release_use(use);
}

static bool is_known(const struct wire_overlap *found, uint32_t call)
{
	return found->users[0].name.call <= call && found->users[1].name.call <= call;
}

void overlap_send(void)
{
	for (unsigned i = 0; i < uses.found_count; i++)
		gate_send(&(struct wire_message){.type = WIRE_OVERLAP, .overlap = uses.found[i]});
	uses.found_count = 0;
}

void overlap_encode(struct wire_buffer *out, uint32_t call)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < uses.found_count; i++) {
		const struct wire_overlap *found = &uses.found[i];

		if (!is_known(found, call)) {
			uses.found[kept++] = *found;
			continue;
		}
		wire_encode(out, &(struct wire_message){.type = WIRE_OVERLAP, .overlap = *found});
	}
	uses.found_count = kept;
}
