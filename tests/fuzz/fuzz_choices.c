/* Fuzz target: choices read from any bytes are written unchanged, and those that can be printed are
 * read back unchanged. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "explorer/choice.h"

#define RANKS 5

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const struct choice *choice)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *wrong = NULL;
	struct choice back;
	const char *at;

	choice_append(text, choice);
	at = text->str;
	wrong = choice_parse(&at, RANKS, &back);
	if (wrong)
		return;
	/* A thread is the answer to a turn, but elsewhere "#1" is a request. */
	g_assert_true(point_equal(&choice->point, &back.point));
	g_assert_true(taken_equal(&choice->taken, &back.taken) || choice->taken.kind == TAKEN_THREAD
	              || back.taken.kind == TAKEN_THREAD);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GArray) choices = g_array_new(false, false, sizeof(struct choice));
	g_autoptr(GByteArray) written = g_byte_array_new();
	struct choice_bytes bytes = {data, size};

	if (!choices_take(&bytes, choices))
		return 0;
	choices_put(written, choices);
	g_assert_cmpmem(written->data, written->len, data, size - bytes.left);
	for (guint i = 0; i < choices->len; i++)
		check_text(&g_array_index(choices, struct choice, i));
	return 0;
}
