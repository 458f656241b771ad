"""Output of ranks is kept in shared memory, and beyond a few megabytes on the disk of the store:
what has no room in shared memory (Docker's /dev/shm has 64 MB) is explored as it would be with
room. Output that is lost, or cut as its place is full, is not compared as if the rank had printed
that: the interleaving is run again, and where its output is lost each time the exploration ends
with exit status 4 and says why. With enough room it then ends as it would. The three ways back, and
a program that goes on after a failed write."""

import glob
import os
import re
import signal
import subprocess
import tempfile
import uuid

import harness
from harness import check, told

WAYS = (["--backtrack", "snapshot"], ["--backtrack", "auto"], ["--backtrack", "rerun", "-j", "2"])
ENOUGH = 200 << 20  # bytes of room


class Small:
    """matchpoint with little room in some of its places: `little` bytes, the least of a few in
    which MPI can start four ranks here (newer libraries need more). `more`: megabytes that are too
    many."""

    little = None  # found once

    def __init__(self, tool):
        self.tool = tool
        self.real = tool.matchpoint
        self.place = os.path.join(tool.directory, "small")
        self.disk = os.path.join(tool.directory, "disk")
        for directory in (self.place, self.disk):
            os.makedirs(directory, exist_ok=True)
        if not Small.little and can_mount(self.place):
            Small.little = self.least_room()
        self.more = ((Small.little or 0) >> 20) + 1

    def least_room(self):
        program = self.tool.compile(os.path.join(os.path.dirname(__file__),
                                                 "../../examples/senders.c"))
        # The least is more than OUTPUT_PLACE_MOST, and leaves some to what starts in less.
        for megabytes, tried in ((8, 6), (12, 12), (24, 24)):
            run = self.run(tried << 20, "run", "-n", "4", "--", program)
            if run.status == 0:
                return megabytes << 20
        raise harness.Failed(str(run))

    def run(self, size, *arguments, place=None, disk=None, keeps=None):
        """The run directory has `size` bytes of room. place: a directory that is small itself, and
        named by no variable. disk: the room on the disk of `self.disk`; no other disk is fit for
        output. keeps: a directory of this name there is kept from one run to the next."""
        words = ['mount -t tmpfs -o size=%d none "%s"' % (size, place or self.place)]
        if disk:
            words += ['mount -t tmpfs -o size=%d none "%s"' % (disk, where)
                      for where in (self.disk, "/var/tmp")]
        if keeps and os.path.exists(self.kept(keeps)):
            words += ['cp -r "%s" "%s/%s"' % (self.kept(keeps), self.disk, keeps)]
        variables = ['TMPDIR="%s"' % self.disk] * bool(disk)
        variables += ['MATCHPOINT_RUNDIR="%s"' % self.place] * (not place)
        words += ['%s "$0" "$@"; status=$?; %s' % (" ".join(variables), self.say_left(disk))]
        if keeps:
            words += ['rm -rf "%s"; cp -r "%s/%s" "%s" 2>/dev/null; exit $status' % (
                self.kept(keeps), self.disk, keeps, self.kept(keeps))]
        script = os.path.join(self.tool.directory, "in_small")
        with open(script, "w") as file:
            file.write("#!/bin/sh\nexec unshare -m sh -c '%s; exit $status' '%s' \"$@\"\n" % (
                " && ".join(words), self.real))
        os.chmod(script, 0o755)
        self.tool.matchpoint = script
        try:
            run = self.tool.run(*arguments, report=True)
        finally:
            self.tool.matchpoint = self.real
        check("left behind" not in run.err, str(run))
        return run

    def kept(self, name):
        return os.path.join(self.tool.directory, "kept " + name)

    def say_left(self, disk):
        """What is left in places that are gone when the run has ended."""
        places = [self.place] + [self.disk, "/var/tmp"] * bool(disk)
        return 'for left in %s; do test ! -e "$left" || echo "left behind: $left" >&2; done' % (
            " ".join('"%s"/matchpoint-*' % place for place in places))


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


def left_in(*places):
    return [path for place in places
            for path in glob.glob(os.path.join(place, "matchpoint-[0-9]*"))]


def check_large(tool):
    """What the ranks print is larger than shared memory."""
    small = Small(tool)
    program = tool.compile(harness.program("prints_much.c"))
    if not can_mount(small.place):
        print("    file systems cannot be mounted here")
        return
    for stream in ("out", "err"):
        for way in WAYS if stream == "out" else WAYS[:1]:
            store = os.path.join(tool.directory, "store %s %s" % (stream, "".join(way)))
            words = ["explore", "-n", "3", *way, "--buffering", "zero"]
            behind = ["--", program, str(small.more), stream]
            whole = tool.run(*words, *behind, report=True)
            for place, options in ((None, ["--native"]), ("/dev/shm", [])):
                run = small.run(small.little, *words, *options, "--store", store, *behind,
                                place=place)
                check("without control" not in run.out, str(run))
                check(run.status == (1 if stream == "out" else 0), str(run))
                check(told(run.report) == told(whole.report), "%s\n%s" % (whole, run))
                check("were kept in" not in run.out, str(run))
                check(not left_in(store), "%s\n%s" % (left_in(store), run))
            kinds = [finding["kind"] for finding in run.report["findings"]]
            check(kinds == (["outcome-differs"] if stream == "out" else []), str(run))


class Moved:
    """Whether output was moved to the disk in a run, as the log says."""

    def __init__(self, tool):
        self.log = os.path.join(tool.directory, "log")
        self.environment = {"MATCHPOINT_LOG": self.log + ":session"}

    def place(self):
        with open(self.log) as file:
            found = re.findall("what ranks print is kept in (.*)/matchpoint-", file.read())
        os.unlink(self.log)
        return found


def check_going_back(tool):
    """Snapshots are taken between the lines of output that is too large for shared memory, in each
    of the ways back; sessions begin with small output, and move it."""
    program = tool.compile(harness.program("prints_between.c"))
    moved = Moved(tool)
    store = os.path.join(tool.directory, "between")
    words = ["explore", "-n", "4", "--buffering", "zero", "--store", store]
    behind = ["--", program, "1500"]
    plain = tool.run(*words, "--backtrack", "rerun", *behind, report=True)
    check(plain.status == 1 and plain.report["interleavings"] == 6, str(plain))
    for way in (*WAYS, ["-j", "2"], ["--search", "states"], ["--max-interleavings", "3"]):
        run = tool.run(*words, *way, *behind, report=True, environment=moved.environment)
        check(moved.place() == [store], str(run))
        if "--max-interleavings" in way:
            run = tool.run(*words, "--resume", *behind, report=True)
        if "--search" not in way:
            check(told(run.report) == told(plain.report), "%s\n%s" % (plain, run))
        check(run.status == 1, str(run))
        for execution in run.report["executions"]:
            lines = execution["output"][0]
            check(len(lines) > 4 * 1500 * 1024 and lines.count("from") == 4, str(run))
        check(not left_in(store, tempfile.gettempdir(), "/var/tmp"), str(run))


def check_sessions(tool):
    """Sessions that cannot begin again have their output on the disk from the beginning, if there
    is little shared memory; else once it is large."""
    program = tool.compile(harness.program("prints_between.c"))
    small = Small(tool)
    moved = Moved(tool)
    store = os.path.join(tool.directory, "sessions")
    quarter = str(small.more << 8)  # kilobytes
    if not can_mount(small.place):
        return
    run = tool.run("explore", "-n", "4", "--buffering", "zero", "--store", store, "--", program,
                   "1500")
    check(run.status == 1, str(run))
    run = small.run(small.little, "minimize", "1", "--store", store)
    check(run.status == 0 and "2 of 3 choices needed" in run.out, str(run))
    path = re.findall("^mp1:n4:.*$", run.out, re.M)[-1]
    run = small.run(small.little, "replay", path, "--store", store, "--", program, quarter)
    check(run.status == 1 and "abort" in run.out, str(run))
    script = tool.write("script.mp", "run\n1\n1\nback\nback\n2\n2\n")
    for way in ([], ["--backtrack", "rerun"], ["--backtrack", "snapshot"]):
        words = ["debug", "-n", "4", *way, "-x", script, "--batch", "--", program, quarter]
        for run in (tool.run(*words, environment=moved.environment),
                    small.run(small.little, *words)):
            ends = re.findall("^    from (.)$", run.out, re.M)
            check(ends == ["3", "1"] and "stopped: choice 0.2" in run.out, str(run))
        check(len(moved.place()) == 1, str(run))


def check_killed(tool):
    """The directory on the disk goes with a run that is killed: at once, or with the next run if
    the janitor is killed, too."""
    program = tool.compile(harness.program("prints_between.c"))
    store = os.path.join(tool.directory, "killed")
    words = ["explore", "-n", "4", "--backtrack", "rerun", "--store", store, "--", program, "1500"]
    for both in (False, True):
        mark = uuid.uuid4().hex
        process = tool.start(words, mark)
        harness.wait_for(lambda: glob.glob(os.path.join(store, "matchpoint-[0-9]*", "lock")),
                         process, "a directory for output, which without a lock counts as new")
        janitors = [line.split()[0] for line in harness.marked_processes(mark)
                    if is_called(line.split()[0], "mp-janitor")]
        check(len(janitors) == 1, str(janitors))
        if both:
            os.kill(int(janitors[0]), signal.SIGKILL)
        process.kill()
        process.communicate()
        tool.check_no_processes(mark, words)
        check(bool(left_in(store)) == both, str(left_in(store)))
    run = tool.run(*words)
    check(not left_in(store), "%s\n%s" % (left_in(store), run))


def is_called(pid, name):
    try:
        with open("/proc/%s/comm" % pid) as file:
            return file.read().strip() == name
    except OSError:
        return False


def check_full_disk(tool):
    """There is too little room on the disk, too."""
    small = Small(tool)
    program = tool.compile(harness.program("prints_much.c"))
    if not can_mount(small.place):
        return
    for stream in ("out", "err"):
        for way in WAYS if stream == "out" else WAYS[:1]:
            name = "full %s %s" % (stream, "".join(way))
            store = os.path.join(small.disk, name)
            words = ["explore", "-n", "3", *way, "--buffering", "zero", "--store", store]
            behind = ["--", program, str(small.more), stream]
            run = small.run(small.little, *words, *behind, disk=small.little, keeps=name)
            check(run.status == 4, "not said that it is full\n%s" % run)
            check("%s is full (%.1f MB)" % (store, small.little / 1e6) in run.err, str(run))
            printed = re.search(r"printed ([0-9.]+) MB", run.err)
            check(printed and abs(float(printed.group(1)) * 1e6 - small.little) < 2e6
                  and "--store" in run.err, str(run))
            check(not run.report or run.report["interleavings"] == 0, str(run))
            resume = ["--resume"] * os.path.exists(small.kept(name))
            again = small.run(small.little, *words, *resume, *behind, disk=ENOUGH, keeps=name)
            if again.status == 4 and "no store" in again.err:
                again = small.run(small.little, *words, *behind, disk=ENOUGH)
            whole = tool.run(*words[:-2], *behind, report=True)
            check(told(again.report) == told(whole.report), "%s\n%s" % (whole, again))


def check_elsewhere(tool):
    """The usual place is too small for shared memory: all is explored in another one, and a note
    says so."""
    small = Small(tool)
    program = tool.compile(harness.program("fills_world.c"))
    if not can_mount(small.place):
        return
    for way in WAYS[:2]: # ranks that are not kept free their shared memory when they end
        words = ["explore", "-n", "3", *way, "--buffering", "zero"]
        behind = ["--", program, str(small.more)]
        run = small.run(small.little, *words, "--store", os.path.join(tool.directory, "elsewhere"),
                        *behind, place="/dev/shm")
        whole = tool.run(*words, *behind, report=True)
        check(run.status == 1 and told(run.report) == told(whole.report), "%s\n%s" % (whole, run))
        check("were kept in /" in run.out and "no room in /dev/shm" in run.out, str(run))
        check("were kept in" not in whole.out, str(whole))
        run = small.run(small.little, *words, "--store", os.path.join(tool.directory, "nowhere"),
                        *behind)
        check(run.status == 4 and "shared memory is kept there" in run.err, str(run))
        check("MATCHPOINT_RUNDIR" in run.err, str(run))


def check_full_for_a_moment(tool):
    """There is room again when the interleaving is over: the failed write is remembered. What fills
    shared memory does not matter to output on the disk."""
    small = Small(tool)
    program = tool.compile(harness.program("prints_into_full.c"))
    if not can_mount(small.place):
        return
    for how in ("stdio", "write", "writev", "dprintf"):
        for way in WAYS:
            words = ["explore", "-n", "3", *way, "--buffering", "zero", "--", program, how]
            run = small.run(24 << 20, *words, "MATCHPOINT_DIRECTORY")
            check_whole_lines(run)
        run = small.run(24 << 20, "run", "-n", "3", "--store", os.path.join(small.disk, "store"),
                        "--", program, how, "MATCHPOINT_OUTPUT", disk=24 << 20)
        check(run.status == 4 and "the output of rank 0 is cut short" in run.err, str(run))
        check("--store" in run.err, str(run))
        check(not run.report or run.report["interleavings"] == 0, str(run))
    for way in WAYS:
        mark = os.path.join(tool.directory, "filled%s" % "".join(way))
        run = small.run(24 << 20, "explore", "-n", "3", *way, "--buffering", "zero", "--", program,
                        "stdio", "MATCHPOINT_DIRECTORY", mark)
        check(os.path.exists(mark), "nothing was filled")
        check_whole_lines(run)


def check_whole_lines(run):
    check(run.status == 0 and run.report["interleavings"] == 2, str(run))
    for execution in run.report["executions"]:
        check(len(execution["output"][0]) == 64 * 1024, str(run))


def body(tool, _):
    check_lost(tool)
    check_large(tool)
    check_going_back(tool)
    check_sessions(tool)
    check_killed(tool)
    check_full_disk(tool)
    check_elsewhere(tool)
    check_full_for_a_moment(tool)


if __name__ == "__main__":
    harness.main(__doc__, body)
