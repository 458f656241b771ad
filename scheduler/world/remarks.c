#include "remarks.h"

#include <string.h>

/* More different mistakes than this are not useful to a reader. */
#define REMARKS_MAX 512u

struct remarks {
	GPtrArray *all;    /* struct remark, shared with copies */
	GHashTable *known; /* the same remarks, to find equal ones */
};

/* Equal except for numbers: a loop sends 3 elements, then 4. */
static bool words_equal(const char *one, const char *other)
{
	for (;; one++, other++) {
		while (g_ascii_isdigit(*one))
			one++;
		while (g_ascii_isdigit(*other))
			other++;
		if (*one != *other)
			return false;
		if (*one == '\0')
			return true;
	}
}

static guint remark_hash(gconstpointer pointer)
{
	const struct remark *remark = pointer;
	guint hash = remark->kind;

	for (guint i = 0; i < remark->count; i++) {
		const struct remark_party *party = &remark->parties[i];

		hash = hash * 31 + (guint)party->rank;
		hash = hash * 31 + (guint)party->site + party->function;
	}
	return hash;
}

static gboolean remark_equal(gconstpointer a, gconstpointer b)
{
	const struct remark *one = a, *other = b;

	if (one->count != other->count || one->kind != other->kind)
		return false;
	for (guint i = 0; i < one->count; i++) {
		const struct remark_party *mine = &one->parties[i], *yours = &other->parties[i];

		if (mine->rank != yours->rank || mine->function != yours->function
		    || mine->action != yours->action || mine->site != yours->site
		    || !words_equal(mine->does, yours->does))
			return false;
	}
	return true;
}

static void remark_clear(gpointer pointer)
{
	struct remark *remark = pointer;

	for (guint i = 0; i < remark->count; i++)
		g_free((char *)remark->parties[i].does);
}

static void remark_release(gpointer remark)
{
	g_rc_box_release_full(remark, remark_clear);
}

struct remarks *remarks_new(void)
{
	struct remarks *remarks = g_new0(struct remarks, 1);

	remarks->all = g_ptr_array_new_with_free_func(remark_release);
	remarks->known = g_hash_table_new(remark_hash, remark_equal);
	return remarks;
}

static void keep_remark(struct remarks *remarks, struct remark *remark)
{
	g_ptr_array_add(remarks->all, remark);
	g_hash_table_add(remarks->known, remark);
}

struct remarks *remarks_copy(const struct remarks *from)
{
	struct remarks *to = remarks_new();

	for (guint i = 0; i < from->all->len; i++)
		keep_remark(to, g_rc_box_acquire(from->all->pdata[i]));
	return to;
}

void remarks_free(struct remarks *remarks)
{
	if (!remarks)
		return;
	g_hash_table_destroy(remarks->known);
	g_ptr_array_unref(remarks->all);
	g_free(remarks);
}

void remarks_add(struct remarks *remarks, const struct remark *remark)
{
	struct remark *copy;

	g_assert(remark->count > 0 && remark->count <= REMARK_PARTIES);
	if (remarks->all->len >= REMARKS_MAX || g_hash_table_contains(remarks->known, remark))
		return;
	copy = g_rc_box_alloc(sizeof(*copy));
	*copy = *remark;
	for (guint i = 0; i < copy->count; i++)
		copy->parties[i].does = g_strdup(remark->parties[i].does);
	keep_remark(remarks, copy);
}

guint remarks_count(const struct remarks *remarks)
{
	return remarks->all->len;
}

const struct remark *remarks_get(const struct remarks *remarks, guint index)
{
	return remarks->all->pdata[index];
}

void remark_fingerprint(const struct remark *remark, struct state_hash *ret)
{
	state_hash_add(ret, (guint64)remark->kind << 32 | remark->count);
	for (guint i = 0; i < remark->count; i++) {
		const struct remark_party *party = &remark->parties[i];
		const char *does = party->does ? party->does : "";

		state_hash_add(ret, (guint64)(guint32)party->rank << 32 | party->function);
		state_hash_add(ret, party->site);
		state_hash_add_bytes(ret, does, strlen(does));
	}
}
