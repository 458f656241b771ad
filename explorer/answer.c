#include "answer.h"

#include <glib.h>
#include <string.h>

static const struct {
	const char *word;
	enum answer_kind kind;
} words[] = {
	{"no", ANSWER_NO},       {"yes", ANSWER_YES},   {"cancelled", ANSWER_CANCELLED},
	{"early", ANSWER_EARLY}, {"late", ANSWER_LATE},
};

static uint64_t bits_of(struct op_id answer)
{
	return (uint64_t)answer.sub << 32 | answer.call;
}

static uint32_t window_of(struct op_id answer)
{
	return (uint32_t)(ANSWER_SOME - answer.rank);
}

struct op_id answer_some(uint32_t window, uint64_t bits)
{
	if ((bits & (bits - 1)) == 0)
		return answer_one(window * ANSWER_WINDOW + (uint32_t)__builtin_ctzll(bits));
	return (struct op_id){ANSWER_SOME - (int32_t)window, (uint32_t)bits,
	                      (uint32_t)(bits >> 32)};
}

uint32_t answer_next(struct op_id answer, uint32_t from, uint32_t count)
{
	uint32_t base;
	uint64_t bits;

	switch (answer_kind(answer)) {
	case ANSWER_YES:
		return MIN(from, count);
	case ANSWER_ONE:
		return answer.call >= from ? MIN(answer.call, count) : count;
	case ANSWER_SOME:
		break;
	default:
		return count;
	}
	base = window_of(answer) * ANSWER_WINDOW;
	if (from >= base + ANSWER_WINDOW)
		return count;
	bits = bits_of(answer);
	if (from > base)
		bits &= UINT64_MAX << (from - base);
	return bits ? MIN(base + (uint32_t)__builtin_ctzll(bits), count) : count;
}

char *answer_print(struct op_id answer)
{
	GString *text = g_string_new(NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(words); i++)
		if (words[i].kind == answer_kind(answer))
			g_string_append(text, words[i].word);
	for (uint32_t i = 0; text->len == 0 || text->str[0] == '#'; i++) {
		i = answer_next(answer, i, UINT32_MAX);
		if (i == UINT32_MAX)
			break;
		g_string_append_printf(text, "%c%u", text->len > 0 ? '+' : '#', i);
	}
	return g_string_free(text, FALSE);
}

/* A request's number without leading zeros; the characters read, or 0. */
static unsigned parse_index(const char *text, uint32_t *ret_index)
{
	unsigned length = 0;
	uint32_t value = 0;

	while (g_ascii_isdigit(text[length]) && length < 9)
		value = value * 10 + (uint32_t)(text[length++] - '0');
	*ret_index = value;
	return (text[0] == '0' && length > 1) || g_ascii_isdigit(text[length]) ? 0 : length;
}

static unsigned parse_requests(const char *text, struct op_id *ret_answer)
{
	unsigned length = 0, count = 0;
	uint32_t window = 0, last = 0;
	uint64_t bits = 0;

	do {
		uint32_t index;
		unsigned digits = parse_index(text + length + 1, &index);

		if (digits == 0 || (count > 0 && index <= last))
			return 0;
		if (count > 0 && index / ANSWER_WINDOW != window)
			return 0;
		window = index / ANSWER_WINDOW;
		bits |= UINT64_C(1) << (index % ANSWER_WINDOW);
		last = index;
		length += digits + 1;
		count++;
	} while (text[length] == '+');
	*ret_answer = answer_some(window, bits);
	return length;
}

unsigned answer_parse(const char *text, struct op_id *ret_answer)
{
	if (*text == '#')
		return parse_requests(text, ret_answer);
	for (gsize i = 0; i < G_N_ELEMENTS(words); i++) {
		if (!g_str_has_prefix(text, words[i].word))
			continue;
		*ret_answer = answer_make(words[i].kind);
		return (unsigned)strlen(words[i].word);
	}
	return 0;
}
