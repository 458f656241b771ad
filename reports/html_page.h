/* The page that reports/html.c fills in: reports/page/built.html, made a string when matchpoint is
 * built. How it is made from its parts is told in ARCHITECTURE.md. */
#ifndef MATCHPOINT_REPORTS_HTML_PAGE_H
#define MATCHPOINT_REPORTS_HTML_PAGE_H

extern const char html_page[];

#endif
