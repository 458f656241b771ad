/* Fuzz target (libFuzzer) for the store reader: whatever is in the file, all reports of it end,
 * with or without an error. Seeds: stores written by matchpoint.
 *
 *   clang -fsanitize=fuzzer,address,undefined ... fuzz_store.c */
#include <fcntl.h>
#include <glib.h>
#include <stdlib.h>
#include <unistd.h>

#include "reports/report.h"

static char file[] = "/dev/shm/fuzz-store-XXXXXX";

static void remove_file(void)
{
	unlink(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	g_autoptr(StoreReader) reader = NULL;
	g_autoptr(GError) error = NULL;

	if (fd < 0) {
		fd = mkstemp(file);
		atexit(remove_file);
	}
	if (fd < 0 || ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
		return 0;
	reader = store_reader_open(file, &error);
	for (int i = 0; reader && report_list()[i]; i++)
		report_write(report_list()[i], reader, NULL, "/dev/null", NULL);
	return 0;
}
