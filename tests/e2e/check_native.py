"""--native: what a program does only without control is a finding, whether it ends or prints
otherwise; what interleavings show as well, and what varies in each run, is none. Reports name the
command that runs the program without matchpoint, and no path."""

import os

import harness
from harness import check

# What the program does alone: a part of the message.
WRONG = {
    "crash": "rank 1 was killed by SIGSEGV",
    "abort": "status 3",
    "error": "ends as no interleaving does: ",
    "exit": "rank 1 exited with status 5",
    "print": "rank 0's output, line 1: \"alone\" instead of \"sum 3\"",
    "rank": "rank 1's output, line 1: \"sum 0\"",
}
RIGHT = ("same", "varies")


def explore(tool, program, word, *options):
    return tool.run("explore", "-n", "3", *options, "--", program, word, report=True)


def check_wrong(tool, program, word, message):
    run = explore(tool, program, word, "--native")
    check([found["kind"] for found in run.report["findings"]] == ["native-differs"], str(run))
    check(message in run.report["findings"][0]["message"], "not %r: %s" % (message, run))
    check(run.status == 1, str(run))
    check("again: mpiexec.mpich -n 3 %s %s" % (program, word) in run.out, str(run))
    check("path:" not in run.out, "a path is shown: %s" % run)
    without = explore(tool, program, word)
    check(without.status == 0 and not without.report["findings"], str(without))


def check_right(tool, program, word, *options):
    run = explore(tool, program, word, "--native", *options)
    check(run.status == 0 and not run.report["findings"], "%s: %s" % (word, run))


def check_reports(tool, program):
    """Every report takes a finding without a path; a replay of it is refused with a reason."""
    store = os.path.join(tool.directory, "store")
    files = ["--%s=%s" % (name, os.path.join(tool.directory, "report." + name))
             for name in ("html", "junit", "sarif", "markdown", "mermaid", "dot")]
    run = explore(tool, program, "crash", "--native", "--store", store, *files)
    check(run.status == 1, str(run))
    for name in files:
        file = name.split("=")[1]
        check(os.path.exists(file), "%s was not written: %s" % (file, run))
        if file.endswith(("html", "junit", "sarif", "markdown")):
            with open(file) as text:
                check("was killed by SIGSEGV" in text.read(), file)
    again = tool.run("report", store, report=True)
    check([found["kind"] for found in again.report["findings"]] == ["native-differs"], str(again))
    for command in (["replay", "--store", store, "1"], ["minimize", "--store", store, "1"]):
        refused = tool.run(*command, "--", program, "crash")
        check(refused.status not in (0, 1) and "without control" in refused.err, str(refused))


def body(tool, options):
    program = tool.compile(harness.program("otherwise_alone.c"))
    for word, message in WRONG.items():
        check_wrong(tool, program, word, message)
        print("%s: found" % word)
    for word in RIGHT:
        check_right(tool, program, word)
    check_right(tool, program, "same", "-j", "2", "--backtrack", "rerun")
    check_right(tool, program, "crash", "--ignore", "native-differs")
    check_reports(tool, program)
    shard = explore(tool, program, "same", "--native", "--shard", "1/2")
    check(shard.status == 2 and "--native cannot be combined" in shard.err, str(shard))
    store = ["--store", os.path.join(tool.directory, "stopped")]
    for options in (["--native", "--max-interleavings", "1"], ["--resume"],
                    ["--resume", "--native"]):
        few = explore(tool, program, "crash", *options, *store)
        check([found["kind"] for found in few.report["findings"]] == ["native-differs"], str(few))
    for seconds in range(4, 400, 4):  # a busy machine needs longer for the interleavings
        late = explore(tool, program, "hang", "--native", "--max-time", str(seconds))
        if late.report["complete"]:
            break
    check(not late.report["findings"] and late.report["complete"], str(late))
    check([limit["limit"] for limit in late.report["not_checked"]] == ["native"], str(late))
    hang = explore(tool, program, "hang", "--native")
    check("it had not ended after 10 s" in hang.report["findings"][0]["message"], str(hang))
    both = tool.run("explore", "-n", "2", "--native", "--", program, "deadlock", report=True)
    check({found["kind"] for found in both.report["findings"]} == {"deadlock"}, str(both))
    print("right programs, reports, hangs: as they should be")


if __name__ == "__main__":
    harness.main(__doc__, body)
