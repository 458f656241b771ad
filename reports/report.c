#include "report.h"

#include <errno.h>

static const struct report *const reports[] = {&report_terminal,
                                               &report_json,
                                               &report_html,
                                               &report_junit,
                                               &report_sarif,
                                               &report_github,
                                               &report_markdown,
                                               &report_mermaid,
                                               &report_dot,
                                               &report_otf2,
                                               NULL};
_Static_assert(G_N_ELEMENTS(reports) <= REPORT_MAX + 1, "raise REPORT_MAX");

const struct report *const *report_list(void)
{
	return reports;
}

const struct report *report_find(const char *name)
{
	for (int i = 0; reports[i]; i++) {
		if (g_str_equal(reports[i]->name, name))
			return reports[i];
	}
	return NULL;
}

static bool fail(const char *file, int number, GError **error)
{
	g_set_error(error, G_FILE_ERROR, (gint)g_file_error_from_errno(number),
	            "%s: the report cannot be written: %s", file, g_strerror(number));
	return false;
}

static bool write_to(const struct report *report, struct store_reader *reader,
                     const struct report_options *options, const char *file, const char *mode,
                     GError **error)
{
	static const struct report_options defaults;
	bool standard = g_str_equal(file, "-");
	FILE *out = standard ? stdout : fopen(file, mode);
	bool good;

	if (!out)
		return fail(file, errno, error);
	good = report->write(reader, options ? options : &defaults, out, error);
	errno = 0;
	if (standard ? fflush(out) != 0 : fclose(out) != 0) {
		if (good)
			fail(standard ? "standard output" : file, errno ? errno : EIO, error);
		good = false;
	}
	return good;
}

bool report_write(const struct report *report, struct store_reader *reader,
                  const struct report_options *options, const char *file, GError **error)
{
	static const struct report_options defaults;

	if (report->unavailable) {
		g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOSYS, "--%s: %s", report->name,
		            report->unavailable);
		return false;
	}
	if (report->write_directory)
		return report->write_directory(reader, options ? options : &defaults, file, error);
	return write_to(report, reader, options, file, "we", error);
}

bool report_append(const struct report *report, struct store_reader *reader,
                   const struct report_options *options, const char *file, GError **error)
{
	return write_to(report, reader, options, file, "ae", error);
}
