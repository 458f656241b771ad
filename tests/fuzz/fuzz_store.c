/* Fuzz target (libFuzzer) for the store reader: for any contents of the file, all reports end, with
 * or without an error. Seeds: stores written by matchpoint.
 *
 * clang -fsanitize=fuzzer,address,undefined ... fuzz_store.c */
#include <fcntl.h>
#include <glib.h>
#include <stdlib.h>
#include <unistd.h>

#include "reports/report.h"

static char file[] = "/dev/shm/fuzz-store-XXXXXX";
static char directory[] = "/dev/shm/fuzz-trace-XXXXXX";

/* Empties the directory of a report; removes it if `end`. */
static void clean(const char *name, bool end)
{
	GDir *files = g_dir_open(name, 0, NULL);
	const char *entry;

	while (files && (entry = g_dir_read_name(files))) {
		g_autofree char *path = g_build_filename(name, entry, NULL);

		if (unlink(path) != 0)
			clean(path, true);
	}
	if (files)
		g_dir_close(files);
	if (end)
		rmdir(name);
}

static void remove_file(void)
{
	unlink(file);
	clean(directory, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	static unsigned runs;
	bool slow = runs++ % 16 == 0; /* reports in files are slow; the first run, of a single
	                               * input, makes all */
	g_autoptr(StoreReader) reader = NULL;
	g_autoptr(GError) error = NULL;

	if (fd < 0) {
		fd = mkdtemp(directory) ? mkstemp(file) : -1;
		atexit(remove_file);
	}
	if (fd < 0 || ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
		return 0;
	reader = store_reader_open(file, &error);
	if (reader) {
		g_autoptr(GPtrArray) identity = store_reader_identity(reader, NULL);
		g_autoptr(GVariant) common = store_reader_common(reader, NULL);
		g_autofree char *text = common ? g_variant_print(common, true) : NULL;
	}
	for (int i = 0; reader && report_list()[i]; i++) {
		bool directories = report_list()[i]->write_directory;

		if (slow || !directories)
			report_write(report_list()[i], reader, NULL,
			             directories ? directory : "/dev/null", NULL);
	}
	if (slow)
		clean(directory, false);
	return 0;
}
