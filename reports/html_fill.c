#include "html_page.h"

#include <glib.h>
#include <string.h>

void html_page_write(const struct html_parts *parts, FILE *out)
{
	const struct {
		const char *mark, *text;
	} places[] = {{"{{connect}}", parts->connects ? "'self'" : "'none'"},
	              {"{{title}}", parts->title},
	              {"{{body}}", parts->body},
	              {"{{data}}", parts->data}};
	const char *from = html_page;

	for (guint i = 0; i < G_N_ELEMENTS(places); i++) {
		const char *at = strstr(from, places[i].mark);

		g_assert(at);
		fwrite(from, 1, (size_t)(at - from), out);
		fputs(places[i].text, out);
		from = at + strlen(places[i].mark);
	}
	fputs(from, out);
}
