/* Lines that vary under some choices only, over all merged stores. Nothing is run again here: what
 * varies is known from the sessions. */
#include "merge_internal.h"

#include "scheduler/session/outcome_finding.h"
#include "scheduler/session/outcome_text.h"
#include "scheduler/session/varying_lines.h"

/* The line in one interleaving. */
struct seen {
	guint32 id;
	guint buffering; /* as in struct record_execution */
	guint64 hash;
	char *path;
	char *line; /* NULL: there is no such line */
};

struct merge_varying {
	guint text, line;
	bool rest; /* all lines from it on are meant */
	bool knows_steady;
	guint64 steady;                     /* its hash where it is always the same */
	const struct merge_source *holding; /* not known yet: the first of this source has it */
	GArray *seen;                       /* struct seen */
};

static void seen_clear(gpointer pointer)
{
	struct seen *seen = pointer;

	g_free(seen->path);
	g_free(seen->line);
}

static struct merge_varying *merge_varying_at(guint text, guint line, bool rest)
{
	struct merge_varying *varying = g_new0(struct merge_varying, 1);

	varying->text = text;
	varying->line = line;
	varying->rest = rest;
	varying->seen = g_array_new(false, false, sizeof(struct seen));
	g_array_set_clear_func(varying->seen, seen_clear);
	return varying;
}

void merge_varying_free(struct merge_varying *varying)
{
	if (!varying)
		return;
	g_array_unref(varying->seen);
	g_free(varying);
}

/* Whether the session that made the store found this line the same whenever it ran again. */
static bool is_steady_in(const struct merge_source *source, guint text, guint line)
{
	GVariantIter *lines, *froms;
	guint one, other;
	bool steady = source->again && source->left_out;

	if (!steady)
		return false;
	g_variant_get(source->left_out, OUTCOMES_LEFT_OUT, &lines, &froms);
	while (g_variant_iter_next(lines, "(uu)", &one, &other))
		steady &= one != text || other != line;
	for (guint i = 0; g_variant_iter_next(froms, "u", &one); i++)
		steady &= i != text || line < one;
	g_variant_iter_free(lines);
	g_variant_iter_free(froms);
	return steady;
}

static const struct merge_source *find_steady(const struct merge *merge, guint text, guint line)
{
	for (guint i = 0; i < merge->sources->len; i++)
		if (is_steady_in(merge->sources->pdata[i], text, line))
			return merge->sources->pdata[i];
	return NULL;
}

/* A line that varied in everything that this session ran again, and that another found steady. */
static struct merge_varying *find_across(const struct merge *merge,
                                         const struct merge_source *source)
{
	struct merge_varying *varying = NULL;
	GVariantIter lines;
	guint text, line;
	gboolean rest; /* (GVariant) */

	if (!source->varying)
		return NULL;
	g_variant_iter_init(&lines, source->varying);
	while (!varying && g_variant_iter_next(&lines, "(uub)", &text, &line, &rest)) {
		const struct merge_source *steady = find_steady(merge, text, line);

		if (!steady || text >= merge->ranks)
			continue;
		varying = merge_varying_at(text, line, rest);
		varying->holding = steady;
	}
	return varying;
}

struct merge_varying *merge_varying_new(const struct merge *merge)
{
	struct merge_varying *varying = NULL;

	for (guint i = 0; i < merge->sources->len && !varying; i++) {
		const struct merge_source *source = merge->sources->pdata[i];
		guint text, line;
		guint64 hash;
		gboolean rest; /* (GVariant) */

		if (!source->erratic)
			continue;
		g_variant_get(source->erratic, VARYING_LINES_SUSPECT, &text, &line, &rest, &hash);
		if (text >= merge->ranks)
			continue;
		varying = merge_varying_at(text, line, rest);
		varying->steady = hash;
		varying->knows_steady = true;
	}
	for (guint i = 0; i < merge->sources->len && !varying; i++)
		varying = find_across(merge, merge->sources->pdata[i]);
	return varying;
}

void merge_varying_take(struct merge_varying *varying, const struct merge *merge,
                        const struct record_execution *record, const GPtrArray *texts)
{
	struct seen seen = {
		.id = record->id,
		.buffering = record->buffering,
		.hash = varying_lines_hash(texts, varying->text, varying->line, varying->rest),
		.path = g_strdup(record->path),
		.line = outcome_text_show(texts->pdata[varying->text], false, varying->line)};

	if (!varying->knows_steady && merge->current == varying->holding) {
		varying->steady = seen.hash;
		varying->knows_steady = true;
	}
	g_array_append_val(varying->seen, seen);
}

/* Adds what `one` begins, which is `instead` in the first outcome. */
static void add_outcome(const struct merge_varying *varying, const struct merge *merge,
                        struct record_finding *finding, const struct seen *one,
                        const struct seen *first)
{
	const struct outcome_difference difference = {.text = varying->text,
	                                              .line = varying->line + 1,
	                                              .here = one->line,
	                                              .instead = first ? first->line : NULL};
	g_autofree char *place = outcome_finding_place(merge->ranks, NULL, &difference);
	g_autoptr(RecordExecution) record = record_execution_new();

	record->id = one->id;
	record->buffering = one->buffering;
	record->path = g_strdup(one->path);
	outcome_finding_add_first(finding, record,
	                          first ? g_strconcat(place, OUTCOME_FINDING_VARIES, NULL) : NULL,
	                          first ? &difference : NULL);
}

static const struct seen *first_seen(const struct merge_varying *varying, bool steady)
{
	for (guint i = 0; i < varying->seen->len; i++) {
		const struct seen *seen = &g_array_index(varying->seen, struct seen, i);

		if ((seen->hash == varying->steady) == steady)
			return seen;
	}
	return NULL;
}

struct record_finding *merge_varying_finding(const struct merge_varying *varying,
                                             const struct merge *merge, GArray **ret_shown)
{
	const struct seen *steady = varying ? first_seen(varying, true) : NULL;
	const struct seen *other = steady ? first_seen(varying, false) : NULL;
	struct record_finding *finding;

	if (!other)
		return NULL;
	finding = record_finding_new(FINDING_OUTCOME_DIFFERS);
	add_outcome(varying, merge, finding, steady, NULL);
	add_outcome(varying, merge, finding, other, steady);
	*ret_shown = g_array_new(false, false, sizeof(guint32));
	for (guint i = 0; i < varying->seen->len; i++) {
		const struct seen *seen = &g_array_index(varying->seen, struct seen, i);
		bool differs = seen->hash != varying->steady;

		((struct record_outcome *)finding->outcomes->pdata[differs])->count++;
		if (differs)
			g_array_append_val(*ret_shown, seen->id);
	}
	finding->bufferings = other->buffering;
	outcome_finding_finish(finding);
	return finding;
}
