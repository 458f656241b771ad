/* Who waits for whom at a finding, drawn. */
#ifndef MATCHPOINT_REPORTS_HTML_WAITS_H
#define MATCHPOINT_REPORTS_HTML_WAITS_H

#include <glib.h>

/* An <svg> element of the wait-for graph of these ranks (struct record_rank, as in a finding): an
 * arrow from each rank to those that it waits for, lit where it is part of a cycle. NULL: nobody
 * waits for anybody, or there are too many ranks to be drawn. Free with g_free. */
char *html_waits(const GPtrArray *ranks);

#endif
