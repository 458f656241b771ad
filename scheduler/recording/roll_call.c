#include "roll_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/recording.h"
#include "common/recording_start.h"
#include "recording.h"

static void free_entry(void *data)
{
	struct roll_call_entry *entry = data;

	g_free(entry->where);
	g_free(entry->damage);
	g_free(entry->reason);
	g_free(entry);
}

/* The file may be damaged: '?' replaces whatever cannot be printed. */
static char *reason_of(const struct recording_place *place)
{
	char *reason = g_strndup(place->reason, sizeof(place->reason));

	for (char *at = reason; *at; at++)
		if (!g_ascii_isprint(*at))
			*at = '?';
	return reason;
}

/* The module in whose mappings an address lies, and the place in its file. */
static char *find_place(const char *maps, gsize size, guint64 address)
{
	g_autofree char *text = g_strndup(maps, size);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (int i = 0; lines[i]; i++) {
		guint64 begin, end, offset;
		int path = 0;

		if (sscanf(lines[i],
		           "%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x %*s %" G_GINT64_MODIFIER
		           "x %*s %*s %n",
		           &begin, &end, &offset, &path)
		            < 3
		    || address < begin || address >= end || path == 0)
			continue;
		g_autofree char *name = g_path_get_basename(lines[i] + path);
		return g_strdup_printf("%s+0x%" G_GINT64_MODIFIER "x", name,
		                       address - begin + offset);
	}
	return NULL;
}

static char *place_of(const char *directory, int rank, guint64 address)
{
	g_autofree char *file = recording_file(directory, rank, "start"), *bytes = NULL;
	struct recording_section section;
	gsize size;

	if (address == 0 || !g_file_get_contents(file, &bytes, &size, NULL)
	    || !recording_start_find(bytes, size, RECORDING_START_MAPS, &section))
		return NULL;
	return find_place(section.bytes, section.size, address);
}

static void check_log(struct roll_call_entry *entry, const char *log, gsize log_size,
                      const char *tail, gsize tail_size)
{
	struct recording_reader reader;

	recording_begin(&reader, log, log_size, tail, tail_size);
	while (recording_next(&reader))
		continue;
	if (reader.state == RECORDING_DAMAGED)
		entry->damage = g_strdup_printf("its log is damaged behind call %" G_GUINT64_FORMAT,
		                                reader.first_call);
	else if (entry->has_ended && tail_size > 0
	         && reader.sequence
	                    != ((const struct recording_tail *)(const void *)tail)->block.sequence)
		entry->damage = g_strdup("a part of its log is missing");
}

static struct roll_call_entry *make_entry(const char *directory, int rank)
{
	g_autofree char *log_file = recording_file(directory, rank, "log"),
			*tail_file = recording_file(directory, rank, "tail"), *tail = NULL;
	g_autoptr(GMappedFile) log = g_mapped_file_new(log_file, false, NULL);
	struct roll_call_entry *entry = g_new0(struct roll_call_entry, 1);
	const struct recording_place *place;
	gsize tail_size = 0;

	entry->rank = rank;
	if (!g_file_get_contents(tail_file, &tail, &tail_size, NULL))
		tail_size = 0;
	place = recording_place_of(tail, tail_size);
	entry->is_missing = !log || !place;
	if (entry->is_missing)
		return entry;
	entry->has_ended = place->ended;
	entry->is_inside = place->inside;
	entry->call = place->call;
	entry->function = place->function;
	entry->peer = place->peer;
	entry->tag = place->tag;
	entry->error = place->error;
	entry->last_call = place->last_call;
	entry->refused = place->refused;
	if (place->refused)
		entry->reason = reason_of(place);
	entry->where = place_of(directory, rank, place->site);
	check_log(entry, g_mapped_file_get_contents(log), g_mapped_file_get_length(log), tail,
	          tail_size);
	return entry;
}

GPtrArray *roll_call(const char *directory, GError **error)
{
	const int ranks = recording_ranks(directory, error);
	GPtrArray *all;

	if (ranks == 0)
		return NULL;
	all = g_ptr_array_new_with_free_func(free_entry);
	for (int rank = 0; rank < ranks; rank++)
		g_ptr_array_add(all, make_entry(directory, rank));
	return all;
}
