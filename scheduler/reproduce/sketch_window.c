/* Prints the windows of a sketch, and their locks. */
#include "sketch_internal.h"

/* --- units ------------------- */

/* The next call of the rank that releases the lock taken at `index`; -1: none. */
static int unlock_of(const struct sketch *sketch, guint index)
{
	const struct sketch_step *lock = sketch_step(sketch, index);

	for (guint i = index + 1; i < sketch->steps->len; i++) {
		const struct sketch_step *step = sketch_step(sketch, i);

		if (step->rank != lock->rank)
			break;
		if (step->kind == SKETCH_LOCK && step->window == lock->window
		    && step->peer == lock->peer
		    && mpi_call_lock(step->function) == MPI_CALL_LOCK_GIVES_BACK
		    && (step->side == lock->side || lock->side == SKETCH_BOTH))
			return (int)i;
	}
	return -1;
}

void sketch_unite_locks(struct sketch *sketch)
{
	for (guint i = 0; i < sketch->steps->len; i++) {
		struct sketch_step *step = sketch_step(sketch, i);
		bool takes = step->kind == SKETCH_LOCK
		             && mpi_call_lock(step->function) == MPI_CALL_LOCK_TAKES;
		int other = takes ? unlock_of(sketch, i) : -1;

		if (other >= 0)
			sketch_step(sketch, (guint)other)->unit = step->unit;
	}
}

bool sketch_keeps_locks(const struct sketch *sketch)
{
	for (guint i = 0; i < sketch->steps->len; i++) {
		const struct sketch_step *lock = sketch_step(sketch, i);

		if (lock->kind != SKETCH_LOCK || lock->dropped
		    || mpi_call_lock(lock->function) != MPI_CALL_LOCK_TAKES
		    || unlock_of(sketch, i) >= 0)
			continue;
		for (guint j = i + 1; j < sketch->steps->len; j++) {
			const struct sketch_step *step = sketch_step(sketch, j);

			if (step->rank == lock->rank && step->dropped
			    && step->events[SKETCH_BAD].call > 0 && !step->events[SKETCH_BAD].done)
				return false;
		}
	}
	return true;
}

/* --- as C --- */

static char *window_name(const struct sketch_printing *printing, int index)
{
	return printing->windows->len == 1 ? g_strdup("window")
	                                   : g_strdup_printf("window[%d]", index);
}

void sketch_survey_windows(struct sketch_printing *printing)
{
	for (guint i = 0; i < printing->sketch->steps->len; i++) {
		const struct sketch_step *step = sketch_step(printing->sketch, i);

		if (step->window != 0 && !step->dropped
		    && sketch_position(printing->windows, step->window) < 0)
			g_array_append_val(printing->windows, step->window);
	}
}

void sketch_declare_windows(struct sketch_printing *printing)
{
	guint count = printing->windows->len;

	if (count == 0)
		return;
	if (count == 1)
		sketch_put(printing, "\tMPI_Win window;");
	else
		sketch_put(printing, "\tMPI_Win window[%u];", count);
	sketch_put(printing, "\tint *memory;");
}

void sketch_put_windows(struct sketch_printing *printing, bool free_them)
{
	for (guint i = 0; i < printing->windows->len; i++) {
		g_autofree char *name = window_name(printing, (int)i);

		if (free_them)
			sketch_put(printing, "\tMPI_Win_free(&%s);", name);
		else
			sketch_put(printing,
			           "\tMPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, "
			           "&memory, &%s);",
			           name);
	}
}

void sketch_put_lock(struct sketch_printing *printing, guint index)
{
	struct sketch_step *step = sketch_step(printing->sketch, index);
	g_autofree char *window = window_name(printing,
	                                      sketch_position(printing->windows, step->window));
	int32_t target = step->peer < 0 ? 0 : sketch_rank(printing->sketch, step->peer);
	g_autoptr(GString) call = g_string_new(mpi_call_name(step->function));

	if (step->function == MPI_CALL_Win_lock)
		g_string_append_printf(call, "(%s, %d, 0, ",
		                       step->tag == 0 ? "MPI_LOCK_EXCLUSIVE" : "MPI_LOCK_SHARED",
		                       target);
	else if (step->function == MPI_CALL_Win_lock_all)
		g_string_append(call, "(0, ");
	else if (step->function == MPI_CALL_Win_unlock)
		g_string_append_printf(call, "(%d, ", target);
	else
		g_string_append(call, "(");
	g_string_append_printf(call, "%s)", window);
	sketch_put_call(printing, step, call->str);
}
