"""Random walks: the same seed gives the same walks. Each interleaving is reported once, none is
false, and the result is never called exhaustive."""

import os
import subprocess
import time

import harness
from harness import check

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "../../examples")


def paths(run):
    return [execution["path"] for execution in run.report["executions"]]


def check_sequence(tool):
    program = tool.compile(os.path.join(EXAMPLES, "senders.c"))

    def walks(seed, *more):
        run = tool.run("explore", "-n", "5", "--random", seed, "--max-interleavings", "6", *more,
                       program, report=True)
        check(run.status == 3 and not run.report["complete"], str(run))
        check(run.report["search"]["kind"] == "random", str(run))
        check(run.report["search"]["seed"] == int(seed), str(run))
        check(run.report["search"]["runs"] >= 6 and run.report["wasted"] == 0, str(run))
        found = paths(run)
        check(len(found) == len(set(found)) == run.report["interleavings"] == 6, str(run))
        zero = [path for path in found if ":zero:" in path]
        check(len(zero) == 3, "not one buffering after the other: %s" % found)
        return found

    first = walks("1")
    check(walks("1") == first, "not the same again")
    check(walks("1", "--backtrack", "rerun") == first, "not the same by rerunning")
    check(walks("9223372036854775807") != first, "another seed, and the same walks")


def check_nothing_to_draw(tool):
    program = tool.compile(os.path.join(EXAMPLES, "senders.c"))
    run = tool.run("explore", "-n", "2", "--random", "0", program, report=True)
    check(run.status == 3 and run.report["search"]["runs"] == 2, str(run))
    check("random search, seed 0: 2 distinct interleavings in 2 runs, not exhaustive" in run.out,
          str(run))


def check_finding(tool):
    program = tool.compile(os.path.join(EXAMPLES, "wildcard_deadlock.c"))
    run = tool.run("explore", "-n", "3", "--random", "1", "--max-interleavings", "4", program,
                   report=True)
    check(run.status == 1 and not run.report["complete"], str(run))
    check([finding["kind"] for finding in run.report["findings"]] == ["deadlock"], str(run))
    finding = run.report["findings"][0]
    check(finding["reproduced"] and finding["count"] == 2, str(run))
    check("stopped by --max-interleavings 4" in run.report["incomplete_reason"], str(run))
    again = tool.run("replay", finding["path"], "--", program, report=True)
    check(again.status == 1 and again.report["findings"][0]["kind"] == "deadlock", str(again))
    run = tool.run("explore", "-n", "3", "--random", "1", "--fail-fast", program, report=True)
    check(run.status == 1 and run.report["findings"][0]["count"] == 1, str(run))


def check_late(tool):
    """Late alternatives are reached; in marked regions only the default is taken."""
    program = tool.compile(harness.program("marked_region.c"))
    whole = tool.run("explore", "-n", "4", "--buffering", "infinite", program, "late", report=True)
    some = tool.run("explore", "-n", "4", "--buffering", "infinite", "--random", "5",
                    "--max-interleavings", "4", program, "late", report=True)
    check(len(set(paths(some))) == 4, str(some))

    def matches(run):
        return sorted(sorted((m["rank"], m["call"], m["source"]) for m in execution["matches"])
                      for execution in run.report["executions"])

    check(matches(some) == matches(whole), "%s\n%s" % (whole, some))
    some = tool.run_in_time(lambda run: run.report["interleavings"] > 0, 1.5, "explore", "-n", "4",
                            "--buffering", "infinite", "--random", "5", "--pcontrol", program,
                            "late", report=True)
    check(0 < some.report["interleavings"] <= 2, str(some))
    check(any(note.startswith("--pcontrol:") for note in some.report["notes"]), str(some))
    for execution in some.report["executions"]:
        check(execution["choices"] and all(choice["taken"]["source"] == 1
                                           for choice in execution["choices"]
                                           if (choice["rank"], choice["call"]) == (0, 2)),
              str(some))


def check_time(tool):
    program = tool.compile(os.path.join(EXAMPLES, "senders.c"))
    run = tool.run("explore", "-n", "7", "--random", "2", "--max-time", "1", program, report=True)
    check(run.status == 3, str(run))
    harness.check_soon(run.seconds, 6, run)
    check("stopped by --max-time" in run.report["incomplete_reason"], str(run))
    check(run.report["interleavings"] <= run.report["search"]["runs"], str(run))


def check_refused(tool):
    program = tool.compile(os.path.join(EXAMPLES, "senders.c"))
    for words, *arguments in (
            ("--random cannot be '-1'", "--random", "-1"),
            ("--random cannot be '9223372036854775808'", "--random", "9223372036854775808"),
            ("--random cannot be 'seed'", "--random", "seed"),
            ("cannot be combined with -j", "--random", "1", "-j", "2"),
            ("cannot be combined with --shard", "--random", "1", "--shard", "1/2"),
            ("cannot be combined with --deviations", "--random", "1", "--deviations", "1"),
            ("cannot be combined with --deviations", "--random", "1", "--bound-rank", "0=1"),
            ("cannot be combined with --deviations", "--random", "1", "--bound-site", "a.c:1=1")):
        run = tool.run("explore", "-n", "3", *arguments, "--", program)
        check(run.status == 2 and words in run.err, "not refused: %s\n%s" % (words, run))
    store = os.path.join(tool.directory, "walked")
    arguments = ["explore", "-n", "3", "--store", store]
    tool.run(*arguments, "--random", "1", "--max-interleavings", "1", "--", program)
    run = tool.run(*arguments, "--resume", "--", program)
    check(run.status == 4 and "--random was '1', and is now 'none'" in run.err, str(run))
    run = tool.run(*arguments, "--resume", "--random", "2", "--", program)
    check(run.status == 4 and "--random was '1', and is now '2'" in run.err, str(run))


def check_resume(tool):
    """Stopped or killed, and resumed: the same walks."""
    program = tool.compile(os.path.join(EXAMPLES, "senders.c"))
    store = os.path.join(tool.directory, "gone-on")
    arguments = ["explore", "-n", "5", "--random", "4", "--store", store]
    whole = tool.run(*arguments, "--max-interleavings", "16", program, report=True)

    tool.run(*arguments, "--max-interleavings", "5", program)
    killed = subprocess.Popen([tool.matchpoint, *arguments, "--resume", program],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.5)
    killed.kill()
    killed.wait()
    for most in ("12", "16", "16"): # the last time nothing is left to do
        run = tool.run(*arguments, "--resume", "--max-interleavings", most, program, report=True)
    check(run.report["interleavings"] >= 16, str(run))
    check(paths(run)[:16] == paths(whole), "%s\n%s" % (whole, run))
    if run.report["interleavings"] == 16:
        check(run.report["search"] == whole.report["search"], "%s\n%s" % (whole, run))

    arguments[2] = "2" # without choices
    first = tool.run(*arguments, program, report=True)
    again = tool.run(*arguments, "--resume", program, report=True)
    check(first.report["interleavings"] == 2, str(first))
    check(again.report["search"] == first.report["search"], "%s\n%s" % (first, again))
    check(paths(again) == paths(first), "%s\n%s" % (first, again))


def body(tool, options):
    check_sequence(tool)
    check_nothing_to_draw(tool)
    check_finding(tool)
    check_late(tool)
    check_time(tool)
    check_refused(tool)
    check_resume(tool)


if __name__ == "__main__":
    harness.main(__doc__, body)
