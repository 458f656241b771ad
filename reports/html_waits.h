/* The wait-for graph of a finding, drawn. */
#ifndef MATCHPOINT_REPORTS_HTML_WAITS_H
#define MATCHPOINT_REPORTS_HTML_WAITS_H

#include <glib.h>

/* An <svg> element with the wait-for graph of these ranks (struct record_rank, as in a finding).
 * An arrow leads from each rank to the ranks it waits for. Arrows that are part of a cycle are
 * highlighted. NULL: no rank waits for another, or there are too many ranks to draw. Free with
 * g_free. */
char *html_waits(const GPtrArray *ranks);

#endif
