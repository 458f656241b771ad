#include "request_subsets.h"

/* --- sets complete at some moment ------------------------------------------------------------ */

/* A request that is complete in this world. */
struct member {
	uint32_t index;
	struct choice_set *needs; /* owned */
};

static void member_clear(void *member)
{
	choice_set_unref(((struct member *)member)->needs);
}

static GArray *members_of(const struct dependence *dependence, struct op_id question,
                          const GArray *complete)
{
	GArray *members = g_array_new(false, false, sizeof(struct member));

	g_array_set_clear_func(members, member_clear);
	for (guint i = 0; i < complete->len; i++) {
		struct member member = {
			.index = g_array_index(complete, struct complete_request, i).index};

		dependence_complete(dependence, question, member.index, &member.needs);
		g_array_append_val(members, member);
	}
	return members;
}

static const struct member *member_at(const GArray *members, guint index)
{
	return &g_array_index(members, struct member, index);
}

/* All members that need nothing besides `needs`: they are complete together. The answer reports as
 * many of them as one answer can. */
static struct taken complete_with(const GArray *members, const struct choice_set *needs)
{
	uint32_t window = 0;
	uint64_t bits = 0;

	for (guint i = 0; i < members->len; i++) {
		const struct member *member = member_at(members, i);

		if (!choice_set_covers(needs, member->needs))
			continue;
		if (bits == 0)
			window = member->index / TAKEN_WINDOW;
		if (member->index / TAKEN_WINDOW == window)
			bits |= UINT64_C(1) << (member->index % TAKEN_WINDOW);
	}
	return bits ? taken_some(window, bits) : taken_plain(TAKEN_NO);
}

static bool need_the_same(const struct member *one, const struct member *other)
{
	return choice_set_covers(one->needs, other->needs)
	       && choice_set_covers(other->needs, one->needs);
}

/* Members that represent all that become complete with them: at most MOST_TOGETHER. Members from
 * place `from` on come first. */
static guint pick_leaders(const GArray *members, guint from, guint *leaders)
{
	guint count = 0;

	for (guint i = 0; i < members->len && count < MOST_TOGETHER; i++) {
		guint place = (from + i) % members->len;
		bool same = false;

		for (guint k = 0; k < count && !same; k++)
			same = need_the_same(member_at(members, place),
			                     member_at(members, leaders[k]));
		if (!same)
			leaders[count++] = place;
	}
	return count;
}

/* --- sets up to a size ----------------------------------------------------------------------- */

/* A choice of `size` from `count` elements, ascending. */
struct combination {
	guint size, count;
	guint place[TAKEN_WINDOW];
};

static void combination_first(struct combination *combination, guint size, guint count)
{
	combination->size = size;
	combination->count = count;
	for (guint i = 0; i < size; i++)
		combination->place[i] = i;
}

/* Advances to the next one in lexicographic order; false: there is none. */
static bool combination_next(struct combination *combination)
{
	guint *place = combination->place;
	guint i = combination->size;

	while (i > 0 && place[i - 1] == combination->count - combination->size + i - 1)
		i--;
	if (i == 0)
		return false;
	place[i - 1]++;
	for (; i < combination->size; i++)
		place[i] = place[i - 1] + 1;
	return true;
}

/* The requests of a combination as an answer; false: one answer cannot report them. */
static bool answer_of(const struct combination *combination, const uint32_t *indices,
                      struct taken *ret_answer)
{
	uint32_t window = indices[combination->place[0]] / TAKEN_WINDOW;
	uint64_t bits = 0;

	for (guint i = 0; i < combination->size; i++) {
		uint32_t index = indices[combination->place[i]];

		if (index / TAKEN_WINDOW != window)
			return false;
		bits |= UINT64_C(1) << (index % TAKEN_WINDOW);
	}
	*ret_answer = taken_some(window, bits);
	return true;
}

/* Whether the sets of at most `most` requests, and the full set, are all sets there are. */
static bool are_all(const uint32_t *indices, guint count, uint32_t most)
{
	for (guint i = 1; i < count; i++)
		if (indices[i] / TAKEN_WINDOW != indices[0] / TAKEN_WINDOW)
			return false;
	return count <= 2 || most >= count - 1;
}

typedef void set_function(struct taken answer, const struct combination *combination, void *data);

/* Calls the function for all sets of 2 to `most` requests that contain one of the first `fresh`.
 * False: too many sets. */
static bool each_set(const uint32_t *indices, guint count, guint fresh, uint32_t most,
                     set_function *function, void *data)
{
	struct combination combination;
	struct taken answer;
	guint looked = 0;

	for (guint size = 2; size <= MIN(MIN(most, count), TAKEN_WINDOW); size++) {
		combination_first(&combination, size, count);
		do {
			if (combination.place[0] >= fresh)
				break;
			if (looked++ == MOST_SETS)
				return false;
			if (answer_of(&combination, indices, &answer))
				function(answer, &combination, data);
		} while (combination_next(&combination));
	}
	return true;
}

static void append(struct taken answer, const struct combination *combination, void *answers)
{
	(void)combination;
	g_array_append_val((GArray *)answers, answer);
}

bool request_subsets_answers(const GArray *indices, uint32_t most, GArray *answers)
{
	const uint32_t *first = (const uint32_t *)(const void *)indices->data;

	return each_set(first, indices->len, indices->len, most, append, answers)
	       && are_all(first, indices->len, most);
}

/* --- sets with their needs ------------------------------------------------------------------- */

struct finding {
	const GArray *members;
	guint known; /* number of answers before the call */
	GArray *answers;
	GPtrArray *needs_of;
};

static bool is_among(const GArray *answers, guint count, struct taken answer)
{
	for (guint i = 0; i < count; i++)
		if (taken_equal(&g_array_index(answers, struct taken, i), &answer))
			return true;
	return false;
}

/* Counts places from the last member, so that the new ones come first. */
static const struct member *member_from_end(const GArray *members, guint place)
{
	return member_at(members, members->len - 1 - place);
}

static void find_set(struct taken answer, const struct combination *combination, void *data)
{
	struct finding *finding = data;
	struct choice_set *needs = NULL;

	if (is_among(finding->answers, finding->known, answer))
		return;
	for (guint i = 0; i < combination->size; i++)
		choice_set_join(&needs,
		                member_from_end(finding->members, combination->place[i])->needs);
	g_array_append_val(finding->answers, answer);
	g_ptr_array_add(finding->needs_of, needs);
}

static bool find_sets(const GArray *members, guint from, uint32_t most, GArray *answers,
                      GPtrArray *needs_of)
{
	struct finding finding = {members, answers->len, answers, needs_of};
	g_autofree uint32_t *indices = g_new(uint32_t, members->len + 1);

	for (guint i = 0; i < members->len; i++)
		indices[i] = member_from_end(members, i)->index;
	if (!each_set(indices, members->len, members->len - from, most, find_set, &finding))
		return false;
	/* with so many members, the full set may not have been found */
	return are_all(indices, members->len, members->len > MOST_TOGETHER ? most - 1 : most);
}

/* Appends the sets that are complete together at some node. */
static void find_moments(const GArray *members, guint from, GArray *answers, GPtrArray *needs_of)
{
	guint leaders[MOST_TOGETHER];
	guint count = pick_leaders(members, from, leaders);

	for (guint subset = 0; subset < 1u << count; subset++) {
		struct choice_set *needs = NULL;
		struct taken answer;
		bool fresh = from == 0;

		for (guint i = 0; i < count; i++)
			if (subset >> i & 1) {
				choice_set_join(&needs, member_at(members, leaders[i])->needs);
				fresh = fresh || leaders[i] >= from;
			}
		answer = complete_with(members, needs);
		if (!fresh || answer.kind != TAKEN_SOME
		    || is_among(answers, answers->len, answer)) {
			choice_set_unref(needs);
			continue;
		}
		g_array_append_val(answers, answer);
		g_ptr_array_add(needs_of, needs);
	}
}

bool request_subsets_find(const struct dependence *dependence, struct op_id question,
                          const GArray *complete, guint from, uint32_t most, GArray *answers,
                          GPtrArray *needs_of)
{
	g_autoptr(GArray) members = members_of(dependence, question, complete);

	find_moments(members, from, answers, needs_of);
	return find_sets(members, from, most, answers, needs_of);
}
