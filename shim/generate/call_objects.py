"""Which MPI calls give the program objects that it must free, and which take them back.

It follows from the prototype, so that no call is forgotten: one that has a handle by reference
gives an object, unless it is named here.
"""

KINDS = {"MPI_Comm *": "COMMUNICATOR", "MPI_Datatype *": "DATATYPE",
         "MPI_Errhandler *": "ERRHANDLER", "MPI_File *": "FILE", "MPI_Group *": "GROUP",
         "MPI_Info *": "INFO", "MPI_Message *": "MESSAGE", "MPI_Op *": "OP",
         "MPI_Request *": "REQUEST", "MPIO_Request *": "REQUEST", "MPI_Win *": "WINDOW"}
# Numbers, by reference in these calls.
KEYVALS = {"Comm_create_keyval", "Comm_free_keyval", "Keyval_create", "Keyval_free",
           "Type_create_keyval", "Type_free_keyval", "Win_create_keyval", "Win_free_keyval"}

FREE = {"Comm_disconnect", "Comm_free", "Comm_free_keyval", "Errhandler_free", "File_close",
        "Group_free", "Info_free", "Keyval_free", "Op_free", "Type_free", "Type_free_keyval",
        "Win_free", "Win_free_keyval", "Imrecv", "Imrecv_c", "Mrecv", "Mrecv_c"}

# Handles by reference that are neither: of objects that stay what they are, predefined ones, and
# requests, whose end is seen where they are completed (request.h, completion.c).
NEITHER = {
    "Cancel", "Request_free", "Start", "Test", "Wait",
    "Comm_get_parent",
    "File_get_errhandler",  # MPICH's takes no reference: freeing it is an error
    "Type_commit", "Type_match_size",
    "Type_create_f90_complex", "Type_create_f90_integer", "Type_create_f90_real",
    "Type_get_value_index",
}

# The communicator comes with the request's completion (communicator_create.c).
LATER = {("Comm_idup", "newcomm"), ("Comm_idup_with_info", "newcomm")}

# Types that may be predefined.
CONTENTS = {"Type_get_contents": "array_of_datatypes", "Type_get_contents_c": "array_of_datatypes"}
VIEW = {"File_get_view": ("etype", "filetype")}

# What may be called before MPI_Init and after MPI_Finalize: MPI 3.1, section 8.7.1 and MPI 4.0,
# section 11.4.1; and what only computes.
AT_ANY_TIME = ("T_", "Info_", "Session_", "Status_")
ANY_TIME = {"Initialized", "Finalized", "Get_version", "Get_library_version", "Error_class",
            "Error_string", "Wtime", "Wtick", "Aint_add", "Aint_diff", "Pcontrol", "Init",
            "Init_thread", "Errhandler_free"}


def any_time(call):
    return (call.name in ANY_TIME or call.name.startswith(AT_ANY_TIME)
            or call.name.endswith(("_c2f", "_f2c")))


def handles(call):
    """(argument, kind) for each object that the call gives or takes."""
    if call.name.startswith("T_") or call.name in NEITHER:
        return []
    if call.name in KEYVALS:
        return [(a.name, "KEYVAL") for a in call.arguments if a.type == "int *"]
    return [(a.name, KINDS[a.type]) for a in call.arguments
            if a.type in KINDS and not a.array and (call.name, a.name) not in LATER]


def before(call):
    """Statements in front of the call."""
    if call.name not in FREE:
        return []
    return [f"\tconst uintptr_t old_{name} = {name} ? (uintptr_t)*{name} : 0;"
            for name, kind in handles(call) if kind != "REQUEST"]


def freed(call, own=""):
    """Statements behind the call; one that fails can have taken the object nevertheless."""
    if call.name not in FREE:
        return []
    return [f"\tif ({own}{name} && (uintptr_t)*{name} != old_{name})\n"
            f"\t\ttracking_freed(WIRE_OBJECT_{kind}, old_{name}, {name});"
            for name, kind in handles(call) if kind != "REQUEST"]


def made(call, site="site"):
    """Statements for when it has succeeded."""
    where = f"MPI_CALL_{call.name}, {site}"
    if call.name in CONTENTS:
        return [f"\t\ttracking_got_contents(datatype, {CONTENTS[call.name]}, {where});"]
    if call.name in VIEW:
        return [f"\t\ttracking_got_types(1, {name}, {where});" for name in VIEW[call.name]]
    return [f"\t\ttracking_made(WIRE_OBJECT_{kind}, (uintptr_t)*{name}, {name}, {where});"
            for name, kind in handles(call) if call.name not in FREE or kind == "REQUEST"]


def also(call):
    """What must hold besides for `made` to be right."""
    return " && *flag" if call.name == "Improbe" else ""


def tracks(call):
    return bool(freed(call) or made(call))
