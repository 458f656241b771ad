/* Persistent collectives (MPI 4.0, section 6.12): each start is a nonblocking collective. The
 * members' starts of one initialisation belong together, whatever they start in between. So each
 * initialisation has its own number and its own tag. MPI pairs collectives by their order; BIND and
 * GO have the same order in all ranks. MPI's own persistent collectives are not used: MPICH 4.0.2
 * gathers what the root had when it initialised them. */
#include "collective.h"

#include "shim/check/reduction.h"
#include "shim/mpi/real.h"
#include "shim/request/buffer_checksum.h"

void collective_plan_release(void *closure)
{
	struct collective_plan *plan = closure;

	collective_signature_release(&plan->signature);
	bytes_release(plan->bytes);
	collective_over(closure, MPI_SUCCESS);
}

int collective_plan(struct collective_plan *plan, MPI_Comm comm,
                    const struct request_actions *actions, MPI_Request *ret_handle)
{
	struct communicator *communicator = communicator_find(comm);
	const struct wire_name none = {0, 0};
	struct request *request = request_new_collective(none, comm, actions, plan);

	communicator_retain(comm);
	plan->kept.comm = comm;
	plan->kept.tag = early_plan_tag(communicator);
	if (!request) {
		collective_plan_release(plan);
		return MPI_ERR_NO_MEM;
	}
	plan->op.comm = communicator_announce_alias(communicator, MPI_CALL_Start);
	request_make_persistent(request);
	*ret_handle = request_handle(request);
	return MPI_SUCCESS;
}

int collective_plan_start(struct request *request, struct wire_name name, struct wire_op *ret_op)
{
	const struct collective_plan *plan = request_closure(request);

	if (request_start(request, name) < 0)
		return MPI_ERR_NO_MEM;
	buffer_checksum_begin_collective(request, plan->bytes);
	reduction_used(plan->signature.op, name.call);
	if (early_applies(plan->op.function, plan->kept.comm))
		request_post(request);
	else
		request_post_later(request);
	*ret_op = plan->op;
	ret_op->name = name;
	return MPI_SUCCESS;
}
