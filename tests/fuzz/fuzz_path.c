/* Fuzz target: whatever the path parser accepts, it prints as it was. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../../explorer/path.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, size);
	g_autoptr(GError) error = NULL;
	struct path *path = path_parse(text, &error);
	g_autofree char *printed = NULL;

	if (!path) {
		g_assert_nonnull(error);
		return 0;
	}
	printed = path_print(path);
	g_assert_cmpstr(printed, ==, text);
	path_free(path);
	return 0;
}
