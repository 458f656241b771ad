#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const names[LOG_DOMAINS] = {"session", "snapshot", "rank", "matcher", "store"};

static gboolean enabled[LOG_DOMAINS];
static gint64 start;

G_DEFINE_QUARK(matchpoint_log_error, log_error)

static gboolean enable(const char *word, GError **error)
{
	g_auto(GStrv) parts = g_strsplit(word, ":", 2);
	gboolean known = FALSE;

	for (guint i = 0; i < LOG_DOMAINS; i++) {
		if (strcmp(parts[0], names[i]) == 0 || strcmp(parts[0], "all") == 0)
			known = enabled[i] = TRUE;
	}
	if (known && (!parts[1] || strcmp(parts[1], "debug") == 0))
		return TRUE;
	g_set_error(error, LOG_ERROR, 0,
	            "MATCHPOINT_LOG cannot be '%s': say session:debug, snapshot:debug, rank:debug, "
	            "matcher:debug, store:debug or all:debug, separated by commas",
	            word);
	return FALSE;
}

gboolean log_init(const char *setting, GError **error)
{
	g_auto(GStrv) words = g_strsplit(setting ? setting : "", ",", -1);

	start = g_get_monotonic_time();
	for (char **word = words; *word; word++) {
		if (**word && !enable(*word, error))
			return FALSE;
	}
	return TRUE;
}

gboolean log_enabled(enum log_domain domain)
{
	return enabled[domain];
}

void log_write(enum log_domain domain, const char *format, ...)
{
	double seconds = (double)(g_get_monotonic_time() - start) / G_USEC_PER_SEC;
	va_list arguments;

	fprintf(stderr, "%9.6f %s: ", seconds, names[domain]);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}
