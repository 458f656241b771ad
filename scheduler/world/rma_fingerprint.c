#include "rma_fingerprint.h"

#include "rma_internal.h"

/* Consecutive bytes of one rank's memory, in ascending order, that have the same users that
 * matter. */
struct drawing {
	const struct rma_search *search;
	const struct rma_scale *scale;
	struct rma_range range;
	struct state_hash users; /* of `range` */
	struct state_hash *ret;
};

/* --- accesses that matter --------------------------------------------------------------------- */

static struct state_hash name_of_use(const struct drawing *drawing, guint32 index)
{
	const struct rma_use *use = rma_use_at(drawing->search, index);
	const struct rma_item *item = rma_item_at(drawing->search, use->item);
	const struct wire_access *access = item->access;
	struct state_hash name = {{(guint64)access->kind << 32 | access->function, access->site}};

	state_hash_add(&name, (guint64)(guint32)item->rank << 32 | (guint32)item->target);
	state_hash_add(&name, access->window);
	state_hash_add(&name, (guint64)access->flags << 32 | (guint64)access->reduction << 16
	                              | access->basic);
	state_hash_add(&name, (guint64)access->displacement);
	state_hash_add(&name, (guint64)(guint32)use->memory << 2 | (guint64)use->own << 1
	                              | (guint64)use->writes);
	state_hash_add(&name, use->first);
	state_hash_add(&name, use->bytes);
	state_hash_add(&name,
	               (guint64)(guint32)use->done_rank << 32
	                       | rma_scale_place(drawing->scale, use->done_rank, use->done_time));
	rma_channels_fingerprint(drawing->search->channels, use->done_rank, use->done_time, &name);
	return name;
}

static void end_range(struct drawing *drawing)
{
	if (drawing->range.low == drawing->range.high)
		return;
	state_hash_add(drawing->ret, drawing->range.low);
	state_hash_add(drawing->ret, drawing->range.high);
	state_hash_add(drawing->ret, drawing->users.word[0]);
	state_hash_add(drawing->ret, drawing->users.word[1]);
}

static void add_cell(struct rma_range range, const guint32 *uses, guint count, void *user)
{
	struct drawing *drawing = user;
	struct state_hash users = {{0, 0}};
	guint matter = 0;

	for (guint i = 0; i < count; i++) {
		struct state_hash one;

		if (rma_is_past(drawing->search, uses[i]))
			continue;
		one = name_of_use(drawing, uses[i]);
		state_hash_add_member(&users, &one);
		matter++;
	}
	if (matter == 0)
		return;
	if (drawing->range.high == range.low && state_hash_equal(&drawing->users, &users)) {
		drawing->range.high = range.high;
		return;
	}
	end_range(drawing);
	drawing->range = range;
	drawing->users = users;
}

static void add_memory(const struct rma_search *search, const struct rma_scale *scale,
                       struct state_hash *ret)
{
	for (int rank = 0; rank < search->ranks; rank++) {
		struct drawing drawing = {search, scale, {0, 0}, {{0, 0}}, ret};

		rma_memory_each(search->memory, rank, add_cell, &drawing);
		end_range(&drawing);
		state_hash_add(ret, (guint64)rank);
	}
}

/* --- times that matter ------------------------------------------------------------------------ */

struct noting {
	const struct rma_search *search;
	struct rma_scale *scale;
};

static void note_cell(struct rma_range range, const guint32 *uses, guint count, void *user)
{
	struct noting *noting = user;

	(void)range;
	for (guint i = 0; i < count; i++) {
		const struct rma_use *use = rma_use_at(noting->search, uses[i]);

		if (!rma_is_past(noting->search, uses[i]))
			rma_scale_note(noting->scale, use->done_rank, use->done_time);
	}
}

/* The times at which the accesses that matter were complete. */
static struct rma_scale *scale_of(const struct rma_search *search)
{
	struct rma_scale *scale = rma_scale_new(search->ranks);
	struct noting noting = {search, scale};

	for (int rank = 0; rank < search->ranks; rank++)
		rma_memory_each(search->memory, rank, note_cell, &noting);
	rma_scale_settle(scale);
	return scale;
}

/* --- the whole fingerprint -------------------------------------------------------------------- */

static bool any_under_way(const struct rma_search *search)
{
	for (guint i = 0; i < search->uses->len; i++)
		if (!rma_use_at(search, i)->done)
			return true;
	return false;
}

static const char *fingerprint(struct rma_search *search, const struct rma_scale *scale,
                               const struct rma_namer *namer, struct state_hash *ret)
{
	const char *unseen = "a rank may have learnt from a window what other ranks do not know";

	/* Then it is not known whether more is under way. */
	if (search->uncertain.unknown > 0)
		return "accesses to windows are too irregular to be compared";
	if (any_under_way(search))
		return "one-sided communication is under way";
	if (!rma_channels_known(search->channels, search->order))
		return unseen;
	rma_places_fingerprint(search->places, ret);
	add_memory(search, scale, ret);
	if (rma_underway_fingerprint(search->underway, scale, ret) > 0
	    && rma_channels_learnt(search->channels))
		return unseen;
	if (!rma_order_fingerprint(search->order, scale, namer, ret))
		return "some ranks have left a fence that others have not reached";
	return NULL;
}

const char *rma_fingerprint(const struct rma_log *log, const struct trace *trace, int ranks,
                            const struct rma_namer *namer, rma_found found, void *user,
                            struct state_hash *ret)
{
	struct rma_search *search;
	struct rma_scale *scale;
	const char *why;

	if (rma_log_dropped(log) > 0)
		return "there are too many accesses to windows";
	search = rma_search_new(log, trace, ranks);
	scale = scale_of(search);
	why = fingerprint(search, scale, namer, ret);
	rma_report_conflicts(search, found, user);
	/* A note of the verdict mentions them. */
	state_hash_add(ret, search->uncertain.learnt > 0);
	rma_scale_free(scale);
	rma_search_free(search);
	return why;
}
