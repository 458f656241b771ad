#include "log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name, *lines;
} categories[LOG_CATEGORIES] = {
	[LOG_WORLDS] = {"worlds", "execution that begins"},
	[LOG_CALLS] = {"calls", "MPI call of a rank"},
	[LOG_MATCHES] = {"matches", "message that is taken, and collective that is complete"},
	[LOG_CHOICES] = {"choices", "choice that is made"},
	[LOG_RESTS] = {"rests", "rest (every rank stands still), with what is open"},
	[LOG_STOPS] = {"stops", "execution that goes no further, and why"},
	[LOG_FINDINGS] = {"findings", "finding that an interleaving shows"},
	[LOG_ENDS] = {"ends", "execution that ended as an interleaving"},
	[LOG_SESSION] = {"session", "plan, and job"},
	[LOG_SNAPSHOTS] = {"snapshots", "world that is parked, restored or given up"},
	[LOG_RANKS] = {"ranks", "connection and end of a rank"},
	[LOG_STORE] = {"store", "writing of the store, with what it cost"},
	[LOG_WIRE] = {"wire", "thing that a world is asked and does: a recording, which can be fed "
                              "into a world again"},
};

static bool enabled[LOG_CATEGORIES];
static gint64 start;
static FILE *out;   /* NULL: logging is off, or has failed */
static char *file;  /* NULL: standard error */
static int failure; /* errno of the first write that failed; 0: none, or reported */

G_DEFINE_QUARK(matchpoint_log_error, log_error)

const char *log_category_name(enum log_category category)
{
	return categories[category].name;
}

const char *log_category_lines(enum log_category category)
{
	return categories[category].lines;
}

/* "all" does not include the recording, which is long. */
static bool enable(const char *word, GError **error)
{
	bool known = false;
	g_autoptr(GString) list = NULL;

	for (guint i = 0; i < LOG_CATEGORIES; i++) {
		if (strcmp(word, categories[i].name) == 0
		    || (strcmp(word, "all") == 0 && i != LOG_WIRE))
			known = enabled[i] = true;
	}
	if (known)
		return true;
	list = g_string_new(categories[0].name);
	for (guint i = 1; i < LOG_CATEGORIES; i++)
		g_string_append_printf(list, ", %s", categories[i].name);
	g_set_error(error, LOG_ERROR, 0,
	            "MATCHPOINT_LOG: '%s' is no category: use %s, or all (all but wire), separated "
	            "by commas; put FILE: before them to log to a file",
	            word, list->str);
	return false;
}

static bool open_file(GError **error)
{
	out = stderr;
	if (!file)
		return true;
	out = fopen(file, "we");
	if (!out)
		g_set_error(error, LOG_ERROR, 0, "MATCHPOINT_LOG: %s cannot be written: %s", file,
		            g_strerror(errno));
	else
		setvbuf(out, NULL, _IOLBF,
		        BUFSIZ); /* line by line, so that nothing is lost if matchpoint is killed */
	return out != NULL;
}

bool log_init(const char *setting, GError **error)
{
	const char *colon = setting ? strrchr(setting, ':') : NULL;
	g_auto(GStrv) words = NULL;

	start = g_get_monotonic_time();
	if (!setting || !*setting)
		return true;
	words = g_strsplit(colon ? colon + 1 : setting, ",", -1);
	for (char **word = words; *word; word++)
		if (!enable(*word, error))
			return false;
	if (colon && colon > setting)
		file = g_strndup(setting, (gsize)(colon - setting));
	return open_file(error);
}

bool log_enabled(enum log_category category)
{
	return enabled[category];
}

/* Ends logging. */
static void fail(int why)
{
	failure = why;
	memset(enabled, 0, sizeof(enabled));
	if (file)
		fclose(out);
	out = NULL;
}

static void put_line(const char *head, const char *line)
{
	if (!out)
		return;
	errno = 0;
	if (fprintf(out, "%s%s\n", head, line) < 0 || ferror(out))
		fail(errno ? errno : EIO);
}

void log_write(enum log_category category, const char *format, ...)
{
	double seconds = (double)(g_get_monotonic_time() - start) / G_USEC_PER_SEC;
	g_autofree char *text = NULL, *head = NULL;
	va_list arguments;

	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	if (enabled[LOG_WIRE]) /* a comment in a recording is one line */
		g_strdelimit(text, "\n", ' ');
	head = g_strdup_printf("%s%9.6f %s: ", enabled[LOG_WIRE] ? "# " : "", seconds,
	                       categories[category].name);
	put_line(head, text);
}

void log_record(const char *line)
{
	put_line("", line);
}

bool log_check(GError **error)
{
	if (failure == 0)
		return true;
	g_set_error(error, LOG_ERROR, 0, "%s cannot be written: %s; the log ends there",
	            file ? file : "standard error", g_strerror(failure));
	failure = 0;
	return false;
}

bool log_close(GError **error)
{
	if (out && file && fclose(out) != 0)
		failure = errno;
	memset(enabled, 0, sizeof(enabled));
	out = NULL;
	return log_check(error);
}
