"""Which calls move data to or from a window, or complete such calls, as follows from their
prototypes; used by generate_calls.py. What the wrappers tell: access.h."""


def names(call):
    return {a.name for a in call.arguments}


def moves(call):
    return {"origin_addr", "target_rank", "win"} <= names(call)


def synchronises(call):
    """Those that go to the library unseen: MPI_Win_flush and its kin, MPI_Win_sync."""
    return call.waits() and "win" in names(call) and not moves(call)


def tells(call):
    return call.waits() and (moves(call) or synchronises(call))


def atomic(call):
    """The statement that notes an atomic operation on a window, by whoever."""
    if "accumulate" in call.name.lower() or call.name in ("Compare_and_swap", "Fetch_and_op"):
        return ["\twindow_note_atomic();"]
    return []


def before(call):
    """Statements ahead of a call that goes to the library unseen."""
    if not synchronises(call):
        return []
    ranked = "rank" in names(call)
    target = "rank" if ranked else "WIRE_ANY"
    own = "own && rank != MPI_PROC_NULL" if ranked else "own"
    return [f"\tif ({own})\n\t\taccess_synchronise(MPI_CALL_{call.name}, site_of_caller(site), "
            f"{target}, win);"]


def after(call):
    """Statements behind it, for when it has succeeded."""
    if synchronises(call):
        target = "rank" if "rank" in names(call) else "WIRE_ANY"
        return [f"\tif (own && returned == MPI_SUCCESS)\n"
                f"\t\twindow_called(MPI_CALL_{call.name}, {target}, 0, win);"]
    if not call.waits() or not moves(call):
        return []
    given = names(call)
    kind = "datatype" if "datatype" in given else "origin_datatype"
    target_kind = "datatype" if "datatype" in given else "target_datatype"
    fields = [f".function = MPI_CALL_{call.name}", ".site = site_of_caller(site)",
              ".origin = origin_addr", f".origin_type = {kind}",
              f".origin_count = {'origin_count' if 'origin_count' in given else '1'}",
              ".target = target_rank", ".displacement = target_disp",
              f".target_count = {'target_count' if 'target_count' in given else '1'}",
              f".target_type = {target_kind}", ".window = win"]
    if "compare_addr" in given:
        fields.append(".compare = compare_addr")
    if "result_addr" in given:
        fields += [".result = result_addr",
                   f".result_count = {'result_count' if 'result_count' in given else '1'}",
                   f".result_type = {'result_datatype' if 'result_count' in given else kind}"]
    if "op" in given:
        fields.append(".op = op")
    initialiser = "".join(f"\t\t\t{field},\n" for field in fields)
    request = "request" if "request" in given else "NULL"
    return ["\tif (own && returned == MPI_SUCCESS) {\n"
            f"\t\tconst struct access_call access = {{\n{initialiser}\t\t}};\n\n"
            f"\t\taccess_made(&access, {request});\n\t}}"]
