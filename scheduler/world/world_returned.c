#include "world_returned.h"

#include <string.h>

#include "world_internal.h"

#define RETURNED_SHIFT 8 /* elements of a chunk, as a power of 2 */

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
	return line->place_count == 1 && line->places[0] == WIRE_TOLD_LATER;
}

static void append(struct rank *rank, guint32 call, guint32 index)
{
	chunks_append(&rank->returned, &(const struct world_returned){call, index});
}

bool world_told_indices(struct world *world, int number, const struct wire_returned *returned,
                        GError **error)
{
	struct rank *rank = &world->ranks[number];

	world_tell_heard(world, number,
	                 &(struct wire_message){.type = WIRE_RETURNED, .returned = *returned});
	for (guint i = 0; i < rank->lines->len; i++) {
		struct line *line = rank->lines->pdata[i];

		if (line->indexed != returned->call || !is_told_later(line))
			continue;
		if (returned->count == 0 || !ascends(returned->indices, returned->count))
			break;
		line->place_count = 0;
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

	line->indexed = 0;
	if (!wire_returns_indices(call->function))
		return;
	line->indexed = call->call;
	line->place_count = call->place_count;
	if (call->place_count > 0) {
		line->places = g_renew(guint32, line->places, call->place_count);
		memcpy(line->places, call->places, call->place_count * sizeof(*line->places));
	}
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
	const struct line *line = rank->line;
	guint places = line->place_count;
	g_autoptr(GArray) indices = NULL;

	if (line->indexed == 0 || is_told_later(line))
		return;
	if (asked == 0 && places == 0) { /* the call was refused, or is of an older recording */
		append(rank, line->indexed, WORLD_INDEX_UNKNOWN);
		return;
	}
	indices = g_array_new(false, false, sizeof(guint32));
	for (guint i = 0; i < count && done[i] < asked; i++) {
		guint32 index = places > 0 ? line->places[done[i]] : done[i];

		g_array_append_val(indices, index);
	}
	for (guint i = asked; i < places; i++)
		g_array_append_val(indices, line->places[i]);
	g_array_sort(indices, compare_indices);
	for (guint i = 0; i < indices->len; i++)
		append(rank, line->indexed, g_array_index(indices, guint32, i));
}

gsize world_returned_count(const struct world *world, int number)
{
	return world->ranks[number].returned.count;
}

const struct world_returned *world_returned_at(const struct world *world, int number, gsize index)
{
	return chunks_at(&world->ranks[number].returned, index);
}

/* --- memory ----------------------------------------------------------------------------------- */

struct chunks world_returned_new(void)
{
	return chunks_of(sizeof(struct world_returned), RETURNED_SHIFT);
}

void world_places_release(struct line *line)
{
	g_free(line->places);
}

void world_places_copy(struct line *line)
{
	line->places = g_memdup2(line->places, line->place_count * sizeof(*line->places));
}
