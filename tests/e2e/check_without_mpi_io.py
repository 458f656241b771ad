"""An MPI library that was built without ROMIO has no MPI_File_create_errhandler. Programs that use
no MPI-IO are explored as ever. Such a library is made from the installed one, by taking the name
out of its table of symbols."""

import os
import subprocess

import harness
from harness import check

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")
NAME = b"File_create_errhandler\0"
ERASED = b"File_create_errhandleR\0"


def library_of(program):
    """The path of the MPI library of the program."""
    found = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    paths = [line.split()[2] for line in found.splitlines()
             if line.split()[0] in ("libmpich.so.12", "libmpi.so.12")]
    check(len(paths) == 1, "no MPI library in\n" + found)
    return paths[0]


def body(tool, _):
    program = tool.compile(os.path.join(EXAMPLES, "master_worker.c"))
    library = library_of(program)
    with open(library, "rb") as file:
        content = file.read()
    check(NAME in content, "%s does not have the function" % library)
    directory = os.path.join(os.path.dirname(program), "without")
    os.mkdir(directory)
    with open(os.path.join(directory, os.path.basename(library)), "wb") as file:
        file.write(content.replace(NAME, ERASED))
    for environment in (None, {"LD_LIBRARY_PATH": directory}):
        run = tool.run("explore", "-n", "3", "--buffering", "zero", "--", program, "4",
                       report=True, environment=environment)
        check(run.status in (0, 1) and run.report["complete"]
              and run.report["interleavings"] == 8, str(run))


if __name__ == "__main__":
    harness.main(__doc__, body)
