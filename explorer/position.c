#include "position.h"

#include "common/mix.h"
#include "rank_name.h"

/* A rank that has made calls, and their number. */
struct made {
	int32_t rank;
	uint32_t calls;
};

struct position {
	struct path *path;
	GArray *set; /* the path's choices, sorted */
	GArray *cut; /* struct made, by rank; NULL: no cut */
};

static int compare_choices(const void *one, const void *other)
{
	return choice_compare(one, other);
}

struct position *position_new(struct path *path)
{
	struct position *position = g_new0(struct position, 1);

	position->path = path;
	position->set = choices_copy(path->choices);
	g_array_sort(position->set, compare_choices);
	return position;
}

struct position *position_of(int ranks, const char *nodes, enum buffering buffering,
                             enum collective_mode collectives, const GArray *choices)
{
	return position_new(path_of_choices(ranks, nodes, buffering, collectives, choices));
}

struct position *position_with_choices(const struct position *position, const GArray *choices)
{
	const struct path *path = position->path;
	struct position *with = position_of(path->ranks, path->nodes, path->buffering,
	                                    path->collectives, choices);

	if (position->cut)
		with->cut = g_array_copy(position->cut);
	return with;
}

struct position *position_copy(const struct position *position)
{
	return position_with_choices(position, position->path->choices);
}

void position_free(struct position *position)
{
	if (!position)
		return;
	path_free(position->path);
	g_array_unref(position->set);
	g_clear_pointer(&position->cut, g_array_unref);
	g_free(position);
}

const struct path *position_path(const struct position *position)
{
	return position->path;
}

/* --- the cut --------------------------------------------------------------------------------- */

static struct made *made_at(const struct position *position, guint index)
{
	return &g_array_index(position->cut, struct made, index);
}

static guint cut_length(const struct position *position)
{
	return position->cut ? position->cut->len : 0;
}

/* The first index whose rank is not below `rank`. */
static guint find(const struct position *position, int32_t rank)
{
	guint low = 0, high = cut_length(position);

	while (low < high) {
		guint middle = low + (high - low) / 2;

		if (made_at(position, middle)->rank < rank)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_at(const struct position *position, guint index, int32_t rank)
{
	return index < cut_length(position) && made_at(position, index)->rank == rank;
}

void position_cut(struct position *position, int32_t rank, uint32_t calls)
{
	const struct made made = {rank, calls};
	guint index;

	g_assert(rank >= 0 && rank < position->path->ranks);
	if (!position->cut)
		position->cut = g_array_new(false, false, sizeof(struct made));
	index = find(position, rank);
	if (is_at(position, index, rank))
		g_array_remove_index(position->cut, index);
	if (calls > 0)
		g_array_insert_val(position->cut, index, made);
}

bool position_has_cut(const struct position *position)
{
	return position->cut != NULL;
}

uint32_t position_calls(const struct position *position, int32_t rank)
{
	guint index = find(position, rank);

	return is_at(position, index, rank) ? made_at(position, index)->calls : 0;
}

/* --- order ----------------------------------------------------------------------------------- */

static int compare(int64_t one, int64_t other)
{
	return one == other ? 0 : one < other ? -1 : 1;
}

/* Both are sorted. */
static int compare_sets(const GArray *one, const GArray *other)
{
	int order = compare(one->len, other->len);

	for (guint i = 0; order == 0 && i < one->len; i++)
		order = choice_compare(&g_array_index(one, struct choice, i),
		                       &g_array_index(other, struct choice, i));
	return order;
}

static int compare_conditions(const struct path *one, const struct path *other)
{
	int order = compare(one->ranks, other->ranks);

	if (order == 0)
		order = g_strcmp0(one->nodes, other->nodes);
	if (order == 0)
		order = compare(one->buffering, other->buffering);
	return order != 0 ? order : compare(one->collectives, other->collectives);
}

static int compare_cuts(const struct position *one, const struct position *other)
{
	int order = compare(position_has_cut(one), position_has_cut(other));

	if (order == 0)
		order = compare(cut_length(one), cut_length(other));
	for (guint i = 0; order == 0 && i < cut_length(one); i++) {
		order = compare(made_at(one, i)->rank, made_at(other, i)->rank);
		if (order == 0)
			order = compare(made_at(one, i)->calls, made_at(other, i)->calls);
	}
	return order;
}

int position_compare(const struct position *one, const struct position *other)
{
	int order = compare_conditions(one->path, other->path);

	if (order == 0)
		order = compare_sets(one->set, other->set);
	return order != 0 ? order : compare_cuts(one, other);
}

bool position_equal(const struct position *one, const struct position *other)
{
	return position_compare(one, other) == 0;
}

/* Whether `all` has each choice of `some`. Both are sorted. */
static bool is_subset(const GArray *some, const GArray *all)
{
	guint at = 0;

	if (some->len > all->len)
		return false;
	for (guint i = 0; i < some->len; i++) {
		const struct choice *choice = &g_array_index(some, struct choice, i);

		while (at < all->len
		       && choice_compare(&g_array_index(all, struct choice, at), choice) < 0)
			at++;
		if (at == all->len || !choice_equal(&g_array_index(all, struct choice, at), choice))
			return false;
		at++;
	}
	return true;
}

bool position_is_start(const struct position *position)
{
	if (!position->cut || position->set->len > 0)
		return false;
	for (guint i = 0; i < cut_length(position); i++)
		if (made_at(position, i)->calls > 1)
			return false;
	return true;
}

static bool is_no_further(const struct position *one, const struct position *other)
{
	if (!other->cut)
		return true;
	for (guint i = 0; i < cut_length(one); i++)
		if (made_at(one, i)->calls > position_calls(other, made_at(one, i)->rank))
			return false;
	return one->cut != NULL;
}

bool position_leads_to(const struct position *one, const struct position *other)
{
	if (one->path->ranks != other->path->ranks || one->path->nodes != other->path->nodes)
		return false;
	if (position_is_start(one))
		return is_no_further(one, other);
	return compare_conditions(one->path, other->path) == 0 && is_subset(one->set, other->set)
	       && is_no_further(one, other);
}

uint64_t position_hash(const struct position *position)
{
	const struct path *path = position->path;
	uint64_t choices = 0;
	uint64_t hash = mix((uint32_t)path->ranks,
	                    (uint64_t)path->buffering << 8 | (uint64_t)path->collectives);

	for (guint i = 0; i < path->choices->len; i++)
		choices += choice_hash(&g_array_index(path->choices, struct choice, i));
	hash = mix(mix(hash, choices), position_has_cut(position));
	for (guint i = 0; i < cut_length(position); i++)
		hash = mix(mix(hash, (uint32_t)made_at(position, i)->rank),
		           made_at(position, i)->calls);
	return hash;
}

unsigned position_key_hash(const void *position)
{
	return (unsigned)(position_hash(position) >> 32);
}

int position_key_equal(const void *one, const void *other)
{
	return position_equal(one, other);
}

/* --- as text --------------------------------------------------------------------------------- */

char *position_print(const struct position *position)
{
	g_autofree char *path = path_print(position->path);
	GString *text = g_string_new(path);

	if (position->cut)
		g_string_append_c(text, '@');
	for (guint i = 0; i < cut_length(position); i++)
		g_string_append_printf(
			text, "%s%s.%u", i > 0 ? "," : "",
			rank_name_in(position->path->names, made_at(position, i)->rank),
			made_at(position, i)->calls);
	return g_string_free(text, false);
}

/* Parses "0.3"; ranks ascend. NULL, or a description of the error at *at; free with g_free. */
static char *parse_made(const char **at, struct position *position)
{
	guint length = cut_length(position);
	guint64 least = length > 0 ? (guint64)made_at(position, length - 1)->rank + 1 : 0;
	guint64 rank, calls;
	const char *start = *at;
	char *wrong = choice_parse_rank(at, position->path->ranks, position->path->names, 0,
	                                "a rank of the cut", &rank);

	if (wrong)
		return wrong;
	if (rank < least) {
		*at = start;
		return g_strdup("the ranks of the cut must ascend");
	}
	if (**at != '.')
		return g_strdup("'.' expected");
	++*at;
	wrong = choice_parse_number(at, 1, G_MAXUINT32, "the number of its last call", &calls);
	if (!wrong)
		position_cut(position, (int32_t)rank, (uint32_t)calls);
	return wrong;
}

static bool parse_cut(const char *text, const char **at, struct position *position, GError **error)
{
	position->cut = g_array_new(false, false, sizeof(struct made));
	if (**at == '\0')
		return true;
	for (;;) {
		g_autofree char *wrong = parse_made(at, position);

		if (wrong)
			return path_fail(text, *at, wrong, error);
		if (**at != ',')
			return true;
		++*at;
	}
}

struct position *position_parse(const char *text, GError **error)
{
	const char *at;
	struct path *path = path_parse_start(text, &at, error);
	struct position *position = path ? position_new(path) : NULL;
	bool good = position != NULL;

	if (good && *at == '@') {
		at++;
		good = parse_cut(text, &at, position, error);
	}
	if (good && *at != '\0')
		good = path_fail(text, at,
		                 position->cut ? "',' or the end expected"
		                               : "',', '@' or the end expected",
		                 error);
	if (good)
		return position;
	position_free(position);
	return NULL;
}

/* --- as bytes -------------------------------------------------------------------------------- */

/* The sorted choices without the number of the message, which follows from the other choices. */
static GArray *bare(const struct position *position)
{
	GArray *set = choices_copy(position->set);

	for (guint i = 0; i < set->len; i++) {
		struct taken *taken = &g_array_index(set, struct choice, i).taken;

		if (taken->kind == TAKEN_MESSAGE)
			*taken = taken_message((struct op_id){taken->send.rank, 0, 0});
	}
	return set;
}

void position_put(GByteArray *bytes, const struct position *position)
{
	const struct path *path = position->path;
	g_autoptr(GArray) choices = bare(position);

	number_put(bytes, (uint32_t)path->ranks);
	number_put(bytes, path->buffering);
	number_put(bytes, path->collectives);
	choices_put(bytes, choices);
	number_put(bytes, position->cut ? (uint64_t)cut_length(position) + 1 : 0);
	for (guint i = 0; i < cut_length(position); i++) {
		number_put(bytes, (uint32_t)made_at(position, i)->rank);
		number_put(bytes, made_at(position, i)->calls);
	}
}
