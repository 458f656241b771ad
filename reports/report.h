/* A report: what a store holds, in one format. A format is one file, reports/<name>.c, with a
 * struct report report_<name> at its end, and its name in the list here. Options, --help, manual,
 * completion, and what `save` at the prompt understands, are made of these. */
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
	const char *suffix;  /* of files that are usual for it, besides its name: "xml"; or NULL */
	/* One of the two: */
	bool (*write)(struct store_reader *reader, const struct report_options *options, FILE *out,
	              GError **error);
	bool (*write_directory)(struct store_reader *reader, const struct report_options *options,
	                        const char *directory, GError **error);
	const char *library;     /* an optional one that it is made with: "OTF2 3.0.2"; or NULL */
	const char *unavailable; /* why this build cannot write it (neither of the two is there
	                            then); NULL: it can */
};

/* All formats, in the order of --help. The first is for the terminal and has no option, the others
 * are written where --<name> says. */
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

/* REPORT_COUNT of them, and NULL. */
const struct report *const *report_list(void);

/* The place in the list of the format that a file's name stands for: "x.html", "x.xml"; 0: none. */
int report_for_file(const char *file);

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

#endif
