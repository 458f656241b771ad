/* The page of a session that goes on: the same as a report's, but for what is in it. */
#ifndef MATCHPOINT_REPORTS_LIVE_PAGE_H
#define MATCHPOINT_REPORTS_LIVE_PAGE_H

#include "json_text.h" /* in which it is told what to show */

/* `title`: what runs. Free with free. */
char *live_page(const char *title);

#endif
