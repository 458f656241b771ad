#include "rma.h"

#include "rma_accumulates.h"
#include "rma_internal.h"
#include "rma_key.h"

enum {
	PIECES_MAX = 1 << 16,     /* of one access */
	ALL_PIECES_MAX = 1 << 22, /* of all */
	CANDIDATES_MAX = 1 << 14,
};

#define FAR (G_GINT64_CONSTANT(1) << 46)

/* --- tables ----------------------------------------------------------------------------------- */

static GArray *list_of(GHashTable *table, struct rma_key key, bool make)
{
	GArray *list = g_hash_table_lookup(table, &key);

	if (!list && make) {
		list = g_array_new(false, false, sizeof(guint32));
		g_hash_table_insert(table, rma_key_new(key), list);
	}
	return list;
}

static GHashTable *lists_new(void)
{
	return g_hash_table_new_full(rma_key_hash, rma_key_equal, g_free,
	                             (GDestroyNotify)g_array_unref);
}

/* --- what conflicts --------------------------------------------------------------------------- */

static bool are_atomic(const struct rma_search *search, const struct rma_use *old,
                       const struct rma_use *use)
{
	const struct rma_item *first = rma_item_at(search, old->item),
			      *second = rma_item_at(search, use->item);
	const struct rma_accumulate older = {first->access, first->rank, old->first};
	const struct rma_accumulate newer = {second->access, second->rank, use->first};

	const guint8 both = first->access->flags & second->access->flags;

	if (both & WIRE_ACCESS_DIRECT)
		return both & WIRE_ACCESS_ATOMIC;
	return !old->own && !use->own
	       && rma_may_meet(rma_places_find(search->places, first->access->window, old->memory),
	                       &older, &newer);
}

/* Two accesses of one rank to its own memory are compared by the shim if one of them is a send,
 * receive or collective (shim/check/overlap.h). */
static bool is_compared_there(const struct rma_item *one, const struct rma_item *other)
{
	return one->rank == other->rank
	       && (one->access->kind == WIRE_ACCESS_LOCAL
	           || other->access->kind == WIRE_ACCESS_LOCAL);
}

/* Whether `use` is the same call of the same rank as `old`, made again: then all that conflicts
 * with `old` from now on conflicts with `use` as well. A call with a request may be complete before
 * the earlier one. */
static bool repeats_use(const struct rma_search *search, const struct rma_use *use,
                        const struct rma_use *old, bool is_before)
{
	const struct rma_item *older = rma_item_at(search, old->item),
			      *newer = rma_item_at(search, use->item);
	const struct wire_access *a = older->access, *b = newer->access;

	return older->rank == newer->rank && older->target == newer->target && a->site == b->site
	       && a->function == b->function && a->window == b->window && a->flags == b->flags
	       && a->reduction == b->reduction && a->basic == b->basic && use->own == old->own
	       && use->writes == old->writes && (is_before || !(a->flags & WIRE_ACCESS_REQUESTED));
}

static bool on_meet(guint32 old_index, guint32 index, bool crowded, void *user)
{
	struct rma_search *search = user;
	const struct rma_use *old = rma_use_at(search, old_index), *use = rma_use_at(search, index);
	int rank = rma_item_at(search, use->item)->rank,
	    other = rma_item_at(search, old->item)->rank;
	bool before;

	if (old->item == use->item
	    || (old->own && use->own
	        && is_compared_there(rma_item_at(search, old->item),
	                             rma_item_at(search, use->item))))
		return false;
	before = old->done && rma_clock_knows(use->issued, old->done_rank, old->done_time);
	if (!before && (old->writes || use->writes) && !are_atomic(search, old, use)
	    && search->candidates->len < CANDIDATES_MAX) {
		struct rma_candidate candidate = {{old_index, index}};

		if (rank < other)
			candidate = (struct rma_candidate){{index, old_index}};
		g_array_append_val(search->candidates, candidate);
	}
	if (repeats_use(search, use, old, before)
	    && (crowded
	        || rma_item_at(search, old->item)->access->displacement
	                   == rma_item_at(search, use->item)->access->displacement))
		return true;
	return before && rma_is_past(search, old_index);
}

bool rma_is_past(const struct rma_search *search, guint32 old)
{
	const struct rma_use *use = rma_use_at(search, old);

	for (int rank = 0; rank < search->ranks; rank++)
		if (!use->done
		    || !rma_order_knows(search->order, rank, use->done_rank, use->done_time))
			return false;
	return rma_underway_know(search->underway, use->done_rank, use->done_time);
}

static bool on_past(guint32 old, void *user)
{
	return rma_is_past(user, old);
}

/* Whether the rank of `later` may have learnt from memory that `first` was complete. */
static bool may_follow(const struct rma_search *search, const struct rma_use *later,
                       const struct rma_use *first)
{
	return first->done
	       && rma_item_at(search, later->item)->rank != rma_item_at(search, first->item)->rank
	       && rma_channels_pass(search->channels, first->done_rank, first->done_time,
	                            later->issued);
}

/* --- what the calls do ------------------------------------------------------------------------ */

/* The number of pieces; 0: none, or too many to look at (then *ret_known is false). */
static guint64 count_pieces(const struct wire_part *part, bool *ret_known)
{
	guint64 pieces;

	if (part->length == 0 || part->times == 0 || part->count == 0)
		return 0;
	*ret_known = part->times <= PIECES_MAX && part->count <= PIECES_MAX
	             && part->times * part->count <= PIECES_MAX && part->length < FAR
	             && part->stride > -FAR && part->stride < FAR && part->extent > -FAR
	             && part->extent < FAR;
	pieces = part->times * part->count;
	return *ret_known ? pieces : 0;
}

/* If the use is of the rank's own memory, this also notes whose memory it is in truth. */
static bool use_range(struct rma_search *search, guint32 index, int memory, struct rma_range range)
{
	while (range.low < range.high) {
		struct rma_piece piece = rma_places_next(search->places, memory, &range);

		if (rma_use_at(search, index)->own)
			rma_use_at(search, index)->memory = piece.rank;
		if (!rma_memory_use(search->memory, piece.rank, piece.range, index))
			return false;
	}
	return true;
}

static bool use_part(struct rma_search *search, guint32 index, const struct wire_part *part,
                     guint64 start)
{
	int memory = rma_use_at(search, index)->memory;
	bool known = true;
	guint64 pieces = count_pieces(part, &known);

	search->pieces += pieces;
	rma_use_at(search, index)->bytes += pieces * part->length;
	if (!known || search->pieces > ALL_PIECES_MAX)
		return false;
	for (guint64 i = 0; pieces > 0 && i < part->count; i++) {
		for (guint64 j = 0; j < part->times; j++) {
			guint64 low = start + i * (guint64)part->extent + j * (guint64)part->stride;
			struct rma_range range = {low, low + part->length};

			if (range.high < range.low || !use_range(search, index, memory, range))
				return false;
		}
	}
	return true;
}

/* What a call does in one role; `use` lacks only the place. false: not all of it is known. */
static bool use_parts(struct rma_search *search, guint8 role, guint64 offset, struct rma_use use)
{
	const struct wire_access *access = rma_item_at(search, use.item)->access;
	guint32 index = search->uses->len;
	bool known = true;

	for (guint i = 0; i < access->part_count; i++) {
		const struct wire_part *part = &access->parts[i];

		if (part->role != role)
			continue;
		if (search->uses->len == index) {
			use.first = (guint64)part->start + offset;
			use.issued = rma_clock_ref(use.issued);
			g_array_append_val(search->uses, use);
		}
		known &= use_part(search, index, part, (guint64)part->start + offset);
	}
	return known;
}

static bool use_role(struct rma_search *search, guint item_index, guint8 role, guint64 offset)
{
	const struct rma_item *item = rma_item_at(search, item_index);
	const struct wire_access *access = item->access;
	bool own = role != WIRE_PART_TARGET, known;
	guint32 index = search->uses->len;
	struct rma_key key = {access->window, item->rank, item->target};
	struct rma_use use = {
		.item = item_index,
		.memory = own ? item->rank : item->target,
		.own = own,
		.writes = own ? role == WIRE_PART_WRITTEN
	                      : (access->flags & WIRE_ACCESS_WRITES) != 0,
	};

	use.issued = own ? rma_order_now(search->order, item->rank)
	                 : rma_order_now_at(search->order, item->rank, access->window,
	                                    item->target);
	known = use_parts(search, role, offset, use);
	if (search->uses->len > index)
		g_array_append_val(list_of(search->open, key, true), index);
	rma_clock_unref(use.issued);
	return known;
}

static void move_data(struct rma_search *search, guint index)
{
	const struct rma_item *item = rma_item_at(search, index);
	const struct wire_access *access = item->access;
	struct rma_key number = {access->number, item->rank, 0};
	const struct rma_place *place = NULL;
	bool known = !(access->flags & WIRE_ACCESS_UNKNOWN);

	g_hash_table_replace(search->numbers, rma_key_new(number),
	                     GUINT_TO_POINTER(search->uses->len));
	if (item->target >= 0)
		place = rma_places_find(search->places, access->window, item->target);
	if (place)
		known &= use_role(search, index, WIRE_PART_TARGET,
		                  place->base + (guint64)access->displacement * place->unit);
	else
		known = false;
	if (item->target >= 0) {
		known &= use_role(search, index, WIRE_PART_READ, 0);
		known &= use_role(search, index, WIRE_PART_WRITTEN, 0);
	}
	if (!known)
		search->uncertain.unknown++;
}

/* --- what completes them ---------------------------------------------------------------------- */

/* A completion in that rank. It takes a time only if there is something to complete. */
struct completion {
	int rank;
	guint32 time;
};

static void finish_use(struct rma_search *search, struct completion *completion, guint32 index)
{
	struct rma_use *use = rma_use_at(search, index);

	if (use->done)
		return;
	if (completion->time == 0)
		completion->time = rma_order_tick(search->order, completion->rank);
	use->done = true;
	use->done_rank = completion->rank;
	use->done_time = completion->time;
}

/* Completes the uses that this rank has begun at the target; with `local`, only those of its own
 * buffers. The others stay, or move to `rest`. */
static void finish_list(struct rma_search *search, struct completion *completion,
                        struct rma_key key, bool local, GHashTable *rest)
{
	GArray *list = list_of(search->open, key, false);
	GArray *others = list && rest ? list_of(rest, key, true) : list;
	guint kept = 0;

	if (!list)
		return;
	for (guint i = 0; i < list->len; i++) {
		guint32 index = g_array_index(list, guint32, i);

		if (local && !rma_use_at(search, index)->own) {
			if (rest)
				g_array_append_val(others, index);
			else
				g_array_index(list, guint32, kept++) = index;
			continue;
		}
		finish_use(search, completion, index);
	}
	g_array_set_size(list, kept);
}

static void finish_all(struct rma_search *search, const struct rma_item *item, bool local,
                       GHashTable *rest)
{
	struct completion completion = {item->rank, 0};
	struct rma_key key = {item->access->window, item->rank, item->target};

	if (item->target >= 0) {
		finish_list(search, &completion, key, local, rest);
		return;
	}
	for (key.target = 0; key.target < search->ranks; key.target++)
		finish_list(search, &completion, key, local, rest);
}

/* The target knows that all origins have completed. */
static void end_exposure(struct rma_search *search, const struct rma_item *item)
{
	struct completion completion = {item->rank, 0};
	struct rma_key key = {item->access->window, 0, item->rank};

	for (key.rank = 0; key.rank < search->ranks; key.rank++) {
		GArray *list = list_of(search->closed, key, false);

		for (guint i = 0; list && i < list->len; i++)
			finish_use(search, &completion, g_array_index(list, guint32, i));
		if (list)
			g_array_set_size(list, 0);
	}
}

static bool reads_alone(const struct wire_access *access)
{
	const guint8 does = WIRE_ACCESS_READS | WIRE_ACCESS_WRITES | WIRE_ACCESS_ATOMIC;

	return (access->flags & does) == WIRE_ACCESS_READS;
}

/* A complete request means that its rank's buffers are free. Only for a Get it means completion at
 * the target, too (MPI 3.1, section 11.3.5). */
static void finish_request(struct rma_search *search, const struct rma_item *item)
{
	struct completion completion = {item->rank, 0};
	struct rma_key key = {item->access->number, item->rank, 0};
	gpointer first;

	if (!g_hash_table_lookup_extended(search->numbers, &key, NULL, &first))
		return;
	for (guint32 i = GPOINTER_TO_UINT(first); i < search->uses->len; i++) {
		const struct rma_use *use = rma_use_at(search, i);
		const struct rma_item *made = rma_item_at(search, use->item);

		if (made->rank != item->rank || made->access->number != item->access->number)
			break;
		if (use->own || reads_alone(made->access))
			finish_use(search, &completion, i);
	}
}

/* A send, receive or collective of this rank that is over. */
static void use_locally(struct rma_search *search, guint index)
{
	const struct rma_item *item = rma_item_at(search, index);
	const struct wire_access *access = item->access;
	struct rma_clock *begun = NULL;
	bool known = !(access->flags & WIRE_ACCESS_UNKNOWN);
	guint32 done;

	if (access->number == 0)
		begun = rma_order_now(search->order, item->rank);
	else if (!rma_underway_end(search->underway, item->rank, access->number, &begun))
		known = false;
	done = rma_order_tick(search->order, item->rank);
	for (guint8 role = WIRE_PART_READ; role <= WIRE_PART_WRITTEN; role++) {
		struct rma_use use = {
			.item = index,
			.memory = item->rank,
			.own = true,
			.writes = role == WIRE_PART_WRITTEN,
			.done = true,
			.done_rank = item->rank,
			.done_time = done,
			.issued = begun,
		};

		known &= use_parts(search, role, 0, use);
	}
	rma_clock_unref(begun);
	if (!known)
		search->uncertain.unknown++;
}

static void read_item(struct rma_search *search, guint index)
{
	const struct rma_item *item = rma_item_at(search, index);
	bool ends = !(item->access->flags & WIRE_ACCESS_NOPRECEDE);

	rma_channels_read(search->channels, search->order, item->rank, item->access);
	switch (item->access->kind) {
	case WIRE_ACCESS_WINDOW: rma_places_open(search->places, item->access->window); break;
	case WIRE_ACCESS_BEGIN:
		rma_underway_begin(search->underway, item->rank, item->access->number,
		                   rma_order_now(search->order, item->rank));
		break;
	case WIRE_ACCESS_LOCAL: use_locally(search, index); break;
	case WIRE_ACCESS_DATA: move_data(search, index); break;
	case WIRE_ACCESS_REQUEST: finish_request(search, item); break;
	case WIRE_ACCESS_FREE:
		rma_places_close(search->places, item->access->window); /* fall through */
	case WIRE_ACCESS_FLUSH: finish_all(search, item, false, NULL); break;
	case WIRE_ACCESS_FLUSH_LOCAL: finish_all(search, item, true, NULL); break;
	case WIRE_ACCESS_FENCE:
		if (ends)
			finish_all(search, item, false, NULL);
		rma_order_fence(search->order, item->rank, item->access->window, ends);
		break;
	case WIRE_ACCESS_COMPLETE: finish_all(search, item, true, search->closed); break;
	case WIRE_ACCESS_WAIT: end_exposure(search, item); break;
	default: break;
	}
}

/* --- the whole search ------------------------------------------------------------------------- */

static void list_items(struct rma_search *search, const struct rma_log *log)
{
	for (guint i = 0; i < rma_log_blocks(log); i++) {
		const struct rma_block *block = rma_log_block(log, i);

		for (guint j = 0; j < block->count; j++) {
			struct rma_item item = {&block->list[j], block->rank, block->targets[j],
			                        block->position};

			g_array_append_val(search->items, item);
		}
	}
}

static void read_all(struct rma_search *search, const struct trace *trace)
{
	gsize at = 0;

	for (guint i = 0; i < search->items->len; i++) {
		for (; at < rma_item_at(search, i)->position && at < trace_count(trace); at++)
			rma_order_read(search->order, trace_at(trace, at));
		read_item(search, i);
	}
	for (; at < trace_count(trace); at++)
		rma_order_read(search->order, trace_at(trace, at));
}

static struct rma_side side_of(const struct rma_search *search, guint32 index)
{
	const struct rma_use *use = rma_use_at(search, index);
	const struct rma_item *item = rma_item_at(search, use->item);

	return (struct rma_side){item->access, item->rank,  use->memory,
	                         use->own,     use->writes, use->bytes};
}

static int compare_numbers(guint64 one, guint64 other)
{
	return one < other ? -1 : one > other;
}

/* Gives the same order in each run: by ranks and lines, then by the number of the access. */
static gint compare_candidates(gconstpointer a, gconstpointer b, gpointer user)
{
	const struct rma_candidate *one = a, *other = b;
	int order = 0;

	for (int step = 0; step < 8 && order == 0; step++) {
		const struct rma_use *mine = rma_use_at(user, one->uses[step % 2]);
		const struct rma_use *yours = rma_use_at(user, other->uses[step % 2]);
		const struct rma_item *my = rma_item_at(user, mine->item),
				      *your = rma_item_at(user, yours->item);

		if (step < 2)
			order = compare_numbers((guint64)my->rank, (guint64)your->rank);
		else if (step < 4)
			order = compare_numbers(my->access->site, your->access->site);
		else if (step < 6)
			order = compare_numbers(my->access->number, your->access->number);
		else
			order = (mine->own - yours->own) * 2 + mine->writes - yours->writes;
	}
	return order;
}

void rma_report_conflicts(struct rma_search *search, rma_found found, void *user)
{
	g_array_sort_with_data(search->candidates, compare_candidates, search);
	for (guint i = 0; i < search->candidates->len; i++) {
		const struct rma_candidate *candidate = &g_array_index(search->candidates,
		                                                       struct rma_candidate, i);
		const struct rma_use *one = rma_use_at(search, candidate->uses[0]);
		const struct rma_use *other = rma_use_at(search, candidate->uses[1]);
		struct rma_side sides[2] = {side_of(search, candidate->uses[0]),
		                            side_of(search, candidate->uses[1])};

		if (may_follow(search, one, other) || may_follow(search, other, one))
			search->uncertain.learnt++;
		else
			found(user, sides);
	}
}

static void use_clear(gpointer use)
{
	rma_clock_unref(((struct rma_use *)use)->issued);
}

void rma_search_free(struct rma_search *search)
{
	g_array_unref(search->items);
	g_array_unref(search->uses);
	g_array_unref(search->candidates);
	rma_places_free(search->places);
	rma_underway_free(search->underway);
	g_hash_table_destroy(search->open);
	g_hash_table_destroy(search->closed);
	g_hash_table_destroy(search->numbers);
	rma_channels_free(search->channels);
	rma_order_free(search->order);
	rma_memory_free(search->memory);
	g_free(search);
}

struct rma_search *rma_search_new(const struct rma_log *log, const struct trace *trace, int ranks)
{
	struct rma_search *search = g_new(struct rma_search, 1);

	*search = (struct rma_search){
		.ranks = ranks,
		.items = g_array_new(false, false, sizeof(struct rma_item)),
		.uses = g_array_new(false, false, sizeof(struct rma_use)),
		.places = rma_places_of(log, ranks),
		.underway = rma_underway_new(ranks),
		.open = lists_new(),
		.closed = lists_new(),
		.numbers = g_hash_table_new_full(rma_key_hash, rma_key_equal, g_free, NULL),
		.candidates = g_array_new(false, false, sizeof(struct rma_candidate)),
		.channels = rma_channels_new(ranks),
		.order = rma_order_new(ranks),
	};
	search->memory = rma_memory_new(ranks, on_meet, on_past, search);
	g_array_set_clear_func(search->uses, use_clear);
	list_items(search, log);
	read_all(search, trace);
	return search;
}

void rma_find(const struct rma_log *log, const struct trace *trace, int ranks, rma_found found,
              void *user, struct rma_uncertain *ret_uncertain)
{
	struct rma_search *search = rma_search_new(log, trace, ranks);

	rma_report_conflicts(search, found, user);
	search->uncertain.unknown += rma_log_dropped(log);
	*ret_uncertain = search->uncertain;
	rma_search_free(search);
}
