#include "windows.h"

#include <stdlib.h>

#include "common/wire.h"

struct window {
	MPI_Win handle;
	uint64_t number;
	struct window_epochs epochs;
	struct window *next;
};

static struct window *windows;
static unsigned with_state; /* windows that have one */
static struct window_locks locks;

static struct window **find(MPI_Win handle)
{
	struct window **link = &windows;

	while (*link && (*link)->handle != handle)
		link = &(*link)->next;
	return link;
}

void window_add(MPI_Win handle, uint64_t number)
{
	struct window *window = number != 0 ? malloc(sizeof(*window)) : NULL;

	if (!window)
		return;
	*window = (struct window){.handle = handle, .number = number, .next = windows};
	windows = window;
}

void window_remove(MPI_Win handle)
{
	struct window **link = find(handle), *found = *link;

	if (!found)
		return;
	*link = found->next;
	free(found->epochs.targets);
	with_state -= found->epochs.state != NULL;
	window_state_free(found->epochs.state);
	free(found);
}

bool window_exists(void)
{
	return windows != NULL;
}

struct window_epochs *window_find(MPI_Win handle, uint64_t *ret_number)
{
	struct window *window = *find(handle);

	if (!window)
		return NULL;
	*ret_number = window->number;
	return &window->epochs;
}

MPI_Win window_or_null(MPI_Win handle)
{
	return *find(handle) ? handle : MPI_WIN_NULL;
}

/* --- locks ------------------------------------------------------------------------------------ */

struct window_locks *window_locks(void)
{
	return &locks;
}

void window_note_atomic(int32_t which)
{
	if (locks.unordered != WIRE_UNORDERED_NONE && locks.unordered != which)
		which = WIRE_UNORDERED_ANY;
	locks.unordered = which;
}

void window_note_foreign(void)
{
	if (locks.exclusive == 0 || locks.shared > 0)
		window_note_atomic(WIRE_UNORDERED_ANY);
}

/* --- states ----------------------------------------------------------------------------------- */

bool window_begin_state(MPI_Win handle)
{
	struct window *window = *find(handle);

	if (window)
		window->epochs.state = window_state_new(handle);
	if (!window || !window->epochs.state)
		return false;
	with_state++;
	return true;
}

/* NULL: it has none. */
static struct window_state *state_of(MPI_Win handle)
{
	const struct window *window = with_state > 0 ? *find(handle) : NULL;

	return window ? window->epochs.state : NULL;
}

void window_called(enum mpi_call function, int target, int mode, MPI_Win handle)
{
	struct window_state *state = state_of(handle);

	if (state)
		window_state_note(state, function, target, mode);
}

void window_moves(int target, MPI_Win handle)
{
	struct window_state *state = state_of(handle);

	if (state)
		window_state_moves(state, target);
}

static void add_locks(void (*add)(void *user, const void *bytes, size_t size), void *user)
{
	const uint64_t words[] = {locks.exclusive, locks.shared,
	                          (uint64_t)locks.unordered << 32 | (uint64_t)locks.told};

	add(user, words, sizeof(words));
}

const char *window_add_state(void (*add)(void *user, const void *bytes, size_t size), void *user)
{
	add_locks(add, user);
	for (const struct window *window = windows; window; window = window->next) {
		const struct window_epochs *epochs = &window->epochs;
		const uint64_t words[] = {
			window->number, (uint64_t)epochs->origins << 1 | (epochs->exposure != 0),
			(uint64_t)epochs->target_count << 1 | (epochs->targets != NULL)};
		const char *why = window_state_add(epochs->state, add, user);

		if (why)
			return why;
		add(user, words, sizeof(words));
		if (epochs->targets)
			add(user, epochs->targets,
			    (size_t)epochs->target_count * sizeof(*epochs->targets));
	}
	return NULL;
}
