#include "window_state.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/wire.h"
#include "shim/mpi/abi.h"
#include "shim/mpi/real.h"

#define MEMORY_MAX (UINT64_C(1) << 28) /* bytes of one window; takes a tenth of a second */

/* Flags of a rank in the window's group, as a target of this rank. */
enum { UNDER_WAY = 1, LOCKED = 2, LOCKED_SHARED = 4, LOCKED_UNCHECKED = 8 };

struct window_state {
	MPI_Win window;
	bool is_mpis; /* the window's memory belongs to MPI */
	uintptr_t base;
	uint64_t size;
	int size_of_group;
	/* Since the last fence: kinds of calls, and whether any moved data. One of them may have
	 * ended the fence's epoch inside MPI. */
	uint32_t since;
	bool moved;
	int fence, start, post; /* asserts of open epochs; -1: none */
	bool locked_all;
	uint8_t targets[];
};

/* --- a new window ----------------------------------------------------------------------------- */

static int size_of_group(MPI_Win window)
{
	MPI_Group group;
	int size = 0;

	if (real_mpi()->Win_get_group(window, &group) != MPI_SUCCESS)
		return 0;
	real_mpi()->Group_size(group, &size);
	real_mpi()->Group_free(&group);
	return size;
}

static void find_memory(struct window_state *state)
{
	int *flavor = NULL, found[3] = {0};
	MPI_Aint *bytes = NULL;
	void *base = NULL;

	real_mpi()->Win_get_attr(state->window, MPI_WIN_CREATE_FLAVOR, &flavor, &found[0]);
	state->is_mpis = !found[0] || *flavor == MPI_WIN_FLAVOR_ALLOCATE
	                 || *flavor == MPI_WIN_FLAVOR_SHARED;
	if (!state->is_mpis)
		return;
	real_mpi()->Win_get_attr(state->window, MPI_WIN_BASE, &base, &found[1]);
	real_mpi()->Win_get_attr(state->window, MPI_WIN_SIZE, &bytes, &found[2]);
	state->base = (uintptr_t)base;
	state->size = found[1] && found[2] ? (uint64_t)*bytes : UINT64_MAX;
}

struct window_state *window_state_new(MPI_Win window)
{
	int size = size_of_group(window);
	struct window_state *state = calloc(1, sizeof(*state) + (size_t)size);

	if (!state)
		return NULL;
	state->window = window;
	state->size_of_group = size;
	state->fence = state->start = state->post = -1;
	find_memory(state);
	return state;
}

void window_state_free(struct window_state *state)
{
	free(state);
}

/* --- calls on a window ------------------------------------------------------------------------ */

static void change(struct window_state *state, int target, int clears, int sets)
{
	for (int i = 0; i < state->size_of_group; i++)
		if (target == WIRE_ANY || target == i)
			state->targets[i] = (uint8_t)((state->targets[i] & ~clears) | sets);
}

static int bits_of_lock(int mode)
{
	return LOCKED | (mode & WINDOW_STATE_SHARED ? LOCKED_SHARED : 0)
	       | (mode & MPI_MODE_NOCHECK ? LOCKED_UNCHECKED : 0);
}

enum { SINCE_LOCK = 1, SINCE_ALL = 2, SINCE_ACCESS = 4, SINCE_EXPOSURE = 8 };

void window_state_note(struct window_state *state, enum mpi_call function, int target, int mode)
{
	const int locks = LOCKED | LOCKED_SHARED | LOCKED_UNCHECKED;

	switch (function) {
	case MPI_CALL_Win_fence:
		/* A fence that ends no epoch need not wait. */
		change(state, WIRE_ANY, mode & MPI_MODE_NOPRECEDE ? 0 : UNDER_WAY, 0);
		state->moved &= (mode & MPI_MODE_NOPRECEDE) != 0;
		state->since = 0;
		state->fence = mode;
		break;
	case MPI_CALL_Win_flush:
	case MPI_CALL_Win_flush_all: change(state, target, UNDER_WAY, 0); break;
	case MPI_CALL_Win_lock:
		state->since |= SINCE_LOCK;
		change(state, target, locks, bits_of_lock(mode));
		break;
	case MPI_CALL_Win_unlock: change(state, target, UNDER_WAY | locks, 0); break;
	case MPI_CALL_Win_lock_all:
	case MPI_CALL_Win_unlock_all:
		state->since |= SINCE_ALL;
		state->locked_all = function == MPI_CALL_Win_lock_all;
		change(state, WIRE_ANY, UNDER_WAY | locks,
		       state->locked_all ? bits_of_lock(mode | WINDOW_STATE_SHARED) : 0);
		break;
	case MPI_CALL_Win_start:
		state->since |= SINCE_ACCESS;
		state->start = mode;
		break;
	case MPI_CALL_Win_complete:
		/* The targets' MPI_Win_wait reports the arrival to the scheduler. */
		change(state, WIRE_ANY, UNDER_WAY, 0);
		state->start = -1;
		break;
	case MPI_CALL_Win_post:
		state->since |= SINCE_EXPOSURE;
		state->post = mode;
		break;
	case MPI_CALL_Win_wait:
	case MPI_CALL_Win_test: state->post = -1; break;
	default: break;
	}
}

void window_state_moves(struct window_state *state, int target)
{
	state->moved = true;
	if (target >= 0)
		change(state, target, 0, UNDER_WAY);
}

/* --- the state -------------------------------------------------------------------------------- */

const char *window_state_add(const struct window_state *state,
                             void (*add)(void *user, const void *bytes, size_t size), void *user)
{
	const uint64_t words[] = {
		ABI_BITS(state->window),
		(uint64_t)state->since << 3 | (uint64_t)state->moved << 2
			| (uint64_t)state->locked_all << 1 | (uint64_t)state->is_mpis,
		state->base,
		state->size,
		(uint64_t)(uint32_t)state->fence << 32 | (uint32_t)state->start,
		(uint64_t)(uint32_t)state->post << 32 | (uint32_t)state->size_of_group,
	};

	for (int i = 0; i < state->size_of_group; i++)
		if (state->targets[i] & UNDER_WAY)
			return "its one-sided communication is under way";
	if (state->is_mpis && state->size > MEMORY_MAX)
		return "its windows are too large";
	add(user, words, sizeof(words));
	add(user, state->targets, (size_t)state->size_of_group);
	if (state->is_mpis && state->size > 0)
		add(user, (const void *)state->base, state->size);
	return NULL;
}
