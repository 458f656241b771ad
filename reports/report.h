/* A report: what a store holds, told in one format. A format is one file with one of these at its
 * end, and a line in report.c's list. */
#ifndef MATCHPOINT_REPORTS_REPORT_H
#define MATCHPOINT_REPORTS_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "scheduler/store/reader.h"

/* What the user asked for besides the store. */
struct report_options {
	const char *source_root; /* absolute; files below it are named relative to it. NULL: the
	                            directory where the program was started */
	uint32_t execution;      /* the interleaving that formats of a single one show; 0: the first
	                            that shows a finding, or else the first */
};

struct report {
	const char *name;    /* as in the option: --json */
	const char *summary; /* half a sentence for --help */
	/* One of the two: */
	bool (*write)(struct store_reader *reader, const struct report_options *options, FILE *out,
	              GError **error);
	bool (*write_directory)(struct store_reader *reader, const struct report_options *options,
	                        const char *directory, GError **error);
	const char *library;     /* an optional one that it is made with: "OTF2 3.0.2"; or NULL */
	const char *unavailable; /* why this build cannot write it (neither of the two is there
	                            then); NULL: it can */
};

/* All formats, NULL at the end; at most REPORT_MAX of them. The first is for the terminal and has
 * no option, the others are written where --<name> says. */
#define REPORT_MAX 16
const struct report *const *report_list(void);

/* Writes to the file, `-` being standard output, or to the directory. False with `error` set when
 * the store is damaged or the file cannot be written to its end; then there is no file. */
bool report_write(const struct report *report, struct store_reader *reader,
                  const struct report_options *options, const char *file, GError **error);

/* The same, behind what the file holds already; not for directories. */
bool report_append(const struct report *report, struct store_reader *reader,
                   const struct report_options *options, const char *file, GError **error);

/* The store has been read, but does not hold what a format needs. */
#define REPORT_ERROR (report_error_quark())
GQuark report_error_quark(void);

/* The formats. */
extern const struct report report_terminal; /* the verdict, for a person */
extern const struct report report_json;
extern const struct report report_html; /* a page for a browser */
extern const struct report report_junit;
extern const struct report report_sarif;
extern const struct report report_github;
extern const struct report report_markdown;
extern const struct report report_mermaid;
extern const struct report report_dot;
extern const struct report report_perfetto; /* a trace, as JSON */
extern const struct report report_otf2;     /* a trace */

#endif
