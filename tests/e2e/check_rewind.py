"""Rewinding in place finds what a fork for each interleaving finds. Programs that change their
processes in ways that must not be visible after a rewind are explored both ways, and compared."""

import collections
import json
import os
import re
import shutil
import sys

import harness
from harness import check

HERE = os.path.dirname(os.path.abspath(__file__))
RANKS = 3

# What the hazard program does; the reason why its ranks cannot be rewound (empty: they can). Those
# of NESTED have a snapshot after their first round, unless the machine is too busy.
NESTED = ("files", "kernel", "lasting")
ANEW = ("flags", "locks", "watches")
HAZARDS = [
    # The kernel may move memory to where something else was when the rank began.
    (["maps,moves,heap,stack,threads"], True, "^$|moved memory onto other memory"),
    (["onto"], False, "it has moved memory onto other memory"),
    (["files"], True, ""),
    (["signals"], True, "SigPnd"),  # where one is pending
    (["kernel"], True, "Umask|Name"),
    (["flags"], True, "^$|was parked"),
    (["locks"], True, "^$|was parked"),
    (["watches"], True, "^$|was parked"),
    (["lasting"], True, "it was parked, and has continued"),
    (["processes"], False, "it has forked"),
    (["exits"], True, ""),
    (["exits", "early"], True, ""),
]
PROGRAMS = ["cplusplus.cc", "fortran_use_mpi_f08.f90"]
PYTHON = """
from mpi4py import MPI
comm, order, log = MPI.COMM_WORLD, [], open("log.%d" % MPI.COMM_WORLD.rank, "w")
try:
    raise ValueError(comm.rank)
except ValueError as error:
    order.append(error.args[0])
if comm.rank == 0:
    order += [comm.recv(source=MPI.ANY_SOURCE) for _ in range(comm.size - 1)]
else:
    comm.send({"from": comm.rank, "list": list(range(1000))}, dest=0)
print(order if comm.rank else [item if item == 0 else item["from"] for item in order], file=log)
print(order if comm.rank else [item if item == 0 else item["from"] for item in order])
"""


def explored(tool, way, ranks, command, options=("--buffering", "infinite")):
    """The report, and the number of rewinds."""
    directory = os.path.join(tool.directory, "work")
    shutil.rmtree(directory, ignore_errors=True)
    os.mkdir(directory)
    log = os.path.join(directory, "log")
    run = tool.run("explore", "-n", str(ranks), "--backtrack", way, *options, "--", *command,
                   report=True, cwd=directory, environment={"MATCHPOINT_LOG": log + ":snapshots"})
    check(run.report is not None, str(run))
    check(run.report["backtrack"] == ("rerun" if way == "rerun" else "snapshot"), str(run))
    with open(log) as file:
        lines = file.read()
    run.orders_ahead = lines.count("orders follow at once")
    return run, lines.count("rewinding world"), lines.count("parking world") > 1


def interleavings(run):
    """Each interleaving, without the order in which choices and matches were made."""
    return collections.Counter(
        json.dumps([execution["status"], execution["exit"], execution["output"],
                    execution["errors"], sorted(execution["path"].split(":", 2)[2].split(",")),
                    sorted(map(str, execution["matches"]))])
        for execution in run.report["executions"])


def findings(run):
    return sorted(json.dumps([finding["kind"], finding.get("count"), finding.get("summary")])
                  for finding in run.report["findings"])


def compare(tool, ranks, command):
    forked, none, _ = explored(tool, "snapshot", ranks, command)
    rewound, count, nested = explored(tool, "rewind", ranks, command)
    check(none == 0, "rewound without being asked to: %s" % forked)
    check(forked.report["interleavings"] == rewound.report["interleavings"]
          and rewound.report["wasted"] == 0, "%s\n%s" % (forked, rewound))
    only = interleavings(rewound) - interleavings(forked)
    check(not only, "found by rewinding alone:\n%s\n%s" % ("\n".join(only), rewound))
    check(findings(forked) == findings(rewound) and forked.status == rewound.status,
          "%s\n%s" % (forked, rewound))
    return (forked, rewound), count, nested


def outputs(run):
    return sorted(str(execution["output"]) for execution in run.report["executions"])


def check_anew(tool, program, hazard, runs):
    """Whatever copies could share with their keeper, forked or rewound, is as in a new run."""
    anew, _, _ = explored(tool, "rerun", RANKS, [program, hazard])
    for run in runs:
        check(outputs(run) == outputs(anew), "%s:\n%s\n%s" % (hazard, anew, run))


def reason(run):
    return "".join(note for note in run.report.get("notes", []) if "rewound in place" in note)


def check_hazards(tool):
    """Whether this kernel lets any rank be rewound; if not, all are forked."""
    program = tool.compile(harness.program("rewind_hazards.c"), "-pthread")
    able = True
    for arguments, rewinds, words in HAZARDS:
        runs, count, nested = compare(tool, RANKS, [program, *arguments])
        run = runs[1]
        if arguments is HAZARDS[0][0] and count == 0:
            able = False
            check("rewound in place" in reason(run), str(run))
            print("no rank can be rewound here: %s" % reason(run))
        if able and (nested or arguments[0] not in NESTED):
            check((count > 0) == rewinds, "%d rewound: %s" % (count, run))
            check(re.search(words or "^$", reason(run)), "not %s: %s" % (words, run))
        if arguments[0] in ANEW:
            check_anew(tool, program, arguments[0], runs)
    return able


def check_usual(tool, able):
    """Rewinding is the default; the log shows what could not be rewound."""
    command = [tool.compile(harness.program("rewind_hazards.c"), "-pthread"), "exits"]
    for options in (), ("-v",):
        run, count, _ = explored(tool, "auto", RANKS, command,
                                 ("--buffering", "infinite", *options))
        check(count > 0 or not able, "not rewound: %s" % run)
        check(bool(reason(run)) == (bool(options) and not able), str(run))
    command[1] = "processes"
    for options in (), ("-v",):
        run, _, _ = explored(tool, "auto", RANKS, command, ("--buffering", "infinite", *options))
        check(bool(reason(run)) == bool(options), str(run))


def check_other_memory(tool):
    """A rank's memory that another rank writes is found by the process id that was sent."""
    program = tool.compile(harness.program("other_memory.c"))
    rerun, auto = (tool.run("explore", "-n", str(RANKS), "--backtrack", way, "--buffering",
                            "infinite", "--", program, report=True) for way in ("rerun", "auto"))
    check(auto.report["backtrack"] == "rerun" and "process_vm_writev" in auto.out, str(auto))
    check(interleavings(auto) == interleavings(rerun), "%s\n%s" % (rerun, auto))


def check_first_orders(tool, able):
    """A rank may continue before another one is rewound, if nothing of that one is visible to
    others."""
    program = tool.compile(harness.program("lock_passed_on.c"))
    for way, goes_ahead in ("gives", True), ("keeps", False):
        run, _, nested = explored(tool, "rewind", 4, [program, way])
        check(run.report["interleavings"] == 6, str(run))
        check("cannot get" not in json.dumps(run.report), str(run))
        check(run.orders_ahead == 0 or goes_ahead, str(run))
        check(nested or not able or not goes_ahead or run.orders_ahead > 0, str(run))


def check_lanes(tool, able):
    """Side by side, and under both bufferings."""
    command = [tool.compile(os.path.join(HERE, "../../examples/master_worker.c")), "5"]
    forked, _, _ = explored(tool, "snapshot", RANKS, command, ())
    for lanes in "1", "3":
        run, count, _ = explored(tool, "rewind", RANKS, command, ("-j", lanes))
        check(interleavings(run) == interleavings(forked), "%s\n%s" % (forked, run))
        check(count > 0 or not able, str(run))


def check_languages(tool):
    for name in PROGRAMS:
        if name.endswith("f90") and not shutil.which(tool.mpicc.replace("mpicc", "mpif90")):
            continue
        compare(tool, RANKS, [tool.compile(harness.program(name))])
    python = "/usr/bin/python3"
    if os.path.exists(python) and os.system(python + " -c 'import mpi4py' 2>/dev/null") == 0:
        compare(tool, RANKS, [python, tool.write("rewound.py", PYTHON)])


def body(tool, _options):
    able = check_hazards(tool)
    check_usual(tool, able)
    check_other_memory(tool)
    check_first_orders(tool, able)
    check_lanes(tool, able)
    check_languages(tool)


if __name__ == "__main__":
    harness.main(sys.modules[__name__].__doc__, body)
