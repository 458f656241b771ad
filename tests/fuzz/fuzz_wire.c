/* Fuzz target: the decoder refuses bytes, or decodes them to a message that encodes to the same
 * bytes. */
#include "common/wire.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	struct wire_message message;
	struct wire_buffer again = {0};

	long length = wire_frame_length(bytes, count);
	if (length > 0 && (size_t)length > count)
		abort();
	if (wire_decode(bytes, count, &message) < 0)
		return 0;
	wire_encode(&again, &message);
	if (again.failed || again.count != count || memcmp(again.bytes, bytes, count) != 0)
		abort();
	wire_message_release(&message);
	wire_buffer_release(&again);
	return 0;
}
