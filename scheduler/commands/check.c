#include "check.h"

#include <string.h>

#include "mpi_calls.h"
#include "scheduler/host/program_access.h"

static GPtrArray *list_for(struct check *check, const char *name)
{
	enum mpi_call call = mpi_call_by_name(name);

	if (call == MPI_CALL_NONE)
		return check->passed;
	switch (mpi_call_treatment(call)) {
	case MPI_CALL_CONTROLLED:
	case MPI_CALL_BRACKETED: return check->controlled;
	case MPI_CALL_REFUSED: return check->refused;
	case MPI_CALL_PASSED: return check->passed;
	case MPI_CALL_HARMLESS: break;
	}
	return check->harmless;
}

struct check *check_new(const char *path)
{
	struct check *check = g_new0(struct check, 1);

	check->calls = program_mpi_calls(path);
	check->controlled = g_ptr_array_new();
	check->passed = g_ptr_array_new();
	check->harmless = g_ptr_array_new();
	check->refused = g_ptr_array_new();
	check->unrecorded = g_ptr_array_new();
	for (guint i = 0; i < check->calls->len; i++) {
		struct program_call *call = check->calls->pdata[i];

		g_ptr_array_add(list_for(check, call->name), call);
		if (!mpi_call_is_recorded(mpi_call_by_name(call->name)))
			g_ptr_array_add(check->unrecorded, call);
	}
	return check;
}

void check_free(struct check *check)
{
	if (!check)
		return;
	g_ptr_array_unref(check->controlled);
	g_ptr_array_unref(check->passed);
	g_ptr_array_unref(check->harmless);
	g_ptr_array_unref(check->refused);
	g_ptr_array_unref(check->unrecorded);
	g_ptr_array_unref(check->calls);
	g_free(check);
}

bool check_is_complete(const struct check *check)
{
	return check->passed->len == 0 && check->refused->len == 0;
}

/* --- consequences ----------------------------------------------------------------------------- */

typedef bool (*selector)(const char *name);

static bool is_refused(const char *name)
{
	return mpi_call_treatment(mpi_call_by_name(name)) == MPI_CALL_REFUSED;
}

static bool is_atomic(const char *name)
{
	return mpi_call_is_atomic(mpi_call_by_name(name));
}

static bool is_file_access(const char *name)
{
	return g_str_has_prefix(name, "MPI_File_");
}

static bool is_threads(const char *name)
{
	return strcmp(name, "MPI_Init_thread") == 0;
}

static bool is_unknown(const char *name)
{
	return mpi_call_by_name(name) == MPI_CALL_NONE;
}

/* "MPI_Put, MPI_Get"; NULL: no name is selected */
static char *selected_names(const GPtrArray *list, selector select)
{
	g_autoptr(GString) names = g_string_new(NULL);

	for (guint i = 0; i < list->len; i++) {
		const struct program_call *call = list->pdata[i];

		if (select(call->name))
			g_string_append_printf(names, "%s%s", names->len ? ", " : "", call->name);
	}
	return names->len ? g_strdup(names->str) : NULL;
}

GPtrArray *check_notes(const struct check *check, const struct program *program)
{
	const struct {
		const GPtrArray *list;
		selector select;
		const char *consequence;
	} kinds[] = {
		{check->refused, is_refused,
	         "processes that are started or connected cannot be controlled; the exploration "
	         "ends there with exit status 4"},
		{check->controlled, is_threads,
	         "with MPI_THREAD_MULTIPLE, threads enter MPI one after another; other orders are "
	         "explored only if two threads wait to enter and their sends or receives race"},
		{check->passed, is_atomic,
	         "the order of atomic operations is explored, but not in dynamic windows, nor of "
	         "several threads"},
		{check->passed, is_file_access,
	         "the order in which ranks read and write a file is not explored"},
		{check->passed, is_unknown,
	         "not a function of MPI 4.0: the call goes to MPI unseen"},
	};
	GPtrArray *notes = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
		g_autofree char *names = selected_names(kinds[i].list, kinds[i].select);

		if (names)
			g_ptr_array_add(notes,
			                g_strdup_printf("%s: %s", names, kinds[i].consequence));
	}
	for (guint i = 0; i < program->looking_up->len; i++)
		g_ptr_array_add(notes,
		                g_strdup_printf("%s looks up functions by name (dlsym): MPI "
		                                "functions found this way are not controlled",
		                                (const char *)program->looking_up->pdata[i]));
	return notes;
}

static bool makes_windows(const struct check *check)
{
	for (guint i = 0; i < check->calls->len; i++) {
		const struct program_call *call = check->calls->pdata[i];

		if (g_str_has_prefix(call->name, "MPI_Win_allocate")
		    || g_str_has_prefix(call->name, "MPI_Win_create"))
			return true;
	}
	return false;
}

char *check_unseen(const struct check *check, const struct program *program)
{
	struct program_access *access;
	g_autofree char *names = NULL;
	bool seen;

	if (!makes_windows(check))
		return NULL;
	access = program_access_new(program->path);
	names = program_access_unseen(access);
	seen = access->seen;
	program_access_free(access);
	if (!seen)
		return g_strdup("loads and stores in windows: compile with the flags of "
		                "matchpoint --cflags-access");
	return names ? g_strdup_printf("loads and stores in windows by %s: compile them, too, with "
	                               "the flags of matchpoint --cflags-access",
	                               names)
	             : NULL;
}
