/* The page that is filled in here, for a report (html.c) or a session that goes on (live_page.h):
 * made of reports/page when matchpoint is built, as ARCHITECTURE.md tells. */
#ifndef MATCHPOINT_REPORTS_HTML_PAGE_H
#define MATCHPOINT_REPORTS_HTML_PAGE_H

#include <stdbool.h>
#include <stdio.h>

extern const char html_page[];

/* As they stand in the page: HTML, HTML, and JSON without '<', '>' and '&'. */
struct html_parts {
	const char *title, *body, *data;
	bool connects; /* to whoever served it; else to nobody */
};

void html_page_write(const struct html_parts *parts, FILE *out);

#endif
