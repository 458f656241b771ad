"""Calls that matchpoint cannot control end the exploration with a message, and are no findings."""

import os

import harness
from harness import check

SOURCE = harness.program("refused.c")
MESSAGES = {
    "flush": "the program calls MPI_Buffer_flush, which matchpoint cannot control",
    "count": "the program calls MPI_Bcast_c with a count or displacement above 2^31-1",
}


def body(tool, _):
    program = tool.compile(SOURCE, "-Wl,-z,dynamic-undefined-weak")
    messages = dict(MESSAGES)
    # MPICH 4.0 has no function that is refused: the program cannot call one
    shim = os.path.join(os.path.dirname(tool.matchpoint), "libmatchpoint-shim.so")
    with open(shim, "rb") as file:
        if b"PMPI_Buffer_flush" not in file.read():
            del messages["flush"]
    for argument, message in messages.items():
        for backtrack in ("snapshot", "rerun"):
            run = tool.run("explore", "-n", "3", "--backtrack", backtrack, "--", program, argument)
            check(run.status == 4, "exit status %s\n%s" % (run.status, run))
            check(run.err.startswith("matchpoint: " + message), "another message\n%s" % run)
            check("refused.c:" in run.err, "where is that?\n%s" % run)
            check("finding" not in run.out, "a finding\n%s" % run)
    run = tool.run("check", program)
    check(run.status == 3 and "refused" in run.out, str(run))
    check("MPI_Buffer_flush" in run.out.split("refused:")[1], str(run))


if __name__ == "__main__":
    harness.main(__doc__, body)
