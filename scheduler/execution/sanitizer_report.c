#include "sanitizer_report.h"

#include <string.h>

#define RUNTIME_ERROR ": runtime error: "

enum { FRAMES_MOST = 64 };

void sanitizer_report_free(struct sanitizer_report *report)
{
	if (!report)
		return;
	g_free(report->error);
	g_array_unref(report->frames);
	g_free(report->file);
	g_free(report);
}

/* What follows differs between runs, or says no more. */
static void cut(char *error)
{
	static const char *const marks[] = {" on address",  " on unknown address",
	                                    " on 0x",       ": memory ranges",
	                                    " (pc ",        " (0x",
	                                    " 0x",          " (pid=",
	                                    " in thread T", " which was not malloc()-ed"};

	for (gsize i = 0; i < G_N_ELEMENTS(marks); i++) {
		char *found = strstr(error, marks[i]);

		if (found)
			*found = '\0';
	}
	g_strchomp(error);
	if (g_str_has_suffix(error, ":"))
		error[strlen(error) - 1] = '\0';
}

/* "==7==ERROR: AddressSanitizer: heap-use-after-free on address ...", "WARNING: ThreadSanitizer:
 * data race (pid=7)": stores the part from the sanitizer's name on. */
static bool is_head(const char *line, char **ret_error)
{
	const char *head = strstr(line, "ERROR: "), *rest;

	if (!head)
		head = strstr(line, "WARNING: ");
	if (!head || (head > line && head[-1] != '='))
		return false;
	rest = strchr(head, ' ') + 1;
	const char *name_end = strstr(rest, "Sanitizer: ");

	if (!name_end || name_end == rest || memchr(rest, ' ', (gsize)(name_end - rest)))
		return false;
	*ret_error = g_strdup(rest);
	cut(*ret_error);
	return true;
}

/* "READ of size 4 at 0x... thread T0" */
static void add_access(struct sanitizer_report *report, const char *line)
{
	const char *at = strstr(line, " at 0x");
	char *error = report->error;

	if (!at
	    || !(g_str_has_prefix(line, "READ of size ")
	         || g_str_has_prefix(line, "WRITE of size ")))
		return;
	report->error = g_strdup_printf("%s (%.*s)", error, (int)(at - line), line);
	g_free(error);
}

static bool is_sanitizers_own(const char *file)
{
	return strstr(file, "libsanitizer/") || strstr(file, "compiler-rt/");
}

/* Stores file and line of "FILE:LINE" or "FILE:LINE:COLUMN". */
static bool read_place(const char *text, char **ret_file, guint32 *ret_line)
{
	g_auto(GStrv) parts = g_strsplit(text, ":", 4);
	guint64 line;

	if (!parts[0] || !parts[1] || !*parts[0]
	    || !g_ascii_string_to_unsigned(parts[1], 10, 1, G_MAXUINT32, &line, NULL))
		return false;
	*ret_file = g_path_get_basename(parts[0]);
	*ret_line = (guint32)line;
	return true;
}

/* "    #1 0x5555 in main /home/me/solver.c:12:3", "    #1 0x5555  (/home/me/solver+0x12)". The
 * address of frame 0 is that of the instruction; of the others the byte before the return address,
 * or the return address, by version. One more is in or behind the right instruction of each. */
static bool add_frame(struct sanitizer_report *report, const char *line)
{
	const char *at = line + strspn(line, " "), *place;
	guint64 address;

	if (*at != '#' || !g_ascii_isdigit(at[1]))
		return false;
	at = strstr(at, " 0x");
	if (!at || report->frames->len >= FRAMES_MOST)
		return true;
	address = g_ascii_strtoull(at + 3, NULL, 16) + 1;
	g_array_append_val(report->frames, address);
	place = strrchr(at, ' ') + 1;
	if (!report->file && *place != '(' && !is_sanitizers_own(place))
		read_place(place, &report->file, &report->line);
	return true;
}

/* "SUMMARY: AddressSanitizer: 40 byte(s) leaked in 1 allocation(s)." */
static void read_leaked(struct sanitizer_report *report, const char *line)
{
	const char *amount = strstr(line, "Sanitizer: ");

	if (!g_str_has_prefix(line, "SUMMARY: ") || !amount || !strstr(line, " leaked in "))
		return;
	amount += strlen("Sanitizer: ");
	g_free(report->error);
	report->error = g_strdup_printf("LeakSanitizer: %.*s", (int)strcspn(amount, "."), amount);
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

static bool is_undefined(const char *line, char **ret_file, guint32 *ret_line,
                         const char **ret_error)
{
	const char *found = strstr(line, RUNTIME_ERROR);
	g_autofree char *place = NULL;

	if (!found)
		return false;
	place = g_strndup(line, (gsize)(found - line));
	*ret_error = found + strlen(RUNTIME_ERROR);
	return read_place(place, ret_file, ret_line);
}

/* What may follow the message after which UndefinedBehaviorSanitizer ends the process: the bytes
 * around an address, a stack, a summary. */
static bool is_detail_of_undefined(const char *line)
{
	line += strspn(line, " ");
	return *line == '#' || g_str_has_prefix(line, "SUMMARY: Undefined")
	       || (g_str_has_prefix(line, "0x") && strstr(line, ": note: "))
	       || g_str_has_prefix(line, "<memory cannot be printed>")
	       || line[strspn(line, "0123456789abcdef ")] == '\0'
	       || line[strspn(line, "^~ ")] == '\0';
}

static bool is_end_of_undefined(char *const *lines)
{
	for (gsize i = 0; lines[i]; i++)
		if (!is_detail_of_undefined(lines[i]))
			return false;
	return true;
}

/* Returns the text without addresses, which differ between runs. */
static char *without_addresses(const char *text)
{
	GString *kept = g_string_new(NULL);

	while (*text) {
		if (g_str_has_prefix(text, " 0x"))
			text += 3 + strspn(text + 3, "0123456789abcdef");
		else
			g_string_append_c(kept, *text++);
	}
	return g_string_free(kept, false);
}

static struct sanitizer_report *read_undefined(char *const *lines)
{
	struct sanitizer_report *report = NULL;

	for (gsize i = 0; lines[i] && !report; i++) {
		g_autofree char *file = NULL;
		const char *error;
		guint32 line;

		if (!is_undefined(lines[i], &file, &line, &error)
		    || !is_end_of_undefined(lines + i + 1))
			continue;
		g_autofree char *told = without_addresses(error);
		report = read_report(lines + i + 1,
		                     g_strdup_printf("UndefinedBehaviorSanitizer: %s", told));
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
		char *error = NULL;

		if (is_head(lines[i], &error))
			report = read_report(lines + i + 1, error);
		else
			g_free(error);
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
		g_autofree char *file = NULL;
		const char *error;
		guint32 line;

		if (is_undefined(lines[i], &file, &line, &error)) {
			g_autofree char *told = without_addresses(error);

			return g_strdup_printf("%s:%u: %s", file, line, told);
		}
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
