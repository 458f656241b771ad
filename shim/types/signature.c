#include "signature.h"

#include <stdlib.h>
#include <string.h>

#include "codes.h"
#include "common/mpi_codes.h"
#include "shim/mpi/abi.h"
#include "shim/mpi/real.h"
#include "type_value.h"

/* A type with more runs or deeper nesting gets the unknown signature, and so do new lists of runs
 * beyond LISTS_MAX. */
enum { RUNS_MAX = 256, LISTS_MAX = 4096, DEPTH_MAX = 32 };

/* Each different list is kept until the process ends: types come and go, different lists are
 * few. */
struct list {
	struct wire_types types;
	struct list *next;
};

static struct list *lists;
static unsigned list_count;
static const struct list unknown;

/* A signature under construction: the runs of one period. */
struct draft {
	struct wire_run runs[RUNS_MAX];
	uint32_t count;
	bool failed;
};

static const struct list *keep_types(const struct wire_types *types)
{
	size_t bytes = types->run_count * sizeof(*types->runs);
	struct list *list = lists;

	while (list
	       && (list->types.basic != types->basic || list->types.run_count != types->run_count
	           || (bytes > 0 && memcmp(list->types.runs, types->runs, bytes) != 0)))
		list = list->next;
	if (list)
		return list;
	list = list_count < LISTS_MAX ? calloc(1, sizeof(*list)) : NULL;
	if (!list)
		return &unknown;
	list->types = *types;
	if (bytes > 0) {
		list->types.runs = calloc(types->run_count, sizeof(*types->runs));
		if (!list->types.runs) {
			free(list);
			return &unknown;
		}
		memcpy(list->types.runs, types->runs, bytes);
	}
	list->next = lists;
	lists = list;
	list_count++;
	return list;
}

static void append_run(struct draft *draft, uint16_t basic, uint64_t count)
{
	struct wire_run *last = draft->count > 0 ? &draft->runs[draft->count - 1] : NULL;

	if (count == 0)
		return;
	if (type_code_size(basic) == 0) {
		draft->failed = true;
	} else if (last && last->basic == basic) {
		last->count += count;
	} else if (draft->count == RUNS_MAX) {
		draft->failed = true;
	} else {
		draft->runs[draft->count++] = (struct wire_run){.basic = basic, .count = count};
	}
}

uint64_t type_size(MPI_Datatype type)
{
	MPI_Count size = 0;

	return real_mpi()->Type_size_x(type, &size) == MPI_SUCCESS && size > 0 ? (uint64_t)size : 0;
}

static uint64_t period_of(const struct wire_types *types)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < types->run_count; i++)
		bytes += type_code_size(types->runs[i].basic) * types->runs[i].count;
	return bytes;
}

/* Appends the runs of `bytes` bytes of such a type. */
static void append_types(struct draft *draft, const struct wire_types *types, uint64_t bytes)
{
	uint64_t period = period_of(types);

	if (bytes == 0)
		return;
	if (types->run_count == 0) {
		if (type_code_size(types->basic) == 0)
			draft->failed = true;
		else
			append_run(draft, types->basic, bytes / type_code_size(types->basic));
		return;
	}
	for (uint64_t i = 0; i < bytes / period && !draft->failed; i++) {
		for (uint32_t j = 0; j < types->run_count; j++)
			append_run(draft, types->runs[j].basic, types->runs[j].count);
	}
}

static const struct list *list_of(MPI_Datatype type, int depth);

static struct wire_types types_of(MPI_Datatype type, int depth)
{
	if (abi_is_basic(type))
		return (struct wire_types){.basic = codes_of_type(type)};
	return list_of(type, depth)->types;
}

/* The types of MPI_MINLOC and MPI_MAXLOC, which are predefined but not basic. */
static void append_named(struct draft *draft, MPI_Datatype type)
{
	static const struct {
		MPI_Datatype pair, first;
	} pairs[] = {
		{MPI_FLOAT_INT, MPI_FLOAT},
		{MPI_DOUBLE_INT, MPI_DOUBLE},
		{MPI_LONG_INT, MPI_LONG},
		{MPI_SHORT_INT, MPI_SHORT},
		{MPI_LONG_DOUBLE_INT, MPI_LONG_DOUBLE},
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		if (pairs[i].pair != type)
			continue;
		append_run(draft, codes_of_type(pairs[i].first), 1);
		append_run(draft, codes_of_type(MPI_INT), 1);
		return;
	}
	draft->failed = true;
}

/* The arguments with which a type was made. Owned: see contents_release. */
struct contents {
	int integers, addresses, types, combiner;
	int *integer;
	MPI_Aint *address;
	MPI_Datatype *type;
};

/* MPI_UNDEFINED: not known. */
static int combiner_of(MPI_Datatype type)
{
	int integers, addresses, types, combiner;

	if (type == MPI_DATATYPE_NULL)
		return MPI_UNDEFINED;
	if (abi_is_basic(type))
		return MPI_COMBINER_NAMED;
	return real_mpi()->Type_get_envelope(type, &integers, &addresses, &types, &combiner)
	                       == MPI_SUCCESS
	               ? combiner
	               : MPI_UNDEFINED;
}

bool type_is_predefined(MPI_Datatype type)
{
	return combiner_of(type) == MPI_COMBINER_NAMED;
}

void type_release(MPI_Datatype *type)
{
	int combiner = combiner_of(*type);

	if (combiner != MPI_COMBINER_NAMED && combiner != MPI_UNDEFINED)
		real_mpi()->Type_free(type);
}

static void contents_release(struct contents *contents)
{
	for (int i = 0; contents->type && i < contents->types; i++)
		type_release(&contents->type[i]);
	free(contents->integer);
	free(contents->address);
	free(contents->type);
}

/* false: there is nothing to release. */
static bool contents_of(MPI_Datatype type, struct contents *contents)
{
	*contents = (struct contents){0};
	if (real_mpi()->Type_get_envelope(type, &contents->integers, &contents->addresses,
	                                  &contents->types, &contents->combiner)
	            != MPI_SUCCESS
	    || contents->combiner == MPI_COMBINER_NAMED)
		return false;
	contents->integer = calloc((size_t)contents->integers + 1, sizeof(*contents->integer));
	contents->address = calloc((size_t)contents->addresses + 1, sizeof(*contents->address));
	contents->type = calloc((size_t)contents->types + 1, sizeof(*contents->type));
	if (contents->integer && contents->address && contents->type
	    && real_mpi()->Type_get_contents(type, contents->integers, contents->addresses,
	                                     contents->types, contents->integer, contents->address,
	                                     contents->type)
	               == MPI_SUCCESS)
		return true;
	contents->types = 0;
	contents_release(contents);
	return false;
}

/* All constructors except that of structures repeat one type. */
static void append_derived(struct draft *draft, MPI_Datatype type, const struct contents *contents,
                           int depth)
{
	if (contents->combiner == MPI_COMBINER_STRUCT) {
		for (int i = 0; i < contents->types && !draft->failed; i++) {
			struct wire_types types = types_of(contents->type[i], depth);
			uint64_t count = (uint64_t)contents->integer[i + 1];

			append_types(draft, &types, count * type_size(contents->type[i]));
		}
	} else if (contents->types == 1) {
		struct wire_types types = types_of(contents->type[0], depth);

		/* One period of the old type is enough. */
		append_types(draft, &types,
		             types.run_count > 0 ? period_of(&types) : type_size(type));
	} else {
		draft->failed = true; /* MPI_Type_create_f90_real and similar types */
	}
}

static const struct list *make_list(MPI_Datatype type, int depth)
{
	struct draft *draft = calloc(1, sizeof(*draft));
	struct contents contents;
	struct wire_types types = {0};
	const struct list *list = &unknown;

	if (!draft)
		return list;
	if (contents_of(type, &contents)) {
		append_derived(draft, type, &contents, depth);
		contents_release(&contents);
	} else {
		append_named(draft, type);
	}
	if (!draft->failed && draft->count == 1)
		types.basic = draft->runs[0].basic;
	else if (!draft->failed && draft->count > 1)
		types = (struct wire_types){.run_count = draft->count, .runs = draft->runs};
	if (types.basic != 0 || types.run_count > 0)
		list = keep_types(&types);
	free(draft);
	return list;
}

static const struct list *list_of(MPI_Datatype type, int depth)
{
	static struct type_value kind;
	const struct list *list;
	void *value = NULL;
	bool found;

	if (type == MPI_DATATYPE_NULL || depth > DEPTH_MAX
	    || !type_value_get(&kind, type, &value, &found))
		return &unknown;
	if (found)
		return value;
	list = make_list(type, depth + 1);
	type_value_set(&kind, type, list);
	return list;
}

struct wire_types signature_of(MPI_Datatype type)
{
	return types_of(type, 0);
}
