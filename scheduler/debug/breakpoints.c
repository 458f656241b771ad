#include "breakpoints.h"

#include <string.h>

#include "explorer/rank_name.h"
#include "mpi_calls.h"

enum field { FIELD_BYTES, FIELD_TAG, FIELD_PEER, FIELD_RANK, FIELD_CALL, FIELDS };
enum comparison { EQUAL, UNEQUAL, AT_MOST, AT_LEAST, LESS, MORE, COMPARISONS };

static const char *const field_words[FIELDS] = {"bytes", "tag", "peer", "rank", "call"};
/* Words of two letters come first. */
static const char *const comparison_words[COMPARISONS] = {"==", "!=", "<=", ">=", "<", ">"};

struct term {
	enum field field;
	enum comparison comparison;
	gint64 value;
};

struct breakpoint {
	guint number;
	char *text;
	char *condition_text; /* NULL: none */
	bool temporary, enabled;
	guint ignored; /* hits still to ignore */
	guint hits;
	GPatternSpec *function; /* in lower case; NULL: any */
	char *file;             /* base name; NULL: any */
	guint line;
	GPatternSpec *caller; /* a function in the stack; NULL: any */
	char *caller_text;
	gint64 wanted[FIELDS]; /* -1: any */
	GPatternSpec *comm;    /* in lower case; NULL: any */
	GArray *condition;     /* struct term; all must hold */
};

struct breakpoints {
	int ranks;
	guint last;
	GPtrArray *list; /* struct breakpoint */
};

static void pattern_free(GPatternSpec *pattern)
{
	if (pattern)
		g_pattern_spec_free(pattern);
}

static void breakpoint_free(gpointer data)
{
	struct breakpoint *breakpoint = data;

	g_free(breakpoint->text);
	g_free(breakpoint->condition_text);
	g_free(breakpoint->file);
	g_free(breakpoint->caller_text);
	pattern_free(breakpoint->function);
	pattern_free(breakpoint->caller);
	pattern_free(breakpoint->comm);
	g_array_unref(breakpoint->condition);
	g_free(breakpoint);
}

struct breakpoints *breakpoints_new(int ranks)
{
	struct breakpoints *breakpoints = g_new0(struct breakpoints, 1);

	breakpoints->ranks = ranks;
	breakpoints->list = g_ptr_array_new_with_free_func(breakpoint_free);
	return breakpoints;
}

void breakpoints_free(struct breakpoints *breakpoints)
{
	if (!breakpoints)
		return;
	g_ptr_array_unref(breakpoints->list);
	g_free(breakpoints);
}

guint breakpoints_count(const struct breakpoints *breakpoints)
{
	return breakpoints->list->len;
}

GArray *breakpoints_numbers(const struct breakpoints *breakpoints)
{
	GArray *numbers = g_array_new(false, false, sizeof(guint));

	for (guint i = 0; i < breakpoints->list->len; i++) {
		const struct breakpoint *breakpoint = breakpoints->list->pdata[i];

		g_array_append_val(numbers, breakpoint->number);
	}
	return numbers;
}

static struct breakpoint *find(const struct breakpoints *breakpoints, guint number)
{
	for (guint i = 0; i < breakpoints->list->len; i++) {
		struct breakpoint *breakpoint = breakpoints->list->pdata[i];

		if (breakpoint->number == number)
			return breakpoint;
	}
	return NULL;
}

/* --- parsing ---------------------------------------------------------------------------------- */

static GPatternSpec *pattern_of(const char *text)
{
	g_autofree char *lower = g_ascii_strdown(text, -1);

	return g_pattern_spec_new(lower);
}

static bool pattern_fits(GPatternSpec *pattern, const char *text)
{
	g_autofree char *lower = text ? g_ascii_strdown(text, -1) : NULL;

	return lower && g_pattern_spec_match_string(pattern, lower);
}

static bool is_mpi(const char *word)
{
	return g_ascii_strncasecmp(word, "MPI_", strlen("MPI_")) == 0 || *word == '*';
}

/* What is wrong with a pattern of functions; NULL: it matches a function whose calls are seen. Free
 * with g_free. */
static char *validate_function(const char *word)
{
	g_autoptr(GPatternSpec) pattern = pattern_of(word);
	const char *uncounted = NULL;

	for (unsigned call = 0; call < MPI_CALL_COUNT; call++) {
		const char *name = mpi_call_name(call);

		if (!name || !pattern_fits(pattern, name))
			continue;
		if (mpi_call_counts(call))
			return NULL;
		uncounted = name;
	}
	if (uncounted)
		return g_strdup_printf("%s does not communicate: breakpoints do not stop at it",
		                       uncounted);
	return g_strdup_printf("no MPI function matches %s", word);
}

/* Reads the first word, if it is a function or a place. */
static char *read_place(struct breakpoint *breakpoint, const char *word)
{
	const char *colon = strrchr(word, ':');
	guint64 line;

	if (is_mpi(word)) {
		breakpoint->function = pattern_of(word);
		return validate_function(word);
	}
	if (!colon || (colon > word && colon[-1] == ':')) {
		breakpoint->caller = pattern_of(word);
		breakpoint->caller_text = g_strdup(word);
		return NULL;
	}
	if (colon == word
	    || !g_ascii_string_to_unsigned(colon + 1, 10, 1, G_MAXUINT32, &line, NULL))
		return g_strdup_printf("%s is not FILE:LINE", word);
	g_autofree char *path = g_strndup(word, (gsize)(colon - word));

	breakpoint->file = g_path_get_basename(path);
	breakpoint->line = (guint)line;
	return NULL;
}

static int word_index(const char *const *words, int count, const char *word)
{
	for (int i = 0; i < count; i++)
		if (strcmp(words[i], word) == 0)
			return i;
	return -1;
}

/* Why nothing can have such a value; NULL: something can. Free with g_free. */
static char *validate_value(const struct breakpoints *breakpoints, enum field field, gint64 value)
{
	if ((field == FIELD_RANK || field == FIELD_PEER) && value >= breakpoints->ranks) {
		g_autofree char *known = rank_names_all(breakpoints->ranks);

		return g_strdup_printf("there is no rank %" G_GINT64_FORMAT "; %s", value, known);
	}
	if (field == FIELD_CALL && value == 0)
		return g_strdup("calls are numbered from 1");
	return NULL;
}

/* Reads "rank 0" and the like. */
static char *read_filter(const struct breakpoints *breakpoints, struct breakpoint *breakpoint,
                         const char *name, const char *value)
{
	int field = word_index(field_words, FIELDS, name);
	guint64 number;
	int rank;

	if (strcmp(name, "comm") == 0 && value) {
		breakpoint->comm = pattern_of(value);
		return NULL;
	}
	if (field < 0 || field == FIELD_BYTES)
		return g_strdup_printf("%s: expected rank, tag, peer, comm, call or if", name);
	rank = (field == FIELD_RANK || field == FIELD_PEER) && value ? rank_of_name(value) : -1;
	if (rank >= 0)
		number = (guint64)rank;
	else if (!value || !g_ascii_string_to_unsigned(value, 10, 0, G_MAXINT32, &number, NULL))
		return g_strdup_printf("%s needs a number", name);
	breakpoint->wanted[field] = (gint64)number;
	return validate_value(breakpoints, (enum field)field, (gint64)number);
}

/* Reads "bytes > 1000"; blanks are optional. */
static char *read_term(const struct breakpoints *breakpoints, GArray *condition, const char *text)
{
	g_autofree char *all = g_strstrip(g_strdup(text));
	gsize length = strspn(all, "abcdefghijklmnopqrstuvwxyz");
	g_autofree char *name = g_strndup(all, length);
	const char *rest = all + length;
	int field = word_index(field_words, FIELDS, name);
	struct term term = {.comparison = EQUAL};
	int rank;

	if (field < 0)
		return g_strdup_printf(
			"%s: expected bytes, tag, peer, rank or call, as in bytes > 1000",
			*name ? name : "if");
	term.field = (enum field)field;
	rest += strspn(rest, " \t");
	while (term.comparison < COMPARISONS
	       && !g_str_has_prefix(rest, comparison_words[term.comparison]))
		term.comparison++;
	if (term.comparison == COMPARISONS)
		return g_strdup_printf("%s needs one of ==, !=, <, <=, > or >=", name);
	rest += strlen(comparison_words[term.comparison]);
	rest += strspn(rest, " \t");
	rank = term.field == FIELD_RANK || term.field == FIELD_PEER ? rank_of_name(rest) : -1;
	if (rank >= 0)
		term.value = rank;
	else if (!g_ascii_string_to_signed(rest, 10, 0, G_MAXINT64, &term.value, NULL))
		return g_strdup_printf("%s must be compared with a number, not with %s", name,
		                       *rest ? rest : "nothing");
	g_array_append_val(condition, term);
	return term.comparison == EQUAL ? validate_value(breakpoints, term.field, term.value)
	                                : NULL;
}

static char *read_condition(const struct breakpoints *breakpoints, GArray *condition,
                            const char *text)
{
	g_autoptr(GRegex) both = g_regex_new("\\s+and\\s+|&&", 0, 0, NULL);
	g_auto(GStrv) terms = g_regex_split(both, text, 0);
	char *problem = NULL;

	for (guint i = 0; terms[i] && !problem; i++)
		problem = read_term(breakpoints, condition, terms[i]);
	return problem;
}

/* Reads the words before a condition. */
static char *read_words(const struct breakpoints *breakpoints, struct breakpoint *breakpoint,
                        const char *text)
{
	g_auto(GStrv) split = NULL; /* a communicator's name with blanks is quoted */
	g_autoptr(GPtrArray) words = g_ptr_array_new();
	g_autoptr(GError) error = NULL;
	guint at = 0;
	char *problem = NULL;

	if (!g_shell_parse_argv(text, NULL, &split, &error)
	    && !g_error_matches(error, G_SHELL_ERROR, G_SHELL_ERROR_EMPTY_STRING))
		return g_strdup_printf("%s: a quotation mark is missing", text);
	for (guint i = 0; split && split[i]; i++)
		g_ptr_array_add(words, split[i]);
	g_ptr_array_add(words, NULL);
	if (words->pdata[0] && word_index(field_words, FIELDS, words->pdata[0]) < 0
	    && strcmp(words->pdata[0], "comm") != 0)
		problem = read_place(breakpoint, words->pdata[at++]);
	while (!problem && words->pdata[at]) {
		problem = read_filter(breakpoints, breakpoint, words->pdata[at],
		                      words->pdata[at + 1]);
		at += 2;
	}
	return problem;
}

static char *read_all(const struct breakpoints *breakpoints, struct breakpoint *breakpoint,
                      const char *text)
{
	g_autoptr(GRegex) condition = g_regex_new("(^|\\s)if\\s", 0, 0, NULL);
	g_auto(GStrv) parts = g_regex_split_full(condition, text, -1, 0, 0, 2, NULL);
	const char *behind = parts[0] && parts[1] ? parts[2]
	                                          : NULL; /* [1] is the blank before it */
	char *problem = read_words(breakpoints, breakpoint, parts[0] ? parts[0] : "");

	if (!problem && behind) {
		breakpoint->condition_text = g_strstrip(g_strdup(behind));
		problem = read_condition(breakpoints, breakpoint->condition, behind);
	}
	breakpoint->text = g_strstrip(g_strdup(parts[0] ? parts[0] : ""));
	return problem;
}

guint breakpoints_add(struct breakpoints *breakpoints, const char *text, bool temporary,
                      char **ret_problem)
{
	struct breakpoint *breakpoint = g_new0(struct breakpoint, 1);

	breakpoint->enabled = true;
	breakpoint->temporary = temporary;
	breakpoint->condition = g_array_new(false, false, sizeof(struct term));
	for (int field = 0; field < FIELDS; field++)
		breakpoint->wanted[field] = -1;
	*ret_problem = read_all(breakpoints, breakpoint, text);
	if (*ret_problem) {
		breakpoint_free(breakpoint);
		return 0;
	}
	breakpoint->number = ++breakpoints->last;
	g_ptr_array_add(breakpoints->list, breakpoint);
	return breakpoint->number;
}

const char *breakpoints_place(const struct breakpoints *breakpoints, guint number, guint *ret_line)
{
	const struct breakpoint *breakpoint = find(breakpoints, number);

	*ret_line = breakpoint && breakpoint->file ? breakpoint->line : 0;
	if (!breakpoint)
		return NULL;
	return breakpoint->file ? breakpoint->file : breakpoint->caller_text;
}

void breakpoints_take_back(struct breakpoints *breakpoints, guint number)
{
	if (breakpoints_delete(breakpoints, number) && number == breakpoints->last)
		breakpoints->last--;
}

/* --- changes ---------------------------------------------------------------------------------- */

bool breakpoints_delete(struct breakpoints *breakpoints, guint number)
{
	struct breakpoint *breakpoint = find(breakpoints, number);

	return breakpoint && g_ptr_array_remove(breakpoints->list, breakpoint);
}

void breakpoints_delete_all(struct breakpoints *breakpoints)
{
	g_ptr_array_set_size(breakpoints->list, 0);
}

bool breakpoints_enable(struct breakpoints *breakpoints, guint number, bool enabled)
{
	struct breakpoint *breakpoint = find(breakpoints, number);

	if (breakpoint)
		breakpoint->enabled = enabled;
	return breakpoint != NULL;
}

bool breakpoints_ignore(struct breakpoints *breakpoints, guint number, guint count)
{
	struct breakpoint *breakpoint = find(breakpoints, number);

	if (breakpoint)
		breakpoint->ignored = count;
	return breakpoint != NULL;
}

bool breakpoints_condition(struct breakpoints *breakpoints, guint number, const char *text,
                           char **ret_problem)
{
	struct breakpoint *breakpoint = find(breakpoints, number);
	GArray *condition;

	if (!breakpoint) {
		*ret_problem = g_strdup_printf("there is no breakpoint %u", number);
		return false;
	}
	condition = g_array_new(false, false, sizeof(struct term));
	*ret_problem = *text ? read_condition(breakpoints, condition, text) : NULL;
	if (*ret_problem) {
		g_array_unref(condition);
		return false;
	}
	g_array_unref(breakpoint->condition);
	breakpoint->condition = condition;
	g_free(breakpoint->condition_text);
	breakpoint->condition_text = *text ? g_strdup(text) : NULL;
	return true;
}

/* --- matching --------------------------------------------------------------------------------- */

/* Returns false if the call has no such value. */
static bool value_of(const struct breakpoint_call *call, enum field field, gint64 *ret)
{
	switch (field) {
	case FIELD_RANK: *ret = call->rank; return true;
	case FIELD_CALL: *ret = call->number; return true;
	case FIELD_BYTES: *ret = (gint64)call->bytes; return call->moves_data;
	case FIELD_TAG: *ret = call->tag; return call->moves_data;
	case FIELD_PEER: *ret = call->peer; return call->moves_data;
	default: return false;
	}
}

static bool holds_true(const struct term *term, gint64 value)
{
	switch (term->comparison) {
	case EQUAL: return value == term->value;
	case UNEQUAL: return value != term->value;
	case AT_MOST: return value <= term->value;
	case AT_LEAST: return value >= term->value;
	case LESS: return value < term->value;
	default: return value > term->value;
	}
}

static bool condition_holds(const GArray *condition, const struct breakpoint_call *call)
{
	for (guint i = 0; i < condition->len; i++) {
		const struct term *term = &g_array_index(condition, struct term, i);
		gint64 value;

		if (!value_of(call, term->field, &value)
		    || (value == BREAKPOINT_ANY && term->field != FIELD_RANK)
		    || !holds_true(term, value))
			return false;
	}
	return true;
}

/* Namespaces and classes before the name are optional. */
static bool function_fits(GPatternSpec *pattern, const char *function)
{
	for (const char *at = function; at; at = strstr(at, "::")) {
		at += at != function ? strlen("::") : 0;
		if (pattern_fits(pattern, at))
			return true;
	}
	return false;
}

static bool frame_fits(const struct breakpoint *breakpoint, const struct record_frame *frame)
{
	if (breakpoint->file)
		return g_strcmp0(frame->place.file, breakpoint->file) == 0
		       && frame->place.line == breakpoint->line;
	return function_fits(breakpoint->caller, frame->function);
}

static bool stack_fits(const struct breakpoint *breakpoint, const GArray *frames)
{
	if (!breakpoint->file && !breakpoint->caller)
		return true;
	for (guint i = 0; frames && i < frames->len; i++)
		if (frame_fits(breakpoint, &g_array_index(frames, struct record_frame, i)))
			return true;
	return false;
}

static bool comm_fits(const struct breakpoint *breakpoint, const struct breakpoint_call *call)
{
	return !breakpoint->comm
	       || (call->moves_data
	           && (pattern_fits(breakpoint->comm, call->comm_name)
	               || pattern_fits(breakpoint->comm, call->comm_origin)
	               || pattern_fits(breakpoint->comm, call->comm)));
}

static bool fits(const struct breakpoint *breakpoint, const struct breakpoint_call *call)
{
	if (!breakpoint->enabled)
		return false;
	for (enum field field = 0; field < FIELDS; field++) {
		gint64 value;

		if (breakpoint->wanted[field] < 0)
			continue;
		if (!value_of(call, field, &value)
		    || (value != breakpoint->wanted[field] && value != BREAKPOINT_ANY))
			return false;
	}
	return (!breakpoint->function || pattern_fits(breakpoint->function, call->function))
	       && comm_fits(breakpoint, call) && condition_holds(breakpoint->condition, call)
	       && stack_fits(breakpoint, call->frames);
}

bool breakpoints_want_stacks(const struct breakpoints *breakpoints)
{
	for (guint i = 0; i < breakpoints->list->len; i++) {
		const struct breakpoint *breakpoint = breakpoints->list->pdata[i];

		if (breakpoint->enabled && (breakpoint->file || breakpoint->caller))
			return true;
	}
	return false;
}

guint breakpoints_fit(const struct breakpoints *breakpoints, const struct breakpoint_call *call)
{
	for (guint i = 0; i < breakpoints->list->len; i++) {
		const struct breakpoint *breakpoint = breakpoints->list->pdata[i];

		if (fits(breakpoint, call))
			return breakpoint->number;
	}
	return 0;
}

guint breakpoints_hit(struct breakpoints *breakpoints, const struct breakpoint_call *call)
{
	guint first = 0;

	for (guint i = 0; i < breakpoints->list->len;) {
		struct breakpoint *breakpoint = breakpoints->list->pdata[i];
		bool goes;

		i++;
		if (!fits(breakpoint, call))
			continue;
		if (breakpoint->ignored > 0) {
			breakpoint->ignored--;
			continue;
		}
		breakpoint->hits++;
		goes = breakpoint->temporary;
		first = first > 0 ? first : breakpoint->number;
		if (goes)
			g_ptr_array_remove_index(breakpoints->list, --i);
	}
	return first;
}

void breakpoints_tell(GString *text, const struct breakpoints *breakpoints)
{
	for (guint i = 0; i < breakpoints->list->len; i++) {
		const struct breakpoint *breakpoint = breakpoints->list->pdata[i];

		g_string_append_printf(text, "  %u  %s", breakpoint->number,
		                       *breakpoint->text ? breakpoint->text : "any call");
		if (breakpoint->condition_text)
			g_string_append_printf(text, " if %s", breakpoint->condition_text);
		g_string_append(text, breakpoint->temporary ? ", once" : "");
		g_string_append(text, breakpoint->enabled ? "" : ", disabled");
		if (breakpoint->ignored > 0)
			g_string_append_printf(text, ", not the next %u times",
			                       breakpoint->ignored);
		if (breakpoint->hits > 0)
			g_string_append_printf(text, ", fired %u time%s", breakpoint->hits,
			                       breakpoint->hits == 1 ? "" : "s");
		g_string_append_c(text, '\n');
	}
	if (breakpoints->list->len == 0)
		g_string_append(text, "no breakpoints: break MPI_*recv sets one\n");
}
