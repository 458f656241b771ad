/* One-sided communication in brute force: the contents of windows, and which rank may have a lock.
 *
 * An exclusive lock is taken place by place (explorer/lock.h gives the argument). First comes the
 * place that excludes other exclusive locks; then, in any order, one place for the shared locks of
 * each other rank. A state has, for each lock, the places taken (a bit for each rank, and FIRST;
 * for MPI_Win_lock_all a bit for each target). Then, for each target: the last put (index + 1), the
 * number of accumulates, the number of exclusive locks granted, the counter. Then whether accesses
 * have conflicted. */
#include "brute_internal.h"

#define FIRST (1u << 7)

G_STATIC_ASSERT(PROGRAM_MAX_RANKS <= 9);

enum { LAST, SUM, GRANTS, COUNTER, KNOWN };

gsize brute_windows_size(const struct random_program *program)
{
	g_assert_cmpint(program->ranks, <, 7);
	return (gsize)(program->count + KNOWN * program->ranks + 1);
}

static gsize place_of_taken(const struct walk *walk, int lock)
{
	return (gsize)(walk->program->lines + 2 * walk->program->count + lock);
}

static guint8 *cell(const struct walk *walk, guint8 *state, int target, int which)
{
	return state + walk->program->lines + 3 * walk->program->count + KNOWN * target + which;
}

void brute_access(const struct walk *walk, guint8 *state, int index)
{
	const struct instruction *own = brute_at(walk, index);
	guint8 *own_state = &state[walk->program->lines + index];

	if (own->cell == CELL_UNREAD || own->cell == CELL_SPARE)
		*own_state = own->kind == INSTRUCTION_GET ? (guint8)(MATCHED + index) : *own_state;
	else if (own->kind == INSTRUCTION_PUT)
		*cell(walk, state, own->peer, LAST) = (guint8)(index + 1);
	else if (own->kind == INSTRUCTION_ACCUMULATE)
		++*cell(walk, state, own->peer, SUM);
	else if (own->kind == INSTRUCTION_GET && own->cell == CELL_SUM)
		*own_state = (guint8)(MATCHED + *cell(walk, state, own->peer, SUM));
	else if (own->kind == INSTRUCTION_GET && *cell(walk, state, own->peer, LAST) == 0)
		*own_state = (guint8)(MATCHED + index); /* no put yet: its own */
	else if (own->kind == INSTRUCTION_GET)
		*own_state = (guint8)(MATCHED + *cell(walk, state, own->peer, LAST) - 1);
}

/* The number of instructions of this kind that a rank has executed, for that peer, up to `last`. */
static int count_done(const struct walk *walk, const guint8 *state, int rank,
                      enum instruction_kind kind, int peer, int last)
{
	int count = 0;

	for (int i = walk->program->first[rank]; i <= last; i++)
		count += brute_at(walk, i)->kind == kind && brute_at(walk, i)->peer == peer
		         && brute_states(walk, state)[i] != ABSENT;
	return count;
}

bool brute_exposure_ready(const struct walk *walk, const guint8 *state, int index)
{
	const struct instruction *own = brute_at(walk, index);
	enum instruction_kind awaited = own->kind == INSTRUCTION_START ? INSTRUCTION_POST
	                                                               : INSTRUCTION_COMPLETE;

	return count_done(walk, state, own->peer, awaited, own->rank,
	                  walk->program->first[own->peer + 1] - 1)
	       >= count_done(walk, state, own->rank, own->kind, own->peer, index);
}

/* --- conflicts -------------------------------------------------------------------------------- */

static bool is_access(const struct instruction *own)
{
	return own->kind == INSTRUCTION_PUT || own->kind == INSTRUCTION_GET
	       || own->kind == INSTRUCTION_ACCUMULATE;
}

/* Whether MPI_Win_wait has returned for the epoch that this MPI_Win_complete ended. */
static bool has_been_awaited(const struct walk *walk, const guint8 *state, int complete)
{
	const struct instruction *own = brute_at(walk, complete);
	int awaited = 0, first = walk->program->first[own->peer];

	for (int i = first; i < state[own->peer] && i < walk->program->first[own->peer + 1]; i++)
		awaited += brute_at(walk, i)->kind == INSTRUCTION_WAIT_WINDOW
		           && brute_at(walk, i)->peer == own->rank
		           && brute_states(walk, state)[i] != ABSENT;
	return awaited
	       >= count_done(walk, state, own->rank, INSTRUCTION_COMPLETE, own->peer, complete);
}

/* Whether this instruction completes the access and has been executed. */
static bool has_completed(const struct walk *walk, const guint8 *state, int access, int index)
{
	const struct instruction *used = brute_at(walk, access), *own = brute_at(walk, index);

	if (brute_states(walk, state)[index] == ABSENT)
		return false;
	/* MPI_Win_flush after a later access completes all pending accesses of the rank there. */
	if (used->cell != CELL_UNREAD)
		return (own->kind == INSTRUCTION_UNLOCK
		        && (own->peer < 0 || own->peer == used->peer))
		       || (is_access(own) && own->flushed && own->cell != CELL_UNREAD
		           && own->peer == used->peer);
	if (own->kind == INSTRUCTION_COMPLETE)
		return own->peer == used->peer && has_been_awaited(walk, state, index);
	/* A rank that leaves the fence has waited for this one. */
	return own->kind == INSTRUCTION_COLLECTIVE && own->collective == COLLECTIVE_FENCE;
}

/* Whether the access has begun, or is about to, and is not complete. */
static bool is_under_way(const struct walk *walk, const guint8 *state, int access)
{
	const struct instruction *own = brute_at(walk, access);

	if (!is_access(own))
		return false;
	if (brute_states(walk, state)[access] == ABSENT)
		return state[own->rank] == access;
	if (own->flushed)
		return false;
	for (int i = access + 1; i < walk->program->first[own->rank + 1]; i++)
		if (has_completed(walk, state, access, i))
			return false;
	return true;
}

/* Whether two accesses to one cell conflict. Accumulates with the same operation do not. */
static bool exclude_each_other(const struct instruction *one, const struct instruction *other)
{
	return one->peer == other->peer && one->cell == other->cell
	       && (one->kind != INSTRUCTION_GET || other->kind != INSTRUCTION_GET)
	       && (one->kind != INSTRUCTION_ACCUMULATE || other->kind != INSTRUCTION_ACCUMULATE);
}

bool *brute_conflicted(const struct walk *walk, guint8 *state)
{
	return (bool *)cell(walk, state, walk->program->ranks, 0);
}

bool brute_conflicts(const struct walk *walk, const guint8 *state)
{
	for (int i = 0; i < walk->program->count; i++)
		for (int j = 0; is_under_way(walk, state, i) && j < i; j++)
			if (is_under_way(walk, state, j)
			    && exclude_each_other(brute_at(walk, i), brute_at(walk, j)))
				return true;
	return false;
}

/* An outcome without what was fetched. */
static GBytes *without_fetches(const struct random_program *program, GBytes *outcome)
{
	gsize size;
	const guint8 *whole = g_bytes_get_data(outcome, &size);
	guint8 *kept = g_memdup2(whole, size);

	for (int i = 0; i < program->count; i++)
		if (program->instructions[i].kind == INSTRUCTION_FETCH
		    && kept[program->lines + i] > MATCHED && kept[program->lines + i] < EARLY)
			kept[program->lines + i] = MATCHED;
	return g_bytes_new_take(kept, size);
}

void brute_disregard_fetches(const struct random_program *program, GHashTable *outcomes,
                             GHashTable *conflicting)
{
	g_autoptr(GHashTable) kinds = g_hash_table_new_full(g_bytes_hash, g_bytes_equal,
	                                                    (GDestroyNotify)g_bytes_unref, NULL);
	GHashTableIter iter;
	gpointer outcome;

	g_hash_table_iter_init(&iter, conflicting);
	while (g_hash_table_iter_next(&iter, &outcome, NULL))
		g_hash_table_add(kinds, without_fetches(program, outcome));
	g_hash_table_iter_init(&iter, outcomes);
	while (g_hash_table_iter_next(&iter, &outcome, NULL)) {
		g_autoptr(GBytes) kind = without_fetches(program, outcome);

		if (g_hash_table_contains(kinds, kind))
			g_hash_table_add(conflicting, g_bytes_ref(outcome));
	}
}

/* --- locks ------------------------------------------------------------------------------------ */

static bool is_given_back(const struct walk *walk, const guint8 *state, int lock)
{
	for (int i = lock + 1; i < walk->program->first[brute_at(walk, lock)->rank + 1]; i++)
		if (brute_at(walk, i)->kind == INSTRUCTION_UNLOCK && brute_at(walk, i)->of == lock)
			return brute_states(walk, state)[i] != ABSENT;
	g_assert_not_reached();
}

enum interest { HAS_IT, MAY_WANT_IT };

/* Whether it is MPI_Win_lock_all: the bits of its places are targets. */
static bool is_of_all(const struct instruction *lock)
{
	return lock->peer < 0;
}

/* Whether some lock of `rank` (-1: any but `but`) at the target, shared or not, has what `taken`
 * names, or may still get it. */
static bool has_interest(const struct walk *walk, const guint8 *state, enum interest interest,
                         int target, int rank, int but, bool shared, guint taken)
{
	for (int i = 0; i < walk->program->count; i++) {
		const struct instruction *own = brute_at(walk, i);
		bool begun = brute_states(walk, state)[i] != ABSENT;
		guint place = is_of_all(own) ? 1u << target : taken;

		if (own->kind != INSTRUCTION_LOCK || (!is_of_all(own) && own->peer != target)
		    || own->shared != shared || (rank >= 0 ? own->rank != rank : own->rank == but)
		    || (begun && is_given_back(walk, state, i)))
			continue;
		if (interest == HAS_IT ? (state[place_of_taken(walk, i)] & place) != 0
		                       : begun || i >= state[own->rank])
			return true;
	}
	return false;
}

/* The lock takes the places in `more`; with all places in `all` it is granted. */
static void take(struct walk *walk, const guint8 *state, int lock, guint more, guint all)
{
	guint8 *after = brute_copy(walk, state);
	const struct instruction *own = brute_at(walk, lock);
	guint8 *taken = &after[place_of_taken(walk, lock)];
	int granted = 0;

	*taken = (guint8)(*taken | more);
	for (int target = 0; target < walk->program->ranks; target++) {
		guint8 *grants = cell(walk, after, target, GRANTS);

		if (is_of_all(own))
			granted = granted * GRANTS_BASE + *grants;
		if (own->peer != target)
			continue;
		granted = *grants;
		*grants = (guint8)(*grants + (*taken == all && !own->shared));
	}
	if (*taken == all)
		after[walk->program->lines + lock] = (guint8)(MATCHED + granted);
	brute_reach(walk);
}

/* The lock takes the place if it is free; returns whether it could. *ret_alone: no other lock could
 * ever want it now. */
static bool try_place(struct walk *walk, const guint8 *state, int lock, guint place, guint all,
                      bool *ret_alone)
{
	const struct instruction *own = brute_at(walk, lock);
	int reader = own->shared || place == FIRST ? -1 : (int)g_bit_nth_lsf(place, -1);
	int target = is_of_all(own) ? (int)g_bit_nth_lsf(place, -1) : own->peer;
	guint taken = own->shared ? 1u << own->rank : place;
	bool of_shared = reader >= 0;

	if (has_interest(walk, state, HAS_IT, target, reader, own->rank, of_shared, taken))
		return false;
	*ret_alone = !has_interest(walk, state, MAY_WANT_IT, target, reader, own->rank, of_shared,
	                           taken);
	take(walk, state, lock, place, all);
	return true;
}

/* The atomic operation is made. */
static void fetch(struct walk *walk, const guint8 *state, int index)
{
	guint8 *after = brute_copy(walk, state);
	const struct instruction *own = brute_at(walk, index);
	guint8 *counter = cell(walk, after, own->peer, COUNTER);

	after[walk->program->lines + index] = (guint8)(MATCHED + *counter);
	*counter = (guint8)(*counter + !own->shared);
	brute_reach(walk);
}

bool brute_take_places(struct walk *walk, const guint8 *state, bool *moved)
{
	const struct random_program *program = walk->program;

	for (int i = 0; i < program->count; i++) {
		if (brute_at(walk, i)->kind != INSTRUCTION_FETCH
		    || brute_states(walk, state)[i] != POSTED)
			continue;
		fetch(walk, state, i);
		*moved = true;
	}
	for (int i = 0; i < program->count; i++) {
		const struct instruction *own = brute_at(walk, i);
		guint own_bit = 1u << own->rank, others = (1u << program->ranks) - 1 - own_bit;
		guint all = is_of_all(own) ? own_bit | others
		            : own->shared  ? own_bit
		                           : others | FIRST;
		guint taken, next;

		if (own->kind != INSTRUCTION_LOCK || brute_states(walk, state)[i] != POSTED)
			continue;
		taken = state[place_of_taken(walk, i)];
		next = own->shared || taken & FIRST ? all & ~taken : FIRST;
		for (guint place = 1; place <= FIRST; place <<= 1) {
			bool alone = false;

			if (!(next & place) || !try_place(walk, state, i, place, all, &alone))
				continue;
			*moved = true;
			if (alone && walk->steps == STEPS_FIRST)
				return true;
		}
	}
	return false;
}
