#include "made_comms.h"

#include <string.h>

#include "explorer/rank_name.h"
#include "mpi_calls.h"
#include "printable.h"

enum kind { KIND_COMM, KIND_WINDOW, KIND_FILE, KINDS };

static const char *const kind_names[KINDS] = {"comm", "window", "file"};

struct made_comms {
	GHashTable *table;  /* struct made_comm by its comm */
	GHashTable *counts; /* by rank * KINDS + kind: number announced */
};

static enum kind kind_of(guint16 function)
{
	const char *name = mpi_call_name(function);

	if (g_str_has_prefix(name, "MPI_Win_"))
		return KIND_WINDOW;
	return g_str_has_prefix(name, "MPI_File_") ? KIND_FILE : KIND_COMM;
}

struct made_comms *made_comms_new(void)
{
	struct made_comms *comms = g_new(struct made_comms, 1);

	comms->table = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
	comms->counts = g_hash_table_new(NULL, NULL);
	return comms;
}

struct made_comms *made_comms_copy(const struct made_comms *comms)
{
	struct made_comms *copy = made_comms_new();
	GHashTableIter iter;
	gpointer key, value;

	g_hash_table_iter_init(&iter, comms->table);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		struct made_comm *made = g_memdup2(value, sizeof(struct made_comm));

		g_hash_table_insert(copy->table, &made->comm, made);
	}
	g_hash_table_iter_init(&iter, comms->counts);
	while (g_hash_table_iter_next(&iter, &key, &value))
		g_hash_table_insert(copy->counts, key, value);
	return copy;
}

void made_comms_free(struct made_comms *comms)
{
	if (!comms)
		return;
	g_hash_table_destroy(comms->table);
	g_hash_table_destroy(comms->counts);
	g_free(comms);
}

/* Counts from 1; MPI_COMM_WORLD is everybody's first communicator. */
static guint count(struct made_comms *comms, int rank, enum kind kind)
{
	gpointer key = GINT_TO_POINTER(rank * KINDS + (int)kind);
	guint number = GPOINTER_TO_UINT(g_hash_table_lookup(comms->counts, key)) + 1;

	g_hash_table_insert(comms->counts, key, GUINT_TO_POINTER(number));
	return kind == KIND_COMM ? number + 1 : number;
}

void made_comms_add(struct made_comms *comms, int rank, const struct wire_comm *comm)
{
	struct made_comm *made = g_hash_table_lookup(comms->table, &comm->comm);
	bool is_known_call = comm->function > MPI_CALL_NONE && comm->function < MPI_CALL_COUNT;
	guint16 function = is_known_call ? comm->function : MPI_CALL_NONE;
	guint number = function != MPI_CALL_NONE && comm->stands_for == 0
	                       ? count(comms, rank, kind_of(function))
	                       : 0;
	g_autofree char *argument = NULL;

	if (made && made->rank <= rank)
		return;
	if (!made) {
		made = g_new0(struct made_comm, 1);
		made->comm = comm->comm;
		g_hash_table_insert(comms->table, &made->comm, made);
	}
	argument = comm->argument && *comm->argument ? printable(comm->argument) : NULL;
	made->stands_for = comm->stands_for;
	made->function = function;
	made->site = comm->site;
	made->rank = rank;
	made->number = number;
	made->argument = g_intern_string(argument);
}

const struct made_comm *made_comms_find(const struct made_comms *comms, guint64 comm)
{
	return g_hash_table_lookup(comms->table, &comm);
}

const char *made_comm_kind(const struct made_comm *made)
{
	return kind_names[kind_of(made->function)];
}

char *made_comm_label(const struct made_comm *made)
{
	return made->rank == 0 ? g_strdup_printf("%u", made->number)
	                       : g_strdup_printf("%s.%u", rank_name(made->rank), made->number);
}
