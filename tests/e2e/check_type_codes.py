"""The codes of predefined types and operations (common/mpi_codes.h): MPI gives each basic type of
mpi.h the name and size of its code, and each operation does what its code's name says. The shim's
own table is compiled into a program for it."""

import os
import re
import subprocess

import harness
from harness import check

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
PARTS = [os.path.join(ROOT, part) for part in ("shim/types/codes.c", "common/mpi_codes.c")]
PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>

#include "common/mpi_codes.h"
#include "shim/types/codes.h"

static void show(MPI_Datatype type)
{
	const char *of_code = type_code_name(codes_of_type(type));
	char name[MPI_MAX_OBJECT_NAME];
	int length, size;

	MPI_Type_get_name(type, name, &length);
	MPI_Type_size(type, &size);
	printf("type %%s %%d %%s %%u\n", length > 0 ? name : "MPIX_NAMELESS", size,
	       of_code ? of_code : "-", type_code_size(codes_of_type(type)));
}

static void apply(MPI_Op op)
{
	int value[] = {12, 3}, other[] = {10, 4};

	if (op == MPI_MAXLOC || op == MPI_MINLOC)
		MPI_Reduce_local(value, other, 1, MPI_2INT, op);
	else
		MPI_Reduce_local(value, other, 1, MPI_INT, op);
	printf("op %%s %%d\n", op_code_name(codes_of_op(op)), other[0]);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
%s
	MPI_Finalize();
	return 0;
}
"""
# mpi.h's names for which MPI_Type_get_name has another one.
ALIASES = {"MPI_LONG_LONG_INT": "MPI_LONG_LONG", "MPI_C_COMPLEX": "MPI_C_FLOAT_COMPLEX"}
# A pair of one type is two elements of it.
PAIRS = {"MPI_2INT": "MPI_INT", "MPI_2INTEGER": "MPI_INTEGER", "MPI_2REAL": "MPI_REAL",
         "MPI_2DOUBLE_PRECISION": "MPI_DOUBLE_PRECISION"}
NOT_COMPARED = {"MPI_PACKED", "MPI_LB", "MPI_UB"}
OPS = {"MAX": 12, "MIN": 10, "SUM": 22, "PROD": 120, "LAND": 1, "BAND": 12 & 10, "LOR": 1,
       "BOR": 12 | 10, "LXOR": 0, "BXOR": 12 ^ 10, "MAXLOC": 12, "MINLOC": 10}


def basic_types(tool):
    """The names of basic types in mpi.h. Of MPICH's ABI, they are macros with a number."""
    header = tool.write("names.c", "#include <mpi.h>\n")
    macros = subprocess.run([tool.mpicc, "-E", "-dM", header], capture_output=True, text=True,
                            check=True).stdout
    return re.findall(r"#define (MPIX?_\w+) +\(\(MPI_Datatype\) *0x4c00[0-9a-f]{4}\)", macros)


def check_type(name, size, named, code_size):
    name = ALIASES.get(name, name)
    if name in NOT_COMPARED:
        check((named, code_size) == ("-", 0), "%s has a code: %s" % (name, named))
    elif name in PAIRS:
        check((named, 2 * code_size) == (PAIRS[name], size), "%s: %s, %d" % (
            name, named, code_size))
    elif name.startswith("MPIX_"):
        check((named, code_size) == ("-", size), "%s: %s, %d" % (name, named, code_size))
    else:
        check((named, code_size) == (name, size), "%s, %d bytes: code of %s, %d bytes" % (
            name, size, named, code_size))


def body(tool, _):
    names = basic_types(tool)
    lines = ["\tshow(%s);" % name for name in names] + ["\tapply(MPI_%s);" % op for op in OPS]
    source = tool.write("type_codes.c", PROGRAM % "\n".join(lines))
    program = tool.compile(source, *PARTS, "-I" + ROOT)
    shown = [line.split() for line in tool.run_plain(1, program)[0].splitlines()]
    types = [line[1:] for line in shown if line[0] == "type"]
    check(len(types) == len(names) >= 50, "%d types of %s" % (len(types), names))
    for name, size, named, code_size in types:
        check_type(name, int(size), named, int(code_size))
    values = {name: int(value) for _, name, value in shown[len(types):]}
    check(values == {"MPI_" + op: value for op, value in OPS.items()}, str(values))
    print("%d types, %d operations" % (len(types), len(values)))


if __name__ == "__main__":
    harness.main(__doc__, body)
