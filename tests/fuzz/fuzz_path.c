/* Fuzz target: the parser of positions prints what it accepts unchanged; the parser of paths
 * accepts the same except positions with a cut. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "explorer/position.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, size);
	g_autoptr(GError) error = NULL;
	struct position *position = position_parse(text, &error);
	struct path *path = path_parse(text, NULL);
	g_autofree char *printed = NULL, *path_printed = path ? path_print(path) : NULL;

	if (path)
		g_assert_cmpstr(path_printed, ==, text);
	path_free(path);
	if (!position) {
		g_assert_nonnull(error);
		g_assert_null(path_printed);
		return 0;
	}
	printed = position_print(position);
	g_assert_cmpstr(printed, ==, text);
	g_assert_true(position_has_cut(position) == !path_printed);
	position_free(position);
	return 0;
}
