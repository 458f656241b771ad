"""Which MPI calls create objects that the program must free, and which free them.

This follows from the prototype, so that no call is forgotten: a call with a handle by reference
creates an object. Exceptions have frees, makes=nothing or later= in mpi_calls.txt.
"""

KINDS = {"MPI_Comm *": "COMMUNICATOR", "MPI_Datatype *": "DATATYPE",
         "MPI_Errhandler *": "ERRHANDLER", "MPI_File *": "FILE", "MPI_Group *": "GROUP",
         "MPI_Info *": "INFO", "MPI_Message *": "MESSAGE", "MPI_Op *": "OP",
         "MPI_Request *": "REQUEST", "MPI_Win *": "WINDOW"}


def kind_of(argument):
    """The kind of object if the argument is a handle by reference; None: it is not."""
    if argument.array:
        return None
    if argument.type == "int *" and argument.name.endswith("keyval"):
        return "KEYVAL"
    return KINDS.get(argument.type)


def handles(call):
    """(argument, kind) for each object that the call creates or frees."""
    if call.name.startswith("T_") or call.get("makes") == "nothing":
        return []
    later = call.get("later") or []
    return [(a.name, kind_of(a)) for a in call.arguments if kind_of(a) and a.name not in later]


def before(call):
    """Statements before the call."""
    if not call.get("frees"):
        return []
    return [f"\tconst uintptr_t old_{name} = {name} ? (uintptr_t)*{name} : 0;"
            for name, kind in handles(call) if kind != "REQUEST"]


def freed(call, own=""):
    """Statements after the call. A call that fails may have freed the object nevertheless."""
    if not call.get("frees"):
        return []
    return [f"\tif ({own}{name} && (uintptr_t)*{name} != old_{name})\n"
            f"\t\ttracking_freed(WIRE_OBJECT_{kind}, old_{name}, {name});"
            for name, kind in handles(call) if kind != "REQUEST"]


def made(call, site="site"):
    """Statements after a call that has succeeded."""
    where = f"MPI_CALL_{call.name}, {site}"
    predefined = call.get("predefined")
    if predefined:
        arrays = {a.name for a in call.arguments if a.array}
        return [f"\t\ttracking_got_contents(datatype, {name}, {where});" if name in arrays
                else f"\t\ttracking_got_types(1, {name}, {where});" for name in predefined]
    return [f"\t\ttracking_made(WIRE_OBJECT_{kind}, (uintptr_t)*{name}, {name}, {where});"
            for name, kind in given(call)]


def given(call):
    """(argument, kind) for each object that the program owns after the call has succeeded."""
    return [(name, kind) for name, kind in handles(call)
            if not call.get("frees") or kind == "REQUEST"]


def main_kind(call):
    """The kind of the call's main object, created at once or later; None: it creates none."""
    kinds = [kind for _, kind in given(call)]
    kinds += [kind_of(a) for a in call.arguments if a.name in (call.get("later") or [])]
    if call.get("predefined"):
        kinds.append("DATATYPE")
    return next((kind for kind in kinds if kind != "REQUEST"), kinds[0] if kinds else None)


def also(call):
    """A condition in C for `made`, besides success: a polling call may have found nothing."""
    return " && *flag" if call.get("asks") and call.takes("MPI_Message *") else ""


def tracks(call):
    return bool(freed(call) or made(call))
