/* The data of the page's graphs: the calls of a few interleavings, as compact JSON.
 *
 * What many calls have in common stands in tables (strings, places, frames, communicators, shapes),
 * so that 100,000 calls are a few megabytes. The form is told where it is read, in page/data.js. */
#ifndef MATCHPOINT_REPORTS_HTML_DATA_H
#define MATCHPOINT_REPORTS_HTML_DATA_H

#include "scheduler/store/reader.h"

/* Calls in all graphs of a page; those that would make it more are left out. */
#define HTML_DATA_CALLS_MAX 500000u

struct html_data;

struct html_data *html_data_new(const struct store_reader *reader);
void html_data_free(struct html_data *data);

/* Adds the graph of an interleaving; `finding` is what to mark in it: the choice to blame, and the
 * calls where it goes wrong. With NULL the same graph serves several times. Returns its number,
 * from 0; -1: it has no calls; -2: the page would be too big. */
int html_data_add(struct html_data *data, const struct record_execution *execution,
                  const struct record_finding *finding);

/* The JSON, with no '<', '>' or '&' in it, so that it can stand in a <script>; free with g_free. */
char *html_data_print(const struct html_data *data);

#endif
