#include "world_fingerprint.h"

#include "mpi_calls.h"
#include "send_modes.h"
#include "word_spins.h"
#include "world_internal.h"

/* What a rank has reported of a call, for as long as the call matters. */
struct sealed {
	struct state_hash arguments;
	struct state_hash contents; /* hash of what it sends; or the choices made before it */
};

/* --- small parts ------------------------------------------------------------------------------ */

static void add(struct state_hash *hash, guint64 value)
{
	state_hash_add(hash, value);
}

/* Age of a call: 1 for the last one that its rank made. Only that matters of its number. */
static guint32 age_of(const struct world *world, gint32 rank, guint32 call)
{
	guint32 calls = 0;

	if (rank >= world->options.ranks) /* the place of a lock; its next grant may be on offer */
		calls = windows_grants(world->locks, rank) + 1;
	else if (rank >= 0)
		calls = (guint32)world->ranks[rank].calls.count;
	return call > 0 && call <= calls ? calls - call + 1 : call;
}

static void add_id(struct state_hash *hash, const struct world *world, struct op_id id)
{
	add(hash, (guint64)(guint32)id.rank << 32 | age_of(world, id.rank, id.call));
	add(hash, id.sub);
}

static void add_name(struct state_hash *hash, const struct world *world, int rank,
                     struct wire_name name)
{
	add(hash, (guint64)age_of(world, rank, name.call) << 32 | name.sub);
}

static void add_types(struct state_hash *hash, const struct types *types)
{
	guint count = 0;
	const struct wire_run *runs = types->runs ? types_element(types, &count) : NULL;

	add(hash, types->bytes);
	add(hash, (guint64)types->basic << 32 | count);
	for (guint i = 0; runs && i < count; i++) {
		add(hash, runs[i].basic);
		add(hash, runs[i].count);
	}
}

static void add_names(struct state_hash *hash, const struct world *world, int rank,
                      const GArray *names)
{
	add(hash, names->len);
	for (guint i = 0; i < names->len; i++)
		add_name(hash, world, rank, g_array_index(names, struct wire_name, i));
}

static void add_numbers(struct state_hash *hash, const GArray *numbers)
{
	add(hash, numbers->len);
	for (guint i = 0; i < numbers->len; i++)
		add(hash, g_array_index(numbers, guint64, i));
}

/* The first `count` choices. */
static struct state_hash choices_made(const struct world *world, guint count)
{
	struct state_hash sum = {{count, 0}};

	for (guint i = 0; i < count; i++) {
		g_autoptr(GByteArray) bytes = g_byte_array_new();
		const struct choice *choice = &g_array_index(world->choices, struct choice, i);
		struct state_hash one = {{0, 0}};

		point_put(bytes, &choice->point);
		taken_put(bytes, &choice->taken);
		state_hash_add_bytes(&one, bytes->data, bytes->len);
		state_hash_add_member(&sum, &one);
	}
	return sum;
}

static void add_hash(struct state_hash *hash, const struct state_hash *other)
{
	add(hash, other->word[0]);
	add(hash, other->word[1]);
}

/* --- seals ------------------------------------------------------------------------------------ */

void world_seal(struct world *world, int number, const struct wire_seal *seal)
{
	struct rank *rank = &world->ranks[number];
	struct sealed *sealed;
	struct state_hash before = choices_made(world, world->choices->len);

	if (seal->hides)
		add_hash(&rank->hidden, &before);
	if (seal->call == 0 || seal->call > rank->calls.count + 1)
		return;
	if (!rank->seals)
		rank->seals = g_array_new(false, true, sizeof(struct sealed));
	if (seal->call > rank->seals->len)
		g_array_set_size(rank->seals, seal->call);
	sealed = &g_array_index(rank->seals, struct sealed, seal->call - 1);
	/* A call may come in several steps. */
	add(&sealed->arguments, seal->arguments[0]);
	add(&sealed->arguments, seal->arguments[1]);
	if (seal->knows_contents) {
		add(&sealed->contents, seal->contents[0]);
		add(&sealed->contents, seal->contents[1]);
	} else {
		add_hash(&sealed->contents, &before);
	}
}

void world_go_unsealed(struct world *world, int number, guint32 call)
{
	world->ranks[number].unsealed = call;
	world->ranks[number].unsealed_choices = world->choices->len;
}

static bool waits_in(const struct world *world, struct op_id id)
{
	const struct line *line = world->ranks[id.rank].line;

	return line->phase == PHASE_BLOCKED && line->call == id.call;
}

/* While its rank waits in the call, everything that it sends is in the rank's memory, and cannot
 * change. */
static void add_seal(struct state_hash *hash, const struct world *world, struct op_id id)
{
	const struct rank *rank = &world->ranks[id.rank];
	const GArray *seals = rank->seals;
	const struct sealed *sealed;

	/* With the choices that add_rank adds, the number tells which call it was. */
	if (id.call <= rank->unsealed)
		add(hash, id.call);
	if (!seals || id.call == 0 || id.call > seals->len)
		return;
	sealed = &g_array_index(seals, struct sealed, id.call - 1);
	add_hash(hash, &sealed->arguments);
	if (!waits_in(world, id))
		add_hash(hash, &sealed->contents);
}

/* --- what is under way ------------------------------------------------------------------------ */

static void add_live(struct state_hash *hash, const struct world *world, int number,
                     const struct live *live)
{
	struct op_id id = world_op_id(number, live->name), other;

	add_name(hash, world, number, live->name);
	add(hash, (guint64)live->kind << 32 | (guint64)(guint32)live->decided);
	add(hash, (guint64)live->matched | (guint64)live->cancelled << 1
	                  | (guint64)live->nonblocking << 2 | (guint64)live->arrived << 3
	                  | (guint64)live->joined << 4 | (guint64)live->observed << 5
	                  | (guint64)live->waits_for_match << 6 | (guint64)live->is_decided_for << 7
	                  | (guint64)live->by_choice << 8 | (guint64)live->probed << 9);
	add(hash, (guint64)live->order);
	add(hash, live->comm);
	add(hash, (guint64)(guint32)live->peer << 32 | (guint32)live->tag);
	add_types(hash, &live->types);
	add_seal(hash, world, id);
	if (!live->matched || live->kind == WIRE_SEND || live->kind == WIRE_COLLECTIVE
	    || !world_message_taken(world, id, &other))
		return;
	add_id(hash, world, other);
	if (other.rank < world->options.ranks)
		add_seal(hash, world, other);
}

static void add_messages(struct state_hash *hash, const struct world *world)
{
	struct state_hash sum = {{0, 0}};
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, world->messages);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct message *message = value;
		struct state_hash one = {{0, 0}};

		add_id(&one, world, message->id);
		add(&one, message->comm);
		add(&one, (guint64)(guint32)message->peer << 32 | (guint32)message->tag);
		add(&one, (guint64)message->recalled | (guint64)message->seen << 1);
		if (message->probe.call != 0)
			add_id(&one, world, message->probe);
		add_types(&one, &message->types);
		add_seal(&one, world, message->id);
		state_hash_add_member(&sum, &one);
	}
	add(hash, g_hash_table_size(world->messages));
	add_hash(hash, &sum);
}

static void add_operations(struct state_hash *hash, const struct world *world,
                           const GArray *operations)
{
	add(hash, operations->len);
	for (guint i = 0; i < operations->len; i++) {
		const struct operation *one = &g_array_index(operations, struct operation, i);

		add_id(hash, world, one->id);
		add(hash, one->comm);
		add(hash, (guint64)(guint32)one->peer << 32 | (guint32)one->tag);
		add(hash, (guint64)one->kind << 2 | (guint64)one->waits_for_match << 1
		                  | (guint64)one->by_choice);
	}
}

static void add_queues(struct state_hash *hash, const struct world *world)
{
	g_autoptr(GArray) sends = g_array_new(false, false, sizeof(struct operation));
	g_autoptr(GArray) receives = g_array_new(false, false, sizeof(struct operation));

	matcher_leftovers(world->matcher, sends, receives);
	add_operations(hash, world, sends);
	add_operations(hash, world, receives);
}

/* Collectives that are not complete. Members that have left one before the others came have given
 * it their data. */
static void add_collectives(struct state_hash *hash, const struct world *world)
{
	guint64 count = collectives_count(world->collectives);
	struct collective_mismatch mismatch;

	/* An instance's number depends on the order in which they began, which makes no
	 * difference. */
	struct state_hash sum = {{0, 0}};

	for (guint64 i = 0; i < count; i++) {
		struct state_hash one = {{0, 0}};
		int members;
		const struct op_id *calls = collectives_calls(world->collectives, i, &members);

		if (collectives_complete(world->collectives, i)
		    && !collectives_disagrees(world->collectives, i))
			continue;
		for (int j = 0; j < members; j++) {
			add_id(&one, world, calls[j]);
			if (calls[j].call != 0)
				add_seal(&one, world, calls[j]);
		}
		state_hash_add_member(&sum, &one);
	}
	add_hash(hash, &sum);
	add(hash, collectives_mismatch(world->collectives, &mismatch));
}

/* --- ranks ------------------------------------------------------------------------------------ */

static void add_streak(struct state_hash *hash, const struct world *world,
                       const struct streak *streak)
{
	add(hash, streak->rounds);
	add(hash, streak->last);
	add_numbers(hash, streak->known);
	add(hash, streak->polls->len);
	for (guint i = 0; i < streak->polls->len; i++) {
		const struct poll *poll = &g_array_index(streak->polls, struct poll, i);

		add(hash, poll->identity);
		add(hash, poll->site);
		add(hash, poll->key);
		add_id(hash, world, poll->point);
		add(hash, poll->chosen);
	}
}

static void add_loop(struct state_hash *hash, const struct world *world, int number)
{
	const struct loop *loop = &world->ranks[number].loop;

	add(hash, loop->polls->len);
	for (guint i = 0; i < loop->polls->len; i++)
		add(hash, g_array_index(loop->polls, struct poll, i).identity);
	if (loop->polls->len > 0)
		add(hash, (guint64)loop->period << 1 | loop->is_open);
	for (guint i = 0; i < loop->found->len; i++) {
		const struct loop_found *one = &g_array_index(loop->found, struct loop_found, i);

		add(hash, one->identity);
		add(hash, one->digest[0]);
		add_id(hash, world, one->send);
	}
}

static void add_line(struct state_hash *hash, const struct world *world, int rank,
                     const struct line *line)
{
	add(hash, (guint64)line->phase << 32 | age_of(world, rank, line->call));
	add(hash,
	    (guint64)line->function << 32 | (guint64)line->wait << 8 | (guint64)line->ends_mpi);
	add(hash, (guint64)line->question << 32 | (line->asked == line->call));
	add(hash, line->complete);
	if (line->phase == PHASE_BLOCKED)
		add_names(hash, world, rank, line->waited);
}

static void add_left(struct state_hash *hash, const GArray *left)
{
	add(hash, left->len);
	for (guint i = 0; i < left->len; i++) {
		const struct wire_left *one = &g_array_index(left, struct wire_left, i);

		add(hash, (guint64)one->kind << 32 | one->function);
		add(hash, one->site);
		add(hash, one->count);
	}
}

static void add_truncated(struct state_hash *hash, const struct world *world, const GArray *all)
{
	add(hash, all->len);
	for (guint i = 0; i < all->len; i++) {
		const struct truncated *truncated = &g_array_index(all, struct truncated, i);

		add_id(hash, world, truncated->send);
		add_id(hash, world, truncated->receive);
		add_types(hash, &truncated->sent);
		add_types(hash, &truncated->received);
	}
}

static void add_rank(struct state_hash *hash, const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];
	const struct op_id pending = {number, rank->line->call, 0};

	add_line(hash, world, number, rank->line);
	if (rank->line->phase == PHASE_BLOCKED)
		add_seal(hash, world, pending);
	add(hash, (guint64)rank->finalized | (guint64)rank->went_into_call << 1);
	add(hash, rank->access_epoch);
	add(hash, (guint64)rank->line->together.order << 32 | (guint32)rank->line->together.root);
	add(hash, entered_by(world->entered, number)->len);
	add(hash, rank->live->len);
	for (guint i = 0; i < rank->live->len; i++)
		add_live(hash, world, number, &g_array_index(rank->live, struct live, i));
	add_truncated(hash, world, rank->truncated);
	add_left(hash, rank->left);
	add_streak(hash, world, &rank->streak);
	add_loop(hash, world, number);
	add_hash(hash, &rank->hidden);
	if (rank->unsealed_choices > 0) {
		struct state_hash before = choices_made(world, rank->unsealed_choices);

		add_hash(hash, &before);
	}
}

/* --- the world -------------------------------------------------------------------------------- */

static void add_remarks(struct state_hash *hash, const struct world *world)
{
	struct state_hash sum = {{0, 0}};

	for (guint i = 0; i < remarks_count(world->remarks); i++) {
		struct state_hash one = {{0, 0}};

		remark_fingerprint(remarks_get(world->remarks, i), &one);
		state_hash_add_member(&sum, &one);
	}
	add(hash, remarks_count(world->remarks));
	add_hash(hash, &sum);
}

static void add_impatience(struct state_hash *hash, const struct world *world)
{
	struct state_hash sum = {{0, 0}};
	GHashTableIter iter;
	gpointer key, value;

	g_hash_table_iter_init(&iter, world->impatience);
	while (g_hash_table_iter_next(&iter, &key, &value)) {
		struct state_hash one = {{0, 0}};

		add(&one, *(const guint64 *)key);
		add(&one, GPOINTER_TO_UINT(value));
		state_hash_add_member(&sum, &one);
	}
	add(hash, g_hash_table_size(world->impatience));
	add_hash(hash, &sum);
}

static void add_facts(struct state_hash *hash, const struct world *world)
{
	add(hash, (guint64)world->options.buffering << 8 | (guint64)world->options.collectives);
	/* Not the number of polls: it depends on which of several ranks called first. */
	add(hash, world->idle.rounds);
	add(hash, world->idle.spins);
	add(hash, (guint64)world->collectives_matter | (guint64)world->any_tag << 1
	                  | (guint64)world->deferred << 2 | (guint64)world->lets_go << 3
	                  | (guint64)world->windows << 4);
	add(hash, world->limits);
}

void world_fingerprint_end(const struct world *world, struct state_hash *ret)
{
	*ret = (struct state_hash){{0, 0}};
	add_facts(ret, world);
	add_remarks(ret, world);
	add_messages(ret, world);
	for (int rank = 0; rank < world->options.ranks; rank++)
		add_rank(ret, world, rank);
}

static void name_operation(struct state_hash *hash, const void *world, struct op_id id)
{
	add_id(hash, world, id);
}

/* What was done to windows. */
static const char *add_windows(struct state_hash *hash, const struct world *world)
{
	const struct rma_namer namer = {name_operation, world};

	if (!world->windows)
		return NULL;
	windows_fingerprint(world->locks, hash);
	word_spins_fingerprint(world->spins, hash);
	state_hash_add(hash, (guint64)world->unordered);
	return world_rma_fingerprint(world, &namer, hash);
}

/* Whether the receive of a ready send is known to have begun depends on the whole past. */
static bool any_was_ready(const struct world *world)
{
	for (guint i = 0; i < world->moded_sends->len; i++)
		if (g_array_index(world->moded_sends, struct moded_send, i).is_ready)
			return true;
	return false;
}

/* So does who knows that a name was published. */
static bool any_name_was_told(const struct world *world)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, world->messages);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct message *message = value;
		guint16 function;

		if (message->comm != WIRE_COMM_JOB)
			continue;
		function = world_call_info(world, message->id.rank, message->id.call)->function;
		if (function == MPI_CALL_Publish_name || function == MPI_CALL_Unpublish_name)
			return true;
	}
	return false;
}

const char *world_fingerprint(const struct world *world, struct state_hash *ret)
{
	if (world_has_threads(world))
		return "ranks that make calls from several threads are not compared";
	if (entered_any_failed(world->entered))
		return "a collective has failed";
	if (world_holds(world))
		return "ranks are held";
	if (any_was_ready(world))
		return "there were sends in ready mode";
	if (any_name_was_told(world))
		return "names were published";
	world_fingerprint_end(world, ret);
	add_impatience(ret, world);
	add_queues(ret, world);
	add_collectives(ret, world);
	return add_windows(ret, world);
}
