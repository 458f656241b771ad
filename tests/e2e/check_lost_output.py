"""Output of a rank that is lost, or cut as its place is full (Docker's /dev/shm has 64 MB), is not
compared as if the rank had printed that: the interleaving is run again, and where its output is
lost each time the exploration ends with exit status 4 and says why. With enough room it then ends
as it would. The three ways back, and a program that goes on after a failed write."""

import os
import subprocess

import harness
from harness import check, told

WAYS = (["--backtrack", "snapshot"], ["--backtrack", "auto"], ["--backtrack", "rerun", "-j", "2"])
MEGABYTES = 16


class Small:
    """matchpoint with its run directory on a tmpfs of so many bytes."""

    def __init__(self, tool):
        self.tool = tool
        self.real = tool.matchpoint
        self.place = os.path.join(tool.directory, "small")
        os.makedirs(self.place, exist_ok=True)

    def run(self, size, *arguments, place=None):
        """place: a directory that is small itself, and named by no variable."""
        script = os.path.join(self.tool.directory, "in_small")
        with open(script, "w") as file:
            file.write("#!/bin/sh\n"
                       "exec unshare -m sh -c 'mount -t tmpfs -o size=%d none \"%s\" && "
                       "%s exec \"$0\" \"$@\"' '%s' \"$@\"\n"
                       % (size, place or self.place,
                          "" if place else 'MATCHPOINT_RUNDIR="%s"' % self.place, self.real))
        os.chmod(script, 0o755)
        self.tool.matchpoint = script
        try:
            return self.tool.run(*arguments, report=True)
        finally:
            self.tool.matchpoint = self.real


def can_mount(place):
    return subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", place], check=False,
                          capture_output=True).returncode == 0


def check_lost(tool):
    program = tool.compile(harness.program("loses_output.c"))
    for way in WAYS:
        for descriptor in ("1", "2"):
            run = tool.run("explore", "-n", "3", *way, "--buffering", "zero", "--", program,
                           descriptor, report=True)
            check(run.status == 4 and "the output of rank 0 is lost" in run.err, str(run))
            check(not run.report or run.report["interleavings"] == 0, str(run))
        mark = os.path.join(tool.directory, "lost%s" % "".join(way))
        run = tool.run("explore", "-n", "3", *way, "--buffering", "zero", "--", program,
                       "1", mark, report=True)
        check(os.path.exists(mark), "nothing was lost")
        check(run.status == 0 and run.report["interleavings"] == 2, str(run))
        for execution in run.report["executions"]:
            check(execution["output"] == ["rank %d\n" % rank for rank in range(3)], str(run))
        check(not run.report["findings"], str(run))


def check_full(tool):
    small = Small(tool)
    program = tool.compile(harness.program("prints_much.c"))
    if not can_mount(small.place):
        print("    file systems cannot be mounted here")
        return
    for stream in ("out", "err"):
        for way in WAYS if stream == "out" else WAYS[:1]:
            store = os.path.join(tool.directory, "store %s %s" % (stream, "".join(way)))
            words = ["explore", "-n", "3", *way, "--buffering", "zero", "--store", store]
            behind = ["--", program, str(MEGABYTES), stream]
            run = small.run(12 << 20, *words, *behind)
            check(run.status == 4, "not said that it is full\n%s" % run)
            check("is full" in run.err and "MATCHPOINT_RUNDIR" in run.err, str(run))
            check(not run.report or run.report["interleavings"] == 0, str(run))
            again = small.run(200 << 20, *words, *["--resume"] * os.path.exists(store), *behind)
            if again.status == 4 and "no store" in again.err:
                again = small.run(200 << 20, *words, *behind)
            whole = tool.run(*words[:-2], *behind, report=True)
            check(told(again.report) == told(whole.report), "%s\n%s" % (whole, again))
            kinds = [finding["kind"] for finding in again.report["findings"]]
            check(kinds == (["outcome-differs"] if stream == "out" else []), str(again))


def check_elsewhere(tool):
    """The usual place is too small: all is explored in another one, and a note says so."""
    small = Small(tool)
    program = tool.compile(harness.program("prints_much.c"))
    if not can_mount(small.place):
        return
    for way in WAYS[1:]:
        words = ["explore", "-n", "3", *way, "--buffering", "zero"]
        behind = ["--", program, str(MEGABYTES), "out"]
        run = small.run(12 << 20, *words, "--store", os.path.join(tool.directory, "elsewhere"),
                        *behind, place="/dev/shm")
        whole = tool.run(*words, *behind, report=True)
        check(run.status == 1 and told(run.report) == told(whole.report), "%s\n%s" % (whole, run))
        check("were kept in /" in run.out and "no room in /dev/shm" in run.out, str(run))
        check("were kept in" not in whole.out, str(whole))


def check_full_for_a_moment(tool):
    """There is room again when the interleaving is over: the failed write is remembered."""
    small = Small(tool)
    program = tool.compile(harness.program("prints_into_full.c"))
    if not can_mount(small.place):
        return
    for how in ("stdio", "write", "writev", "dprintf"):
        for way in WAYS:
            words = ["explore", "-n", "3", *way, "--buffering", "zero", "--", program, how]
            run = small.run(24 << 20, *words)
            check(run.status == 4 and "the output of rank 0 is cut short" in run.err, str(run))
            check("MATCHPOINT_RUNDIR" in run.err, str(run))
            check(not run.report or run.report["interleavings"] == 0, str(run))
    for way in WAYS:
        mark = os.path.join(tool.directory, "filled%s" % "".join(way))
        run = small.run(24 << 20, "explore", "-n", "3", *way, "--buffering", "zero", "--", program,
                        "stdio", mark)
        check(os.path.exists(mark), "nothing was filled")
        check(run.status == 0 and run.report["interleavings"] == 2, str(run))
        for execution in run.report["executions"]:
            check(len(execution["output"][0]) == 64 * 1024, str(run))


def body(tool, _):
    check_lost(tool)
    check_full(tool)
    check_elsewhere(tool)
    check_full_for_a_moment(tool)


if __name__ == "__main__":
    harness.main(__doc__, body)
