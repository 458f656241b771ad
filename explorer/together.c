#include "together.h"

#include "answer.h"

/* A request that is complete, as this world has it. */
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
	GArray *members = g_array_new(FALSE, FALSE, sizeof(struct member));

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

/* All that need no more than `needs`: they are complete together; an answer, of as many as one can
 * report. */
static struct op_id complete_with(const GArray *members, const struct choice_set *needs)
{
	uint32_t window = 0;
	uint64_t bits = 0;

	for (guint i = 0; i < members->len; i++) {
		const struct member *member = member_at(members, i);

		if (!choice_set_covers(needs, member->needs))
			continue;
		if (bits == 0)
			window = member->index / ANSWER_WINDOW;
		if (member->index / ANSWER_WINDOW == window)
			bits |= UINT64_C(1) << (member->index % ANSWER_WINDOW);
	}
	return bits ? answer_some(window, bits) : answer_make(ANSWER_NO);
}

static bool need_the_same(const struct member *one, const struct member *other)
{
	return choice_set_covers(one->needs, other->needs)
	       && choice_set_covers(other->needs, one->needs);
}

/* Members that stand for all that become complete with them: at most MOST_TOGETHER, the first of
 * them not before place `from`. */
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

void together_find(const struct dependence *dependence, struct op_id question,
                   const GArray *complete, guint from, GArray *answers, GPtrArray *needs_of)
{
	g_autoptr(GArray) members = members_of(dependence, question, complete);
	guint leaders[MOST_TOGETHER];
	guint count = pick_leaders(members, from, leaders);

	for (guint subset = 0; subset < 1u << count; subset++) {
		struct choice_set *needs = NULL;
		struct op_id answer;
		bool seen = false;
		bool fresh = from == 0;

		for (guint i = 0; i < count; i++)
			if (subset >> i & 1) {
				choice_set_join(&needs, member_at(members, leaders[i])->needs);
				fresh = fresh || leaders[i] >= from;
			}
		answer = complete_with(members, needs);
		for (guint i = 0; i < answers->len && !seen; i++)
			seen = op_id_equal(g_array_index(answers, struct op_id, i), answer);
		if (!fresh || seen || answer_kind(answer) != ANSWER_SOME) {
			choice_set_unref(needs);
			continue;
		}
		g_array_append_val(answers, answer);
		g_ptr_array_add(needs_of, needs);
	}
}
