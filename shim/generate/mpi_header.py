"""The prototypes of the mpi.h that is there: the wrappers are built against it.

Versions of MPICH differ in a const, in arrays written as pointers, and in which functions they have
(handles are converted by macros in one and by functions in the next).
"""
import re

PROTOTYPE = re.compile(r"(\w[\w ]*?[ *]+)\bMPI_(\w+) ?\(([^;{}]*)\) ?;")


def prototypes(path):
    """Of preprocessed mpi.h: what each function gives and its arguments, by name without MPI_."""
    with open(path, encoding="utf-8") as header:
        text = "".join(line for line in header if not line.startswith("#"))
    text = re.sub(r"__attribute__\s*\(\(.*?\)\)(?=\s*[;_])", "", text, flags=re.DOTALL)
    text = re.sub(r"\s+", " ", text)
    return {match.group(2): (match.group(1).strip(), match.group(3).strip())
            for match in PROTOTYPE.finditer(text) if not match.group(1).startswith("typedef")}
