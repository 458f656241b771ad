/* What matchpoint tells those who work on it: off unless MATCHPOINT_LOG names what, as in
 *
 *   MATCHPOINT_LOG=session,snapshots            to standard error
 *   MATCHPOINT_LOG=FILE:calls,matches,wire      to FILE, which is written anew
 *
 * Each line begins with the seconds since the start. Where the wire is recorded, too (LOG_WIRE,
 * scheduler/run/recorder.h), all other lines are comments of the recording and begin with "# ".
 * A log that cannot be written ends there; nothing else changes. */
#ifndef MATCHPOINT_SCHEDULER_TOOLS_LOG_H
#define MATCHPOINT_SCHEDULER_TOOLS_LOG_H

#include <glib.h>
#include <stdbool.h>

/* log.c holds the words of MATCHPOINT_LOG and what each logs. */
enum log_category {
	/* what happens in interleavings: kinds of scheduler/run/events.h */
	LOG_WORLDS,
	LOG_CALLS,
	LOG_MATCHES,
	LOG_CHOICES,
	LOG_RESTS,
	LOG_STOPS,
	LOG_FINDINGS,
	LOG_ENDS,
	/* how they are carried out */
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

/* Reads a setting and opens its file; NULL is none. false with `error` set: no such category, or
 * the file cannot be written. */
bool log_init(const char *setting, GError **error);

bool log_enabled(enum log_category category);
void log_write(enum log_category category, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* A line of the recording, as it is. */
void log_record(const char *line);

/* false with `error` set, once: something could not be written, and nothing has been since. */
bool log_check(GError **error);
/* The same, when all is written. */
bool log_close(GError **error);

#define log_debug(category, ...)                          \
	do {                                              \
		if (log_enabled(category))                \
			log_write(category, __VA_ARGS__); \
	} while (0)

#define LOG_ERROR (log_error_quark())
GQuark log_error_quark(void);

#endif
