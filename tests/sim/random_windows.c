/* Random programs with one-sided communication. Locks, granted in any order, order what one rank
 * puts where another reads: so the values read depend on that order. In some programs accesses
 * conflict in cells that nobody reads. Fences and exposures have their own window. */
#include "draw.h"
#include "random_program.h"

/* Instructions that stay together. Their `of` counts from the first. */
struct unit {
	struct instruction instructions[12];
	int count;
	bool stays; /* keeps its position: a collective or an exposure */
};

struct draft {
	GRand *random;
	int ranks;
	int hub;     /* how many of 6 locks are at rank 0 */
	int shared;  /* how many of 6 locks are shared */
	int locks;   /* locks still to be drawn */
	bool fences; /* the other window has fences; else exposures */
	bool conflicts;
	bool fetches; /* there are atomic operations that fetch */
	int messages; /* how many of 6 steps are messages */
	int instances;
	GArray *units[PROGRAM_MAX_RANKS]; /* struct unit */
};

static struct unit *new_unit(struct draft *draft, int rank)
{
	g_array_set_size(draft->units[rank], draft->units[rank]->len + 1);
	return &g_array_index(draft->units[rank], struct unit, draft->units[rank]->len - 1);
}

static struct instruction *unit_add(struct unit *unit, enum instruction_kind kind, int peer)
{
	struct instruction *instruction = &unit->instructions[unit->count++];

	*instruction = (struct instruction){.kind = kind, .peer = peer, .of = -1, .request = -1};
	return instruction;
}

static int other_than(struct draft *draft, int rank)
{
	int other = draw_below(draft->random, draft->ranks - 1);

	return other < rank ? other : other + 1;
}

/* An access under a lock. With an exclusive lock the rank may put, and read the sum; in unread
 * cells any rank may do anything. */
static void add_access(struct draft *draft, struct unit *unit, const struct instruction *lock,
                       bool last)
{
	static const enum instruction_kind kinds[] = {INSTRUCTION_GET, INSTRUCTION_ACCUMULATE,
	                                              INSTRUCTION_PUT, INSTRUCTION_PUT,
	                                              INSTRUCTION_GET};
	bool spare = draft->conflicts && draw_one_in(draft->random, 2);
	int which = draw_below(draft->random,
	                       lock->shared && !spare ? 2 : (int)G_N_ELEMENTS(kinds));
	int target = lock->peer < 0 ? draw_below(draft->random, draft->ranks) : lock->peer;
	struct instruction *access = unit_add(unit, kinds[which], target);

	if (draft->fetches && lock->shared && !spare && draw_one_in(draft->random, 2)) {
		access->kind = INSTRUCTION_FETCH;
		access->cell = CELL_COUNTER;
		access->shared = draw_one_in(draft->random, 3);
		return;
	}
	if (access->kind == INSTRUCTION_ACCUMULATE || (!lock->shared && which == 4))
		access->cell = CELL_SUM;
	access->flushed = !last || draw_one_in(draft->random, 3);
	if (!spare)
		return;
	access->cell = CELL_SPARE;
	access->flushed = draw_one_in(draft->random, 2);
}

static void add_message(struct draft *draft, struct unit *unit, int rank, int other, bool sends)
{
	struct instruction *message = unit_add(unit, sends ? INSTRUCTION_SEND : INSTRUCTION_RECEIVE,
	                                       other);

	(void)rank;
	if (!sends && draw_of_six(draft->random, 3))
		message->peer = -1;
	message->synchronous = sends && draw_one_in(draft->random, 6);
}

static int draw_target(struct draft *draft)
{
	return draw_of_six(draft->random, draft->hub) ? 0 : draw_below(draft->random, draft->ranks);
}

/* Draws the targets of a lock: one, or -1: all. */
static int draw_targets(struct draft *draft)
{
	enum { TARGETS_MOST = 3 }; /* as digits of a state */

	return draft->ranks <= TARGETS_MOST && draw_one_in(draft->random, 4) ? -1
	                                                                     : draw_target(draft);
}

/* Locks one target or all, with accesses under the lock, and in some cases another lock inside. */
static void add_epoch(struct draft *draft, struct unit *unit, int target, bool nests)
{
	struct instruction *lock = unit_add(unit, INSTRUCTION_LOCK, target);
	struct instruction copy;
	int at = unit->count - 1, accesses = 1 + draw_below(draft->random, 2);

	draft->locks--;
	lock->shared = target < 0 || draw_of_six(draft->random, draft->shared);
	copy = *lock;
	if (nests && target >= 0 && draft->locks > 0 && draw_one_in(draft->random, 3)) {
		int other = draw_target(draft);

		if (other != target)
			add_epoch(draft, unit, other, false);
	}
	for (int i = 0; i < accesses; i++)
		add_access(draft, unit, &copy, i == accesses - 1);
	unit_add(unit, INSTRUCTION_UNLOCK, target)->of = at;
	unit->instructions[unit->count - 1].shared = copy.shared;
}

/* The value read decides whether a message is sent or awaited; the other side may exist or not. */
static void add_branch(struct draft *draft, int rank)
{
	struct unit *unit = &g_array_index(draft->units[rank], struct unit,
	                                   draft->units[rank]->len - 1);
	int other = other_than(draft, rank), get = -1;
	bool sends = draw_one_in(draft->random, 2);
	struct instruction *branch;

	for (int i = 0; i < unit->count; i++)
		if (unit->instructions[i].kind == INSTRUCTION_GET
		    && unit->instructions[i].cell == CELL_LAST)
			get = i;
	if (get < 0)
		return;
	branch = unit_add(unit, INSTRUCTION_BRANCH, 0);
	branch->of = get;
	branch->tag = -1;
	branch->source = draw_below(draft->random, draft->ranks);
	branch->skip = 1;
	add_message(draft, unit, rank, other, sends);
	if (!draw_one_in(draft->random, 4))
		add_message(draft, new_unit(draft, other), other, rank, !sends);
}

static void draw_locks(struct draft *draft)
{
	int rank = draw_below(draft->random, draft->ranks);
	struct unit *unit = new_unit(draft, rank);

	/* A rank that holds the lock may wait for others. */
	if (draft->locks == 0)
		return;
	add_epoch(draft, unit, draw_targets(draft), true);
	if (draw_one_in(draft->random, 6)) {
		struct instruction last = unit->instructions[unit->count - 1];
		int other = other_than(draft, rank);
		bool sends = draw_one_in(draft->random, 2);

		unit->count--;
		add_message(draft, unit, rank, other, sends);
		unit->instructions[unit->count++] = last;
		add_message(draft, new_unit(draft, other), other, rank, !sends);
	} else if (draw_one_in(draft->random, 3)) {
		add_branch(draft, rank);
	}
}

static void draw_message(struct draft *draft)
{
	int from = draw_below(draft->random, draft->ranks), to = other_than(draft, from);

	add_message(draft, new_unit(draft, from), from, to, true);
	add_message(draft, new_unit(draft, to), to, from, false);
}

/* An access to an unread cell. Accumulates do not conflict with each other. */
static enum instruction_kind draw_unread(struct draft *draft)
{
	return draft->conflicts && draw_one_in(draft->random, 2) ? INSTRUCTION_PUT
	                                                         : INSTRUCTION_ACCUMULATE;
}

static void draw_exposure(struct draft *draft)
{
	int target = draw_below(draft->random, draft->ranks), origin = other_than(draft, target);
	struct unit *unit = new_unit(draft, target);

	unit->stays = true;
	unit_add(unit, INSTRUCTION_POST, origin);
	unit_add(unit, INSTRUCTION_WAIT_WINDOW, origin);
	unit = new_unit(draft, origin);
	unit->stays = true;
	unit_add(unit, INSTRUCTION_START, target);
	unit_add(unit, draw_unread(draft), target)->cell = CELL_UNREAD;
	unit_add(unit, INSTRUCTION_COMPLETE, target);
}

/* A collective of all ranks; a fence completes the accumulates. */
static void draw_collective(struct draft *draft, bool fence)
{
	for (int rank = 0; rank < draft->ranks; rank++) {
		struct unit *unit = new_unit(draft, rank);
		struct instruction *collective;

		if (fence && draw_one_in(draft->random, 3))
			unit_add(unit, draw_unread(draft), draw_below(draft->random, draft->ranks))
				->cell = CELL_UNREAD;
		collective = unit_add(unit, INSTRUCTION_COLLECTIVE, 0);
		collective->collective = fence ? COLLECTIVE_FENCE : COLLECTIVE_BARRIER;
		collective->instance = draft->instances;
		unit->stays = true;
	}
	draft->instances++;
}

static void draw_step(struct draft *draft)
{
	if (draw_of_six(draft->random, draft->messages))
		draw_message(draft);
	else if (draw_one_in(draft->random, 6))
		draw_collective(draft, draft->fences && draw_one_in(draft->random, 2));
	else if (!draft->fences && draw_one_in(draft->random, 5))
		draw_exposure(draft);
	else
		draw_locks(draft);
}

/* Changes the order of some units. */
static void shuffle(struct draft *draft, GArray *units)
{
	for (guint i = 1; i < units->len; i++) {
		struct unit *one = &g_array_index(units, struct unit, i - 1);
		struct unit *other = &g_array_index(units, struct unit, i);
		struct unit kept = *one;

		if (one->stays || other->stays || !draw_one_in(draft->random, 4))
			continue;
		*one = *other;
		*other = kept;
	}
}

static void add_rank(struct random_program *program, int rank, const GArray *units)
{
	for (guint i = 0; i < units->len; i++) {
		const struct unit *unit = &g_array_index(units, struct unit, i);
		int first = program->count;

		for (int j = 0; j < unit->count; j++) {
			struct instruction *to = random_program_add(program, rank,
			                                            unit->instructions[j].kind);

			*to = unit->instructions[j];
			to->rank = rank;
			if (to->of >= 0)
				to->of += first;
		}
	}
}

static struct random_program *make_program(guint64 seed, bool fetches)
{
	guint32 words[] = {(guint32)seed, (guint32)(seed >> 32), 0x77696e};
	struct draft draft = {.random = g_rand_new_with_seed_array(words, G_N_ELEMENTS(words))};
	struct random_program *program;
	int steps;

	draft.ranks = 2 + draw_below(draft.random, 3);
	draft.hub = draw_below(draft.random, 7);
	draft.shared = draw_below(draft.random, 5);
	draft.locks = 2 + draw_below(draft.random, 5);
	draft.fences = draw_one_in(draft.random, 2);
	draft.messages = draw_below(draft.random, 4);
	draft.conflicts = draw_one_in(draft.random, 3);
	draft.fetches = fetches;
	steps = 3 + draw_below(draft.random, 5);
	for (int rank = 0; rank < draft.ranks; rank++)
		draft.units[rank] = g_array_new(false, true, sizeof(struct unit));
	for (int i = 0; i < steps; i++)
		draw_step(&draft);
	program = random_program_empty(draft.ranks);
	program->seed = seed;
	program->windows = true;
	program->conflicts = draft.conflicts;
	program->instances = draft.instances;
	for (int rank = 0; rank < draft.ranks; rank++) {
		if (draw_one_in(draft.random, 3))
			shuffle(&draft, draft.units[rank]);
		add_rank(program, rank, draft.units[rank]);
		g_array_free(draft.units[rank], true);
	}
	g_rand_free(draft.random);
	return program;
}

struct random_program *random_program_windows(guint64 seed)
{
	return make_program(seed, false);
}

struct random_program *random_program_atomics(guint64 seed)
{
	return make_program(seed, true);
}
