"""Ranks keep data in pipes, event counters, sockets and the like. In each interleaving it must be
what it is in a new run, for each way of going back; or the exploration changes to reruns.

usage: check_kept.py ... [--all]: all objects (4 min), not just some"""

import os
import re
import sys

import harness
from harness import check

HERE = os.path.dirname(os.path.abspath(__file__))
# Objects with data from before MPI_Init, and why each interleaving is a new run then; "": it is
# not.
SOME = {
    "pipe": "",
    "closed": "",
    "dropped": "",
    "eventfd": "^$|eventfd",  # Linux 6.5 reports enough about it
    "full": "a pipe with data in it",
    "socketpair": "it has opened a socket",
    "timerfd": "of the kind .timerfd",
}
MORE = {
    "packets": "",
    "copied": "",
    "exact": "",
    "watched": "",
    "memory": "",
    "semaphore": "^$|eventfd",
    "inherited": "started other processes",
    "fifo": "it has opened a FIFO",
    "signalfd": "of the kind .signalfd",
    "inotify": "of the kind inotify",
    "terminal": "it has opened /dev/ptmx",
    "datagrams": "it has opened a socket",
}
WAYS = [["--backtrack", "auto"], ["--backtrack", "rewind"], ["--search", "states"]]
# Writes what ranks print only after they have ended.
PIPELINE = "#!/bin/sh\n\"$@\" | (sleep 0.3; cat)\n"


def outcomes(run):
    executions = run.report["executions"]
    return {str([execution["status"], execution["output"]]) for execution in executions}


def findings(run):
    return sorted(finding["kind"] for finding in run.report["findings"])


def compare(tool, command, why):
    """`why`: the reason for new runs, as a regular expression; "": none."""
    runs = [tool.run("explore", "-n", "3", "--buffering", "infinite", *way, "--", *command,
                     report=True, cwd=tool.directory)
            for way in [["--backtrack", "rerun"]] + WAYS]
    for run in runs:
        check(run.report is not None and run.report["complete"], str(run))
        outputs = [one["output"][0] for one in run.report["executions"]]
        check(all(output.endswith("ends\n") for output in outputs), run)
    for run in runs[1:]:
        check(outcomes(run) == outcomes(runs[0]) and findings(run) == findings(runs[0])
              and run.status == runs[0].status, "%s\n%s" % (runs[0], run))
        reason = run.report.get("backtrack_reason", "")
        check((run.report["backtrack"] == "rerun") == bool(reason), str(run))
        check(re.search(why or "^$", reason), "not \"%s\": %s" % (why, run))


def body(tool, options):
    program = tool.compile(os.path.join(HERE, "kept_objects.c"))
    for kind, why in {**SOME, **(MORE if options.all else {})}.items():
        compare(tool, [program, kind], why)
    for kind in ["pipe", *(list(SOME)[1:] + list(MORE) if options.all else [])]:
        compare(tool, [program, kind, "late"], "")
    shell = tool.write("pipeline.sh", PIPELINE)
    os.chmod(shell, 0o755)
    compare(tool, [shell, program, "pipe"], "a pipe that it shares with others")


def more(parser):
    parser.add_argument("--all", action="store_true")


if __name__ == "__main__":
    harness.main(sys.modules[__name__].__doc__, body, more)
