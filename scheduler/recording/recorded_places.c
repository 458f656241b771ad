#include "recorded_places.h"

#include "common/recording_start.h"
#include "recording.h"
#include "scheduler/places/source_lines.h"

struct recorded_places {
	char *directory;
	struct source_lines *lines;
	int known; /* the rank whose mappings are known last; -1: none */
};

struct recorded_places *recorded_places_new(const char *directory)
{
	struct recorded_places *places = g_new0(struct recorded_places, 1);

	places->directory = g_strdup(directory);
	places->lines = source_lines_new();
	places->known = -1;
	return places;
}

void recorded_places_free(struct recorded_places *places)
{
	source_lines_free(places->lines);
	g_free(places->directory);
	g_free(places);
}

static void know_rank(struct recorded_places *places, int rank)
{
	g_autofree char *file = recording_file(places->directory, rank, "start"), *bytes = NULL;
	struct recording_section section;
	gsize size;

	places->known = rank;
	if (g_file_get_contents(file, &bytes, &size, NULL)
	    && recording_start_find(bytes, size, RECORDING_START_MAPS, &section))
		source_lines_know_maps(places->lines, -1 - rank, section.bytes, section.size);
}

struct place recorded_places_find(void *user, int rank, guint64 site)
{
	struct recorded_places *places = user;

	if (places->known != rank)
		know_rank(places, rank);
	return source_lines_find(places->lines, -1 - rank, site);
}
