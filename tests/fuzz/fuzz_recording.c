/* Fuzz target: the reader of a recording's logs stays within the bytes that it is given, and
 * ends. The first two bytes tell where the tail begins. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/recording.h"
#include "common/recording_start.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_blocks(const uint8_t *log, size_t log_size, const void *tail, size_t tail_size)
{
	struct recording_reader reader;
	uint64_t value, sum = 0;

	recording_begin(&reader, log, log_size, tail, tail_size);
	while (recording_next(&reader)) {
		const uint8_t *at = reader.bytes, *end = at + reader.size;

		while (at && at < end) {
			at = recording_get(at, end, &value);
			sum += value;
		}
	}
	if (reader.state == RECORDING_READING || sum == 1)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct recording_section section;
	struct recording_tail *tail;
	size_t middle;

	if (recording_start_find((const char *)data, size, RECORDING_START_MAPS, &section)
	    && section.size > size)
		abort();
	if (size < 2)
		return 0;
	middle = (data[0] | (size_t)data[1] << 8) % (size - 1);
	data += 2;
	size -= 2;
	middle = middle < size ? middle : size;
	tail = malloc(size - middle + 1);
	if (!tail)
		return 0;
	memcpy(tail, data + middle, size - middle);
	read_blocks(data, middle, tail, size - middle);
	free(tail);
	return 0;
}
