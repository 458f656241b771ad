"""The datatypes into which a call receives. They follow from its prototype. misuse.h describes what
the wrappers check in them."""


def condition(call, names):
    """A C expression: whether this process receives in the call. None: it always does."""
    if "root" in names:
        if call.order == "root_last":
            return "misuse_is_root(comm, root)"
        if "recvbuf" in names:
            return "misuse_is_scattered_to(comm, root, recvbuf)"
        return "!misuse_is_root(comm, root) && root != MPI_PROC_NULL"
    return "source != MPI_PROC_NULL" if "source" in names else None


def received(call, names):
    """C expressions (count, type). None: the call receives nothing, or reduces."""
    if "recvtype" in names:
        return ("recvcount" if "recvcount" in names else "1"), "recvtype"
    receives = ("source" in names or "message" in names or call.name.startswith("Precv_init")
                or call.get("collective") == "bcast")
    return ("count", "datatype") if receives and {"count", "datatype"} <= names else None


def behind(call):
    """Statements after a call that has succeeded."""
    names = {a.name for a in call.arguments}
    when = "result == MPI_SUCCESS"
    look = f"misuse_check_receive(MPI_CALL_{call.name}, site, "
    if "recvtypes" in names:
        kind = "true" if call.get("collective").startswith("neighbor") else "false"
        return [f"\tfor (int i = 0, all = misuse_partners(comm, {kind}); {when} && i < all; i++)",
                "\t\tif (recvcounts[i] > 0)",
                f"\t\t\t{look}recvcounts[i], recvtypes[i]);"]
    what = received(call, names)
    if not what:
        return []
    where = condition(call, names)
    return [f"\tif ({when}{f' && {where}' if where else ''})", f"\t\t{look}{what[0]}, {what[1]});"]
