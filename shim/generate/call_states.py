"""What calls mean for the state of a rank (state.h): which leave something in MPI that cannot be
seen, and which make it impossible to tell a state. What is in neither list is taken to hide
something: that is always right, and merges less."""

# All that they do is in messages, requests and collectives, which the scheduler knows.
SEEN = set("""
    Abort Allgather Allgatherv Allreduce Alltoall Alltoallv Alltoallw Barrier Bcast Exscan
    Finalize Finalized Gather Gatherv Iallgather Iallgatherv Iallreduce Ialltoall Ialltoallv
    Ialltoallw Ibarrier Ibcast Iexscan Igather Igatherv Init Init_thread Initialized Iprobe
    Irecv Ireduce Ireduce_scatter Ireduce_scatter_block Irsend Iscan Iscatter Iscatterv
    Isend Issend Probe Recv Reduce Reduce_scatter Reduce_scatter_block Rsend Scan Scatter
    Scatterv Send Sendrecv Ssend Test Testall Testany Testsome Wait Waitall Waitany Waitsome
""".split())

# What they leave is in windows, which the rank's state has (window_state.h), and in what the
# scheduler is told of them. A window that is gone has left nothing; one that is made takes its
# name from MPI's store of them, and so hides.
WINDOWS = set("""
    Accumulate Accumulate_c Compare_and_swap Fetch_and_op Get Get_c Get_accumulate
    Get_accumulate_c Put Put_c Win_complete Win_fence Win_flush Win_flush_all Win_flush_local
    Win_flush_local_all Win_free Win_lock Win_lock_all Win_post Win_start Win_sync Win_test
    Win_unlock Win_unlock_all Win_wait
""".split())
SEEN |= WINDOWS

# They ask, or compute in the program's memory.
ASKS = set("""
    Address Aint_add Aint_diff Attr_get Cart_coords Cart_get Cart_map Cart_rank Cart_shift
    Cartdim_get Comm_compare Comm_get_attr Comm_get_name Comm_rank Comm_remote_size Comm_size
    Comm_test_inter Dims_create Dist_graph_neighbors Dist_graph_neighbors_count Error_class
    Error_string Get_address Get_count Get_count_c Get_elements Get_elements_c Get_elements_x
    Get_library_version Get_processor_name Get_version Graph_get Graph_map Graph_neighbors
    Graph_neighbors_count Graphdims_get Group_compare Group_rank Group_size Group_translate_ranks
    Info_get Info_get_nkeys Info_get_nthkey Info_get_string Info_get_valuelen Is_thread_main
    Op_commutative Pack Pack_c Pack_external Pack_external_c Pack_external_size
    Pack_external_size_c Pack_size Pack_size_c Query_thread Reduce_local Reduce_local_c
    Session_get_nth_pset Session_get_num_psets Test_cancelled Topo_test Type_extent
    Type_get_envelope Type_get_envelope_c Type_get_extent Type_get_extent_c Type_get_extent_x
    Type_get_name Type_get_true_extent Type_get_true_extent_c Type_get_true_extent_x
    Type_get_value_index Type_lb Type_match_size Type_size Type_size_c Type_size_x Type_ub Unpack
    Unpack_c Unpack_external Unpack_external_c Win_get_attr Win_get_name Win_shared_query
    Win_shared_query_c Wtick Wtime
""".split())

# Memory, files and processes that only MPI knows.
REFUSED = {
    "Alloc_mem": "MPI_Alloc_mem has given it memory",
    "Comm_accept": "it is connected to other programs",
    "Comm_connect": "it is connected to other programs",
    "Comm_join": "it is connected to other programs",
    "Comm_spawn": "it has started other programs",
    "Comm_spawn_multiple": "it has started other programs",
    "Grequest_start": "it has requests of its own making",
}
FILES = "it works on files through MPI"

# With a buffer that is told as what it holds: (buffer, count, type).
DATA = {name: ("buf", "count", "datatype") for name in
        ("Send", "Ssend", "Rsend", "Isend", "Issend", "Irsend", "Irecv")}
DATA["Sendrecv"] = ("sendbuf", "sendcount", "sendtype")
# Nothing that is sent, or looked at later than by the caller itself.
NO_DATA = {"Probe", "Iprobe", "Recv", "Wait", "Waitall", "Waitany", "Waitsome", "Test", "Testall",
           "Testany", "Testsome", "Barrier", "Finalize"} | WINDOWS


def asks(call):
    name = call.name
    return (name in ASKS or name.startswith("Status_") or name.endswith(("_c2f", "_f2c"))
            or name.startswith("T_") and not any(word in name for word in
                                                 ("write", "reset", "start", "stop", "register")))


def refusal(call):
    """Why no state can be told after it, or None."""
    if call.name.startswith(("File_open", "File_iread", "File_iwrite")):
        return FILES
    return REFUSED.get(call.name)


def must_be_seen(call):
    """It would go to MPI unseen, and leaves something there."""
    return call.returns == "int" and not asks(call) and call.name not in SEEN


def passing(call):
    """Statements of a wrapper that passes the call on."""
    if refusal(call):
        return [f"\tif (state_is_wanted() && !real_is_own(site))\n"
                f"\t\tstate_refuse(\"{refusal(call)}\");"]
    if must_be_seen(call):
        return ["\tif (state_is_wanted() && !real_is_own(site))\n\t\tstate_hide();"]
    return []


def number(argument):
    """A statement's value: what the caller gave, as a number."""
    if argument.type == "..." or argument.name == "...":
        return None
    if argument.array or "*" in argument.type or argument.type.endswith("_function"):
        return f"(uint64_t)(uintptr_t){argument.name}"
    return f"(uint64_t){argument.name}"


def controlled(call):
    """Statements of a wrapper that controls the call: what it was given."""
    given = [number(argument) for argument in call.arguments]
    given = ", ".join(["0"] + [value for value in given if value])
    hides = call.name not in SEEN
    lines = ["\tif (state_is_wanted()) {",
             f"\t\tconst uint64_t given[] = {{ {given} }};",
             f"\t\tstate_note_call(MPI_CALL_{call.name}, given, sizeof(given) / sizeof(*given), "
             f"{'true' if hides else 'false'});"]
    if refusal(call):
        lines.append(f"\t\tstate_refuse(\"{refusal(call)}\");")
    if call.name in DATA:
        lines.append(f"\t\tstate_note_data({', '.join(DATA[call.name])});")
    elif not hides and call.name not in NO_DATA:
        lines.append("\t\tstate_note_data(NULL, 1, MPI_DATATYPE_NULL);")
    return lines + ["\t}"]
