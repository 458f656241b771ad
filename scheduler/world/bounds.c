#include "bounds.h"

#include <string.h>

#include "explorer/explorer.h"
#include "explorer/rank_name.h"

G_DEFINE_QUARK(matchpoint_bounds_error, bounds_error)

static void bound_clear(void *pointer)
{
	g_free(((struct bound *)pointer)->file);
}

static bool parse_number(const char *text, guint64 most, guint32 *ret)
{
	guint64 number;

	if (!g_ascii_string_to_unsigned(text, 10, 0, most, &number, NULL))
		return false;
	*ret = (guint32)number;
	return true;
}

/* Splits "WHAT=K". Returns WHAT (free with g_free); NULL: it has another form. */
static char *parse_most(const char *text, guint32 *ret_most)
{
	const char *equals = strrchr(text, '=');

	if (!equals || equals == text || !parse_number(equals + 1, G_MAXINT32, ret_most))
		return NULL;
	return g_strndup(text, (gsize)(equals - text));
}

static bool parse_rank(const char *text, int ranks, struct bound *ret, GError **error)
{
	struct bound bound = {.kind = BOUND_RANK};
	g_autofree char *what = parse_most(text, &bound.most);
	const int rank = what ? rank_of_name(what) : -1;
	g_autofree char *known = rank_names_all(ranks);

	if (rank < 0) {
		g_set_error(
			error, BOUNDS_ERROR, 0,
			"--bound-rank cannot be '%s'; say RANK=K; 0=1 means: at most one choice of "
			"rank 0 differs from the default",
			text);
		return false;
	}
	if (rank >= ranks) {
		g_set_error(error, BOUNDS_ERROR, 0, "--bound-rank %s: there is no rank %d; %s",
		            text, rank, known);
		return false;
	}
	bound.rank = rank;
	*ret = bound;
	return true;
}

static bool parse_site(const char *text, struct bound *ret, GError **error)
{
	struct bound bound = {.kind = BOUND_SITE};
	g_autofree char *what = parse_most(text, &bound.most);
	char *colon = what ? strrchr(what, ':') : NULL;

	if (!colon || colon == what || colon[-1] == '/'
	    || !parse_number(colon + 1, G_MAXUINT32, &bound.line) || bound.line == 0) {
		g_set_error(
			error, BOUNDS_ERROR, 0,
			"--bound-site cannot be '%s'; say FILE:LINE=K; solver.c:118=1 means: at "
			"most one choice of the calls made there differs from the default",
			text);
		return false;
	}
	*colon = 0;
	bound.file = g_canonicalize_filename(what, "/");
	if (!g_path_is_absolute(what))
		memmove(bound.file, bound.file + 1, strlen(bound.file));
	*ret = bound;
	return true;
}

GArray *bounds_parse(char *const *ranks, char *const *sites, bool regions, int rank_count,
                     GError **error)
{
	GArray *bounds = g_array_new(false, true, sizeof(struct bound));
	struct bound bound = {.kind = BOUND_REGION};

	g_array_set_clear_func(bounds, bound_clear);
	if (regions)
		g_array_append_val(bounds, bound);
	for (guint i = 0; ranks && ranks[i]; i++) {
		if (!parse_rank(ranks[i], rank_count, &bound, error))
			goto failed;
		g_array_append_val(bounds, bound);
	}
	for (guint i = 0; sites && sites[i]; i++) {
		if (!parse_site(sites[i], &bound, error))
			goto failed;
		g_array_append_val(bounds, bound);
	}
	if (bounds->len <= EXPLORER_BOUNDS)
		return bounds;
	g_set_error(error, BOUNDS_ERROR, 0, "%u bounds are too many: at most %u can be given",
	            bounds->len, EXPLORER_BOUNDS);
failed:
	g_array_unref(bounds);
	return NULL;
}

bool bound_is_at(const struct bound *bound, const struct place *place)
{
	g_autofree char *path = NULL;
	gsize whole, part = strlen(bound->file);

	if (!place->file || place->line != bound->line)
		return false;
	if (!strchr(bound->file, '/') || !place->directory)
		return g_str_equal(place->file, bound->file);
	path = g_canonicalize_filename(place->file, place->directory);
	whole = strlen(path);
	return whole >= part && g_str_equal(path + whole - part, bound->file)
	       && (whole == part || path[whole - part - 1] == '/');
}

char *bound_print(const struct bound *bound)
{
	switch (bound->kind) {
	case BOUND_RANK:
		return g_strdup_printf("--bound-rank %s=%u", rank_name(bound->rank), bound->most);
	case BOUND_SITE:
		return g_strdup_printf("--bound-site %s:%u=%u", bound->file, bound->line,
		                       bound->most);
	case BOUND_REGION: break;
	}
	return g_strdup("--pcontrol");
}

char *bound_words(const struct bound *bound)
{
	const char *plural = bound->most == 1 ? "" : "s";

	switch (bound->kind) {
	case BOUND_RANK:
		return g_strdup_printf("at most %u deviation%s of rank %s", bound->most, plural,
		                       rank_name(bound->rank));
	case BOUND_SITE:
		return g_strdup_printf("at most %u deviation%s at %s:%u", bound->most, plural,
		                       bound->file, bound->line);
	case BOUND_REGION: break;
	}
	return g_strdup("no deviation in marked regions");
}
