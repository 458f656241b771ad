#include "world_returned.h"

#include <string.h>

#include "world_internal.h"

#define RETURNED_SHIFT 8 /* elements of a chunk, as a power of 2 */

/* Where the requests that a call asks about are in the program's array: of ranks that make such
 * calls alone, since worlds may have thousands of others. */
struct line_places {
	guint32 call;
	guint32 count;
	guint32 list[]; /* as in struct wire_call */
};

/* --- reports ---------------------------------------------------------------------------------- */

static bool ascends(const uint32_t *indices, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (indices[i] > INT32_MAX || (i > 0 && indices[i] <= indices[i - 1]))
			return false;
	return true;
}

/* Whether no indices are given, but something that stands for them. */
static bool stands_alone(const uint32_t *places, uint32_t count)
{
	return count == 1 && (places[0] == WIRE_UNDEFINED || places[0] == WIRE_TOLD_LATER);
}

const char *world_check_places(const struct wire_call *call)
{
	uint32_t waited = call->waited_count, count = call->place_count;

	if (count == 0)
		return NULL;
	if (!wire_returns_indices(call->function))
		return "indices of requests in a call that returns none";
	if (stands_alone(call->places, count))
		return call->places[0] == WIRE_UNDEFINED && waited > 0
		               ? "requests, and no active ones"
		               : NULL;
	return count >= waited && ascends(call->places, waited)
	                       && ascends(call->places + waited, count - waited)
	               ? NULL
	               : "indices of requests that cannot be";
}

static bool is_told_later(const struct line *line)
{
	const struct line_places *places = line->places;

	return places && places->count == 1 && places->list[0] == WIRE_TOLD_LATER;
}

static void append(struct rank *rank, guint32 call, guint32 index)
{
	if (!rank->returned) {
		rank->returned = g_new(struct chunks, 1);
		*rank->returned = chunks_of(sizeof(struct world_returned), RETURNED_SHIFT);
	}
	chunks_append(rank->returned, &(const struct world_returned){call, index});
}

bool world_told_indices(struct world *world, int number, const struct wire_returned *returned,
                        GError **error)
{
	struct rank *rank = &world->ranks[number];

	world_tell_heard(world, number,
	                 &(struct wire_message){.type = WIRE_RETURNED, .returned = *returned});
	for (guint i = 0; i < rank->lines->len; i++) {
		struct line *line = rank->lines->pdata[i];

		if (!is_told_later(line) || line->places->call != returned->call)
			continue;
		if (returned->count == 0 || !ascends(returned->indices, returned->count))
			break;
		line->places->count = 0;
		for (uint32_t j = 0; j < returned->count; j++)
			append(rank, returned->call, returned->indices[j]);
		return true;
	}
	return world_refuse(error, number, "indices of requests that a call cannot have returned");
}

/* --- calls ------------------------------------------------------------------------------------ */

void world_note_places(struct world *world, int number, const struct wire_call *call)
{
	struct line *line = world->ranks[number].line;

	const gsize size = call->place_count * sizeof(*call->places);

	if (!line->places && !wire_returns_indices(call->function))
		return;
	g_clear_pointer(&line->places, g_free);
	if (!wire_returns_indices(call->function))
		return;
	line->places = g_malloc(sizeof(*line->places) + size);
	line->places->call = call->call;
	line->places->count = call->place_count;
	if (size > 0)
		memcpy(line->places->list, call->places, size);
}

static gint compare_indices(gconstpointer one, gconstpointer other)
{
	guint32 a = *(const guint32 *)one, b = *(const guint32 *)other;

	return (a > b) - (a < b);
}

void world_note_indices(struct world *world, int number, guint asked, const guint32 *done,
                        guint count)
{
	struct rank *rank = &world->ranks[number];
	const struct line_places *places = rank->line->places;
	g_autoptr(GArray) indices = NULL;

	if (!places || is_told_later(rank->line))
		return;
	if (asked == 0 && places->count == 0) { /* it was refused, or is of an older recording */
		append(rank, places->call, WORLD_INDEX_UNKNOWN);
		return;
	}
	indices = g_array_new(false, false, sizeof(guint32));
	for (guint i = 0; i < count && done[i] < asked; i++) {
		guint32 index = places->count > 0 ? places->list[done[i]] : done[i];

		g_array_append_val(indices, index);
	}
	for (guint i = asked; i < places->count; i++)
		g_array_append_val(indices, places->list[i]);
	g_array_sort(indices, compare_indices);
	for (guint i = 0; i < indices->len; i++)
		append(rank, places->call, g_array_index(indices, guint32, i));
}

gsize world_returned_count(const struct world *world, int number)
{
	const struct chunks *returned = world->ranks[number].returned;

	return returned ? returned->count : 0;
}

const struct world_returned *world_returned_at(const struct world *world, int number, gsize index)
{
	return chunks_at(world->ranks[number].returned, index);
}

/* --- memory ----------------------------------------------------------------------------------- */

void world_returned_copy(struct rank *to, struct rank *from)
{
	to->returned = NULL;
	if (!from->returned)
		return;
	to->returned = g_new(struct chunks, 1);
	*to->returned = chunks_of(sizeof(struct world_returned), RETURNED_SHIFT);
	chunks_follow(to->returned, from->returned);
}

void world_returned_release(struct rank *rank)
{
	if (rank->returned)
		chunks_release(rank->returned);
	g_clear_pointer(&rank->returned, g_free);
}

void world_places_release(struct line *line)
{
	g_free(line->places);
}

void world_places_copy(struct line *line)
{
	if (line->places)
		line->places = g_memdup2(
			line->places,
			sizeof(*line->places) + line->places->count * sizeof(*line->places->list));
}
