/* The data of the page's graphs: the calls of a few interleavings as compact JSON.
 *
 * Values that many calls share are stored in tables (strings, places, frames, communicators,
 * shapes). So 100,000 calls take a few megabytes. The format is described where it is read, in
 * page/data.js. */
#ifndef MATCHPOINT_REPORTS_HTML_DATA_H
#define MATCHPOINT_REPORTS_HTML_DATA_H

#include "scheduler/store/reader.h"

/* Maximum number of calls in all graphs of a page. Graphs that would exceed it are left out. */
#define HTML_DATA_CALLS_MAX 500000u

struct html_data;

struct html_data *html_data_new(const struct store_reader *reader);
void html_data_free(struct html_data *data);

/* Adds the graph of an interleaving. `finding` says what to mark in it: the choice to blame, and
 * the calls where it goes wrong. If `finding` is NULL, a second call for the same interleaving
 * returns the same graph. Returns the graph's number, from 0; -1: the interleaving has no calls;
 * -2: the page would be too big. */
int html_data_add(struct html_data *data, const struct record_execution *execution,
                  const struct record_finding *finding);

/* The JSON. It contains no '<', '>' or '&', so that it can be embedded in a <script>. Free with
 * g_free. */
char *html_data_print(const struct html_data *data);

#endif
