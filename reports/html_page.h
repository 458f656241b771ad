/* The template of the page, filled in for a report (html.c) or for a running session
 * (live_page.h). It is built from reports/page (build.py) when matchpoint is built. */
#ifndef MATCHPOINT_REPORTS_HTML_PAGE_H
#define MATCHPOINT_REPORTS_HTML_PAGE_H

#include <stdbool.h>
#include <stdio.h>

extern const char html_page[];

/* HTML, HTML, and JSON without '<', '>' and '&'; inserted as they are. */
struct html_parts {
	const char *title, *body, *data;
	bool connects; /* the page may connect to the server that it came from; otherwise to none */
};

void html_page_write(const struct html_parts *parts, FILE *out);

#endif
