#!/usr/bin/env python3
"""Writes a mpi.h of MPI's standard ABI (MPI 5.0, chapter 20), for which no library is installed.

usage: write_header.py VALUES MPI_H OUTPUT

VALUES is values.txt. MPI_H is the preprocessed mpi.h of the installed library: the functions are
the same, only types and values differ.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "shim", "generate"))
import mpi_header  # noqa: E402  (found only after the line above)

TYPES = """\
typedef intptr_t MPI_Aint;
typedef int64_t MPI_Offset;
typedef MPI_Offset MPI_Count;
typedef int MPI_Fint;
typedef struct {
	int MPI_SOURCE;
	int MPI_TAG;
	int MPI_ERROR;
	int MPI_internal[5];
} MPI_Status;
typedef struct {
	int value[8];
} MPI_F08_status;
"""

CALLBACKS = """\
typedef void MPI_User_function(void *, void *, int *, MPI_Datatype *);
typedef void MPI_User_function_c(void *, void *, MPI_Count *, MPI_Datatype *);
typedef int MPI_Grequest_query_function(void *, MPI_Status *);
typedef int MPI_Grequest_free_function(void *);
typedef int MPI_Grequest_cancel_function(void *, int);
typedef int MPI_Copy_function(MPI_Comm, int, void *, void *, void *, int *);
typedef int MPI_Delete_function(MPI_Comm, int, void *, void *);
typedef int MPI_Datarep_extent_function(MPI_Datatype, MPI_Aint *, void *);
typedef int MPI_Datarep_conversion_function(void *, MPI_Datatype, int, void *, MPI_Offset, void *);
typedef int MPI_Datarep_conversion_function_c(void *, MPI_Datatype, MPI_Count, void *, MPI_Offset,
                                              void *);
typedef MPI_Comm_errhandler_function MPI_Handler_function;
"""

ADDRESSES = (("MPI_BOTTOM", "void *", 0), ("MPI_IN_PLACE", "void *", 1),
             ("MPI_BUFFER_AUTOMATIC", "void *", 2), ("MPI_ARGV_NULL", "char **", 0),
             ("MPI_ARGVS_NULL", "char ***", 0), ("MPI_ERRCODES_IGNORE", "int *", 0),
             ("MPI_STATUS_IGNORE", "MPI_Status *", 0), ("MPI_STATUSES_IGNORE", "MPI_Status *", 0),
             ("MPI_F_STATUS_IGNORE", "MPI_Fint *", 0), ("MPI_UNWEIGHTED", "int *", 10),
             ("MPI_WEIGHTS_EMPTY", "int *", 11), ("MPI_CONVERSION_FN_NULL",
                                                  "MPI_Datarep_conversion_function *", 0))

TOOLS = ("enum", "cvar_handle", "pvar_handle", "pvar_session", "event_registration",
         "event_instance")


def groups(path):
    """Each group's handle type (None for numbers) and its names and values."""
    found = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split("#")[0].split()
            if words[:1] == ["handle"]:
                found.append((words[1], []))
            elif words[:1] == ["number"]:
                found.append((None, []))
            elif words:
                found[-1][1].append((words[0], int(words[1], 0)))
    return found


def attribute_functions():
    """The callbacks that copy, delete and handle errors, a set for each kind of object."""
    for kind, handle in (("Comm", "MPI_Comm"), ("Type", "MPI_Datatype"), ("Win", "MPI_Win")):
        yield (f"typedef int MPI_{kind}_copy_attr_function({handle}, int, void *, void *, void *, "
               "int *);")
        yield f"typedef int MPI_{kind}_delete_attr_function({handle}, int, void *, void *);"
        for name, function, value in (("NULL_COPY", "copy_attr", 0), ("DUP", "copy_attr", 1),
                                      ("NULL_DELETE", "delete_attr", 0)):
            yield (f"#define MPI_{kind.upper()}_{name}_FN "
                   f"((MPI_{kind}_{function}_function *)(intptr_t){value})")
    for kind in ("Comm", "File", "Win", "Session"):
        yield f"typedef void MPI_{kind}_errhandler_function(MPI_{kind} *, int *, ...);"
        yield f"typedef MPI_{kind}_errhandler_function MPI_{kind}_errhandler_fn;"


def tool_types():
    """What the tool information interface (MPI_T) passes."""
    for name in TOOLS:
        yield f"typedef struct MPI_T_{name}_t *MPI_T_{name};"
    yield "typedef enum MPI_T_cb_safety { MPI_T_CB_REQUIRE_NONE = 0 } MPI_T_cb_safety;"
    yield "typedef enum MPI_T_source_order { MPI_T_SOURCE_ORDERED = 1 } MPI_T_source_order;"
    head = "MPI_T_event_registration, MPI_T_cb_safety, void *"
    yield f"typedef void MPI_T_event_cb_function(MPI_T_event_instance, {head});"
    yield f"typedef void MPI_T_event_free_cb_function({head});"
    yield ("typedef void MPI_T_event_dropped_cb_function(MPI_Count, MPI_T_event_registration, int, "
           "MPI_T_cb_safety, void *);")


def lines(values, functions):
    yield "#ifndef MPI_H_ABI\n#define MPI_H_ABI\n\n#include <stdint.h>\n"
    yield TYPES
    for handle, named in groups(values):
        if handle:
            yield f"typedef struct MPI_ABI_{handle[4:]} *{handle};"
        for name, value in named:
            yield f"#define {name} " + (f"(({handle}){value:#x})" if handle else f"({value})")
    yield from attribute_functions()
    yield CALLBACKS
    yield from tool_types()
    for name, kind, value in ADDRESSES:
        yield f"#define {name} (({kind})(intptr_t){value})"
    for name, (returns, arguments) in functions.items():
        yield f"{returns} MPI_{name}({arguments});\n{returns} PMPI_{name}({arguments});"
    yield "\n#endif"


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    values, header, output = sys.argv[1:]
    functions = mpi_header.prototypes(header)
    with open(output, "w", encoding="utf-8") as file:
        file.write("\n".join(lines(values, functions)) + "\n")


if __name__ == "__main__":
    main()
