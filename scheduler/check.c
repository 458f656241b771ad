#include "check.h"

#include "mpi_calls.h"

static GPtrArray *list_for(struct check *check, const char *name)
{
	enum mpi_call call = mpi_call_by_name(name);

	if (call == MPI_CALL_NONE)
		return check->passed;
	switch (mpi_call_treatment(call)) {
	case MPI_CALL_CONTROLLED:
	case MPI_CALL_BRACKETED:
		return check->controlled;
	case MPI_CALL_REFUSED:
		return check->refused;
	case MPI_CALL_PASSED:
		return check->passed;
	case MPI_CALL_HARMLESS:
		break;
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
	for (guint i = 0; i < check->calls->len; i++) {
		struct program_call *call = check->calls->pdata[i];

		g_ptr_array_add(list_for(check, call->name), call);
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
	g_ptr_array_unref(check->calls);
	g_free(check);
}

gboolean check_is_complete(const struct check *check)
{
	return check->passed->len == 0 && check->refused->len == 0;
}
