"""A line that varies under some choices only is found by every kind of session: by state search and
random walks, with --fail-fast, when a stopped exploration is resumed, and when shards are merged.
Minimize names the choice that it needs. Times that are printed are no finding in any of them."""

import os

import harness
from harness import check

WORDS = ", which varies under these choices"
WAYS = (["--search", "states"], ["--fail-fast"], ["--order", "depth"])


def varying(report):
    """The findings on lines that vary under some choices only: both lines."""
    return [(found["outcomes"][1]["instead_of"], found["outcomes"][1]["line"])
            for found in report["findings"]
            if found["kind"] == "outcome-differs" and WORDS in found["outcomes"][1]["where"]]


def check_found(run, kind):
    found = varying(run.report)
    check(len(found) == 1 and len(run.report["findings"]) == 1, "not one finding: %s" % run)
    check(found[0][0] == "checksum 42" and found[0][1] != "checksum 42", "%s: %s\n%s" % (
        kind, found, run))


def check_nothing(run):
    check(not run.report["findings"], "a finding in a right program: %s" % run)


def check_sessions(tool, arguments, program, look, walks):
    for way in (*WAYS, ["--random", str(walks)]):
        look(tool.run("explore", *arguments, *way, "--", *program, report=True))


def check_resumed(tool, arguments, program, look):
    for most in ("1", "3"):
        store = os.path.join(tool.directory, "stopped-%s-%s" % (most, program[1]))
        stopped = tool.run("explore", *arguments, "--store", store, "--max-interleavings", most,
                           "--", *program, report=True)
        check(not stopped.report["complete"], str(stopped))
        look(tool.run("explore", *arguments, "--store", store, "--resume", "--", *program,
                      report=True))


def check_merged(tool, arguments, program, look, whole):
    stores = []
    for index in (1, 2):
        stores.append(os.path.join(tool.directory, "%s-%d" % (program[1], index)))
        tool.run("explore", *arguments, "--store", stores[-1], "--shard", "%d/2" % index, "--",
                 *program)
    merged = tool.run("report", *stores, report=True)
    look(merged)
    check(merged.report["interleavings"] == whole.report["interleavings"], str(merged))
    for one, other in zip(merged.report["findings"], whole.report["findings"]):
        counts = [[outcome["count"] for outcome in found["outcomes"]] for found in (one, other)]
        check(counts[0] == counts[1], "other counts: %s\n%s\n%s" % (counts, whole, merged))


def check_minimized(tool, arguments, program):
    store = os.path.join(tool.directory, "to-minimize")
    tool.run("explore", *arguments, "--store", store, "--", *program)
    run = tool.run("minimize", "--store", store, "1", "--", *program)
    check(run.status == 0 and "1 of 3 choices needed" in run.out, str(run))
    check(WORDS in run.out, "the finding is not shown: %s" % run)


def body(tool, options):
    wrong = [tool.compile(harness.program("varies_on_one_path.c")), "timed"]
    right = [tool.compile(harness.program("times_by_phase.c")), "usual"]
    # The walks must meet the interleaving that varies. A right program has none to be met.
    for program, ranks, walks, look in ((wrong, 4, 40, lambda run: check_found(run, wrong[1])),
                                        (right, 3, 12, check_nothing)):
        arguments = ["-n", str(ranks)]
        whole = tool.run("explore", *arguments, "--", *program, report=True)
        look(whole)
        check_sessions(tool, arguments, program, look, walks)
        check_resumed(tool, arguments, program, look)
        check_merged(tool, arguments, program, look, whole)
        print("%s: %d interleavings" % (program[1], whole.report["interleavings"]))
    check_minimized(tool, ["-n", "4"], wrong)


if __name__ == "__main__":
    harness.main(__doc__, body)
