/* Persistent collectives (MPI 4.0, section 6.12). The library gets the initialisation at once, which
 * does not communicate there, and each start upon BIND. The members' starts of one initialisation
 * belong together, whatever else they start in between: each has a number of its own. */
#include "collective.h"

#include <stdlib.h>

#include "error.h"
#include "gate.h"
#include "real.h"

static int post_plan(void *closure, MPI_Request *ret_real)
{
	struct collective_plan *plan = closure;

	*ret_real = plan->real;
	return real_mpi()->Start(ret_real);
}

static void release_plan(void *closure)
{
	struct collective_plan *plan = closure;

	if (plan->real != MPI_REQUEST_NULL)
		real_mpi()->Request_free(&plan->real);
	collective_over(plan, MPI_SUCCESS);
}

struct collective_plan *collective_plan_new(const void *site, enum mpi_call function)
{
	struct collective_plan *plan = calloc(1, sizeof(*plan));

	error_report_call(site, function);
	if (!plan)
		return NULL;
	plan->kept.comm = MPI_COMM_NULL;
	plan->real = MPI_REQUEST_NULL;
	plan->op.function = (uint16_t)function;
	return plan;
}

/* A persistent request that can be started. */
static int make_request(struct collective_plan *plan, MPI_Comm comm, int root,
                        struct collective_signature signature, MPI_Request *ret_handle)
{
	static const struct request_actions actions = {.post = post_plan, .release = release_plan};
	const struct communicator *communicator = communicator_find(comm);
	struct request *request;

	if (!communicator)
		return MPI_ERR_COMM;
	request = request_new_collective((struct wire_name){0, 0}, comm, &actions, plan);
	if (!request)
		return MPI_ERR_NO_MEM;
	request->persistent = true;
	request->active = false;
	plan->op = collective_op(comm, root, signature, plan->op.function);
	plan->op.comm = communicator_announce_copy(communicator, MPI_CALL_Start,
	                                           communicator->name);
	*ret_handle = request_handle(request);
	return MPI_SUCCESS;
}

int collective_plan_finish(const void *site, MPI_Comm comm, int root,
                           struct collective_signature signature, struct collective_plan *plan,
                           int code, MPI_Request *ret_handle)
{
	enum mpi_call function = (enum mpi_call)plan->op.function;

	if (code == MPI_SUCCESS)
		code = make_request(plan, comm, root, signature, ret_handle);
	if (code != MPI_SUCCESS)
		release_plan(plan);
	return error_check(comm, code, function, site);
}

int collective_plan_start(struct request *request, struct wire_name name, struct wire_op *ret_op)
{
	const struct collective_plan *plan = request->closure;

	if (request_rename(request, name) < 0)
		return MPI_ERR_NO_MEM;
	request->active = true;
	*ret_op = plan->op;
	ret_op->name = name;
	return MPI_SUCCESS;
}
