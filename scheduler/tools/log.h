/* A log for developers of matchpoint. It is off unless MATCHPOINT_LOG names categories:
 *
 *   MATCHPOINT_LOG=session,snapshots            to standard error
 *   MATCHPOINT_LOG=FILE:calls,matches,wire      to FILE, which is overwritten
 *
 * Each line begins with the seconds since the start. If the wire is recorded as well (LOG_WIRE,
 * scheduler/execution/recorder.h), all other lines are comments of the recording and begin with
 * "# ". If the log cannot be written, it ends there; nothing else changes. */
#ifndef MATCHPOINT_SCHEDULER_TOOLS_LOG_H
#define MATCHPOINT_SCHEDULER_TOOLS_LOG_H

#include <glib.h>
#include <stdbool.h>

/* log.c holds the words of MATCHPOINT_LOG and what each logs. */
enum log_category {
	/* What happens in interleavings: kinds of scheduler/execution/events.h */
	LOG_WORLDS,
	LOG_CALLS,
	LOG_MATCHES,
	LOG_CHOICES,
	LOG_RESTS,
	LOG_STOPS,
	LOG_FINDINGS,
	LOG_ENDS,
	/* How interleavings are carried out. */
	LOG_SESSION,
	LOG_SNAPSHOTS,
	LOG_RANKS,
	LOG_STORE,
	LOG_WIRE, /* not logged for "all" */
	LOG_CATEGORIES,
};

/* The word of MATCHPOINT_LOG, and what it logs: half a sentence, "a line for each ...". */
const char *log_category_name(enum log_category category);
const char *log_category_lines(enum log_category category);

/* Reads a setting (NULL: none) and opens its file. Returns false with `error` set if a category is
 * unknown, or the file cannot be written. */
bool log_init(const char *setting, GError **error);

bool log_enabled(enum log_category category);
void log_write(enum log_category category, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Writes a line of the recording, unchanged. */
void log_record(const char *line);

/* Returns false with `error` set if something could not be written. Logging has ended then; the
 * error is reported once. */
bool log_check(GError **error);
/* Closes the log, then does the same. */
bool log_close(GError **error);

#define log_debug(category, ...)                          \
	do {                                              \
		if (log_enabled(category))                \
			log_write(category, __VA_ARGS__); \
	} while (0)

#define LOG_ERROR (log_error_quark())
GQuark log_error_quark(void);

#endif
