#include "recorded_comms.h"

#include "common/wire.h"
#include "mpi_calls.h"

struct recorded_comms {
	GPtrArray *all;       /* struct recorded_comm */
	GHashTable *by_key;   /* text to struct recorded_comm */
	GHashTable **handles; /* by rank: handle to struct recorded_comm */
	GHashTable **counts;  /* by rank: text to how often it was used */
	int ranks;
};

static void free_comm(void *data)
{
	struct recorded_comm *comm = data;

	for (int i = 0; i < 2; i++)
		if (comm->members[i])
			g_array_unref(comm->members[i]);
	g_free(comm);
}

/* --- members ---------------------------------------------------------------------------------- */

static gint32 member_at(const GArray *members, guint at)
{
	return g_array_index(members, gint32, at);
}

static bool is_in(const GArray *members, int rank)
{
	for (guint i = 0; members && i < members->len; i++)
		if (member_at(members, i) == rank)
			return true;
	return false;
}

static void append_members(GString *text, const GArray *members)
{
	for (guint i = 0; i < members->len; i++)
		g_string_append_printf(text, "%s%d", i > 0 ? "," : "", member_at(members, i));
}

/* Both groups see their own one first. Returns the same text for each of them. */
static char *print_members(GArray *const members[2])
{
	const bool swaps = members[1] && members[0]->len > 0 && members[1]->len > 0
	                   && member_at(members[1], 0) < member_at(members[0], 0);
	GString *text = g_string_new(NULL);

	append_members(text, members[swaps]);
	if (members[1]) {
		g_string_append_c(text, '|');
		append_members(text, members[!swaps]);
	}
	return g_string_free(text, false);
}

bool recorded_comm_has(const struct recorded_comm *comm, int rank)
{
	return is_in(comm->members[0], rank) || is_in(comm->members[1], rank);
}

int recorded_comm_to_world(const struct recorded_comm *comm, int rank, int peer)
{
	const GArray *group = comm->members[comm->members[1] && is_in(comm->members[0], rank)];

	return peer >= 0 && (guint)peer < group->len ? member_at(group, (guint)peer) : -1;
}

/* --- communicators ---------------------------------------------------------------------------- */

static struct recorded_comm *add_comm(struct recorded_comms *comms, GArray *first, GArray *second,
                                      const char *name)
{
	struct recorded_comm *comm = g_new0(struct recorded_comm, 1);

	g_ptr_array_add(comms->all, comm);
	comm->number = comms->all->len;
	comm->members[0] = g_array_ref(first);
	comm->members[1] = second ? g_array_ref(second) : NULL;
	comm->name = g_intern_string(name);
	return comm;
}

static void set_group(struct recorded_comm *comm)
{
	g_autofree char *group = print_members(comm->members);

	comm->group = g_intern_string(group);
}

static void add_self(struct recorded_comms *comms, gint32 rank)
{
	GArray *own = g_array_new(false, false, sizeof(gint32));
	struct recorded_comm *comm;

	g_array_append_val(own, rank);
	comm = add_comm(comms, own, NULL, "MPI_COMM_SELF");
	g_hash_table_insert(comms->handles[rank], GUINT_TO_POINTER(WIRE_COMM_SELF), comm);
	g_array_unref(own);
}

struct recorded_comms *recorded_comms_new(int ranks)
{
	struct recorded_comms *comms = g_new0(struct recorded_comms, 1);
	GArray *all = g_array_new(false, false, sizeof(gint32));
	struct recorded_comm *world;

	comms->all = g_ptr_array_new_with_free_func(free_comm);
	comms->by_key = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	comms->handles = g_new0(GHashTable *, ranks);
	comms->counts = g_new0(GHashTable *, ranks);
	comms->ranks = ranks;
	for (gint32 rank = 0; rank < ranks; rank++)
		g_array_append_val(all, rank);
	world = add_comm(comms, all, NULL, "MPI_COMM_WORLD");
	set_group(world);
	for (gint32 rank = 0; rank < ranks; rank++) {
		comms->handles[rank] = g_hash_table_new(NULL, NULL);
		comms->counts[rank] = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
		g_hash_table_insert(comms->handles[rank], GUINT_TO_POINTER(WIRE_COMM_WORLD), world);
		add_self(comms, rank);
	}
	g_array_unref(all);
	return comms;
}

void recorded_comms_free(struct recorded_comms *comms)
{
	if (!comms)
		return;
	for (int rank = 0; rank < comms->ranks; rank++) {
		g_hash_table_unref(comms->handles[rank]);
		g_hash_table_unref(comms->counts[rank]);
	}
	g_free(comms->handles);
	g_free(comms->counts);
	g_hash_table_unref(comms->by_key);
	g_ptr_array_unref(comms->all);
	g_free(comms);
}

const struct recorded_comm *recorded_comms_world(const struct recorded_comms *comms)
{
	return comms->all->pdata[0];
}

const struct recorded_comm *recorded_comms_at(const struct recorded_comms *comms, guint64 number)
{
	return number > 0 && number <= comms->all->len ? comms->all->pdata[number - 1] : NULL;
}

const struct recorded_comm *recorded_comms_find(const struct recorded_comms *comms, int rank,
                                                guint32 handle)
{
	return g_hash_table_lookup(comms->handles[rank], GUINT_TO_POINTER(handle));
}

/* --- those that are made ---------------------------------------------------------------------- */

/* How often the rank has come here before, plus 1. */
static guint count_of(const struct recorded_comms *comms, int rank, const char *text)
{
	GHashTable *counts = comms->counts[rank];
	const guint count = GPOINTER_TO_UINT(g_hash_table_lookup(counts, text)) + 1;

	g_hash_table_replace(counts, g_strdup(text), GUINT_TO_POINTER(count));
	return count;
}

/* A text that is the same for all members, and only for this communicator. Collective calls on a
 * communicator come in the same order at all its members (MPI 3.1, section 5.12). Two calls are no
 * collectives of one communicator: MPI_Comm_create_group is called by the new members alone, and
 * MPI_Intercomm_create by two groups; their tags and members tell them apart. */
static char *key_of(const struct recorded_comms *comms, int rank, guint32 function,
                    const struct recorded_comm *parent, const struct recorded_details *details,
                    GArray *const members[2])
{
	g_autofree char *group = members[0] ? print_members(members) : g_strdup(""), *kind = NULL;
	const gint32 tag = details->values[RECORDED_TAG];

	if (function == MPI_CALL_Comm_create_group)
		kind = g_strdup_printf("group %" G_GUINT64_FORMAT " %d %s", parent->number, tag,
		                       group);
	else if (function == MPI_CALL_Intercomm_create)
		kind = g_strdup_printf("inter %d %s", tag, group);
	else
		kind = g_strdup_printf("%" G_GUINT64_FORMAT, parent->number);
	return g_strdup_printf("%s, %u: %s", kind, count_of(comms, rank, kind), group);
}

/* "communicator 1: MPI_Comm_split at a.c:12". */
static char *name_of(guint64 number, guint32 function, const char *place)
{
	return g_strdup_printf("communicator %" G_GUINT64_FORMAT ": %s%s%s", number,
	                       mpi_call_name(function), place ? " at " : "", place ? place : "");
}

bool recorded_comms_is_making(guint32 function)
{
	return mpi_call_counts(function) && mpi_call_makes(function) == MPI_CALL_MAKES_COMMUNICATOR;
}

const struct recorded_comm *recorded_comms_make(struct recorded_comms *comms, int rank,
                                                guint32 function,
                                                const struct recorded_details *details,
                                                const char *place)
{
	const struct recorded_comm *parent = recorded_comms_find(
		comms, rank, (guint32)details->values[RECORDED_COMM]);
	const guint32 handle = (guint32)details->values[RECORDED_MADE_COMM];
	const bool is_later = function == MPI_CALL_Comm_idup
	                      || function == MPI_CALL_Comm_idup_with_info;
	GArray *const *members = is_later && parent ? parent->members : details->members;
	g_autofree char *key = NULL, *name = NULL;
	struct recorded_comm *comm;

	if (!recorded_comms_is_making(function) || !parent)
		return NULL;
	key = key_of(comms, rank, function, parent, details, members);
	if (!(details->has & 1u << RECORDED_MADE_COMM) || !members[0]
	    || (!is_later && !details->makes))
		return NULL;
	comm = g_hash_table_lookup(comms->by_key, key);
	if (!comm) {
		name = name_of(comms->all->len - (guint)comms->ranks, function, place);
		comm = add_comm(comms, members[0], members[1], name);
		set_group(comm);
		g_hash_table_insert(comms->by_key, g_steal_pointer(&key), comm);
	}
	g_hash_table_insert(comms->handles[rank], GUINT_TO_POINTER(handle), comm);
	return comm;
}
