"""Every controlled or bracketed call of the table (shim/generate/mpi_calls.txt) is used by a
correct test program: one with expectations in which nothing is found."""

import glob
import json
import os
import re

import harness
from harness import check

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "..", "..", "shim", "generate", "mpi_calls.txt")
# All programs use this header: MPI_Init and, where a check fails, MPI_Abort.
SHARED = os.path.join(HERE, "programs", "check.h")


def calls_of_table():
    with open(TABLE) as table:
        return set(re.findall(r"^(?:controlled|bracketed)\s.*?\b(MPI_\w+)\(", table.read(), re.M))


def calls_of_program(source):
    with open(source) as file:
        text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"', " ", file.read(), flags=re.S)
    return set(re.findall(r"\b(MPI_\w+)\s*\(", text))


def nothing_found(expect):
    with open(expect) as file:
        expectations = json.load(file)
    if isinstance(expectations, dict):
        expectations = [expectations]
    return any(not e.get("findings") and e.get("exit", 0) == 0 for e in expectations)


def body(*_):
    used = calls_of_program(SHARED)
    for expect in glob.glob(os.path.join(HERE, "programs", "*", "*.expect")):
        source = expect[:-len("expect")] + "c"
        if nothing_found(expect) and os.path.exists(source):
            used |= calls_of_program(source)
    missing = calls_of_table() - used
    check(not missing, "no right program calls these, which are controlled: %s" % ", ".join(
        sorted(missing)))
    print("%d controlled calls, all of them used" % len(calls_of_table()))


if __name__ == "__main__":
    harness.main(__doc__, body)
