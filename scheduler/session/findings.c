#include "findings.h"

#include "stored_run.h"

/* At most so many interleavings that ended well are kept, to compare failures with them. */
#define GOOD_KEPT 20000u

/* One interleaving's choices, for comparison with others. */
struct route {
	enum buffering buffering;
	guint32 execution;
	GArray *choices; /* struct choice */
};

/* The same, of one that ended well. There are many of them, so they are packed. */
struct good {
	enum buffering buffering;
	guint32 execution;
	GBytes *choices; /* choices_put */
	GArray *shown;   /* guint32, ids of findings; NULL: none */
};

/* What good interleavings tell about the choice to blame: the last place at which one of them
 * parts. */
struct parting {
	bool found;
	guint index;        /* in the finding's choices */
	bool takes;         /* the next one is set */
	struct taken taken; /* what the good interleaving took there */
};

struct entry {
	struct record_finding *finding; /* in `all` */
	struct route route;
	GPtrArray *choices;     /* struct record_choice: the same choices with their source lines */
	GArray *least;          /* struct choice: those that the path has to name */
	char *path;             /* names all of them; NULL: not known */
	bool blamed;            /* a replay has told the choice to blame, in the next */
	struct parting parting; /* if choices are compared in their order; without order */
	struct parting unordered;
};

struct findings {
	guint bufferings;
	GPtrArray *all;
	GHashTable *by_key;
	GPtrArray *entries; /* by id - 1 */
	GArray *good;       /* struct good */
};

static void entry_free(gpointer pointer)
{
	struct entry *entry = pointer;

	g_array_unref(entry->route.choices);
	g_ptr_array_unref(entry->choices);
	g_array_unref(entry->least);
	g_free(entry->path);
	g_free(entry);
}

static void good_clear(struct good *good)
{
	g_bytes_unref(good->choices);
	if (good->shown)
		g_array_unref(good->shown);
}

static GBytes *pack(const GArray *choices)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();

	choices_put(bytes, choices);
	return g_bytes_new(bytes->data, bytes->len);
}

/* Replaces `choices` by those of the interleaving. */
static void unpack(const struct good *good, GArray *choices)
{
	struct choice_bytes bytes;

	bytes.data = g_bytes_get_data(good->choices, &bytes.left);
	g_array_set_size(choices, 0);
	choices_take(&bytes, choices);
}

struct findings *findings_new(guint bufferings)
{
	struct findings *findings = g_new0(struct findings, 1);

	findings->bufferings = bufferings;
	findings->all = g_ptr_array_new_with_free_func((GDestroyNotify)record_finding_free);
	findings->by_key = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	findings->entries = g_ptr_array_new_with_free_func(entry_free);
	findings->good = g_array_new(false, false, sizeof(struct good));
	return findings;
}

void findings_free(struct findings *findings)
{
	if (!findings)
		return;
	for (guint i = 0; i < findings->good->len; i++)
		good_clear(&g_array_index(findings->good, struct good, i));
	g_array_unref(findings->good);
	g_hash_table_destroy(findings->by_key);
	g_ptr_array_unref(findings->entries);
	g_ptr_array_unref(findings->all);
	g_free(findings);
}

static struct route route_of(const struct record_execution *execution, const GArray *choices)
{
	return (struct route){stored_run_buffering(execution), execution->id,
	                      g_array_copy((GArray *)choices)};
}

static GPtrArray *copy_choices(const GPtrArray *choices)
{
	GPtrArray *copy = g_ptr_array_new_with_free_func((GDestroyNotify)record_choice_free);

	for (guint i = 0; i < choices->len; i++)
		g_ptr_array_add(copy, record_choice_copy(choices->pdata[i]));
	return copy;
}

/* The choices that a path has to name, for an interleaving that has just ended: a replay makes the
 * others by default. For an interleaving read from a store: the choices that its finding's path
 * names. */
static GArray *least_of(const struct record_finding *finding,
                        const struct record_execution *execution, const GArray *choices)
{
	GArray *least = g_array_new(false, false, sizeof(struct choice));
	struct path *told = execution->path && !g_str_equal(finding->path, execution->path)
	                            ? path_parse(finding->path, NULL)
	                            : NULL;

	for (guint i = 0; i < choices->len; i++) {
		const struct choice *choice = &g_array_index(choices, struct choice, i);
		const struct record_choice *record = i < execution->choices->len
		                                             ? execution->choices->pdata[i]
		                                             : NULL;

		if (told ? choices_find(told->choices, &choice->point) != NULL
		         : !record || !record->is_first)
			g_array_append_vals(least, choice, 1);
	}
	path_free(told);
	return least;
}

static struct record_finding *add_new(struct findings *findings, struct record_finding *finding,
                                      const struct record_execution *execution,
                                      const GArray *choices, char *key)
{
	struct entry *entry = g_new0(struct entry, 1);

	finding->id = findings->all->len + 1;
	finding->count = 1;
	finding->bufferings = execution->buffering;
	entry->finding = finding;
	entry->route = route_of(execution, choices);
	entry->choices = copy_choices(execution->choices);
	entry->least = least_of(finding, execution, choices);
	entry->path = g_strdup(execution->path);
	g_ptr_array_add(findings->all, finding);
	g_ptr_array_add(findings->entries, entry);
	g_hash_table_insert(findings->by_key, key, finding);
	return finding;
}

struct record_finding *findings_add(struct findings *findings, struct record_finding *finding,
                                    const struct record_execution *execution, const GArray *choices)
{
	struct record_finding *known;
	char *key = record_finding_key(finding);

	known = g_hash_table_lookup(findings->by_key, key);
	if (!known)
		return add_new(findings, finding, execution, choices, key);
	g_free(key);
	known->count++;
	known->bufferings |= execution->buffering;
	record_finding_free(finding);
	return known;
}

static const struct record_finding *find_equal(const struct findings *findings,
                                               const struct record_finding *finding)
{
	g_autofree char *key = record_finding_key(finding);

	return g_hash_table_lookup(findings->by_key, key);
}

bool findings_known(const struct findings *findings, const struct record_finding *finding)
{
	return find_equal(findings, finding) != NULL;
}

bool findings_known_under(const struct findings *findings, const struct record_finding *finding,
                          guint32 buffering)
{
	const struct record_finding *known = find_equal(findings, finding);

	return known && (known->bufferings & buffering);
}

void findings_add_good(struct findings *findings, const struct record_execution *execution,
                       const GArray *choices)
{
	struct good good = {.buffering = stored_run_buffering(execution),
	                    .execution = execution->id};

	if (findings->good->len >= GOOD_KEPT)
		return;
	good.choices = pack(choices);
	if (execution->findings->len > 0)
		good.shown = g_array_copy(execution->findings);
	g_array_append_val(findings->good, good);
}

void findings_show(struct findings *findings, guint id, const GArray *executions)
{
	struct record_finding *finding = findings->all->pdata[id - 1];
	guint at = 0;

	finding->count = executions->len;
	for (guint i = 0; i < findings->good->len; i++) {
		struct good *good = &g_array_index(findings->good, struct good, i);

		while (at < executions->len
		       && g_array_index(executions, guint32, at) < good->execution)
			at++;
		if (at == executions->len)
			break;
		if (g_array_index(executions, guint32, at) != good->execution)
			continue;
		finding->bufferings |= 1u << good->buffering;
		if (!good->shown)
			good->shown = g_array_new(false, false, sizeof(guint32));
		g_array_append_val(good->shown, id);
	}
}

GPtrArray *findings_all(const struct findings *findings)
{
	return findings->all;
}

const GArray *findings_choices(const struct findings *findings, guint id,
                               enum buffering *ret_buffering)
{
	const struct entry *entry = findings->entries->pdata[id - 1];

	*ret_buffering = entry->route.buffering;
	return entry->route.choices;
}

GArray *findings_good(const struct findings *findings, enum buffering buffering,
                      guint32 *ret_execution)
{
	for (guint i = 0; i < findings->good->len; i++) {
		const struct good *good = &g_array_index(findings->good, struct good, i);
		GArray *choices;

		if (good->buffering != buffering)
			continue;
		*ret_execution = good->execution;
		choices = g_array_new(false, false, sizeof(struct choice));
		unpack(good, choices);
		return choices;
	}
	return NULL;
}

const GArray *findings_least(const struct findings *findings, guint id)
{
	const struct entry *entry = findings->entries->pdata[id - 1];

	return entry->least;
}

const char *findings_whole_path(const struct findings *findings, guint id)
{
	const struct entry *entry = findings->entries->pdata[id - 1];

	return entry->path;
}

bool findings_everywhere(const struct findings *findings, guint id)
{
	const struct record_finding *finding = findings->all->pdata[id - 1];

	return findings->bufferings == (RECORD_ZERO | RECORD_INFINITE)
	       && finding->bufferings == findings->bufferings;
}

guint32 findings_execution(const struct findings *findings, guint id)
{
	const struct entry *entry = findings->entries->pdata[id - 1];

	return entry->route.execution;
}

bool findings_same_route(const struct findings *findings, guint id, guint other)
{
	const struct route *one = &((struct entry *)findings->entries->pdata[id - 1])->route;
	const struct route *two = &((struct entry *)findings->entries->pdata[other - 1])->route;

	return one->buffering == two->buffering && choices_same(one->choices, two->choices);
}

static bool is_shown(const struct good *good, guint32 finding)
{
	for (guint i = 0; good->shown && i < good->shown->len; i++) {
		if (g_array_index(good->shown, guint32, i) == finding)
			return true;
	}
	return false;
}

/* Moves the alternative that ended well to the front. */
static void put_first(GArray *alternatives, const struct taken *taken)
{
	for (guint i = 0; i < alternatives->len; i++) {
		struct record_message message = g_array_index(alternatives, struct record_message,
		                                              i);

		if (!taken_equal(&message.taken, taken))
			continue;
		g_array_remove_index(alternatives, i);
		g_array_prepend_val(alternatives, message);
		return;
	}
}

/* Whether `good` also passed the point at `index`, but took something else. This includes a receive
 * with a named source that is cancelled in one of them: in the other it takes the only possible
 * message, which is not recorded as a choice. */
static bool part_there(const GArray *own, const GArray *good, guint index)
{
	const struct choice *choice;

	if (index >= own->len)
		return false;
	choice = &g_array_index(own, struct choice, index);
	if (index < good->len
	    && point_equal(&choice->point, &g_array_index(good, struct choice, index).point))
		return true;
	return !choices_find(good, &choice->point) && choice->taken.kind == TAKEN_CANCELLED;
}

static bool is_alternative(const struct record_choice *choice, const struct taken *taken)
{
	for (guint i = 0; i < choice->alternatives->len; i++)
		if (taken_equal(
			    &g_array_index(choice->alternatives, struct record_message, i).taken,
			    taken))
			return true;
	return false;
}

/* For choices in different orders: finds the first point at which `good` took something else, if it
 * made all choices before that point as well. Returns what `good` took; NULL: no such point. */
static const struct taken *parts_in_order(const struct entry *entry, const GArray *good,
                                          guint *ret_index)
{
	const GArray *own = entry->route.choices;

	for (*ret_index = 0; *ret_index < MIN(own->len, entry->choices->len); ++*ret_index) {
		const struct choice *choice = &g_array_index(own, struct choice, *ret_index);
		const struct choice *there = choices_find(good, &choice->point);

		if (there && taken_equal(&there->taken, &choice->taken))
			continue;
		return there && is_alternative(entry->choices->pdata[*ret_index], &there->taken)
		               ? &there->taken
		               : NULL;
	}
	return NULL;
}

static void blame(struct entry *entry, guint index, const struct taken *good)
{
	record_choice_free(entry->finding->blame);
	entry->finding->blame = record_choice_copy(entry->choices->pdata[index]);
	if (good)
		put_first(entry->finding->blame->alternatives, good);
}

/* Takes over a place that is behind the last one. */
static void part(struct parting *parting, guint index, const struct taken *taken)
{
	if (parting->found && index <= parting->index)
		return;
	*parting = (struct parting){.found = true, .index = index, .takes = taken != NULL};
	if (taken)
		parting->taken = *taken;
}

/* Where a good interleaving with these choices parts from the finding's, in the order of the
 * choices. */
static void compare(struct entry *entry, const GArray *good)
{
	const GArray *own = entry->route.choices;
	guint common = choices_common(own, good);

	if (part_there(own, good, common))
		part(&entry->parting, common,
		     common < good->len ? &g_array_index(good, struct choice, common).taken : NULL);
}

/* The same for a finding with no good interleaving that makes the same choices in the same order
 * up to one. */
static void compare_in_any_order(struct entry *entry, const GArray *good)
{
	guint index;
	const struct taken *taken = parts_in_order(entry, good, &index);

	if (taken)
		part(&entry->unordered, index, taken);
}

/* Compares the good interleavings with the findings that need it. Each is unpacked once. */
static void compare_all(const struct findings *findings, GPtrArray *entries,
                        void (*how)(struct entry *entry, const GArray *good))
{
	g_autoptr(GArray) choices = g_array_new(false, false, sizeof(struct choice));

	for (guint i = 0; entries->len > 0 && i < findings->good->len; i++) {
		const struct good *good = &g_array_index(findings->good, struct good, i);

		unpack(good, choices);
		for (guint j = 0; j < entries->len; j++) {
			struct entry *entry = entries->pdata[j];

			if (good->buffering == entry->route.buffering
			    && !is_shown(good, entry->finding->id))
				how(entry, choices);
		}
	}
}

void findings_blame_on(struct findings *findings, guint id, const struct choice *choice,
                       const struct taken *good)
{
	struct entry *entry = findings->entries->pdata[id - 1];

	for (guint i = 0; i < MIN(entry->route.choices->len, entry->choices->len); i++) {
		if (!choice_equal(&g_array_index(entry->route.choices, struct choice, i), choice))
			continue;
		entry->blamed = true;
		entry->parting = (struct parting){true, i, true, *good};
	}
}

void findings_blame(struct findings *findings)
{
	g_autoptr(GPtrArray) ordered = g_ptr_array_new(), unordered = g_ptr_array_new();

	for (guint i = 0; i < findings->entries->len; i++) {
		struct entry *entry = findings->entries->pdata[i];

		if (entry->blamed)
			continue;
		entry->parting.found = entry->unordered.found = false;
		g_ptr_array_add(ordered, entry);
	}
	compare_all(findings, ordered, compare);
	for (guint i = 0; i < ordered->len; i++) {
		struct entry *entry = ordered->pdata[i];

		if (!entry->parting.found)
			g_ptr_array_add(unordered, entry);
	}
	compare_all(findings, unordered, compare_in_any_order);
	for (guint i = 0; i < findings->entries->len; i++) {
		struct entry *entry = findings->entries->pdata[i];
		const struct parting *parting = entry->parting.found ? &entry->parting
		                                                     : &entry->unordered;

		if (parting->found && parting->index < entry->choices->len)
			blame(entry, parting->index, parting->takes ? &parting->taken : NULL);
	}
}
