#include "value_numbers.h"

#include "explorer/rank_name.h"

#include <stdbool.h>

struct value {
	int rank;
	guint64 number; /* the gdb's own number; 0: that gdb has ended */
};

struct value_numbers {
	GArray *values; /* struct value; [number - 1] */
};

struct value_numbers *value_numbers_new(void)
{
	struct value_numbers *numbers = g_new0(struct value_numbers, 1);

	numbers->values = g_array_new(false, false, sizeof(struct value));
	return numbers;
}

void value_numbers_free(struct value_numbers *numbers)
{
	if (!numbers)
		return;
	g_array_unref(numbers->values);
	g_free(numbers);
}

static const struct value *find(const struct value_numbers *numbers, guint64 number)
{
	return number > 0 && number <= numbers->values->len
	               ? &g_array_index(numbers->values, struct value, number - 1)
	               : NULL;
}

char *value_numbers_tell(struct value_numbers *numbers, int rank, const char *answer)
{
	struct value value = {rank, 0};
	char *behind = NULL;

	if (answer[0] == '$' && g_ascii_isdigit(answer[1]))
		value.number = g_ascii_strtoull(answer + 1, &behind, 10);
	if (value.number == 0 || !g_str_has_prefix(behind, " = "))
		return g_strdup(answer);
	g_array_append_val(numbers->values, value);
	return g_strdup_printf("$%u%s", numbers->values->len, behind);
}

/* Whether "$3" at `at` names a value; "$$3", "$3x" and "a$3" do not. */
static bool names_value(const char *expression, const char *at)
{
	const char *behind = at + 1;
	char before = at > expression ? at[-1] : ' ';

	if (*at != '$' || !g_ascii_isdigit(*behind) || before == '$' || before == '_'
	    || g_ascii_isalnum(before))
		return false;
	while (g_ascii_isdigit(*behind))
		behind++;
	return *behind != '_' && !g_ascii_isalpha(*behind);
}

/* Moves past the character at *at. Returns the quote that surrounds the next one (0: none), given
 * this one's. A character after a backslash ends no quote. */
static char quote_behind(const char **at, char quote)
{
	if (quote != 0 && **at == '\\' && (*at)[1] != '\0')
		++*at;
	else if (quote != 0)
		return **at == quote ? 0 : quote;
	else if (**at == '"' || **at == '\'')
		return **at;
	return quote;
}

char *value_numbers_ask(const struct value_numbers *numbers, int rank, const char *expression,
                        char **ret_problem)
{
	GString *text = g_string_new(NULL);
	const char *at = expression;
	char quote = 0;

	*ret_problem = NULL;
	while (*at && !*ret_problem) {
		const char *from = at;
		const struct value *value;
		guint64 number;
		char *behind;

		if (quote != 0 || !names_value(expression, at)) {
			quote = quote_behind(&at, quote);
			at++;
			g_string_append_len(text, from, at - from);
			continue;
		}
		number = g_ascii_strtoull(at + 1, &behind, 10);
		value = find(numbers, number);
		at = behind;
		if (!value)
			*ret_problem = g_strdup_printf(
				"there is no value $%" G_GUINT64_FORMAT ": there %s %u so far",
				number, numbers->values->len == 1 ? "was" : "were",
				numbers->values->len);
		else if (value->rank != rank)
			*ret_problem = g_strdup_printf(
				"$%" G_GUINT64_FORMAT " is a value of rank %s: use print %s ...",
				number, rank_name(value->rank), rank_name(value->rank));
		else if (value->number == 0)
			*ret_problem = g_strdup_printf("$%" G_GUINT64_FORMAT
			                               " is no longer known: its gdb has ended",
			                               number);
		else
			g_string_append_printf(text, "$%" G_GUINT64_FORMAT, value->number);
	}
	return g_string_free(text, *ret_problem != NULL);
}

void value_numbers_forget(struct value_numbers *numbers, int rank)
{
	for (guint i = 0; i < numbers->values->len; i++) {
		struct value *value = &g_array_index(numbers->values, struct value, i);

		if (value->rank == rank)
			value->number = 0;
	}
}
