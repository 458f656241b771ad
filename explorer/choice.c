#include "choice.h"

#include <string.h>

#include "common/mix.h"
#include "lock.h"

/* --- points ---------------------------------------------------------------------------------- */

struct point point_of(struct op_id operation, int ranks)
{
	struct point point = point_call(operation.rank, operation.call, operation.sub);
	struct lock_place place;

	if (lock_from_number(ranks, operation.rank, &place))
		return (struct point){.kind = POINT_LOCK,
		                      .rank = place.target,
		                      .call = operation.call,
		                      .window = place.window,
		                      .first = place.first,
		                      .reader = place.reader,
		                      .word = place.word};
	if (operation.sub == OPERATION_TURN)
		return (struct point){
			.kind = POINT_TURN, .rank = operation.rank, .call = operation.call};
	return point;
}

static struct lock_place place_of(const struct point *point)
{
	return (struct lock_place){point->window, point->first, point->rank, point->reader,
	                           point->word};
}

struct op_id point_operation(const struct point *point, int ranks)
{
	struct lock_place place = place_of(point);

	switch (point->kind) {
	case POINT_TURN: return (struct op_id){point->rank, point->call, OPERATION_TURN};
	case POINT_LOCK: return (struct op_id){lock_number(ranks, &place), point->call, 0};
	case POINT_CALL: break;
	}
	return (struct op_id){point->rank, point->call, point->sub};
}

static int compare(int64_t one, int64_t other)
{
	return one == other ? 0 : one < other ? -1 : 1;
}

/* A turn comes after the operations of its call. */
int point_compare(const struct point *one, const struct point *other)
{
	int order = compare(one->kind == POINT_LOCK, other->kind == POINT_LOCK);

	if (order == 0)
		order = compare(one->window, other->window);
	if (order == 0)
		order = compare(one->first, other->first);
	if (order == 0)
		order = compare(one->rank, other->rank);
	if (order == 0)
		order = compare(one->word, other->word);
	if (order == 0)
		order = compare(one->reader, other->reader);
	if (order == 0)
		order = compare(one->call, other->call);
	if (order == 0)
		order = compare(one->kind, other->kind);
	return order != 0 ? order : compare(one->sub, other->sub);
}

static uint64_t point_hash(const struct point *point)
{
	uint64_t hash = mix(0x6d70 + (uint64_t)point->kind, (uint32_t)point->rank);

	hash = mix(mix(hash, point->call), point->sub);
	if (point->kind != POINT_LOCK)
		return hash;
	hash = mix(mix(mix(hash, (uint32_t)point->window), (uint32_t)point->first),
	           (uint32_t)point->reader);
	return point->word > 0 ? mix(hash, (uint32_t)point->word) : hash;
}

/* --- what is taken --------------------------------------------------------------------------- */

struct taken taken_some(uint32_t window, uint64_t bits)
{
	if ((bits & (bits - 1)) == 0)
		return taken_one(window * TAKEN_WINDOW + (uint32_t)__builtin_ctzll(bits));
	return (struct taken){.kind = TAKEN_SOME,
	                      .some = {window, (uint32_t)bits, (uint32_t)(bits >> 32)}};
}

static uint64_t bits_of(const struct taken *taken)
{
	return (uint64_t)taken->some.high << 32 | taken->some.low;
}

uint32_t taken_next(const struct taken *taken, uint32_t from, uint32_t count)
{
	uint32_t base;
	uint64_t bits;

	switch (taken->kind) {
	case TAKEN_YES: return MIN(from, count);
	case TAKEN_ONE: return taken->request >= from ? MIN(taken->request, count) : count;
	case TAKEN_SOME: break;
	default: return count;
	}
	base = taken->some.window * TAKEN_WINDOW;
	if (from >= base + TAKEN_WINDOW)
		return count;
	bits = bits_of(taken);
	if (from > base)
		bits &= UINT64_MAX << (from - base);
	return bits ? MIN(base + (uint32_t)__builtin_ctzll(bits), count) : count;
}

/* What distinguishes it from others of its kind. */
static uint64_t detail(const struct taken *taken)
{
	switch (taken->kind) {
	case TAKEN_MESSAGE: return (uint32_t)taken->send.rank;
	case TAKEN_ONE: return taken->request;
	case TAKEN_THREAD: return taken->thread;
	case TAKEN_SOME: return bits_of(taken);
	default: return 0;
	}
}

static uint32_t window_of(const struct taken *taken)
{
	return taken->kind == TAKEN_SOME ? taken->some.window : 0;
}

bool taken_equal(const struct taken *one, const struct taken *other)
{
	return one->kind == other->kind && one->ahead == other->ahead
	       && detail(one) == detail(other) && window_of(one) == window_of(other);
}

/* --- choices --------------------------------------------------------------------------------- */

static uint64_t taken_hash(const struct taken *taken)
{
	return mix(mix((uint64_t)taken->kind | (uint64_t)taken->ahead << 8, detail(taken)),
	           window_of(taken));
}

uint64_t choice_hash(const struct choice *choice)
{
	return mix(point_hash(&choice->point), taken_hash(&choice->taken));
}

unsigned point_key_hash(const void *point)
{
	return (unsigned)(point_hash(point) >> 32);
}

int point_key_equal(const void *one, const void *other)
{
	return point_equal(one, other);
}

unsigned choice_key_hash(const void *choice)
{
	return (unsigned)(choice_hash(choice) >> 32);
}

int choice_key_equal(const void *one, const void *other)
{
	return choice_equal(one, other);
}

int choice_compare(const struct choice *one, const struct choice *other)
{
	int order = point_compare(&one->point, &other->point);

	if (order == 0)
		order = compare(one->taken.ahead, other->taken.ahead);
	if (order == 0)
		order = compare(one->taken.kind, other->taken.kind);
	if (order == 0)
		order = compare(window_of(&one->taken), window_of(&other->taken));
	if (order == 0 && detail(&one->taken) != detail(&other->taken))
		order = detail(&one->taken) < detail(&other->taken) ? -1 : 1;
	return order;
}

static const struct choice *choice_at(const GArray *choices, guint index)
{
	return &g_array_index(choices, struct choice, index);
}

unsigned choices_common(const GArray *one, const GArray *other)
{
	guint i = 0;

	while (i < one->len && i < other->len
	       && choice_equal(choice_at(one, i), choice_at(other, i)))
		i++;
	return i;
}

/* Usually both have the same order. */
bool choices_include(const GArray *all, const GArray *some)
{
	if (some->len > all->len)
		return false;
	for (guint i = choices_common(some, all); i < some->len; i++) {
		const struct choice *made = choices_find(all, &choice_at(some, i)->point);

		if (!made || !choice_equal(choice_at(some, i), made))
			return false;
	}
	return true;
}

bool choices_same(const GArray *one, const GArray *other)
{
	return one->len == other->len && choices_include(other, one);
}

GArray *choices_copy(const GArray *choices)
{
	GArray *copy = g_array_sized_new(false, false, sizeof(struct choice), choices->len);

	g_array_append_vals(copy, choices->data, choices->len);
	return copy;
}

bool choices_promise(const GArray *choices)
{
	for (guint i = 0; i < choices->len; i++)
		if (choice_at(choices, i)->taken.promised)
			return true;
	return false;
}

bool choices_are_owed(const GArray *choices)
{
	for (guint i = 0; i < choices->len; i++)
		if (!choice_at(choices, i)->taken.promised)
			return true;
	return false;
}

GArray *choices_at(const GArray *choices, const GArray *indices)
{
	GArray *found = g_array_sized_new(false, false, sizeof(struct choice), indices->len);

	for (guint i = 0; i < indices->len; i++)
		g_array_append_val(found, *choice_at(choices, g_array_index(indices, guint, i)));
	return found;
}

const struct choice *choices_find(const GArray *choices, const struct point *point)
{
	for (guint i = 0; i < choices->len; i++)
		if (point_equal(&choice_at(choices, i)->point, point))
			return choice_at(choices, i);
	return NULL;
}

/* --- as bytes -------------------------------------------------------------------------------- */

/* Combined with the kind of what is taken. */
#define PROMISED UINT64_C(0x40)
#define AHEAD UINT64_C(0x80) /* followed by the number of calls */

/* Seven bits per byte, lowest first; the last byte has bit 7 clear. */
void number_put(GByteArray *bytes, uint64_t value)
{
	do {
		uint8_t byte = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));

		g_byte_array_append(bytes, &byte, 1);
		value >>= 7;
	} while (value > 0);
}

/* Accepts only values up to `most`, in their shortest encoding. */
static bool number_take(struct choice_bytes *bytes, uint64_t most, uint64_t *ret)
{
	uint64_t value = 0;

	for (unsigned shift = 0; bytes->left > 0 && shift < 64; shift += 7) {
		uint8_t byte = *bytes->data;

		bytes->data++;
		bytes->left--;
		if (shift == 63 && byte > 1)
			return false;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		*ret = value;
		return value <= most && (byte != 0 || shift == 0);
	}
	return false;
}

static bool take_u32(struct choice_bytes *bytes, uint32_t *ret)
{
	uint64_t value;

	if (!number_take(bytes, UINT32_MAX, &value))
		return false;
	*ret = (uint32_t)value;
	return true;
}

static bool take_rank(struct choice_bytes *bytes, int32_t *ret)
{
	uint64_t value;

	if (!number_take(bytes, INT32_MAX, &value))
		return false;
	*ret = (int32_t)value;
	return true;
}

/* Stands for POINT_LOCK if a word follows. */
#define POINT_WORD (POINT_LOCK + 1)

void point_put(GByteArray *bytes, const struct point *point)
{
	number_put(bytes, point->word > 0 ? POINT_WORD : point->kind);
	number_put(bytes, (uint32_t)point->rank);
	number_put(bytes, point->call);
	if (point->kind == POINT_CALL)
		number_put(bytes, point->sub);
	if (point->kind != POINT_LOCK)
		return;
	number_put(bytes, (uint32_t)point->window);
	number_put(bytes, (uint32_t)point->first);
	number_put(bytes, (uint64_t)((int64_t)point->reader + 1));
	if (point->word > 0)
		number_put(bytes, (uint32_t)point->word);
}

bool point_take(struct choice_bytes *bytes, struct point *ret_point)
{
	struct point point = {0};
	uint64_t kind, reader;

	if (!number_take(bytes, POINT_WORD, &kind) || !take_rank(bytes, &point.rank)
	    || !take_u32(bytes, &point.call))
		return false;
	point.kind = (enum point_kind)MIN(kind, POINT_LOCK);
	if (point.kind == POINT_CALL
	    && (!take_u32(bytes, &point.sub) || point.sub == OPERATION_TURN))
		return false;
	if (point.kind == POINT_LOCK) {
		if (!take_rank(bytes, &point.window) || point.window == 0
		    || !take_rank(bytes, &point.first) || !number_take(bytes, INT32_MAX, &reader))
			return false;
		point.reader = (int32_t)reader - 1;
		if (kind == POINT_WORD && (!take_rank(bytes, &point.word) || point.word == 0))
			return false;
	}
	*ret_point = point;
	return true;
}

void taken_put(GByteArray *bytes, const struct taken *taken)
{
	number_put(bytes, (uint64_t)taken->kind | (taken->promised ? PROMISED : 0)
	                          | (taken->ahead > 0 ? AHEAD : 0));
	if (taken->ahead > 0)
		number_put(bytes, taken->ahead);
	switch (taken->kind) {
	case TAKEN_MESSAGE:
		number_put(bytes, (uint32_t)taken->send.rank);
		number_put(bytes, taken->send.call);
		number_put(bytes, taken->send.sub);
		break;
	case TAKEN_ONE: number_put(bytes, taken->request); break;
	case TAKEN_THREAD: number_put(bytes, taken->thread); break;
	case TAKEN_SOME:
		number_put(bytes, taken->some.window);
		number_put(bytes, bits_of(taken));
		break;
	default: break;
	}
}

static bool take_some(struct choice_bytes *bytes, struct taken *ret)
{
	uint32_t window;
	uint64_t bits;

	if (!take_u32(bytes, &window) || window > UINT32_MAX / TAKEN_WINDOW
	    || !number_take(bytes, UINT64_MAX, &bits) || (bits & (bits - 1)) == 0)
		return false;
	*ret = taken_some(window, bits);
	return true;
}

bool taken_take(struct choice_bytes *bytes, struct taken *ret_taken)
{
	struct taken taken = {0};
	uint64_t kind, ahead = 0;
	bool good = true;

	if (!number_take(bytes, AHEAD | PROMISED | (TAKEN_KINDS - 1), &kind)
	    || (kind & ~(AHEAD | PROMISED)) >= TAKEN_KINDS)
		return false;
	if ((kind & AHEAD) && (!number_take(bytes, TAKEN_AHEAD, &ahead) || ahead == 0))
		return false;
	taken.kind = (enum taken_kind)(kind & ~(AHEAD | PROMISED));
	switch (taken.kind) {
	case TAKEN_MESSAGE:
		good = take_rank(bytes, &taken.send.rank) && take_u32(bytes, &taken.send.call)
		       && take_u32(bytes, &taken.send.sub);
		break;
	case TAKEN_ONE: good = take_u32(bytes, &taken.request); break;
	case TAKEN_THREAD: good = take_u32(bytes, &taken.thread); break;
	case TAKEN_SOME: good = take_some(bytes, &taken); break;
	default: break;
	}
	taken.promised = kind & PROMISED;
	taken.ahead = (uint16_t)ahead;
	if (good)
		*ret_taken = taken;
	return good;
}

void choices_put(GByteArray *bytes, const GArray *choices)
{
	number_put(bytes, choices->len);
	for (guint i = 0; i < choices->len; i++) {
		point_put(bytes, &choice_at(choices, i)->point);
		taken_put(bytes, &choice_at(choices, i)->taken);
	}
}

bool choices_take(struct choice_bytes *bytes, GArray *choices)
{
	uint64_t count;

	if (!number_take(bytes, bytes->left, &count))
		return false;
	for (; count > 0; count--) {
		struct choice choice;

		if (!point_take(bytes, &choice.point) || !taken_take(bytes, &choice.taken))
			return false;
		g_array_append_val(choices, choice);
	}
	return true;
}
