"""Nonblocking consensus by seven kinds of polls, as compilers arrange it: right programs are
explored as a whole, with nothing wrong; in wrong ones the message that is left over is found.

A loop of polls is known by the memory to which the rank comes back. Functions that poll have
variables that they do not initialise, so what MPI leaves on the stack must not count. An exchange
with answers has two kinds of messages and requests beside."""

import harness
from harness import check, told

LOOPS = ("iprobe", "source", "matched", "some", "all", "status", "any")


def check_right(tool, ranks, program, *how):
    run = tool.run("explore", "-n", str(ranks), program, *how, report=True)
    check(run.status == 0 and run.report["complete"], run)


def check_wrong(tool, program, how, level):
    run = tool.run("explore", "-n", "3", program, how, report=True)
    kinds = [one["kind"] for one in run.report["findings"]]
    check(run.status == 1 and run.report["complete"] and kinds == ["leak"],
          "%s %s: %s" % (how, level, run))


def check_orders(tool, program):
    """At -O1 the first round of a rank is like a later one on some paths only."""
    depth = tool.run("explore", "-n", "2", "--order", "depth", program, report=True)
    check(depth.status == 0 and depth.report["complete"], depth)
    for options in (("--order", "deviations"), ("--order", "portfolio"), ("-j", "2")):
        run = tool.run("explore", "-n", "2", *options, program, report=True)
        check(told(run.report) == told(depth.report), "%s\n%s" % (depth, run))
    tool.run("explore", "-n", "2", "--max-interleavings", "9", program, report=True)
    run = tool.run("explore", "-n", "2", "--resume", program, report=True)
    check(told(run.report) == told(depth.report), "%s\n%s" % (depth, run))


def body(tool, _):
    source = harness.program("consensus.c")
    for level in ("-O0", "-O2"):
        program = tool.compile(source, level)
        for how in LOOPS:
            check_right(tool, 3, program, how)
        program = tool.compile(source, level, "-DBUG")
        for how in LOOPS:
            check_wrong(tool, program, how, level)
        check_right(tool, 2, tool.compile(harness.program("sparse_exchange.c"), level))
    check_orders(tool, tool.compile(harness.program("sparse_exchange.c"), "-O1"))


if __name__ == "__main__":
    harness.main(__doc__, body)
