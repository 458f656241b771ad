/* A report: the contents of a store in one format. A format is one file, reports/<name>.c, which
 * ends with a struct report report_<name>. Its name is in the list below. The options, --help,
 * the manual, completion, and the formats that `save` at the prompt accepts are generated from
 * this list. */
#ifndef MATCHPOINT_REPORTS_REPORT_H
#define MATCHPOINT_REPORTS_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "scheduler/store/reader.h"

/* What the user asked for, apart from the store. */
struct report_options {
	const char *source_root; /* absolute; file names are relative to it. NULL: the directory
	                            where the program was started */
	uint32_t execution;      /* id of the interleaving for formats that show a single one; 0:
	                            the first that shows a finding, or else the first */
	bool all_executions;     /* json: not only those with findings, however many there are */
};

struct report {
	const char *name;    /* of the option: "json" for --json */
	const char *summary; /* a phrase for --help */
	const char *suffix;  /* usual file name suffix besides `name`: "xml"; NULL: none */
	/* Exactly one of these two is set: */
	bool (*write)(struct store_reader *reader, const struct report_options *options, FILE *out,
	              GError **error);
	bool (*write_directory)(struct store_reader *reader, const struct report_options *options,
	                        const char *directory, GError **error);
	const char *library;     /* optional library that the format needs: "OTF2 3.0.2"; NULL:
	                            none */
	bool shows_recordings;   /* it also shows a recorded run, of which nothing was checked */
	const char *unavailable; /* why this build cannot write the format (both functions are
	                            NULL then); NULL: it can */
};

/* All formats, in the order of --help. The first is for the terminal and has no option. The
 * others are written to the file that --<name> gives. */
#define REPORT_FORMATS(FORMAT) \
	FORMAT(terminal)       \
	FORMAT(json)           \
	FORMAT(html)           \
	FORMAT(junit)          \
	FORMAT(sarif)          \
	FORMAT(github)         \
	FORMAT(markdown)       \
	FORMAT(mermaid)        \
	FORMAT(dot)            \
	FORMAT(perfetto)       \
	FORMAT(otf2)

#define REPORT_DECLARED(name) extern const struct report report_##name;
REPORT_FORMATS(REPORT_DECLARED)
#define REPORT_COUNTED(name) +1
enum { REPORT_COUNT = 0 REPORT_FORMATS(REPORT_COUNTED) };

/* REPORT_COUNT reports, terminated by NULL. */
const struct report *const *report_list(void);

/* The index in the list of the format that a file name implies ("x.html", "x.xml"); 0: none. */
int report_for_file(const char *file);

/* Writes the report to a file (`-`: standard output) or a directory. False with `error` set: the
 * store is damaged, or the file could not be written completely. An incomplete file is removed. */
bool report_write(const struct report *report, struct store_reader *reader,
                  const struct report_options *options, const char *file, GError **error);

/* The same, but appends to the file. Not for formats that write a directory. */
bool report_append(const struct report *report, struct store_reader *reader,
                   const struct report_options *options, const char *file, GError **error);

/* The store is readable, but does not hold what the format needs. */
#define REPORT_ERROR (report_error_quark())
GQuark report_error_quark(void);

#endif
