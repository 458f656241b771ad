#include "sanitizer_report.h"

#include <string.h>

#define RUNTIME_ERROR ": runtime error: "

enum { FRAMES_MOST = 64 };

enum pattern { HEAD, DIFFERS, ACCESS, FRAME, FRAME_AT, PLACE, LEAKED, UNDEFINED, DETAIL, ADDRESS };

static const char *const patterns[] = {
	/* "==7==ERROR: AddressSanitizer: heap-use-after-free on address ...",
         * "WARNING: ThreadSanitizer: data race (pid=7)" */
	[HEAD] = "(?:^|=)(?:ERROR|WARNING): ([^ ]+Sanitizer: .*)",
	/* The end of a head that differs between runs, or says no more. */
	[DIFFERS] = ":?\\s*(?:(?: on address| on unknown address| on 0x|: memory ranges"
		    "| \\(pc | \\(0x| 0x| \\(pid=| in thread T"
		    "| which was not malloc\\(\\)-ed).*)?$",
	/* "READ of size 4 at 0x... thread T0" */
	[ACCESS] = "^((?:READ|WRITE) of size .*?) at 0x",
	/* "    #1 0x5555 in main /home/me/solver.c:12:3", "    #1 0x5555  (/me/solver+0x12)" */
	[FRAME] = "^ *#[0-9]",
	[FRAME_AT] = " 0x([0-9a-f]+)(?:.* )?([^ ]*)$",
	/* "FILE:LINE" or "FILE:LINE:COLUMN" */
	[PLACE] = "^([^:]+):([1-9][0-9]{0,8})(?::|$)",
	/* "SUMMARY: AddressSanitizer: 40 byte(s) leaked in 1 allocation(s)." */
	[LEAKED] = "^SUMMARY: .*?Sanitizer: ([^.]* leaked in [^.]*)",
	[UNDEFINED] = "^(.*?)" RUNTIME_ERROR "(.*)",
	/* What may follow the message after which UndefinedBehaviorSanitizer ends the process: the
         * bytes around an address, a stack, a summary. */
	[DETAIL] = "^ *(?:#|SUMMARY: Undefined|0x.*: note: |<memory cannot be printed>"
		   "|[0-9a-f ]*$|[\\^~ ]*$)",
	[ADDRESS] = " 0x[0-9a-f]*",
};

static GRegex *regex_of(enum pattern pattern)
{
	static GRegex *known[G_N_ELEMENTS(patterns)];

	if (!known[pattern]) /* the text may have any bytes */
		known[pattern] = g_regex_new(patterns[pattern], G_REGEX_RAW | G_REGEX_OPTIMIZE, 0,
		                             NULL);
	return known[pattern];
}

/* The match and its groups, to be freed with g_strfreev; NULL: the text does not match. */
static char **match(enum pattern pattern, const char *text)
{
	g_autoptr(GMatchInfo) found = NULL;

	return g_regex_match(regex_of(pattern), text, 0, &found) ? g_match_info_fetch_all(found)
	                                                         : NULL;
}

static bool matches(enum pattern pattern, const char *text)
{
	return g_regex_match(regex_of(pattern), text, 0, NULL);
}

static char *without(enum pattern pattern, const char *text)
{
	return g_regex_replace_literal(regex_of(pattern), text, -1, 0, "", 0, NULL);
}

void sanitizer_report_free(struct sanitizer_report *report)
{
	if (!report)
		return;
	g_free(report->error);
	g_array_unref(report->frames);
	g_free(report->file);
	g_free(report);
}

static void add_access(struct sanitizer_report *report, const char *line)
{
	g_auto(GStrv) found = match(ACCESS, line);
	g_autofree char *error = report->error;

	report->error = found ? g_strdup_printf("%s (%s)", error, found[1])
	                      : g_steal_pointer(&error);
}

static bool is_sanitizers_own(const char *file)
{
	return strstr(file, "libsanitizer/") || strstr(file, "compiler-rt/");
}

/* Stores file and line. */
static bool read_place(const char *text, char **ret_file, guint32 *ret_line)
{
	g_auto(GStrv) place = match(PLACE, text);

	if (!place)
		return false;
	*ret_file = g_path_get_basename(place[1]);
	*ret_line = (guint32)g_ascii_strtoull(place[2], NULL, 10);
	return true;
}

/* The address of frame 0 is that of the instruction; of the others the byte before the return
 * address, or the return address, by version. One more is in or behind the right instruction of
 * each. */
static bool add_frame(struct sanitizer_report *report, const char *line)
{
	g_auto(GStrv) at = NULL;
	guint64 address;

	if (!matches(FRAME, line))
		return false;
	at = report->frames->len < FRAMES_MOST ? match(FRAME_AT, line) : NULL;
	if (!at)
		return true;
	address = g_ascii_strtoull(at[1], NULL, 16) + 1;
	g_array_append_val(report->frames, address);
	if (!report->file && !is_sanitizers_own(at[2]))
		read_place(at[2], &report->file, &report->line);
	return true;
}

static void read_leaked(struct sanitizer_report *report, const char *line)
{
	g_auto(GStrv) found = match(LEAKED, line);

	if (!found)
		return;
	g_free(report->error);
	report->error = g_strdup_printf("LeakSanitizer: %s", found[1]);
}

static struct sanitizer_report *read_report(char *const *lines, char *error)
{
	struct sanitizer_report *report = g_new0(struct sanitizer_report, 1);
	bool in_stack = false, over = false;

	report->error = error;
	report->is_leak = g_str_has_prefix(error, "LeakSanitizer");
	report->frames = g_array_new(false, false, sizeof(guint64));
	for (gsize i = 0; lines[i]; i++) {
		if (report->is_leak)
			read_leaked(report, lines[i]);
		else if (i == 0)
			add_access(report, lines[i]);
		if (over)
			continue;
		if (add_frame(report, lines[i]))
			in_stack = true;
		else if (in_stack)
			over = true;
	}
	return report;
}

/* Reads a copy that ends in NUL; NULs in the text are no end of it. */
static char **split(const char *text, gsize length)
{
	g_autofree char *copy = g_malloc(length + 1);

	memcpy(copy, text, length);
	copy[length] = '\0';
	for (gsize i = 0; i < length; i++)
		if (copy[i] == '\0')
			copy[i] = ' ';
	return g_strsplit(copy, "\n", -1);
}

/* Stores the place, and the error without addresses, which differ between runs. */
static bool is_undefined(const char *line, char **ret_file, guint32 *ret_line, char **ret_error)
{
	g_auto(GStrv) found = match(UNDEFINED, line);

	if (!found || !read_place(found[1], ret_file, ret_line))
		return false;
	*ret_error = without(ADDRESS, found[2]);
	return true;
}

static bool is_end_of_undefined(char *const *lines)
{
	for (gsize i = 0; lines[i]; i++)
		if (!matches(DETAIL, lines[i]))
			return false;
	return true;
}

static struct sanitizer_report *read_undefined(char *const *lines)
{
	struct sanitizer_report *report = NULL;

	for (gsize i = 0; lines[i] && !report; i++) {
		g_autofree char *file = NULL, *error = NULL;
		guint32 line;

		if (!is_undefined(lines[i], &file, &line, &error)
		    || !is_end_of_undefined(lines + i + 1))
			continue;
		report = read_report(lines + i + 1,
		                     g_strconcat("UndefinedBehaviorSanitizer: ", error, NULL));
		g_free(report->file);
		report->file = g_steal_pointer(&file);
		report->line = line;
	}
	return report;
}

struct sanitizer_report *sanitizer_report_find(const char *text, gsize length, bool aborted)
{
	g_auto(GStrv) lines = NULL;
	struct sanitizer_report *report = NULL;

	if (!g_strstr_len(text, (gssize)length, "Sanitizer: ")
	    && !g_strstr_len(text, (gssize)length, RUNTIME_ERROR))
		return NULL;
	lines = split(text, length);
	for (gsize i = 0; lines[i] && !report; i++) {
		g_auto(GStrv) head = match(HEAD, lines[i]);

		if (head)
			report = read_report(lines + i + 1, without(DIFFERS, head[1]));
	}
	return report || !aborted ? report : read_undefined(lines);
}

static char *find_undefined(const char *text, gsize length)
{
	g_auto(GStrv) lines = NULL;

	if (!g_strstr_len(text, (gssize)length, RUNTIME_ERROR))
		return NULL;
	lines = split(text, length);
	for (gsize i = 0; lines[i]; i++) {
		g_autofree char *file = NULL, *error = NULL;
		guint32 line;

		if (is_undefined(lines[i], &file, &line, &error))
			return g_strdup_printf("%s:%u: %s", file, line, error);
	}
	return NULL;
}

char *sanitizer_report_find_survived(const char *text, gsize length)
{
	struct sanitizer_report *report = sanitizer_report_find(text, length, false);
	char *error = report ? g_strdup(report->error) : find_undefined(text, length);

	sanitizer_report_free(report);
	return error;
}
