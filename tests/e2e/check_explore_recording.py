"""matchpoint explore --from DIR: interleaving 1 is the recorded one; all others follow, each once,
as without it."""

import json
import os
import re

import harness
from check_record_job import check_hang, folder_of, printed, without_asked
from harness import check

RANKS = 3  # 40 interleavings of most kinds of choices
WHOLE = ("receive", "poll")
FIRST = ("probe", "mprobe", "waitany", "count", "testany", "waitsome", "testsome", "test")
NOTE = r"interleaving 1 is the recorded one, of %s: (\d+) of its (\d+) matches were followed"


def record(tool, program, *arguments, **how):
    folder = folder_of(tool, "recorded")
    run = tool.run("record", "-n", str(RANKS), "--to", folder, "--", program, *arguments,
                   cwd=tool.directory, **how)
    return folder, run


def explore(tool, *words, **how):
    """Also returns the report."""
    report = os.path.join(tool.directory, "report.json")
    run = tool.run("explore", *words, "--store", os.path.join(tool.directory, "store"), "--json",
                   report, "--json-all", **how)
    with open(report) as file:
        return run, json.load(file)


def check_begun(run, folder):
    found = re.search("^  note: " + NOTE % re.escape(folder), run.out, re.M)
    check(found and found[1] == found[2] and int(found[1]) > 0, str(run))


def what_was_found(report):
    """Of each finding and outcome, in how many interleavings: which outcome is the first one, with
    which others are compared, depends on the order."""
    paths = [one["path"] for one in report["executions"]]
    check(len(set(paths)) == len(paths) == report["interleavings"], str(paths))
    return (sorted(paths), report["complete"], report["wasted"], report["not_explored"],
            report["not_checked"], [finding["kind"] for finding in report["findings"]])


def check_whole(tool, program, kind, *words):
    """The same interleavings, each once."""
    folder, recorded = record(tool, program, kind, "1")
    run, begun = explore(tool, "--from", folder, *words)
    check_begun(run, folder)
    _, alone = explore(tool, "-n", str(RANKS), *words, "--", program, kind, "1")
    check(what_was_found(begun) == what_was_found(alone), "%s\n%s\n%s" % (recorded, begun, alone))
    again = tool.run("replay", begun["executions"][0]["path"], "-v", "--", program, kind, "1")
    check(without_asked(printed(again)) == without_asked(recorded.out),
          "recorded:\n%s\n%s" % (recorded.out, again))


def check_first(tool, program, kind, *words):
    """Where the whole tree would take too long: the first interleaving."""
    folder, recorded = record(tool, program, kind, "1")
    run, _ = explore(tool, "--from", folder, "-v", "--max-interleavings", "1", *words)
    check_begun(run, folder)
    check(without_asked(printed(run)) == without_asked(recorded.out),
          "recorded:\n%s\n%s" % (recorded.out, run))


def check_killed(tool, program):
    """A hang that was killed is interleaving 1."""
    check_hang(tool, program)
    folder = os.path.join(tool.directory, "hanging")
    run, report = explore(tool, "--from", folder, "--fail-fast")
    check(run.status == 1 and report["interleavings"] == 1, str(run))
    check([finding["kind"] for finding in report["findings"]] == ["deadlock"], str(run))
    check_begun(run, folder)
    run, begun = explore(tool, "--from", folder)
    _, alone = explore(tool, "-n", "4", "--", program, "hang", "1")
    check(what_was_found(begun) == what_was_found(alone), "%s\n%s" % (begun, alone))


def check_astray(tool):
    """Tests that were answered at once: the exploration has "not yet" first."""
    program = tool.compile(harness.program("test_once.c"))
    folder = folder_of(tool, "recorded")
    recorded = tool.run("record", "-n", "2", "--to", folder, "--", program, cwd=tool.directory)
    check(recorded.out == "at once\nat once\n", str(recorded))
    run, begun = explore(tool, "--from", folder, "--buffering", "infinite")
    check("note: interleaving 1 is not the recorded one, of %s: 2 of its 2 choices are others"
          % folder in run.out, str(run))
    _, alone = explore(tool, "-n", "2", "--buffering", "infinite", "--", program)
    check(what_was_found(begun) == what_was_found(alone), "%s\n%s" % (begun, alone))
    check(any("0.4=yes,0.7=yes" in one["path"] for one in begun["executions"]), str(begun))


def check_surroundings(tool, program):
    """The ranks have the recorded folder, environment and standard input."""
    tool.write("line", "a line")
    with open(os.path.join(tool.directory, "line")) as line:
        folder, recorded = record(tool, program, "surroundings", stdin=line,
                                  environment={"CHOICES": "as recorded", "HOME": "/nowhere"})
    run, _ = explore(tool, "--from", folder, "-v", "--max-interleavings", "1", cwd="/",
                     environment={"CHOICES": "otherwise"})
    check(recorded.out and printed(run) == recorded.out, "%s\n%s" % (recorded, run))


def check_refused(tool, program):
    def refused(status, text, *words):
        run = tool.run("explore", "--from", *words, cwd=tool.directory)
        check(run.status == status and text in run.err and not run.out, str(run))

    folder, _ = record(tool, program, "receive")
    refused(2, "the recording names the program: leave out " + program, folder, "--", program)
    refused(2, "the recording has 3 ranks, not 4", folder, "-n", "4")
    refused(2, "the recorded run needs --buffering infinite", folder, "--buffering", "zero")
    for words in (("--random", "1"), ("--shard", "1/2"), ("--search", "states"),
                  ("--order", "depth"), ("--deviations", "1"), ("--bound-rank", "0=1"),
                  ("--pcontrol",)):
        refused(2, "cannot be combined with " + words[0]
                if words[0] not in ("--bound-rank", "--pcontrol") else words[0], folder, *words)
    refused(2, "not a path", "nowhere")
    os.mkdir(os.path.join(tool.directory, "empty"))
    refused(2, "holds no recording", "empty")
    folder, _ = record(tool, program, "differs")
    refused(4, "rank 0: call 2 was MPI_Recv in the recording, and is MPI_Probe", folder)


def body(tool, _):
    program = tool.compile(harness.program("choices.c"))
    check_killed(tool, program)
    for kind in WHOLE:
        check_whole(tool, program, kind, *(("-j", "2") if kind == "poll" else ()))
    for kind in FIRST:
        check_first(tool, program, kind)
    check_astray(tool)
    check_surroundings(tool, program)
    check_refused(tool, program)


if __name__ == "__main__":
    harness.main(__doc__, body)
