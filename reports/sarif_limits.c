#include "sarif_limits.h"

#include <gio/gio.h>
#include <string.h>

/* details in all results together: some 50 MB, of which compression leaves a few hundredths */
#define SHARED_MAX 50000u
#define TEXT_MAX 10000u
#define TEXT_LEAST 500u

struct sarif_limits sarif_limits_for(guint findings)
{
	guint results = CLAMP(findings, 1, SARIF_RESULTS_MAX), share = SHARED_MAX / results;

	return (struct sarif_limits){.results = results,
	                             .locations = MIN(share, SARIF_LOCATIONS_MAX),
	                             .steps = MIN(share, SARIF_STEPS_MAX),
	                             .frames = MIN(share, SARIF_LOCATIONS_MAX),
	                             .text = TEXT_MAX};
}

bool sarif_limits_tighten(struct sarif_limits *limits)
{
	if (limits->text / 2 >= TEXT_LEAST) {
		limits->locations = MAX(limits->locations / 2, 1);
		limits->steps /= 2;
		limits->frames /= 2;
		limits->text /= 2;
		return true;
	}
	if (limits->results < 2)
		return false;
	limits->results /= 2;
	return true;
}

char *sarif_limits_cut(const char *text, gsize most)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1);
	gsize length = strlen(valid);
	char *end;

	if (length <= most)
		return g_steal_pointer(&valid);
	/* do not cut within a character */
	end = valid + most;
	while (end > valid && ((guchar)*end & 0xc0) == 0x80)
		end--;
	*end = '\0';
	return g_strdup_printf("%s... (%" G_GSIZE_FORMAT " more bytes left out)", valid,
	                       length - (gsize)(end - valid));
}

bool sarif_limits_fit(const char *text, gsize most)
{
	g_autoptr(GZlibCompressor) gzip = g_zlib_compressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP, -1);
	g_autofree char *buffer = g_malloc(1 << 16);
	gsize left = strlen(text), size = 0;
	GConverterResult result = G_CONVERTER_CONVERTED;

	while (result != G_CONVERTER_FINISHED && size <= most) {
		gsize taken = 0, made = 0;

		result = g_converter_convert(G_CONVERTER(gzip), text, left, buffer, 1 << 16,
		                             G_CONVERTER_INPUT_AT_END, &taken, &made, NULL);
		if (result == G_CONVERTER_ERROR)
			return false;
		text += taken;
		left -= taken;
		size += made;
	}
	return size <= most;
}

static void append_count(GString *words, guint count, const char *one, const char *many)
{
	if (count > 0)
		g_string_append_printf(words, "%s %u %s", words->len ? "," : "", count,
		                       count == 1 ? one : many);
}

char *sarif_limits_words(const struct sarif_left_out *left_out)
{
	g_autoptr(GString) words = g_string_new(NULL);

	append_count(words, left_out->results, "result", "results");
	append_count(words, left_out->locations, "related location", "related locations");
	append_count(words, left_out->ranks, "rank's calls", "ranks' calls");
	append_count(words, left_out->stacks, "stack", "stacks");
	append_count(words, left_out->paths, "whole path", "whole paths");
	if (words->len == 0)
		return NULL;
	return g_strdup_printf("left out to stay within the limits of code scanning services:%s; "
	                       "--json contains them",
	                       words->str);
}
