/* What a sanitizer (AddressSanitizer, LeakSanitizer, UndefinedBehaviorSanitizer, ThreadSanitizer,
 * MemorySanitizer; of GCC or Clang) has printed to a rank's standard error. Their text is no stable
 * interface: what is not understood is left out. */
#ifndef MATCHPOINT_SCHEDULER_EXECUTION_SANITIZER_REPORT_H
#define MATCHPOINT_SCHEDULER_EXECUTION_SANITIZER_REPORT_H

#include <glib.h>
#include <stdbool.h>

struct sanitizer_report {
	char *error; /* "AddressSanitizer: heap-buffer-overflow (WRITE of size 4)"; without
	                   what differs between runs: addresses and process numbers */
	bool is_leak;
	GArray *frames; /* of guint64: addresses of its first stack, innermost first, as return
	                   addresses; empty: none was printed */
	char *file;     /* base name: the first line of source in that stack that is not the
	                   sanitizer's own; NULL: none */
	guint32 line;   /* 0: none */
};

/* Returns the first report of an error, after which the process ends; NULL: there is none.
 * `aborted`: SIGABRT has ended the rank, so that a last message of UndefinedBehaviorSanitizer is
 * one. `text` need not end in NUL. Free with sanitizer_report_free. */
struct sanitizer_report *sanitizer_report_find(const char *text, gsize length, bool aborted);
void sanitizer_report_free(struct sanitizer_report *report);

/* Returns what a sanitizer has printed before the rank went on: "solver.c:12: signed integer
 * overflow: ..." (UndefinedBehaviorSanitizer, unless the program is built with
 * -fno-sanitize-recover), or the error of a report (halt_on_error=0). NULL: nothing. Free with
 * g_free. */
char *sanitizer_report_find_survived(const char *text, gsize length);

#endif
