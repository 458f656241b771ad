#include "windows.h"

struct place {
	gint32 number;
	guint32 grants;
	int holder; /* -1: free */
	bool offered;
	bool shared, exclusive; /* whether such locks have asked for it */
	int asker;              /* the first rank that asked for it */
	bool several;           /* so have others */
	bool early;             /* see windows_note_effect */
	gint32 before;          /* a word: the place that ranks have taken before; 0: none */
	bool apart;             /* some have taken another one, or none */
	bool begins;            /* an element of an operation with several begins here */
};

/* A lock asked for or held. */
struct lock {
	guint64 comm;
	int target;
	bool shared;
	bool of_words;
	GArray *held;   /* struct lock_grant */
	GArray *claims; /* struct lock_claim: of this stage */
	GArray *later;  /* struct lock_claim: of the next stages */
	GArray *stages; /* guint: how many of them each has */
	guint granted;  /* number of `claims` granted */
	bool known;     /* MPI has waited for it, or its places are marked as early */
};

struct windows {
	int ranks;
	GHashTable *places;   /* struct place, by number */
	struct lock **asking; /* by rank; NULL: none */
	GPtrArray **held;     /* by rank: struct lock; NULL: none so far */
	bool *again;          /* by rank: its last request was for a lock that it holds */
};

static struct lock *lock_new(const struct lock_wish *wish)
{
	struct lock *lock = g_new0(struct lock, 1);

	lock->comm = wish->comm;
	lock->target = wish->target;
	lock->shared = wish->shared;
	/* The rank may access its own window at once. */
	lock->of_words = wish->first_word > 0;
	lock->known = wish->target == wish->rank || lock->of_words;
	lock->held = g_array_new(false, false, sizeof(struct lock_grant));
	lock->claims = g_array_new(false, false, sizeof(struct lock_claim));
	lock->later = g_array_new(false, false, sizeof(struct lock_claim));
	lock->stages = g_array_new(false, false, sizeof(guint));
	return lock;
}

static struct lock *lock_copy(const struct lock *from)
{
	struct lock *to = g_memdup2(from, sizeof(*from));

	to->held = g_array_copy(from->held);
	to->claims = g_array_copy(from->claims);
	to->later = g_array_copy(from->later);
	to->stages = g_array_copy(from->stages);
	return to;
}

static void lock_free(gpointer pointer)
{
	struct lock *lock = pointer;

	if (!lock)
		return;
	g_array_unref(lock->held);
	g_array_unref(lock->claims);
	g_array_unref(lock->later);
	g_array_unref(lock->stages);
	g_free(lock);
}

struct windows *windows_new(int ranks)
{
	struct windows *windows = g_new0(struct windows, 1);

	windows->ranks = ranks;
	windows->places = g_hash_table_new_full(g_int_hash, g_int_equal, NULL, g_free);
	windows->asking = g_new0(struct lock *, ranks);
	windows->held = g_new0(GPtrArray *, ranks);
	windows->again = g_new0(bool, ranks);
	return windows;
}

static void *copy_held(const void *lock, void *user)
{
	(void)user;
	return lock_copy(lock);
}

struct windows *windows_copy(const struct windows *from)
{
	struct windows *to = windows_new(from->ranks);
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, from->places);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		struct place *place = g_memdup2(value, sizeof(*place));

		g_hash_table_insert(to->places, &place->number, place);
	}
	for (int rank = 0; rank < from->ranks; rank++) {
		if (from->asking[rank])
			to->asking[rank] = lock_copy(from->asking[rank]);
		to->again[rank] = from->again[rank];
		if (from->held[rank])
			to->held[rank] = g_ptr_array_copy(from->held[rank], copy_held, NULL);
	}
	return to;
}

void windows_free(struct windows *windows)
{
	if (!windows)
		return;
	for (int rank = 0; rank < windows->ranks; rank++) {
		lock_free(windows->asking[rank]);
		if (windows->held[rank])
			g_ptr_array_unref(windows->held[rank]);
	}
	g_free(windows->asking);
	g_free(windows->held);
	g_free(windows->again);
	g_hash_table_destroy(windows->places);
	g_free(windows);
}

static struct place *find_place(const struct windows *windows, gint32 number)
{
	return g_hash_table_lookup(windows->places, &number);
}

static struct place *make_place(struct windows *windows, gint32 number)
{
	struct place *place = find_place(windows, number);

	if (!place) {
		place = g_new0(struct place, 1);
		place->number = number;
		place->holder = -1;
		place->asker = -1;
		g_hash_table_insert(windows->places, &place->number, place);
	}
	return place;
}

/* Adds a claim of the place in which `reader` could hold a shared lock; -1: the target's own
 * place. */
static bool add_claim(struct windows *windows, const struct lock_wish *wish, int target, int reader,
                      gint32 word, GArray *claims, guint32 *sub)
{
	struct lock_place place = {wish->window.window, wish->window.first, target, reader, word};
	struct lock_claim claim = {lock_number(windows->ranks, &place), (*sub)++};
	struct place *entry;

	if (claim.place < 0)
		return false;
	entry = make_place(windows, claim.place);
	entry->shared |= wish->shared;
	entry->exclusive |= !wish->shared;
	entry->several |= entry->asker >= 0 && entry->asker != wish->rank;
	if (word > 0 && reader < 0) {
		place.word = word > wish->first_word ? word - 1 : 0;
		place.reader = -1;
		int before = place.word > 0 ? lock_number(windows->ranks, &place) : 0;

		entry->apart |= before == 0 || (entry->asker >= 0 && entry->before != before);
		entry->before = before;
	}
	entry->begins |= wish->element > 0 && wish->last_word - wish->first_word >= wish->element
	                 && (word - wish->first_word) % wish->element == 0;
	entry->asker = wish->rank;
	g_array_append_val(claims, claim);
	return true;
}

static const struct lock *find_held(const struct windows *windows, int rank, guint64 comm,
                                    int target)
{
	const GPtrArray *held = windows->held[rank];

	for (guint i = 0; held && i < held->len; i++) {
		const struct lock *lock = held->pdata[i];

		if (lock->comm == comm && !lock->of_words
		    && (lock->target == target || lock->target == WINDOWS_ALL
		        || target == WINDOWS_ALL))
			return lock;
	}
	return NULL;
}

bool windows_holds(const struct windows *windows, int rank, guint64 comm, int target)
{
	return find_held(windows, rank, comm, target) != NULL;
}

bool windows_shares(const struct windows *windows, int rank, guint64 comm, int target)
{
	const struct lock *lock = find_held(windows, rank, comm, target);

	return lock && lock->shared;
}

void windows_ask_again(struct windows *windows, int rank)
{
	windows->again[rank] = true;
}

bool windows_was_again(struct windows *windows, int rank)
{
	bool was = windows->again[rank];

	windows->again[rank] = false;
	return was;
}

bool windows_asks(const struct windows *windows, int rank)
{
	return windows->asking[rank] != NULL;
}

/* All claims of the next stage have been added to `later`, which had `before`. */
static void end_stage(struct lock *lock, guint before)
{
	guint count = lock->later->len - before;

	if (count > 0)
		g_array_append_val(lock->stages, count);
}

static void begin_next_stage(struct lock *lock)
{
	guint count = g_array_index(lock->stages, guint, 0);

	g_array_remove_index(lock->stages, 0);
	g_array_set_size(lock->claims, 0);
	g_array_append_vals(lock->claims, lock->later->data, count);
	g_array_remove_range(lock->later, 0, count);
	lock->granted = 0;
}

/* The words in ascending order, so that no two ranks wait for each other. */
static bool ask_for_words(struct windows *windows, const struct lock_wish *wish, struct lock *lock)
{
	guint32 sub = wish->sub;

	for (gint32 word = wish->first_word; word <= wish->last_word; word++) {
		guint before = lock->later->len;

		if (!add_claim(windows, wish, wish->target, wish->shared ? wish->rank : -1, word,
		               lock->later, &sub))
			return false;
		end_stage(lock, before);
		before = lock->later->len;
		for (int i = 0; i < wish->count && !wish->shared; i++)
			if (wish->members[i] != wish->rank
			    && !add_claim(windows, wish, wish->target, wish->members[i], word,
			                  lock->later, &sub))
				return false;
		end_stage(lock, before);
	}
	begin_next_stage(lock);
	return true;
}

bool windows_ask(struct windows *windows, const struct lock_wish *wish)
{
	struct lock *lock = lock_new(wish);
	guint32 sub = wish->sub;
	bool fits = true;

	g_assert(!windows->asking[wish->rank]);
	windows->again[wish->rank] = false;
	windows->asking[wish->rank] = lock;
	if (lock->of_words)
		return ask_for_words(windows, wish, lock);
	if (!wish->shared)
		fits = add_claim(windows, wish, wish->target, -1, 0, lock->claims, &sub);
	else if (wish->target != WINDOWS_ALL)
		fits = add_claim(windows, wish, wish->target, wish->rank, 0, lock->claims, &sub);
	for (int i = 0; i < wish->count && fits; i++) {
		int member = wish->members[i];

		if (!wish->shared && member != wish->rank)
			fits = add_claim(windows, wish, wish->target, member, 0, lock->later, &sub);
		else if (wish->shared && wish->target == WINDOWS_ALL)
			fits = add_claim(windows, wish, member, wish->rank, 0, lock->claims, &sub);
	}
	end_stage(lock, 0);
	return fits;
}

const GArray *windows_claims(const struct windows *windows, int rank)
{
	return windows->asking[rank]->claims;
}

guint32 windows_offer(struct windows *windows, gint32 number)
{
	struct place *place = find_place(windows, number);

	if (place->offered || place->holder >= 0)
		return 0;
	place->offered = true;
	return place->grants + 1;
}

enum lock_progress windows_grant(struct windows *windows, gint32 number, int rank)
{
	struct place *place = find_place(windows, number);
	struct lock *lock = windows->asking[rank];
	struct lock_grant grant = {number, place->grants + 1};

	place->offered = false;
	place->holder = rank;
	place->grants++;
	g_array_append_val(lock->held, grant);
	if (++lock->granted < lock->claims->len)
		return LOCK_WAITS;
	if (lock->later->len > 0) {
		begin_next_stage(lock);
		return LOCK_CLAIMS;
	}
	if (!windows->held[rank])
		windows->held[rank] = g_ptr_array_new_with_free_func(lock_free);
	g_ptr_array_add(windows->held[rank], g_steal_pointer(&windows->asking[rank]));
	return LOCK_GRANTED;
}

static void give_back(struct windows *windows, int rank, guint index, GArray *ret)
{
	GPtrArray *held = windows->held[rank];
	const struct lock *lock = held->pdata[index];

	g_array_append_vals(ret, lock->held->data, lock->held->len);
	g_ptr_array_remove_index(held, index);
	for (guint i = 0; i < ret->len; i++)
		find_place(windows, g_array_index(ret, struct lock_grant, i).place)->holder = -1;
}

void windows_release(struct windows *windows, int rank, guint64 comm, int target, GArray *ret)
{
	const GPtrArray *held = windows->held[rank];

	for (guint i = 0; held && i < held->len; i++) {
		const struct lock *lock = held->pdata[i];

		if (lock->comm != comm || lock->target != target || lock->of_words)
			continue;
		give_back(windows, rank, i, ret);
		return;
	}
}

void windows_release_words(struct windows *windows, int rank, GArray *ret)
{
	const GPtrArray *held = windows->held[rank];

	for (guint i = 0; held && i < held->len; i++) {
		if (!((const struct lock *)held->pdata[i])->of_words)
			continue;
		give_back(windows, rank, i, ret);
		return;
	}
}

void windows_note_flush(struct windows *windows, int rank, guint64 comm)
{
	GPtrArray *held = windows->held[rank];

	for (guint i = 0; held && i < held->len; i++) {
		struct lock *lock = held->pdata[i];

		lock->known |= lock->comm == comm;
	}
}

void windows_note_effect(struct windows *windows, int rank)
{
	GPtrArray *held = windows->held[rank];

	for (guint i = 0; held && i < held->len; i++) {
		struct lock *lock = held->pdata[i];

		for (guint k = 0; !lock->known && k < lock->held->len; k++) {
			gint32 place = g_array_index(lock->held, struct lock_grant, k).place;

			find_place(windows, place)->early = true;
		}
		lock->known = true;
	}
}

bool windows_early(const struct windows *windows)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, windows->places);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct place *place = value;

		if (place->early && place->several && windows_contended(windows, place->number))
			return true;
	}
	return false;
}

void windows_mark_holders(const struct windows *windows, int rank, bool *waits)
{
	const struct lock *lock = windows->asking[rank];

	for (guint i = 0; lock && i < lock->claims->len; i++) {
		const struct lock_claim *claim = &g_array_index(lock->claims, struct lock_claim, i);
		const struct place *place = find_place(windows, claim->place);

		if (place->holder >= 0 && place->holder != rank)
			waits[place->holder] = true;
	}
}

bool windows_contended(const struct windows *windows, gint32 number)
{
	const struct place *place = find_place(windows, number);
	struct lock_place which;

	if (!place || !lock_from_number(windows->ranks, number, &which))
		return false;
	if (which.word > 0 && which.reader < 0)
		return place->several && place->apart;
	return which.reader < 0 || (place->shared && place->exclusive);
}

bool windows_mix(const struct windows *windows)
{
	GHashTableIter iter;
	gpointer value;
	struct lock_place found = {0};

	g_hash_table_iter_init(&iter, windows->places);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct place *place = value;
		struct lock_place one;

		if (!place->begins || !place->several
		    || !lock_from_number(windows->ranks, place->number, &one)
		    || (one.reader >= 0 && !(place->shared && place->exclusive)))
			continue;
		if (found.word != 0 && found.word != one.word)
			return true;
		found = one;
	}
	return false;
}

guint32 windows_grants(const struct windows *windows, gint32 number)
{
	const struct place *place = find_place(windows, number);

	return place ? place->grants : 0;
}

static void add_claims(const GArray *claims, struct state_hash *ret)
{
	state_hash_add(ret, claims->len);
	for (guint i = 0; i < claims->len; i++) {
		const struct lock_claim *claim = &g_array_index(claims, struct lock_claim, i);

		state_hash_add(ret, (guint64)(guint32)claim->place << 32 | claim->sub);
	}
}

/* The grant numbers are not needed: it is the last grant of each place. */
static void add_lock(const struct lock *lock, struct state_hash *ret)
{
	state_hash_add(ret, lock->comm);
	state_hash_add(ret, (guint64)(guint32)lock->target << 3 | (guint64)lock->of_words << 2
	                            | (guint64)lock->known << 1 | (guint64)lock->shared);
	state_hash_add(ret, (guint64)lock->held->len << 32 | lock->granted);
	for (guint i = 0; i < lock->held->len; i++)
		state_hash_add(
			ret,
			(guint64)(guint32)g_array_index(lock->held, struct lock_grant, i).place);
	add_claims(lock->claims, ret);
	add_claims(lock->later, ret);
}

void windows_fingerprint(const struct windows *windows, struct state_hash *ret)
{
	struct state_hash sum = {{0, 0}};
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, windows->places);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct place *place = value;
		struct state_hash one = {{(guint32)place->number, (guint32)place->holder}};

		state_hash_add(&one,
		               (guint64)place->offered | (guint64)place->shared << 1
		                       | (guint64)place->exclusive << 2
		                       | (guint64)place->several << 3 | (guint64)place->early << 4
		                       | (guint64)place->apart << 5 | (guint64)place->begins << 6);
		state_hash_add_member(&sum, &one);
	}
	state_hash_add(ret, sum.word[0]);
	state_hash_add(ret, sum.word[1]);
	for (int rank = 0; rank < windows->ranks; rank++) {
		const GPtrArray *held = windows->held[rank];

		state_hash_add(ret, (guint64)windows->again[rank] << 1
		                            | (guint64)(windows->asking[rank] != NULL));
		if (windows->asking[rank])
			add_lock(windows->asking[rank], ret);
		state_hash_add(ret, held ? held->len : 0);
		for (guint i = 0; held && i < held->len; i++)
			add_lock(held->pdata[i], ret);
	}
}
