#include "communicators.h"

#include "explorer/rank_name.h"

#include <string.h>

enum { LONGEST_NAME = 255 }; /* bytes; MPI_MAX_OBJECT_NAME is smaller */

struct communicator {
	guint64 number;
	int *members; /* the first group's world ranks, then the second's */
	int first_count, second_count;
	guint32 window; /* as announced by its lowest rank; else 0 */
	guint32 *units; /* of a window: by member; 0: not known */
	char *origin;
	guint ordinal;
	const char *group; /* its members as text, interned; NULL: not made yet */
};

struct communicators {
	int ranks;
	int *self; /* self[r] == r: the only member of rank r's MPI_COMM_SELF */
	GHashTable *table;
};

G_DEFINE_QUARK(matchpoint_communicators_error, communicators_error)

static void communicator_free(gpointer pointer)
{
	struct communicator *communicator = pointer;

	g_free(communicator->members);
	g_free(communicator->units);
	g_free(communicator->origin);
	g_free(communicator);
}

static void add_first_ranks(struct communicators *communicators, guint64 number, int ranks,
                            guint ordinal, const char *origin)
{
	struct communicator *communicator = g_new0(struct communicator, 1);

	communicator->number = number;
	communicator->ordinal = ordinal;
	communicator->members = g_memdup2(communicators->self, sizeof(int) * (gsize)ranks);
	communicator->first_count = ranks;
	communicator->origin = g_strdup(origin);
	g_hash_table_insert(communicators->table, &communicator->number, communicator);
}

struct communicators *communicators_new(int ranks)
{
	struct communicators *communicators = g_new0(struct communicators, 1);

	communicators->ranks = ranks;
	communicators->self = g_new(int, ranks);
	for (int rank = 0; rank < ranks; rank++)
		communicators->self[rank] = rank;
	communicators->table = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL,
	                                             communicator_free);
	add_first_ranks(communicators, WIRE_COMM_WORLD, ranks, 1, "MPI_COMM_WORLD");
	return communicators;
}

void communicators_divide(struct communicators *communicators, int first_ranks)
{
	g_hash_table_remove_all(communicators->table);
	add_first_ranks(communicators, WIRE_COMM_WORLD, first_ranks, 1, "MPI_COMM_WORLD");
	add_first_ranks(communicators, WIRE_COMM_JOB, communicators->ranks, 0, "the job");
}

void communicators_free(struct communicators *communicators)
{
	if (!communicators)
		return;
	g_hash_table_destroy(communicators->table);
	g_free(communicators->self);
	g_free(communicators);
}

/* The lowest rank of its first group. */
static int lowest_rank(const struct communicator *communicator)
{
	int rank = communicator->members[0];

	for (int i = 1; i < communicator->first_count; i++)
		rank = MIN(rank, communicator->members[i]);
	return rank;
}

static const struct communicator *find_communicator(const struct communicators *communicators,
                                                    guint64 comm)
{
	return g_hash_table_lookup(communicators->table, &comm);
}

/* Whether each rank exists and occurs only here; marks it in `seen` (by rank). */
static bool ranks_valid(const struct communicators *communicators, const int32_t *ranks,
                        guint count, bool *seen)
{
	for (guint i = 0; i < count; i++) {
		if (ranks[i] < 0 || ranks[i] >= communicators->ranks || seen[ranks[i]])
			return false;
		seen[ranks[i]] = true;
	}
	return true;
}

static bool groups_valid(const struct communicators *communicators, const struct wire_comm *comm)
{
	g_autofree bool *seen = g_new0(bool, communicators->ranks);

	return ranks_valid(communicators, comm->local, comm->local_count, seen)
	       && ranks_valid(communicators, comm->remote, comm->remote_count, seen);
}

/* A window is identified by its number and its lowest rank, which announces the number. */
static bool window_valid(const struct communicators *communicators, int rank,
                         const struct wire_comm *comm)
{
	GHashTableIter iter;
	gpointer value;

	if (comm->window == 0)
		return true;
	if (comm->window > G_MAXINT32 || comm->remote_count > 0)
		return false;
	for (guint i = 0; i < comm->local_count; i++) {
		if (comm->local[i] < rank)
			return false;
	}
	g_hash_table_iter_init(&iter, communicators->table);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct communicator *other = value;

		if (other->number == comm->comm
		            ? other->window != 0 && other->window != comm->window
		            : other->window == comm->window && lowest_rank(other) == rank)
			return false;
	}
	return true;
}

/* Validates a communicator as one rank announces it, whatever others announce. Returns what is
 * wrong; NULL: nothing. */
static const char *validate_communicator(const struct communicators *communicators, int rank,
                                         const struct wire_comm *comm)
{
	if (comm->comm == WIRE_COMM_SELF)
		return "its own MPI_COMM_SELF as a communicator";
	if (comm->local_count == 0 || !groups_valid(communicators, comm))
		return "a communicator with ranks that do not exist or occur twice";
	if (comm->my_rank < 0 || (guint32)comm->my_rank >= comm->local_count
	    || comm->local[comm->my_rank] != rank)
		return "a communicator in which it has another rank";
	if (!window_valid(communicators, rank, comm))
		return "a window with a wrong number";
	return NULL;
}

static bool same_groups(const struct communicator *known, const struct wire_comm *comm)
{
	size_t local = comm->local_count * sizeof(int), remote = comm->remote_count * sizeof(int);
	const int *second = known->members + known->first_count;

	if (known->first_count == (int)comm->local_count
	    && known->second_count == (int)comm->remote_count
	    && memcmp(known->members, comm->local, local) == 0
	    && (remote == 0 || memcmp(second, comm->remote, remote) == 0))
		return true;
	return comm->remote_count > 0 && known->first_count == (int)comm->remote_count
	       && known->second_count == (int)comm->local_count
	       && memcmp(known->members, comm->remote, remote) == 0
	       && memcmp(second, comm->local, local) == 0;
}

/* Of two groups, that of the lower rank is the first one, whichever side announces it. */
static void set_groups(struct communicator *communicator, const struct wire_comm *comm)
{
	const bool swapped = comm->remote_count > 0 && comm->remote[0] < comm->local[0];
	const int *first = swapped ? comm->remote : comm->local;
	const int *second = swapped ? comm->local : comm->remote;

	communicator->first_count = (int)(swapped ? comm->remote_count : comm->local_count);
	communicator->second_count = (int)(swapped ? comm->local_count : comm->remote_count);
	communicator->members = g_new(int, comm->local_count + comm->remote_count);
	memcpy(communicator->members, first, (gsize)communicator->first_count * sizeof(int));
	if (comm->remote_count > 0)
		memcpy(communicator->members + communicator->first_count, second,
		       (gsize)communicator->second_count * sizeof(int));
}

static void note_unit(struct communicator *window, const struct wire_comm *comm)
{
	if (comm->unit == 0)
		return;
	if (!window->units)
		window->units = g_new0(guint32, window->first_count);
	if (comm->my_rank >= 0 && comm->my_rank < window->first_count)
		window->units[comm->my_rank] = comm->unit;
}

bool communicators_add(struct communicators *communicators, int rank, const struct wire_comm *comm,
                       GError **error)
{
	struct communicator *known = g_hash_table_lookup(communicators->table, &comm->comm);
	struct communicator *communicator;
	const char *wrong = validate_communicator(communicators, rank, comm);

	if (wrong) {
		g_set_error(error, COMMUNICATORS_ERROR, 0,
		            "rank %s made an impossible report: it announced %s", rank_name(rank),
		            wrong);
		return false;
	}
	if (known && same_groups(known, comm)) {
		known->window = MAX(known->window, comm->window);
		note_unit(known, comm);
		return true;
	}
	if (known) {
		g_set_error(error, COMMUNICATORS_ERROR, 0,
		            "rank %s made an impossible report: it announced other members for a "
		            "communicator (%s) than another rank",
		            rank_name(rank), known->origin);
		return false;
	}
	communicator = g_new0(struct communicator, 1);
	communicator->number = comm->comm;
	communicator->window = comm->window;
	set_groups(communicator, comm);
	communicator->origin = g_strdup(comm->name && *comm->name ? comm->name : "a communicator");
	communicator->ordinal = g_hash_table_size(communicators->table) + 1;
	g_hash_table_insert(communicators->table, &communicator->number, communicator);
	note_unit(communicator, comm);
	return true;
}

bool communicators_known(const struct communicators *communicators, guint64 comm)
{
	return comm == WIRE_COMM_SELF || find_communicator(communicators, comm) != NULL;
}

static int index_of(const int *members, int count, int rank)
{
	for (int i = 0; i < count; i++) {
		if (members[i] == rank)
			return i;
	}
	return -1;
}

/* The group whose ranks `rank` names as peers. */
static const int *peer_group(const struct communicators *communicators, guint64 comm, int rank,
                             int *ret_count)
{
	const struct communicator *communicator;

	if (comm == WIRE_COMM_SELF) {
		*ret_count = 1;
		return &communicators->self[rank];
	}
	communicator = find_communicator(communicators, comm);
	*ret_count = 0;
	if (!communicator)
		return NULL;
	if (communicator->second_count > 0
	    && index_of(communicator->members, communicator->first_count, rank) >= 0) {
		*ret_count = communicator->second_count;
		return communicator->members + communicator->first_count;
	}
	*ret_count = communicator->first_count;
	return communicator->members;
}

int communicators_to_world(const struct communicators *communicators, guint64 comm, int rank,
                           int peer)
{
	int count;
	const int *group = peer_group(communicators, comm, rank, &count);

	return group && peer >= 0 && peer < count ? group[peer] : -1;
}

int communicators_from_world(const struct communicators *communicators, guint64 comm, int rank,
                             int peer)
{
	int count;
	const int *group = peer_group(communicators, comm, rank, &count);

	if (group && comm == WIRE_COMM_WORLD)
		return peer >= 0 && peer < count ? peer : -1;
	return group ? index_of(group, count, peer) : -1;
}

const int *communicators_members(const struct communicators *communicators, guint64 comm, int rank,
                                 int *ret_count)
{
	const struct communicator *communicator;

	if (comm == WIRE_COMM_SELF) {
		*ret_count = 1;
		return &communicators->self[rank];
	}
	communicator = find_communicator(communicators, comm);
	*ret_count = communicator ? communicator->first_count + communicator->second_count : 0;
	return communicator ? communicator->members : NULL;
}

bool communicators_is_member(const struct communicators *communicators, guint64 comm, int rank)
{
	const struct communicator *communicator = find_communicator(communicators, comm);

	if (comm == WIRE_COMM_SELF || comm == WIRE_COMM_WORLD)
		return true;
	return communicator
	       && index_of(communicator->members,
	                   communicator->first_count + communicator->second_count, rank)
	                  >= 0;
}

guint communicators_peers(const struct communicators *communicators, guint64 comm, int rank)
{
	int count;

	peer_group(communicators, comm, rank, &count);
	return (guint)count;
}

int communicators_first_group(const struct communicators *communicators, guint64 comm)
{
	const struct communicator *communicator = find_communicator(communicators, comm);

	return communicator && communicator->second_count > 0 ? communicator->first_count : 0;
}

bool communicators_window(const struct communicators *communicators, guint64 comm,
                          struct lock_place *ret_place)
{
	const struct communicator *communicator = find_communicator(communicators, comm);

	if (!communicator || communicator->window == 0 || communicator->window > G_MAXINT32)
		return false;
	ret_place->window = (int32_t)communicator->window;
	ret_place->first = lowest_rank(communicator);
	return true;
}

guint32 communicators_unit(const struct communicators *communicators, guint64 comm, int member)
{
	const struct communicator *window = find_communicator(communicators, comm);

	return window && window->units && member >= 0 && member < window->first_count
	               ? window->units[member]
	               : 0;
}

/* --- names ------------------------------------------------------------------------------------ */

bool communicators_may_name(const struct communicators *communicators, int rank,
                            const struct wire_named *named, GError **error)
{
	const char *wrong = NULL;

	if (!communicators_known(communicators, named->comm))
		wrong = "a communicator that does not exist";
	else if (!communicators_is_member(communicators, named->comm, rank))
		wrong = "a communicator of which it is not a member";
	else if (named->name && strlen(named->name) > LONGEST_NAME)
		wrong = "a communicator with a name that is too long";
	if (wrong)
		g_set_error(error, COMMUNICATORS_ERROR, 0,
		            "rank %s made an impossible report: it named %s", rank_name(rank),
		            wrong);
	return !wrong;
}

guint communicators_ordinal(const struct communicators *communicators, guint64 comm)
{
	const struct communicator *communicator = find_communicator(communicators, comm);

	return communicator ? communicator->ordinal : 0;
}

const char *communicators_origin(const struct communicators *communicators, guint64 comm)
{
	const struct communicator *communicator = find_communicator(communicators, comm);

	if (comm == WIRE_COMM_SELF)
		return "MPI_COMM_SELF";
	return communicator ? communicator->origin : "an unknown communicator";
}

const char *communicators_group(const struct communicators *communicators, guint64 comm)
{
	struct communicator *communicator = g_hash_table_lookup(communicators->table, &comm);
	g_autoptr(GString) text = NULL;

	if (!communicator || communicator->group)
		return communicator ? communicator->group : NULL;
	text = g_string_new(NULL);
	for (int i = 0; i < communicator->first_count + communicator->second_count; i++)
		g_string_append_printf(text, "%s%d",
		                       i == 0                           ? ""
		                       : i == communicator->first_count ? "|"
		                                                        : ",",
		                       communicator->members[i]);
	communicator->group = g_intern_string(text->str);
	return communicator->group;
}

static int compare_ordinals(gconstpointer one, gconstpointer other, gpointer communicators)
{
	guint a = communicators_ordinal(communicators, *(const guint64 *)one);
	guint b = communicators_ordinal(communicators, *(const guint64 *)other);

	return a < b ? -1 : a > b;
}

GArray *communicators_list(const struct communicators *communicators)
{
	GArray *all = g_array_new(false, false, sizeof(guint64));
	GHashTableIter iter;
	gpointer number;

	g_hash_table_iter_init(&iter, communicators->table);
	while (g_hash_table_iter_next(&iter, &number, NULL))
		g_array_append_vals(all, number, 1);
	g_array_sort_with_data(all, compare_ordinals, (gpointer)communicators);
	return all;
}
