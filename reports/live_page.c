#define _GNU_SOURCE
#include "live_page.h"

#include <glib.h>

#include "html_page.h"

char *live_page(const char *title)
{
	g_autofree char *valid = g_utf8_make_valid(title, -1);
	g_autofree char *escaped = g_markup_escape_text(valid, -1);
	g_autofree char *whole = g_strdup_printf("%s — matchpoint", escaped);
	const struct html_parts parts = {
		.title = whole,
		.body = "<noscript>This page needs its "
			"script.</noscript>\n<main id=\"live\" class=\"live\"></main>",
		.data = "null",
		.connects = true};
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	g_assert(out);
	html_page_write(&parts, out);
	fclose(out);
	return text;
}
