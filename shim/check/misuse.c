#include "misuse.h"

#include "shim/gate/gate.h"
#include "shim/mpi/neighbors.h"
#include "shim/mpi/real.h"
#include "shim/types/layout.h"
#include "shim/types/signature.h"

void misuse_collective(enum wire_misuse_why why, enum mpi_call function, const void *site)
{
	const struct wire_message message = {
		.type = WIRE_MISUSE,
		.misuse = {.why = (uint8_t)why,
	                   .call = gate_current_call(),
	                   .function = (uint16_t)function,
	                   .site = (uintptr_t)site},
	};

	gate_send(&message);
}

/* Reports a call that has no number. */
static void report_unnumbered(enum mpi_call function, const void *site, struct wire_misuse misuse)
{
	misuse.function = (uint16_t)function;
	misuse.site = (uintptr_t)site;
	gate_send(&(struct wire_message){.type = WIRE_MISUSE, .misuse = misuse});
}

void misuse_note(enum wire_misuse_why why, enum mpi_call function, const void *site)
{
	report_unnumbered(function, site, (struct wire_misuse){.why = (uint8_t)why});
}

static void report_access(const struct access_call *call, struct wire_misuse misuse)
{
	report_unnumbered(call->function, call->site, misuse);
}

/* `count` elements of a type. */
struct elements {
	MPI_Count count;
	MPI_Datatype type;
};

static struct wire_amount amount_of(struct elements elements)
{
	MPI_Count size = 0;

	if (real_mpi()->Type_size_x(elements.type, &size) != MPI_SUCCESS || size < 0)
		size = 0;
	return (struct wire_amount){(uint64_t)size * (uint64_t)elements.count,
	                            signature_of(elements.type)};
}

/* Reports only what is not obviously correct; the scheduler decides. */
static void compare(const struct access_call *call, struct elements moved, struct elements expected)
{
	struct wire_misuse misuse = {.why = WIRE_MISUSE_TYPES};

	if (moved.type == expected.type && moved.count <= expected.count)
		return;
	misuse.moved = amount_of(moved);
	misuse.expected = amount_of(expected);
	if (misuse.moved.types.basic == 0 || misuse.moved.types.basic != misuse.expected.types.basic
	    || misuse.moved.bytes > misuse.expected.bytes)
		report_access(call, misuse);
}

static bool is_get(enum mpi_call function)
{
	return mpi_call_access(function) == MPI_CALL_ACCESS_GET;
}

void misuse_check_access(const struct access_call *call, bool lacks_lock)
{
	const struct elements own = {call->origin_count, call->origin_type};
	const struct elements result = {call->result_count, call->result_type};
	const struct elements target = {call->target_count, call->target_type};

	if (lacks_lock)
		report_access(call, (struct wire_misuse){.why = WIRE_MISUSE_REQUEST});
	if (is_get(call->function)) {
		compare(call, target, own);
		misuse_check_receive(call->function, call->site, own.count, own.type);
	} else if (call->op != MPI_NO_OP) {
		compare(call, own, target);
	}
	if (call->result) {
		compare(call, target, result);
		misuse_check_receive(call->function, call->site, result.count, result.type);
	}
}

void misuse_check_receive(enum mpi_call function, const void *site, MPI_Count count,
                          MPI_Datatype type)
{
	if (layout_overlaps(count, type))
		report_unnumbered(function, site, (struct wire_misuse){.why = WIRE_MISUSE_OVERLAP});
}

static bool is_inter(MPI_Comm comm)
{
	int inter = 0;

	return real_mpi()->Comm_test_inter(comm, &inter) == MPI_SUCCESS && inter;
}

bool misuse_is_root(MPI_Comm comm, int root)
{
	int rank = MPI_PROC_NULL;

	if (is_inter(comm))
		return root == MPI_ROOT;
	return real_mpi()->Comm_rank(comm, &rank) == MPI_SUCCESS && root == rank;
}

bool misuse_is_scattered_to(MPI_Comm comm, int root, const void *buffer)
{
	return root != MPI_ROOT && root != MPI_PROC_NULL
	       && !(misuse_is_root(comm, root) && buffer == MPI_IN_PLACE);
}

int misuse_partners(MPI_Comm comm, bool neighbors)
{
	int in = 0, out = 0;

	if (neighbors)
		neighbors_count(comm, &in, &out);
	else if (is_inter(comm))
		real_mpi()->Comm_remote_size(comm, &in);
	else
		real_mpi()->Comm_size(comm, &in);
	return in;
}
