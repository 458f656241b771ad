"""Collectives under control deliver what plain MPI delivers, to the last bit: every collective,
blocking, nonblocking and persistent, in place or not, for 1, 2, 3 and 5 members, with and without
synchronisation by collectives that need none."""

import os
import re

import harness
from harness import check

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = harness.program("collective_data.c")
TABLE = os.path.join(HERE, "..", "..", "shim", "generate", "mpi_calls.txt")
MEMBERS = [(1, []), (2, []), (3, []), (5, []), (2, ["self"])]
MOST_SYNCHRONISED = 3  # five members take long


def check_all_are_used():
    """All calls that receive data are used. Calls with large counts count as those with small
    ones."""
    with open(TABLE) as table, open(SOURCE) as source:
        known = set(re.findall(r"^controlled\s+\S+\s+(?:all|root_first|root_last|lower)\s.*?"
                               r"\bMPI_(\w+)\((?:const )?void \*", table.read(), re.M))
        used = set(re.findall(r"\w+", source.read()))
    missing = sorted(name for name in known - used if not name.endswith("_c"))
    check(not missing, "collective_data.c does not call %s" % ", ".join(missing))


def compare(tool, program, members, arguments, options):
    expected = tool.run_plain(members, program, *arguments)
    run = tool.run("explore", "-q", "-n", str(members), *options, "--", program, *arguments,
                   report=True)
    check(not run.report["findings"], "%d members: not well\n%s" % (members, run))
    left = {limit["limit"] for limit in run.report["not_explored"]}
    # one extreme alone, or what is assumed of persistent reductions
    check(left <= {"collectives-async", "collectives-sync", "collectives-waited"},
          "%d members: not all: %s\n%s" % (members, left, run))
    for execution in run.report["executions"]:
        for rank, (plain, output) in enumerate(zip(expected, execution["output"])):
            lines = list(zip(plain.splitlines(), output.splitlines()))
            different = [pair for pair in lines if pair[0] != pair[1]]
            check(plain == output, "%d members, %s, %s buffering: rank %d of %d lines:\n%s"
                  % (members, options, execution["buffering"], rank, len(lines), "\n".join(
                      "  plain %s\n  here  %s" % pair for pair in different)))


def body(tool, _):
    check_all_are_used()
    program = tool.compile(SOURCE)
    for members, arguments in MEMBERS:
        for collectives in ["async", "sync"] if members <= MOST_SYNCHRONISED else ["async"]:
            compare(tool, program, members, arguments, ["--collectives", collectives])
    print("%d sets of members" % len(MEMBERS))


if __name__ == "__main__":
    harness.main(__doc__, body)
