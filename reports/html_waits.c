#include "html_waits.h"

#include <math.h>
#include <stdbool.h>

#include "scheduler/store/record.h"

enum { RANKS_MAX = 24, RADIUS = 17, MARGIN = 26 };

struct waits {
	guint count;
	int32_t rank[RANKS_MAX];
	bool ended[RANKS_MAX];
	bool edge[RANKS_MAX][RANKS_MAX], reaches[RANKS_MAX][RANKS_MAX];
	double around; /* radius of the circle on which the ranks are drawn */
};

/* The index of a rank in the drawing. A new rank is added. -1: too many ranks. */
static int place_of(struct waits *waits, int32_t rank)
{
	for (guint i = 0; i < waits->count; i++)
		if (waits->rank[i] == rank)
			return (int)i;
	if (waits->count == RANKS_MAX)
		return -1;
	waits->rank[waits->count] = rank;
	return (int)waits->count++;
}

/* False: there is nothing to draw, or too much. */
static bool gather(struct waits *waits, const GPtrArray *ranks)
{
	bool any = false;

	for (guint i = 0; i < ranks->len; i++) {
		const struct record_rank *from = g_ptr_array_index(ranks, i);
		int here = from->waits_for->len > 0 ? place_of(waits, from->rank) : 0;

		for (guint j = 0; j < from->waits_for->len; j++) {
			int there = place_of(waits, g_array_index(from->waits_for, int32_t, j));

			if (here < 0 || there < 0)
				return false;
			waits->edge[here][there] = any = true;
		}
	}
	for (guint i = 0; i < ranks->len; i++) {
		const struct record_rank *rank = g_ptr_array_index(ranks, i);

		for (guint j = 0; j < waits->count; j++)
			waits->ended[j] |= waits->rank[j] == rank->rank && rank->ended;
	}
	return any;
}

/* Warshall's closure ("A Theorem on Boolean Matrices", 1962). */
static void close_over(struct waits *waits)
{
	for (guint i = 0; i < waits->count; i++)
		for (guint j = 0; j < waits->count; j++)
			waits->reaches[i][j] = waits->edge[i][j];
	for (guint k = 0; k < waits->count; k++)
		for (guint i = 0; i < waits->count; i++)
			for (guint j = 0; j < waits->count; j++)
				waits->reaches[i][j] |= waits->reaches[i][k]
				                        && waits->reaches[k][j];
}

static double x_of(const struct waits *waits, guint i)
{
	return MARGIN + waits->around * (1 + sin(2 * G_PI * i / waits->count));
}

static double y_of(const struct waits *waits, guint i)
{
	return MARGIN + waits->around * (1 - cos(2 * G_PI * i / waits->count));
}

/* Draws a curved arrow, so that two ranks that wait for each other have two distinct arrows. */
static void draw_edge(const struct waits *waits, guint from, guint to, GString *svg)
{
	double x = x_of(waits, from), y = y_of(waits, from);
	double across = x_of(waits, to) - x, down = y_of(waits, to) - y;
	double length = hypot(across, down);
	double ux = across / length, uy = down / length, bend = length * 0.12;
	bool cycle = waits->reaches[to][from];

	g_string_append_printf(
		svg,
		"<path class=\"%s\" d=\"M%.1f %.1f Q%.1f %.1f %.1f %.1f\" "
		"marker-end=\"url(#%s)\"><title>rank %s waits for rank %s</title></path>",
		cycle ? "cycle" : "wait", x + ux * RADIUS, y + uy * RADIUS,
		x + across / 2 - uy * bend, y + down / 2 + ux * bend,
		x + across - ux * (RADIUS + 7) - uy * 3, y + down - uy * (RADIUS + 7) + ux * 3,
		cycle ? "tip-cycle" : "tip-wait", rank_name(waits->rank[from]),
		rank_name(waits->rank[to]));
}

static void draw_rank(const struct waits *waits, guint i, GString *svg)
{
	const char *kind = waits->reaches[i][i] ? "cycle" : waits->ended[i] ? "ended" : "wait";

	g_string_append_printf(svg,
	                       "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"/>"
	                       "<text x=\"%.1f\" y=\"%.1f\">%s</text>",
	                       kind, x_of(waits, i), y_of(waits, i), RADIUS, x_of(waits, i),
	                       y_of(waits, i), rank_name(waits->rank[i]));
}

static void add_tip(GString *svg, const char *kind)
{
	g_string_append_printf(svg,
	                       "<marker id=\"tip-%s\" viewBox=\"0 0 8 8\" refX=\"1\" refY=\"4\" "
	                       "markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">"
	                       "<path class=\"arrowhead %s\" d=\"M0 0 L8 4 L0 8 z\"/></marker>",
	                       kind, kind);
}

char *html_waits(const GPtrArray *ranks)
{
	struct waits waits = {0};
	GString *svg;
	double size;

	if (!gather(&waits, ranks))
		return NULL;
	close_over(&waits);
	waits.around = MAX(46, waits.count * 56 / (2 * G_PI));
	size = 2 * (waits.around + MARGIN);
	svg = g_string_new(NULL);
	g_string_append_printf(svg,
	                       "<svg class=\"waits\" role=\"img\" aria-label=\"Wait-for graph\" "
	                       "width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">",
	                       size, size, size, size);
	add_tip(svg, "wait");
	add_tip(svg, "cycle");
	for (guint i = 0; i < waits.count; i++)
		for (guint j = 0; j < waits.count; j++)
			if (waits.edge[i][j] && i != j)
				draw_edge(&waits, i, j, svg);
	for (guint i = 0; i < waits.count; i++)
		draw_rank(&waits, i, svg);
	g_string_append(svg, "</svg>\n");
	return g_string_free(svg, false);
}
