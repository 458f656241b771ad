/* The page of a running session. It is the page of the HTML report with other content. */
#ifndef MATCHPOINT_REPORTS_LIVE_PAGE_H
#define MATCHPOINT_REPORTS_LIVE_PAGE_H

#include "json_text.h" /* the format of the session's data */

/* `title`: the program that runs. Free with free. */
char *live_page(const char *title);

#endif
