#include <string.h>

#include "otf2_trace.h"
#include "places.h"

/* Times are steps of a logical clock. OTF2 needs the number of steps in a second. One step is
 * shown as a microsecond, so that viewers show a unit. */
#define STEPS_IN_A_SECOND 1000000

struct region {
	const char *function; /* interned */
	OTF2_RegionRole role;
	OTF2_StringRef name;
};

struct source {
	OTF2_StringRef file;
	uint32_t line;
};

struct communicator {
	OTF2_StringRef name;
	const char *group; /* as in struct record_call; NULL: each rank's own */
};

struct otf2_definitions {
	int32_t ranks;
	GPtrArray *texts;             /* char *, by number */
	GHashTable *strings;          /* text to its number */
	GArray *regions;              /* struct region */
	GHashTable *functions;        /* interned name to index + 1 */
	GArray *sources;              /* struct source */
	GHashTable *places;           /* struct place to index + 1 */
	GArray *communicators;        /* struct communicator; the first is MPI_COMM_WORLD */
	GHashTable *numbers;          /* communicator's number in the store to index + 1 */
	char *world;                  /* "0,1,2" */
	OTF2_GlobalDefWriter *writer; /* set while definitions are written; a new text is then
	                                 written at once, before the definition that refers to it */
	OTF2_ErrorCode code;          /* the first error, or OTF2_SUCCESS */
};

#define SELF "MPI_COMM_SELF"

static char *print_world(int32_t ranks)
{
	GString *text = g_string_new(NULL);

	for (int32_t rank = 0; rank < ranks; rank++)
		g_string_append_printf(text, "%s%d", rank == 0 ? "" : ",", rank);
	return g_string_free(text, false);
}

struct otf2_definitions *otf2_definitions_new(int32_t ranks)
{
	struct otf2_definitions *d = g_new0(struct otf2_definitions, 1);
	struct communicator world;

	d->ranks = ranks;
	d->code = OTF2_SUCCESS;
	d->texts = g_ptr_array_new_with_free_func(g_free);
	d->strings = g_hash_table_new(g_str_hash, g_str_equal);
	d->regions = g_array_new(false, false, sizeof(struct region));
	d->functions = g_hash_table_new(NULL, NULL);
	d->sources = g_array_new(false, false, sizeof(struct source));
	d->places = g_hash_table_new_full(place_hash, place_key_equal, g_free, NULL);
	d->communicators = g_array_new(false, false, sizeof(struct communicator));
	d->numbers = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	d->world = print_world(ranks);
	world = (struct communicator){otf2_string(d, "MPI_COMM_WORLD"), d->world};
	g_array_append_val(d->communicators, world);
	return d;
}

void otf2_definitions_free(struct otf2_definitions *d)
{
	if (!d)
		return;
	g_hash_table_unref(d->strings);
	g_ptr_array_unref(d->texts);
	g_array_unref(d->regions);
	g_hash_table_unref(d->functions);
	g_array_unref(d->sources);
	g_hash_table_unref(d->places);
	g_array_unref(d->communicators);
	g_hash_table_unref(d->numbers);
	g_free(d->world);
	g_free(d);
}

static void note(struct otf2_definitions *d, OTF2_ErrorCode code)
{
	if (d->code == OTF2_SUCCESS)
		d->code = code;
}

OTF2_StringRef otf2_string(struct otf2_definitions *d, const char *text)
{
	gpointer number;
	char *copy;

	if (g_hash_table_lookup_extended(d->strings, text, NULL, &number))
		return GPOINTER_TO_UINT(number);
	copy = g_strdup(text);
	g_hash_table_insert(d->strings, copy, GUINT_TO_POINTER(d->texts->len));
	g_ptr_array_add(d->texts, copy);
	if (d->writer)
		note(d, OTF2_GlobalDefWriter_WriteString(d->writer, d->texts->len - 1, copy));
	return d->texts->len - 1;
}

OTF2_RegionRef otf2_region(struct otf2_definitions *d, const struct record_call *call)
{
	const char *function = g_intern_string(call->function ? call->function : "a call");
	guint known = GPOINTER_TO_UINT(g_hash_table_lookup(d->functions, function));
	struct region region;

	if (known > 0)
		return known - 1;
	region = (struct region){function, otf2_role(function, call->kind),
	                         otf2_string(d, function)};
	g_array_append_val(d->regions, region);
	g_hash_table_insert(d->functions, (gpointer)function, GUINT_TO_POINTER(d->regions->len));
	return d->regions->len - 1;
}

OTF2_SourceCodeLocationRef otf2_source(struct otf2_definitions *d, const struct place *place,
                                       const char *root)
{
	guint known = GPOINTER_TO_UINT(g_hash_table_lookup(d->places, place));
	g_autofree char *file = NULL;
	struct source source;

	if (known > 0)
		return known - 1;
	file = places_file(place, root);
	if (!file || place->line == 0)
		return OTF2_UNDEFINED_SOURCE_CODE_LOCATION;
	source = (struct source){otf2_string(d, file), place->line};
	g_array_append_val(d->sources, source);
	g_hash_table_insert(d->places, g_memdup2(place, sizeof(*place)),
	                    GUINT_TO_POINTER(d->sources->len));
	return d->sources->len - 1;
}

/* Appends the members up to `|` or the end, and sets *group there. False: they are not ranks of
 * this program. */
static bool read_members(const struct otf2_definitions *d, const char **group, GArray *members)
{
	const char *at = *group;

	while (*at && *at != '|') {
		char *next;
		guint64 member = g_ascii_strtoull(at, &next, 10);

		if (next == at || *at == '-' || member >= (guint64)d->ranks
		    || (*next && *next != ',' && *next != '|'))
			return false;
		g_array_append_val(members, member);
		at = *next == ',' ? next + 1 : next;
	}
	*group = at;
	return members->len > 0;
}

static bool is_group(const struct otf2_definitions *d, const char *group)
{
	g_autoptr(GArray) one = g_array_new(false, false, sizeof(uint64_t));
	g_autoptr(GArray) other = g_array_new(false, false, sizeof(uint64_t));

	if (!read_members(d, &group, one))
		return false;
	if (*group == 0)
		return true;
	group++;
	return read_members(d, &group, other) && *group == 0;
}

/* A communicator with unknown members is treated as one of all ranks. */
static const char *group_of(const struct otf2_definitions *d, const struct record_call *call)
{
	if (call->communicator_group && is_group(d, call->communicator_group))
		return call->communicator_group;
	return g_strcmp0(call->communicator_name, SELF) == 0 ? NULL : d->world;
}

OTF2_CommRef otf2_communicator(struct otf2_definitions *d, const struct record_call *call)
{
	guint known = GPOINTER_TO_UINT(g_hash_table_lookup(d->numbers, &call->communicator));
	const char *name = call->communicator_name ? call->communicator_name : "a communicator";
	struct communicator communicator;

	if (known > 0)
		return known - 1;
	communicator = (struct communicator){otf2_string(d, name), group_of(d, call)};
	if (g_str_equal(name, "MPI_COMM_WORLD"))
		known = 1;
	else
		g_array_append_val(d->communicators, communicator);
	known = known ? known : d->communicators->len;
	g_hash_table_insert(d->numbers, g_memdup2(&call->communicator, sizeof(call->communicator)),
	                    GUINT_TO_POINTER(known));
	return known - 1;
}

uint32_t otf2_rank_in(const struct otf2_definitions *d, const struct record_call *call,
                      int32_t peer)
{
	const char *group = group_of(d, call);
	int32_t rank = group ? timeline_rank_in(group, call->rank, peer) : 0;

	return rank < 0 ? OTF2_UNDEFINED_UINT32 : (uint32_t)rank;
}

/* --- writing --- */

struct writing {
	struct otf2_definitions *definitions;
	OTF2_GlobalDefWriter *writer;
	OTF2_GroupRef groups, self; /* number of groups so far; the group of MPI_COMM_SELF, of
	                               which there may be only one */
};

static void write_attributes(struct writing *writing)
{
	static const struct {
		const char *name, *explanation;
		OTF2_Type type;
	} attributes[OTF2_ATTRIBUTES] = {
		[OTF2_ATTRIBUTE_CALL] = {"call", "number of the call in its rank, as in a path",
	                                 OTF2_TYPE_UINT32},
		[OTF2_ATTRIBUTE_SOURCE] = {"source", "where the program makes the call",
	                                   OTF2_TYPE_SOURCE_CODE_LOCATION},
		[OTF2_ATTRIBUTE_CHOICE] = {"choice", "what was chosen here, and the alternatives",
	                                   OTF2_TYPE_STRING},
		[OTF2_ATTRIBUTE_WAITS] = {"waits", "why the call did not return", OTF2_TYPE_STRING},
		[OTF2_ATTRIBUTE_PATH] = {"path", "matchpoint's name for the interleaving",
	                                 OTF2_TYPE_STRING},
		[OTF2_ATTRIBUTE_INDICES] = {"indices", "of the requests returned, from 0",
	                                    OTF2_TYPE_STRING},
	};
	struct otf2_definitions *d = writing->definitions;

	for (OTF2_AttributeRef i = 0; i < OTF2_ATTRIBUTES; i++)
		note(d, OTF2_GlobalDefWriter_WriteAttribute(
				writing->writer, i, otf2_string(d, attributes[i].name),
				otf2_string(d, attributes[i].explanation), attributes[i].type));
}

static void write_machine(struct writing *writing, const char *machine)
{
	struct otf2_definitions *d = writing->definitions;
	OTF2_StringRef name = otf2_string(d, machine);

	note(d, OTF2_GlobalDefWriter_WriteSystemTreeNode(writing->writer, 0, name,
	                                                 otf2_string(d, "machine"),
	                                                 OTF2_UNDEFINED_SYSTEM_TREE_NODE));
	note(d, OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(writing->writer, 0,
	                                                       OTF2_SYSTEM_TREE_DOMAIN_MACHINE));
	note(d, OTF2_GlobalDefWriter_WriteSystemTreeNode(writing->writer, 1, name,
	                                                 otf2_string(d, "node"), 0));
	note(d, OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
			writing->writer, 1, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
}

static void write_location(struct writing *writing, uint32_t number,
                           const struct otf2_location *location, uint64_t events)
{
	struct otf2_definitions *d = writing->definitions;
	g_autofree char *thread = location->thread > 0
	                                  ? g_strdup_printf("thread %u", location->thread)
	                                  : g_strdup("main thread");

	note(d, OTF2_GlobalDefWriter_WriteLocation(writing->writer, number, otf2_string(d, thread),
	                                           OTF2_LOCATION_TYPE_CPU_THREAD, events,
	                                           (OTF2_LocationGroupRef)location->rank));
}

/* For each rank a process with its threads. The process and its main thread have the rank's number:
 * messages and collectives name the main thread, whichever thread takes part. */
static void write_locations(struct writing *writing, const GArray *locations,
                            const uint64_t *events)
{
	struct otf2_definitions *d = writing->definitions;
	g_autofree uint64_t *members = g_new(uint64_t, d->ranks);

	for (uint32_t rank = 0; rank < (uint32_t)d->ranks; rank++) {
		g_autofree char *name = g_strdup_printf("rank %s", rank_name(rank));

		members[rank] = rank;
		note(d, OTF2_GlobalDefWriter_WriteLocationGroup(writing->writer, rank,
		                                                otf2_string(d, name),
		                                                OTF2_LOCATION_GROUP_TYPE_PROCESS, 1,
		                                                OTF2_UNDEFINED_LOCATION_GROUP));
	}
	for (guint i = 0; i < locations->len; i++)
		write_location(writing, i, &g_array_index(locations, struct otf2_location, i),
		               events[i]);
	note(d, OTF2_GlobalDefWriter_WriteGroup(writing->writer, writing->groups++,
	                                        otf2_string(d, "ranks"),
	                                        OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
	                                        OTF2_GROUP_FLAG_NONE, (uint32_t)d->ranks, members));
}

static void write_regions(struct writing *writing)
{
	struct otf2_definitions *d = writing->definitions;

	for (guint i = 0; i < d->regions->len; i++) {
		const struct region *region = &g_array_index(d->regions, struct region, i);

		note(d, OTF2_GlobalDefWriter_WriteRegion(
				writing->writer, i, region->name, region->name,
				OTF2_UNDEFINED_STRING, region->role, OTF2_PARADIGM_MPI,
				OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING, 0, 0));
	}
	for (guint i = 0; i < d->sources->len; i++) {
		const struct source *source = &g_array_index(d->sources, struct source, i);

		note(d, OTF2_GlobalDefWriter_WriteSourceCodeLocation(writing->writer, i,
		                                                     source->file, source->line));
	}
}

/* Writes the members up to `|` or the end, and sets *group there. */
static OTF2_GroupRef write_group(struct writing *writing, const char **group, OTF2_StringRef name)
{
	struct otf2_definitions *d = writing->definitions;
	g_autoptr(GArray) members = g_array_new(false, false, sizeof(uint64_t));

	read_members(d, group, members);
	note(d, OTF2_GlobalDefWriter_WriteGroup(writing->writer, writing->groups, name,
	                                        OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
	                                        OTF2_GROUP_FLAG_NONE, members->len,
	                                        (const uint64_t *)(void *)members->data));
	return writing->groups++;
}

static void write_communicator(struct writing *writing, OTF2_CommRef number,
                               const struct communicator *communicator)
{
	struct otf2_definitions *d = writing->definitions;
	const char *group = communicator->group;
	OTF2_GroupRef first = writing->self;

	if (!group && first == OTF2_UNDEFINED_GROUP) {
		first = writing->self = writing->groups++;
		note(d,
		     OTF2_GlobalDefWriter_WriteGroup(writing->writer, first, communicator->name,
		                                     OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI,
		                                     OTF2_GROUP_FLAG_NONE, 0, NULL));
	} else if (group) {
		first = write_group(writing, &group, communicator->name);
	}
	if (group && *group == '|') {
		OTF2_GroupRef second;

		group++;
		second = write_group(writing, &group, communicator->name);
		note(d, OTF2_GlobalDefWriter_WriteInterComm(writing->writer, number,
		                                            communicator->name, first, second, 0,
		                                            OTF2_COMM_FLAG_NONE));
	} else {
		note(d, OTF2_GlobalDefWriter_WriteComm(writing->writer, number, communicator->name,
		                                       first, OTF2_UNDEFINED_COMM,
		                                       OTF2_COMM_FLAG_NONE));
	}
}

OTF2_ErrorCode otf2_definitions_write(struct otf2_definitions *d, OTF2_GlobalDefWriter *writer,
                                      const char *machine, const GArray *locations,
                                      const uint64_t *events, uint64_t length)
{
	struct writing writing = {.definitions = d, .writer = writer, .self = OTF2_UNDEFINED_GROUP};

	for (guint i = 0; i < d->texts->len; i++)
		note(d,
		     OTF2_GlobalDefWriter_WriteString(writer, i, g_ptr_array_index(d->texts, i)));
	d->writer = writer;
	note(d, OTF2_GlobalDefWriter_WriteClockProperties(writer, STEPS_IN_A_SECOND, 0, length,
	                                                  OTF2_UNDEFINED_TIMESTAMP));
	note(d, OTF2_GlobalDefWriter_WriteParadigm(writer, OTF2_PARADIGM_MPI, otf2_string(d, "MPI"),
	                                           OTF2_PARADIGM_CLASS_PROCESS));
	write_machine(&writing, machine);
	write_attributes(&writing);
	write_locations(&writing, locations, events);
	write_regions(&writing);
	for (guint i = 0; i < d->communicators->len; i++)
		write_communicator(&writing, i,
		                   &g_array_index(d->communicators, struct communicator, i));
	return d->code;
}
