/* One-sided communication in brute force: what is in the windows, and who may have a lock.
 *
 * An exclusive lock is taken place by place (explorer/lock.h says why that is allowed): first what
 * no other exclusive one may have, then, in any order, what shared locks of each other rank need. A
 * state has for each lock what it has taken (a bit for each rank, and FIRST), then for each target
 * what was put there last (index + 1), how many have accumulated, how many exclusive locks were
 * granted. */
#include "brute_internal.h"

#define FIRST (1u << 7)

G_STATIC_ASSERT(PROGRAM_MAX_RANKS <= 9);

enum { LAST, SUM, GRANTS, CELLS };

gsize brute_windows_size(const struct random_program *program)
{
	g_assert_cmpint(program->ranks, <, 7);
	return (gsize)(program->count + CELLS * program->ranks);
}

static gsize place_of_taken(const struct walk *walk, int lock)
{
	return (gsize)(walk->program->lines + 2 * walk->program->count + lock);
}

static guint8 *cell(const struct walk *walk, guint8 *state, int target, int which)
{
	return state + walk->program->lines + 3 * walk->program->count + CELLS * target + which;
}

void brute_access(const struct walk *walk, guint8 *state, int index)
{
	const struct instruction *own = brute_at(walk, index);
	guint8 *own_state = &state[walk->program->lines + index];

	if (own->kind == INSTRUCTION_PUT)
		*cell(walk, state, own->peer, LAST) = (guint8)(index + 1);
	else if (own->kind == INSTRUCTION_ACCUMULATE && own->cell == CELL_SUM)
		++*cell(walk, state, own->peer, SUM);
	else if (own->kind == INSTRUCTION_GET && own->cell == CELL_SUM)
		*own_state = (guint8)(MATCHED + *cell(walk, state, own->peer, SUM));
	else if (own->kind == INSTRUCTION_GET && *cell(walk, state, own->peer, LAST) == 0)
		*own_state = (guint8)(MATCHED + index); /* nobody has: its own */
	else if (own->kind == INSTRUCTION_GET)
		*own_state = (guint8)(MATCHED + *cell(walk, state, own->peer, LAST) - 1);
}

/* How many instructions of this kind a rank has carried out, for that peer, up to `last`. */
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

/* --- locks ------------------------------------------------------------------------------------ */

static bool is_given_back(const struct walk *walk, const guint8 *state, int lock)
{
	for (int i = lock + 1; i < walk->program->first[brute_at(walk, lock)->rank + 1]; i++)
		if (brute_at(walk, i)->kind == INSTRUCTION_UNLOCK && brute_at(walk, i)->of == lock)
			return brute_states(walk, state)[i] != ABSENT;
	g_assert_not_reached();
}

enum interest { HAS_IT, MAY_WANT_IT };

/* Whether some lock of `rank` (-1: of any but `but`) at the target, shared or not, has what `taken`
 * says, or may have it one day. */
static bool is_there(const struct walk *walk, const guint8 *state, enum interest interest,
                     int target, int rank, int but, bool shared, guint taken)
{
	for (int i = 0; i < walk->program->count; i++) {
		const struct instruction *own = brute_at(walk, i);
		bool begun = brute_states(walk, state)[i] != ABSENT;

		if (own->kind != INSTRUCTION_LOCK || own->peer != target || own->shared != shared
		    || (rank >= 0 ? own->rank != rank : own->rank == but)
		    || (begun && is_given_back(walk, state, i)))
			continue;
		if (interest == HAS_IT ? (state[place_of_taken(walk, i)] & taken) != 0
		                       : begun || i >= state[own->rank])
			return true;
	}
	return false;
}

/* The lock takes this much more; with `all`, it has it. */
static void take(struct walk *walk, const guint8 *state, int lock, guint more, guint all)
{
	g_autofree guint8 *after = g_memdup2(state, walk->size);
	const struct instruction *own = brute_at(walk, lock);
	guint8 *taken = &after[place_of_taken(walk, lock)];
	guint8 *grants = cell(walk, after, own->peer, GRANTS);

	*taken = (guint8)(*taken | more);
	if (*taken == all) {
		after[walk->program->lines + lock] = (guint8)(MATCHED + *grants);
		*grants = (guint8)(*grants + !own->shared);
	}
	brute_reach(walk, after);
}

/* The lock takes the place in question if it is free; whether it could, and (*ret_alone) nobody
 * else could ever want it now. */
static bool try_place(struct walk *walk, const guint8 *state, int lock, guint place, guint all,
                      bool *ret_alone)
{
	const struct instruction *own = brute_at(walk, lock);
	int reader = own->shared || place == FIRST ? -1 : (int)g_bit_nth_lsf(place, -1);
	bool of_shared = reader >= 0;

	if (is_there(walk, state, HAS_IT, own->peer, reader, own->rank, of_shared, place))
		return false;
	*ret_alone = !is_there(walk, state, MAY_WANT_IT, own->peer, reader, own->rank, of_shared,
	                       place);
	take(walk, state, lock, place, all);
	return true;
}

bool brute_take_places(struct walk *walk, const guint8 *state, bool *moved)
{
	const struct random_program *program = walk->program;

	for (int i = 0; i < program->count; i++) {
		const struct instruction *own = brute_at(walk, i);
		guint own_bit = 1u << own->rank, others = (1u << program->ranks) - 1 - own_bit;
		guint all = own->shared ? own_bit : others | FIRST;
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
