/* Logging for those who work on matchpoint: off unless MATCHPOINT_LOG names domains, as in
 * MATCHPOINT_LOG=session:debug,snapshot:debug. Goes to standard error, with seconds since the
 * start. */
#ifndef MATCHPOINT_SCHEDULER_LOG_H
#define MATCHPOINT_SCHEDULER_LOG_H

#include <glib.h>

enum log_domain {
	LOG_SESSION,  /* plans, interleavings, the job */
	LOG_SNAPSHOT, /* parking, restoring, giving up */
	LOG_RANK,     /* connections, calls, ends */
	LOG_MATCHER,  /* matches and choices */
	LOG_STORE,    /* what writing it cost */
	LOG_DOMAINS,
};

/* Reads a setting; NULL is none. FALSE with `error` set: no such domain or level. */
gboolean log_init(const char *setting, GError **error);

gboolean log_enabled(enum log_domain domain);
void log_write(enum log_domain domain, const char *format, ...) G_GNUC_PRINTF(2, 3);

#define log_debug(domain, ...)                                                                  \
	do {                                                                                    \
		if (log_enabled(domain))                                                        \
			log_write(domain, __VA_ARGS__);                                         \
	} while (0)

#define LOG_ERROR (log_error_quark())
GQuark log_error_quark(void);

#endif
