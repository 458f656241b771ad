"""The prototypes of the installed mpi.h, against which the wrappers are built.

Versions of MPICH differ in a const, in arrays written as pointers, and in their set of functions
(one version converts handles with macros, the next with functions).
"""
import re

PROTOTYPE = re.compile(r"(\w[\w ]*?[ *]+)\bMPI_(\w+) ?\(([^;{}]*)\) ?;")


def prototypes(path):
    """Result type and arguments of each function in preprocessed mpi.h, by name without MPI_."""
    with open(path, encoding="utf-8") as header:
        text = "".join(line for line in header if not line.startswith("#"))
    text = re.sub(r"__attribute__\s*\(\(.*?\)\)(?=\s*[;_\w])", "", text, flags=re.DOTALL)
    text = re.sub(r"\s+", " ", text)
    return {match.group(2): (match.group(1).strip(), match.group(3).strip())
            for match in PROTOTYPE.finditer(text) if not match.group(1).startswith("typedef")}
