#include "report.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

G_DEFINE_QUARK(matchpoint_report_error, report_error)

#define REPORT_LISTED(name) &report_##name,
static const struct report *const reports[] = {REPORT_FORMATS(REPORT_LISTED) NULL};

const struct report *const *report_list(void)
{
	return reports;
}

int report_for_file(const char *file)
{
	const char *suffix = strrchr(file, '.');

	for (int i = 1; suffix && reports[i]; i++) {
		if (g_str_equal(suffix + 1, reports[i]->name)
		    || g_strcmp0(suffix + 1, reports[i]->suffix) == 0)
			return i;
	}
	return 0;
}

static bool fail(const char *file, int number, GError **error)
{
	g_set_error(error, G_FILE_ERROR, (gint)g_file_error_from_errno(number),
	            "%s: the report cannot be written: %s", file, g_strerror(number));
	return false;
}

/* Flushes and closes the stream. Returns whether everything written since it was opened has
 * arrived: an earlier write may have failed although the last one succeeded. If not, *ret_errno
 * is set. */
static bool finish(FILE *out, bool standard, int *ret_errno)
{
	bool failed;

	errno = 0;
	failed = fflush(out) != 0 || ferror(out);
	if (failed && errno == 0 && fputc('\n', out) != EOF) /* the cause may persist and set
	                                                        errno again */
		fflush(out);
	*ret_errno = errno;
	if (!standard && fclose(out) != 0 && !failed) {
		*ret_errno = errno;
		failed = true;
	}
	if (failed && *ret_errno == 0)
		*ret_errno = EIO;
	return !failed;
}

/* Removes an incomplete report. */
static void remove_cut(const char *file, const char *mode)
{
	struct stat status;

	if (mode[0] == 'w' && lstat(file, &status) == 0 && S_ISREG(status.st_mode))
		unlink(file);
}

static bool write_to(const struct report *report, struct store_reader *reader,
                     const struct report_options *options, const char *file, const char *mode,
                     GError **error)
{
	static const struct report_options defaults;
	bool standard = g_str_equal(file, "-");
	FILE *out = standard ? stdout : fopen(file, mode);
	bool good;
	int number;

	if (!out)
		return fail(file, errno, error);
	good = report->write(reader, options ? options : &defaults, out, error);
	if (!finish(out, standard, &number)) {
		if (good)
			fail(standard ? "standard output" : file, number, error);
		good = false;
	}
	if (!good && !standard)
		remove_cut(file, mode);
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
