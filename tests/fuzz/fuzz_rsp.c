/* Fuzz target: packets of gdb's protocol. Whatever comes, taking ends; and what was taken and
 * framed again is taken as the same. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "scheduler/backwards/rsp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take_back(const GString *packet)
{
	g_autoptr(GString) framed = g_string_new(NULL), again = g_string_new(NULL);
	g_autoptr(GByteArray) buffer = g_byte_array_new();

	rsp_frame(framed, packet->str, packet->len);
	g_byte_array_append(buffer, (const guint8 *)framed->str, (guint)framed->len);
	g_assert_true(rsp_take(buffer, again) == RSP_PACKET);
	g_assert_true(g_string_equal(packet, again));
	g_assert_true(buffer->len == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GString) packet = g_string_new(NULL);
	g_autoptr(GByteArray) buffer = g_byte_array_new();
	enum rsp_item item;

	g_byte_array_append(buffer, data, (guint)size);
	while ((item = rsp_take(buffer, packet)) != RSP_MORE && item != RSP_TOO_LONG) {
		if (item == RSP_PACKET)
			take_back(packet);
	}
	return 0;
}
