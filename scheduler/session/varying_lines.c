#include "varying_lines.h"

#include <string.h>

#include "common/mix.h"
#include "outcome_text.h"
#include "outcomes.h"

#define LINES_MOST 32  /* lines of which values are remembered */
#define VALUES_MOST 32 /* of one line, with an example each */
#define ERRATIC_MOST 6 /* a line that varied in so many examples varies everywhere */
#define NO_VALUE 0     /* there is no such line */

struct example {
	struct record_execution *first;
	GArray *choices;
	GPtrArray *lines; /* by text: GArray of guint64, a hash for each line */
	guint uses;       /* values of which it is the example; of outcomes: one more */
};

/* A value that a line had. */
struct value {
	guint64 hash;
	guint count; /* interleavings with it */
	guint example;
};

struct varying_line {
	guint text, line;
	bool rest;        /* the number of lines varies: all lines from this one on count as one */
	GArray *values;   /* struct value, oldest first */
	GArray *value_of; /* guint32 for each interleaving: a part of the hash */
	GArray *steady, *erratic; /* guint: examples that were run again */
	bool acquitted;
};

struct varying_lines {
	guint texts;         /* number of texts that are looked at */
	GPtrArray *examples; /* struct example *; NULL: free */
	GArray *of_outcome;  /* guint, by outcome: its example */
	GArray *outcome_of;  /* guint, for each interleaving */
	GPtrArray *lines;    /* struct varying_line * */
	GArray *checked;     /* guint: examples that were run again */
};

static void example_free(gpointer pointer)
{
	struct example *example = pointer;

	if (!example)
		return;
	record_execution_free(example->first);
	g_array_unref(example->choices);
	g_ptr_array_unref(example->lines);
	g_free(example);
}

static void varying_line_free(gpointer pointer)
{
	struct varying_line *line = pointer;

	g_array_unref(line->values);
	g_array_unref(line->value_of);
	g_array_unref(line->steady);
	g_array_unref(line->erratic);
	g_free(line);
}

struct varying_lines *varying_lines_new(guint texts)
{
	struct varying_lines *lines = g_new0(struct varying_lines, 1);

	lines->texts = texts;
	lines->examples = g_ptr_array_new_with_free_func(example_free);
	lines->of_outcome = g_array_new(false, false, sizeof(guint));
	lines->outcome_of = g_array_new(false, false, sizeof(guint));
	lines->lines = g_ptr_array_new_with_free_func(varying_line_free);
	lines->checked = g_array_new(false, false, sizeof(guint));
	return lines;
}

void varying_lines_free(struct varying_lines *lines)
{
	if (!lines)
		return;
	g_ptr_array_unref(lines->examples);
	g_array_unref(lines->of_outcome);
	g_array_unref(lines->outcome_of);
	g_ptr_array_unref(lines->lines);
	g_array_unref(lines->checked);
	g_free(lines);
}

/* --- values ----------------------------------------------------------------------------------- */

/* The hash of this line, or of all from it on. */
static guint64 value_in(const GPtrArray *texts, const struct varying_line *at)
{
	const GArray *own = at->text < texts->len ? texts->pdata[at->text] : NULL;
	guint64 hash = NO_VALUE;

	if (!own || at->line >= own->len)
		return NO_VALUE;
	if (!at->rest)
		return g_array_index(own, guint64, at->line);
	for (guint i = at->line; i < own->len; i++)
		hash = mix(hash, g_array_index(own, guint64, i));
	return hash;
}

static struct example *example_at(const struct varying_lines *lines, guint example)
{
	return lines->examples->pdata[example];
}

static guint64 value_of_example(const struct varying_lines *lines, const struct varying_line *at,
                                guint example)
{
	return value_in(example_at(lines, example)->lines, at);
}

static struct value *find_value(const struct varying_line *line, guint64 hash)
{
	for (guint i = 0; i < line->values->len; i++) {
		struct value *value = &g_array_index(line->values, struct value, i);

		if (value->hash == hash)
			return value;
	}
	return NULL;
}

static void release_example(struct varying_lines *lines, guint number)
{
	struct example *example = example_at(lines, number);

	if (--example->uses > 0)
		return;
	lines->examples->pdata[number] = NULL;
	example_free(example);
}

static bool was_run_again(const struct varying_line *line, guint example)
{
	for (guint i = 0; i < line->steady->len; i++)
		if (g_array_index(line->steady, guint, i) == example)
			return true;
	for (guint i = 0; i < line->erratic->len; i++)
		if (g_array_index(line->erratic, guint, i) == example)
			return true;
	return false;
}

/* Makes room for another value: forgets the oldest that only one interleaving had. false: all are
 * needed. */
static bool make_room(struct varying_lines *lines, struct varying_line *line)
{
	if (line->values->len < VALUES_MOST)
		return true;
	for (guint i = 0; i < line->values->len; i++) {
		const struct value *value = &g_array_index(line->values, struct value, i);

		if (value->count > 1 || was_run_again(line, value->example))
			continue;
		release_example(lines, value->example);
		g_array_remove_index(line->values, i);
		return true;
	}
	return false;
}

static bool is_decided(const struct varying_line *line)
{
	return line->acquitted || (line->erratic->len >= ERRATIC_MOST && line->steady->len == 0);
}

static void add_value(struct varying_lines *lines, struct varying_line *line, guint64 hash,
                      guint count, guint example)
{
	struct value value = {hash, count, example};

	if (!make_room(lines, line))
		return;
	example_at(lines, example)->uses++;
	g_array_append_val(line->values, value);
}

/* --- interleavings ---------------------------------------------------------------------------- */

static guint new_example(struct varying_lines *lines, GPtrArray *hashes,
                         const struct record_execution *execution, const GArray *choices)
{
	struct example *example = g_new0(struct example, 1);

	example->first = outcomes_remember(execution);
	example->choices = g_array_copy((GArray *)choices);
	example->lines = g_ptr_array_ref(hashes);
	for (guint i = 0; i < lines->examples->len; i++) {
		if (lines->examples->pdata[i])
			continue;
		lines->examples->pdata[i] = example;
		return i;
	}
	g_ptr_array_add(lines->examples, example);
	return lines->examples->len - 1;
}

/* Counts the values that the lines have in one more interleaving. Its example, if it is not known
 * yet (VARYING_LINES_NONE), is made if a value is new. */
static void count_values(struct varying_lines *lines, GPtrArray *hashes,
                         const struct record_execution *execution, const GArray *choices,
                         guint example)
{
	for (guint i = 0; i < lines->lines->len; i++) {
		struct varying_line *line = lines->lines->pdata[i];
		guint64 hash = value_in(hashes, line);
		guint32 part = (guint32)(hash ^ hash >> 32);
		struct value *value = find_value(line, hash);

		g_array_append_val(line->value_of, part);
		if (value) {
			value->count++;
		} else if (!is_decided(line)) {
			if (example == VARYING_LINES_NONE)
				example = new_example(lines, hashes, execution, choices);
			add_value(lines, line, hash, 1, example);
		}
	}
	if (example != VARYING_LINES_NONE && example_at(lines, example)->uses == 0) {
		example_free(example_at(lines, example));
		lines->examples->pdata[example] = NULL;
	}
}

void varying_lines_add(struct varying_lines *lines, const GPtrArray *texts,
                       const struct record_execution *execution, const GArray *choices,
                       guint outcome)
{
	bool is_new = outcome != VARYING_LINES_NONE && outcome >= lines->of_outcome->len;
	guint example = VARYING_LINES_NONE;
	GPtrArray *hashes;

	g_array_append_val(lines->outcome_of, outcome);
	if (!is_new && lines->lines->len == 0)
		return;
	hashes = outcome_text_lines(texts, lines->texts);
	if (is_new) {
		example = new_example(lines, hashes, execution, choices);
		example_at(lines, example)->uses++;
		g_array_append_val(lines->of_outcome, example);
	}
	count_values(lines, hashes, execution, choices, example);
	g_ptr_array_unref(hashes);
}

guint varying_lines_example(const struct varying_lines *lines, guint outcome)
{
	return g_array_index(lines->of_outcome, guint, outcome);
}

const struct record_execution *varying_lines_first(const struct varying_lines *lines, guint example)
{
	return example_at(lines, example)->first;
}

const GArray *varying_lines_choices(const struct varying_lines *lines, guint example)
{
	return example_at(lines, example)->choices;
}

/* --- lines ------------------------------------------------------------------------------------ */

/* What was not known to vary so far was compared: all interleavings of an outcome have it alike. */
static void learn_values(struct varying_lines *lines, struct varying_line *line)
{
	for (guint i = 0; i < lines->outcome_of->len; i++) {
		guint outcome = g_array_index(lines->outcome_of, guint, i), example;
		guint64 hash = NO_VALUE;
		struct value *value;
		guint32 part;

		if (outcome != VARYING_LINES_NONE) {
			example = varying_lines_example(lines, outcome);
			hash = value_of_example(lines, line, example);
			value = find_value(line, hash);
			if (value)
				value->count++;
			else
				add_value(lines, line, hash, 1, example);
		}
		part = (guint32)(hash ^ hash >> 32);
		g_array_append_val(line->value_of, part);
	}
}

static bool covers(const struct varying_line *line, guint text, guint number)
{
	return line->text == text && (line->line == number || (line->rest && line->line <= number));
}

static bool is_known(const struct varying_lines *lines, guint text, guint number, bool rest)
{
	for (guint i = 0; i < lines->lines->len; i++) {
		const struct varying_line *line = lines->lines->pdata[i];

		if (covers(line, text, number) && (!rest || line->rest))
			return true;
	}
	return false;
}

static void track(struct varying_lines *lines, guint text, guint number, bool rest)
{
	struct varying_line *line;

	if (lines->lines->len >= LINES_MOST || is_known(lines, text, number, rest))
		return;
	line = g_new0(struct varying_line, 1);
	line->text = text;
	line->line = number;
	line->rest = rest;
	line->values = g_array_new(false, false, sizeof(struct value));
	line->value_of = g_array_new(false, false, sizeof(guint32));
	/* In what was run again before it was the same; otherwise it would be known. */
	line->steady = g_array_copy(lines->checked);
	line->erratic = g_array_new(false, false, sizeof(guint));
	learn_values(lines, line);
	g_ptr_array_add(lines->lines, line);
}

static void track_differences(struct varying_lines *lines, const GPtrArray *before,
                              const GPtrArray *after)
{
	for (guint text = 0; text < after->len; text++) {
		const GArray *one = before->pdata[text], *other = after->pdata[text];

		for (guint i = 0; i < MAX(one->len, other->len); i++) {
			bool beyond = i >= one->len || i >= other->len;

			if (!beyond
			    && g_array_index(one, guint64, i) == g_array_index(other, guint64, i))
				continue;
			track(lines, text, i, one->len != other->len);
			if (one->len != other->len)
				break;
		}
	}
}

static void forget_steady(struct varying_line *line, guint example)
{
	for (guint i = 0; i < line->steady->len; i++)
		if (g_array_index(line->steady, guint, i) == example)
			g_array_remove_index(line->steady, i--);
}

static bool is_erratic(const struct varying_line *line, guint example)
{
	for (guint i = 0; i < line->erratic->len; i++)
		if (g_array_index(line->erratic, guint, i) == example)
			return true;
	return false;
}

static void judge(struct varying_lines *lines, struct varying_line *line, guint example,
                  const GPtrArray *hashes)
{
	bool same = value_in(hashes, line) == value_of_example(lines, line, example);

	if (same && !was_run_again(line, example))
		g_array_append_val(line->steady, example);
	if (same || is_erratic(line, example))
		return;
	forget_steady(line, example);
	g_array_append_val(line->erratic, example);
}

void varying_lines_check(struct varying_lines *lines, guint example, const GPtrArray *texts)
{
	g_autoptr(GPtrArray) hashes = outcome_text_lines(texts, lines->texts);

	track_differences(lines, example_at(lines, example)->lines, hashes);
	for (guint i = 0; i < lines->lines->len; i++)
		judge(lines, lines->lines->pdata[i], example, hashes);
	g_array_append_val(lines->checked, example);
}

/* --- what to run again ------------------------------------------------------------------------ */

/* The example of the most frequent value of a line, among those not run again. */
static guint best_example(const struct varying_line *line)
{
	guint best = VARYING_LINES_NONE, most = 0;

	for (guint i = 0; i < line->values->len; i++) {
		const struct value *value = &g_array_index(line->values, struct value, i);

		if (value->count <= most || was_run_again(line, value->example))
			continue;
		most = value->count;
		best = value->example;
	}
	return best;
}

guint varying_lines_candidate(const struct varying_lines *lines)
{
	guint best = VARYING_LINES_NONE, least = G_MAXUINT;

	for (guint i = 0; i < lines->lines->len; i++) {
		const struct varying_line *line = lines->lines->pdata[i];
		guint example = best_example(line);

		if (is_decided(line) || line->steady->len > 0 || line->erratic->len >= least
		    || example == VARYING_LINES_NONE)
			continue;
		least = line->erratic->len;
		best = example;
	}
	return best;
}

/* --- suspects --------------------------------------------------------------------------------- */

static bool is_suspect(const struct varying_line *line)
{
	return !line->acquitted && line->steady->len > 0 && line->erratic->len > 0;
}

static bool comes_before(const struct varying_line *one, const struct varying_line *other)
{
	return one->text != other->text ? one->text < other->text : one->line < other->line;
}

bool varying_lines_suspect(const struct varying_lines *lines, struct varying_suspect *ret_suspect)
{
	const struct varying_line *first = NULL;

	for (guint i = 0; i < lines->lines->len; i++) {
		const struct varying_line *line = lines->lines->pdata[i];

		if (!is_suspect(line) || (first && !comes_before(line, first)))
			continue;
		first = line;
		*ret_suspect = (struct varying_suspect){
			.index = i,
			.text = line->text,
			.line = line->line,
			.steady = g_array_index(line->steady, guint, 0),
			.erratic = g_array_index(line->erratic, guint, 0)};
	}
	return first != NULL;
}

static struct varying_line *line_of(const struct varying_lines *lines,
                                    const struct varying_suspect *suspect)
{
	return lines->lines->pdata[suspect->index];
}

bool varying_lines_is_steady(const struct varying_lines *lines,
                             const struct varying_suspect *suspect, const GPtrArray *texts)
{
	const struct varying_line *line = line_of(lines, suspect);
	g_autoptr(GPtrArray) hashes = outcome_text_lines(texts, lines->texts);

	return value_in(hashes, line) == value_of_example(lines, line, suspect->steady);
}

bool varying_lines_met(const struct varying_lines *lines, const struct varying_suspect *suspect)
{
	const struct varying_line *line = line_of(lines, suspect);

	return value_of_example(lines, line, suspect->erratic)
	       == value_of_example(lines, line, suspect->steady);
}

void varying_lines_acquit(struct varying_lines *lines, const struct varying_suspect *suspect)
{
	line_of(lines, suspect)->acquitted = true;
}

GArray *varying_lines_steady_in(const struct varying_lines *lines,
                                const struct varying_suspect *suspect)
{
	const struct varying_line *line = line_of(lines, suspect);
	guint64 hash = value_of_example(lines, line, suspect->steady);
	guint32 part = (guint32)(hash ^ hash >> 32);
	GArray *steady = g_array_new(false, false, sizeof(bool));

	for (guint i = 0; i < line->value_of->len; i++) {
		bool is = g_array_index(line->value_of, guint32, i) == part;

		g_array_append_val(steady, is);
	}
	return steady;
}

/* Whether a suspect line, or all lines from one on, has it as well. */
static bool is_part_of_suspect(const struct varying_lines *lines, const struct varying_line *line)
{
	for (guint i = 0; i < lines->lines->len; i++) {
		const struct varying_line *other = lines->lines->pdata[i];

		if (is_suspect(other) && covers(other, line->text, line->line))
			return true;
	}
	return false;
}

bool varying_lines_first_everywhere(const struct varying_lines *lines, guint *ret_text,
                                    guint *ret_line)
{
	const struct varying_line *first = NULL;

	for (guint i = 0; i < lines->lines->len; i++) {
		const struct varying_line *line = lines->lines->pdata[i];

		if ((!first || comes_before(line, first)) && !is_part_of_suspect(lines, line))
			first = line;
	}
	if (!first)
		return false;
	*ret_text = first->text;
	*ret_line = first->line;
	return true;
}

GVariant *varying_lines_everywhere(const struct varying_lines *lines)
{
	GVariantBuilder all;

	g_variant_builder_init(&all, G_VARIANT_TYPE(VARYING_LINES_EVERYWHERE));
	for (guint i = 0; i < lines->lines->len; i++) {
		const struct varying_line *line = lines->lines->pdata[i];

		if (line->steady->len == 0
		    && line->erratic->len >= MIN(2, MAX(1, lines->outcome_of->len)))
			g_variant_builder_add(&all, "(uub)", line->text, line->line,
			                      (gboolean)line->rest);
	}
	return g_variant_ref_sink(g_variant_builder_end(&all));
}

GVariant *varying_lines_print(const struct varying_lines *lines,
                              const struct varying_suspect *suspect)
{
	const struct varying_line *line = line_of(lines, suspect);

	return g_variant_ref_sink(g_variant_new(VARYING_LINES_SUSPECT, line->text, line->line,
	                                        (gboolean)line->rest,
	                                        value_of_example(lines, line, suspect->steady)));
}

guint64 varying_lines_hash(const GPtrArray *texts, guint text, guint line, bool rest)
{
	const struct varying_line at = {.text = text, .line = line, .rest = rest};
	g_autoptr(GPtrArray) hashes = outcome_text_lines(texts, texts->len);

	return value_in(hashes, &at);
}
