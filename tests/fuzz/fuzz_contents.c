/* Fuzz target: whatever a rank reports about a message's contents is refused, or printed within
 * bounds. */
#include "scheduler/world/contents.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* Makes a frame from the bytes: number of runs, runs, size; the rest is data. */
static bool read_told(const uint8_t *bytes, size_t count, struct wire_contents *told,
                      struct wire_run *runs)
{
	size_t at = 2, run_count;
	char *digits;

	if (count < 2)
		return false;
	run_count = bytes[0] % 8;
	for (size_t i = 0; i < run_count; i++) {
		if (count - at < 3)
			return false;
		runs[i] = (struct wire_run){(uint16_t)(bytes[at] << 8 | bytes[at + 1]),
		                            bytes[at + 2]};
		at += 3;
	}
	*told = (struct wire_contents){.name = {1, 0},
	                               .bytes = (uint64_t)bytes[1] * 7,
	                               .types = {0, (uint32_t)run_count, runs}};
	if (run_count == 1) {
		told->types = (struct wire_types){runs[0].basic, 0, NULL};
	}
	digits = malloc(2 * (count - at) + 1);
	for (size_t i = 0; i < 2 * (count - at); i++)
		digits[i] = "0123456789abcdef"[bytes[at + i / 2] >> (i % 2 ? 0 : 4) & 15];
	digits[2 * (count - at)] = '\0';
	told->first = digits;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	struct wire_run runs[8];
	struct wire_contents told;
	struct contents *contents;

	if (!read_told(bytes, count, &told, runs))
		return 0;
	contents = contents_new(&told);
	if (contents) {
		GString *lines = g_string_new(NULL);
		char *printed = contents_print(contents, 6, 48);

		if (strlen(printed) > 6 * 4 * 64 + 1024)
			abort();
		contents_append_lines(lines, contents);
		if (!g_utf8_validate(printed, -1, NULL) || !g_utf8_validate(lines->str, -1, NULL))
			abort();
		g_free(printed);
		g_string_free(lines, true);
		contents_unref(contents);
	}
	free(told.first);
	return 0;
}
