#include "reduction.h"

#include <errno.h>
#include <string.h>

#include "misuse.h"
#include "shim/gate/blocking_call.h"
#include "shim/gate/gate.h"
#include "shim/mpi/abi.h"
#include "shim/mpi/real.h"
#include "swapped.h"

enum {
	SLOTS = 64,
	ALWAYS = 16,  /* trials of each operation; then only calls with a power of two as number */
	LOOKS = 1024, /* the calls among which these are looked for */
	NAMES = 256,  /* handles of operations that are known */
};

#define NEXT_CALL UINT32_MAX /* a call that has begun and has no number yet */

/* An operation: a function, and where it is declared commutative. */
struct slot {
	union reduction_function function;
	bool is_large;
	enum mpi_call maker;
	uint64_t made_at;
	uint32_t call; /* the latest that reduces with it; 0: none; or NEXT_CALL */
	uint32_t calls, trials;
	bool found, untried, is_early;
	struct swapped_memory memory;
	/* To be sent, if `waits`: */
	bool waits;
	struct wire_misuse misuse;
	char difference[SWAPPED_WORDS];
};

static struct slot slots[SLOTS];
static unsigned slot_count;

/* The latest operations that the program has made, by their handles. */
static struct {
	MPI_Op op;
	uint8_t name; /* slot + 1; 0: none */
} named[NAMES];

/* --- calls ---------------------------------------------------------------------------------- */

static void call_function(const struct slot *slot, void *in, void *inout, MPI_Count count,
                          MPI_Datatype type)
{
	int usual = (int)count;

	if (slot->is_large)
		slot->function.large(in, inout, &count, &type);
	else
		slot->function.usual(in, inout, &usual, &type);
}

/* Whether this call is to be tried. */
static bool is_due(struct slot *slot)
{
	uint32_t number = ++slot->calls;

	return !slot->found
	       && ((slot->trials < ALWAYS && number <= LOOKS) || (number & (number - 1)) == 0);
}

/* Whether the thread is in the call that reduces, and that call is not over before this rank has
 * done its part. Then the difference is there at the next call, whatever the speed. */
static bool is_in_call(const struct slot *slot)
{
	const void *site;
	uint16_t function;

	gate_current(&function, &site);
	return slot->call == gate_current_call()
	       && (function == MPI_CALL_Allreduce || function == MPI_CALL_Reduce_scatter
	           || function == MPI_CALL_Reduce_scatter_block);
}

static void note(struct slot *slot)
{
	const struct wire_blocking_call *inside =
		(const struct wire_blocking_call *)(uintptr_t)blocking_call_address();
	struct wire_misuse *misuse = &slot->misuse;

	*misuse = (struct wire_misuse){.why = WIRE_MISUSE_COMMUTES,
	                               .call = slot->call,
	                               .function = (uint16_t)slot->maker,
	                               .site = slot->made_at,
	                               .difference = slot->difference,
	                               .maker = (uint16_t)slot->maker,
	                               .made_at = slot->made_at};
	if (inside->function == MPI_CALL_Reduce_local
	    || inside->function == MPI_CALL_Reduce_local_c) {
		misuse->call = 0;
		misuse->function = (uint16_t)inside->function;
		misuse->site = inside->site;
	}
	slot->found = slot->waits = true;
	slot->is_early = misuse->call == 0 || is_in_call(slot);
}

static void note_untried(struct slot *slot)
{
	if (!slot->untried)
		misuse_note(WIRE_MISUSE_UNTRIED, slot->maker, NULL);
	slot->untried = true;
}

static void reduce(struct slot *slot, void *in, void *inout, MPI_Count count, MPI_Datatype type)
{
	struct swapped swapped;
	int saved = errno;
	enum swapped_begun begun = is_due(slot) ? swapped_begin(&swapped, in, inout, count, type)
	                                        : SWAPPED_EQUAL;

	errno = saved;
	call_function(slot, in, inout, count, type);
	if (begun == SWAPPED_UNKNOWN)
		note_untried(slot);
	if (begun != SWAPPED_COPIED)
		return;
	saved = errno;
	slot->trials++;
	call_function(slot, swapped.in, swapped.inout, count, type);
	if (swapped_differs(&swapped, &slot->memory, slot->difference))
		note(slot);
	swapped_end(&swapped);
	errno = saved;
}

/* MPI calls a function without saying for which operation. So each slot has its own. */
#define ENTRY(n)                                                                           \
	static void usual_##n(void *in, void *inout, int *count, MPI_Datatype *type)       \
	{                                                                                  \
		reduce(&slots[0##n], in, inout, *count, *type);                            \
	}                                                                                  \
	static void large_##n(void *in, void *inout, MPI_Count *count, MPI_Datatype *type) \
	{                                                                                  \
		reduce(&slots[0##n], in, inout, *count, *type);                            \
	}
/* Octal numbers. */
#define EIGHT(of, n) of(n##0) of(n##1) of(n##2) of(n##3) of(n##4) of(n##5) of(n##6) of(n##7)
#define ALL(of)      \
	EIGHT(of, 0) \
	EIGHT(of, 1) EIGHT(of, 2) EIGHT(of, 3) EIGHT(of, 4) EIGHT(of, 5) EIGHT(of, 6) EIGHT(of, 7)
#define USUAL(n) usual_##n,
#define LARGE(n) large_##n,

ALL(ENTRY)

static MPI_User_function *const usual[SLOTS] = {ALL(USUAL)};
static MPI_User_function_c *const large[SLOTS] = {ALL(LARGE)};

/* --- operations ----------------------------------------------------------------------------- */

static bool is_equal(const struct slot *slot, union reduction_function function,
                     enum mpi_call maker, const void *site)
{
	return slot->maker == maker && slot->made_at == (uintptr_t)site
	       && memcmp(&slot->function, &function, sizeof(function)) == 0;
}

union reduction_function reduction_watch(union reduction_function function, enum mpi_call maker,
                                         const void *site)
{
	union reduction_function watched = function;
	bool is_large = maker == MPI_CALL_Op_create_c;
	unsigned i = 0;

	while (i < slot_count && !is_equal(&slots[i], function, maker, site))
		i++;
	if (!function.usual)
		return function;
	if (i == SLOTS || real_called_by_cxx()) {
		misuse_note(WIRE_MISUSE_UNTRIED, maker, site);
		return function;
	}
	if (i == slot_count) {
		slot_count++;
		slots[i] = (struct slot){.function = function,
		                         .is_large = is_large,
		                         .maker = maker,
		                         .made_at = (uintptr_t)site};
	}
	if (is_large)
		watched.large = large[i];
	else
		watched.usual = usual[i];
	return watched;
}

void reduction_made(MPI_Op op, union reduction_function watched)
{
	const unsigned place = abi_number(op) % NAMES;

	named[place].op = op;
	named[place].name = 0;
	for (unsigned i = 0; i < slot_count; i++)
		if (slots[i].is_large ? watched.large == large[i] : watched.usual == usual[i])
			named[place].name = (uint8_t)(i + 1);
}

static struct slot *find_slot(MPI_Op op)
{
	const unsigned place = abi_number(op) % NAMES;
	const bool is_known = named[place].op == op && named[place].name > 0;

	return is_known ? &slots[named[place].name - 1] : NULL;
}

void reduction_begins(MPI_Op op)
{
	struct slot *slot = find_slot(op);

	if (slot)
		slot->call = NEXT_CALL;
}

void reduction_used(MPI_Op op, uint32_t call)
{
	struct slot *slot = find_slot(op);

	if (!slot)
		return;
	slot->call = call;
	if (slot->waits && slot->misuse.call == NEXT_CALL)
		slot->misuse.call = call;
}

void reduction_encode(struct wire_buffer *out, uint32_t call)
{
	for (unsigned i = 0; i < slot_count; i++) {
		struct slot *slot = &slots[i];

		if (!slot->waits || !slot->is_early || slot->misuse.call >= call)
			continue;
		slot->waits = false;
		wire_encode(out,
		            &(struct wire_message){.type = WIRE_MISUSE, .misuse = slot->misuse});
	}
}

void reduction_send(void)
{
	for (unsigned i = 0; i < slot_count; i++) {
		struct slot *slot = &slots[i];

		if (slot->waits && slot->misuse.call != NEXT_CALL)
			gate_send(&(struct wire_message){.type = WIRE_MISUSE,
			                                 .misuse = slot->misuse});
		slot->waits = false;
	}
}
