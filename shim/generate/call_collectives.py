"""The shim's functions for collectives that move data: shim_MPI_X, and what its request keeps.

They differ only in their arguments, in what the members must agree on, in whether some members may
complete before all have called (early.h), and in when the data moves. A blocking collective moves
it at once, a nonblocking one when the scheduler allows it, a persistent one at each start.
"""

# Which members send data to which (enum collective_flow), by collective=.
FLOWS = {
    "bcast": "FROM_ROOT", "scatter": "FROM_ROOT", "scatterv": "FROM_ROOT",
    "gather": "TO_ROOT", "gatherv": "TO_ROOT",
    "allgather": "TO_ALL", "allgatherv": "TO_ALL",
    "alltoall": "TO_ALL", "alltoallv": "TO_ALL", "alltoallw": "TO_ALL",
    "neighbor_allgather": "TO_NEIGHBORS", "neighbor_allgatherv": "TO_NEIGHBORS",
    "neighbor_alltoall": "TO_NEIGHBORS", "neighbor_alltoallv": "TO_NEIGHBORS",
    "neighbor_alltoallw": "TO_NEIGHBORS",
}


def nonblocking_twin(call, by_name):
    if call.order == "none":
        return None
    return by_name.get("I" + call.name[0].lower() + call.name[1:])


def is_nonblocking(call, by_name):
    return any(nonblocking_twin(other, by_name) is call for other in by_name.values())


def flow(call):
    """Which members send data to which. None: the call reduces, or moves no data."""
    return FLOWS.get(call.get("collective"))


def data(call, side):
    """The initialiser of a struct collective_data."""
    if call.has("buffer"):
        return f".{side} = {{ .buffer = buffer, .count = count, .type = datatype }}"
    counts, types = f"{side}counts", f"{side}types"
    parts = [f".buffer = {side}buf"]
    parts += ([f".is_each = true, .counts = {counts}"] if call.has(counts)
              else [f".count = {side}count"])
    parts += [f".types = {types}"] if call.has(types) else [f".type = {side}type"]
    for displacements in ("displs", f"{side[0]}displs"):
        if call.has(counts) and call.has(displacements):
            wide = "MPI_Aint" in next(a.type for a in call.arguments if a.name == displacements)
            parts.append(f".{'addresses' if wide else 'displacements'} = {displacements}")
    return f".{side} = {{ {', '.join(parts)} }}"


def signature(call):
    """What the members must agree on, whether its arguments are valid, and its buffers."""
    if not call.has("op"):
        return agreement(call)
    amount = next(f".count = {a.name}" for a in call.arguments if "count" in a.name)
    if call.has("recvcounts"):
        amount = ".counts = recvcounts"
    elif call.has("recvcount"):
        amount += ", .is_block = true"
    return (f"collective_sign_buffers(\n\t\t{agreement(call)},\n\t\t"
            f"&(struct collective_reduced){{ .send = sendbuf, .recv = recvbuf, {amount}, "
            f".type = datatype }})")


def agreement(call):
    buffers = "(struct collective_buffers){ sendbuf, recvbuf }"
    if call.has("op") and call.has("recvcounts"):
        return f"collective_sign_counts(comm, {buffers}, recvcounts, datatype, op)"
    if call.has("op") and call.has("recvcount"):
        return f"collective_sign_block(comm, {buffers}, recvcount, datatype, op)"
    if call.has("op"):
        return (f"collective_sign_reduction(comm, {root_of(call)}, {buffers},\n"
                "\t\t                          count, datatype, op)")
    if not flow(call):
        return "COLLECTIVE_UNSIGNED"
    return (f"collective_sign_exchange(comm, &(struct collective_exchange){{ "
            f".flow = COLLECTIVE_{flow(call)}, .root = {root_of(call)}, {data(call, 'send')}, "
            f"{data(call, 'recv')} }})")


def root_of(call):
    return "root" if call.has("root") else "COLLECTIVE_NO_ROOT"


def is_early(call):
    """Whether members can complete before all have called (early.h)."""
    return call.order != "all" and not call.get("whole")


def barrier():
    """A barrier moves no data: when the scheduler releases a member, all have entered. So the
    library is not called. In it, members would poll for late members and take processor time
    from them."""
    return """
int shim_MPI_Barrier(void *site, MPI_Comm comm)
{
	bool entered = collective_enter(site, MPI_CALL_Barrier, comm, COLLECTIVE_NO_ROOT,
	                                COLLECTIVE_UNSIGNED);
	int code = entered ? MPI_SUCCESS : real_mpi()->Barrier(comm);

	return error_check(comm, code, MPI_CALL_Barrier, site);
}
"""


def blocking_collective(call, twin):
    """If not all members wait for all, a member sends what others need before it waits."""
    entered = f"collective_enter(site, MPI_CALL_{call.name}, comm, {root_of(call)}"
    begin = f"""	bool entered = {entered},
	                                {signature(call)});
	MPI_Request request;
	int code;
"""
    begin_early = f"""	struct collective_signature signature =
		{signature(call)};
	bool entered, is_early = early_applies(MPI_CALL_{call.name}, comm)
	                         && collective_is_valid(comm, {root_of(call)}, &signature);
	struct early early;
	MPI_Request request;
	int code = MPI_SUCCESS;

	if (is_early) {{
		early_begin(&early, comm, MPI_CALL_{call.name});
		code = early_{call.name}(&early, {early_values(call)});
	}}
	entered = {entered}, signature);
"""
    end_early = """ else if (is_early) {
		code = early_complete(&early, code);
	}"""
    return f"""
int shim_MPI_{call.name}(void *site, {call.parameters()})
{{
{begin_early if is_early(call) else begin}
	if (!entered) {{
		code = real_mpi()->{call.name}({call.values()});
	}}{end_early if is_early(call) else ""} else {{
		code = real_mpi()->{twin.name}({call.values()}, &request);
		if (code == MPI_SUCCESS)
			code = gate_complete(&request, MPI_STATUS_IGNORE);
	}}
	return error_check(comm, code, MPI_CALL_{call.name}, site);
}}
"""


def field(argument):
    """A struct member that can hold the argument's value."""
    if argument.array:
        return f"{argument.type} *{argument.name}"
    return argument.declaration()


def kept(call, argument, keeper="closure->kept"):
    """The value to keep. Count arrays may be the shim's own (large counts), so they are copied."""
    if argument.array and argument.type == "const int":
        return (f"large_count_copy(&{keeper}, MPI_CALL_{call.name}, \"{argument.name}\", "
                f"{argument.name}, {'root' if call.has('root') else '0'}, comm)")
    return argument.name


def early_values(call, closure=""):
    """The arguments of early_X."""
    return ", ".join(closure + a.name for a in call.arguments
                     if a.name not in ("comm", "info", "request"))


def post_body(call, base, library):
    """The body of post_X: moves the data, in the library or early."""
    if not is_early(call):
        return f"\treturn {library};"
    return f"""	struct early *early = collective_early(pointer, MPI_CALL_{call.name});

	if (!early)
		return {library};
	return early_advance(early, early_{base}(early, {early_values(call, "closure->")}),
	                     NULL, ret_request);"""


def advance(call):
    return ".advance = collective_advance, " if is_early(call) else ""


def nonblocking_collective(call):
    base = call.name[1].upper() + call.name[2:]
    inputs = [a for a in call.arguments if a.name != "request"]
    fields = "\n".join(f"\t{field(a)};" for a in inputs)
    values = ", ".join(f"closure->{a.name}" for a in inputs)
    stores = "\n".join(f"\tclosure->{a.name} = {kept(call, a)};" for a in inputs)
    types = [a.name for a in inputs if a.type == "MPI_Datatype" and not a.array]
    holds = "".join(f"\tcollective_keep_type(&closure->kept, {name});\n" for name in types)
    if call.has("op"):
        holds += "\tcollective_keep_op(&closure->kept, op);\n"
    return f"""
struct closure_{call.name} {{
	struct collective_kept kept;
{fields}
}};

static int post_{call.name}(void *pointer, MPI_Request *ret_request)
{{
	struct closure_{call.name} *closure = pointer;
{post_body(call, base, f"real_mpi()->{call.name}({values}, ret_request)")}
}}

int shim_MPI_{call.name}(void *site, {call.parameters()})
{{
	static const struct request_actions actions = {{ .post = post_{call.name}, {advance(call)}
	                                                .over = collective_over }};
	struct collective_signature signature = {signature(call)};
	struct closure_{call.name} *closure;
	int code;

	if (!collective_is_valid(comm, {root_of(call)}, &signature)) {{
		collective_signature_release(&signature);
		error_report_call(site, MPI_CALL_{call.name});
		code = real_mpi()->{call.name}({call.values()});
		return error_check(comm, code, MPI_CALL_{call.name}, site);
	}}
	closure = calloc(1, sizeof(*closure));
	if (!closure) {{
		collective_signature_release(&signature);
		return error_check(comm, MPI_ERR_NO_MEM, MPI_CALL_{call.name}, site);
	}}
{stores}
{holds}	return collective_start(site, MPI_CALL_{call.name}, comm, {root_of(call)}, signature,
	                        &actions, closure, request);
}}
"""


def persistent_collective(call):
    """The function of a persistent collective: each start is the nonblocking collective."""
    base = call.name[:-len("_init")]
    inputs = [a for a in call.arguments if a.name not in ("request", "comm", "info")]
    fields = "".join(f"\t{field(a)};\n" for a in inputs)
    values = "".join(f"closure->{a.name}, " for a in inputs)
    stores = "".join(f"\tclosure->{a.name} = {kept(call, a, 'closure->plan.kept')};\n"
                     for a in inputs)
    nonblocking = f"I{base[0].lower()}{base[1:]}"
    root = root_of(call)
    holds = "".join(f"\tcollective_keep_type(&closure->plan.kept, {a.name});\n"
                    for a in inputs if a.type == "MPI_Datatype" and not a.array)
    if call.has("op"):
        holds += "\tcollective_keep_op(&closure->plan.kept, op);\n"
    return f"""
struct closure_{call.name} {{
	struct collective_plan plan;
{fields}}};

static int post_{call.name}(void *pointer, MPI_Request *ret_request)
{{
	struct closure_{call.name} *closure = pointer;
{post_body(call, base, f"real_mpi()->{nonblocking}({values}closure->plan.kept.comm, ret_request)")}
}}

int shim_MPI_{call.name}(void *site, {call.parameters()})
{{
	static const struct request_actions actions = {{ .post = post_{call.name}, {advance(call)}
	                                                .release = collective_plan_release }};
	struct collective_signature signature = {signature(call)};
	struct closure_{call.name} *closure;
	int code;

	error_report_call(site, MPI_CALL_{call.name});
	if (!collective_is_valid(comm, {root_of(call)}, &signature)
	    || !collective_takes_info(info)) {{
		collective_signature_release(&signature);
		code = real_mpi()->{call.name}({call.values()});
		return error_check(comm, code, MPI_CALL_{call.name}, site);
	}}
	closure = calloc(1, sizeof(*closure));
	if (!closure) {{
		collective_signature_release(&signature);
		return error_check(comm, MPI_ERR_NO_MEM, MPI_CALL_{call.name}, site);
	}}
{stores}{holds}	closure->plan.signature = signature;
	closure->plan.op = collective_op(comm, {root}, signature, MPI_CALL_{call.name});
	closure->plan.bytes = collective_bytes(comm, MPI_CALL_{call.name}, {root}, &signature);
	code = collective_plan(&closure->plan, comm, &actions, request);
	return error_check(comm, code, MPI_CALL_{call.name}, site);
}}
"""


def shims(calls, by_name):
    texts = []
    for call in calls:
        twin = nonblocking_twin(call, by_name)
        if call.small(by_name) or call.treatment != "controlled":
            continue
        if twin and not call.get("by_hand"):
            texts.append(barrier() if call.get("collective") == "barrier"
                         else blocking_collective(call, twin))
        if call.order != "none" and call.is_persistent():
            texts.append(persistent_collective(call))
        if is_nonblocking(call, by_name):
            texts.append(nonblocking_collective(call))
    return "".join(texts)
