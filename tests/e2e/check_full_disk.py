"""The disk is full at a write of the store, once or from then on. The exploration reports it and
ends; resumed, it finds what an undisturbed one finds. Reports are complete, or the exit status
shows that they are not. --all tries every write."""

import os
import random
import resource
import shutil
import subprocess

import harness
from harness import check, told

HERE = os.path.dirname(os.path.abspath(__file__))
COMMANDS = ("explore", "run", "replay", "minimize", "debug", "report", "check")
FORMATS = ("json", "html", "junit", "sarif", "github", "markdown", "mermaid", "dot")



class Disk:
    """matchpoint with a store on a disk that fills up."""

    def __init__(self, tool, program):
        self.tool = tool
        self.program = program
        self.library = os.path.join(tool.directory, "full_disk.so")
        self.store = os.path.join(tool.directory, "store")
        self.counted = os.path.join(tool.directory, "count")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", os.path.join(HERE, "full_disk.c"), "-o",
                        self.library, "-ldl"], check=True)

    def explore(self, at=0, stays=False, resume=False):
        environment = {"LD_PRELOAD": self.library, "FULL_DISK_AT": str(at),
                       "FULL_DISK_COUNT": self.counted}
        if stays:
            environment["FULL_DISK_STAYS"] = "1"
        return self.tool.run("explore", "-n", "4", "--store", self.store,
                             *["--resume"] * resume, "--", self.program, report=True,
                             environment=environment)

    def writes(self):
        with open(self.counted) as file:
            return int(file.read())


def check_finding_is_true(run):
    """No finding is false, however early the exploration ended."""
    for finding in run.report["findings"] if run.report else []:
        check(finding["kind"] in ("deadlock", "outcome-differs"), str(run))


def check_write(disk, whole, at, stays, dice):
    shutil.rmtree(disk.store, ignore_errors=True)
    first = disk.explore(at, stays)
    if first.status == 1: # fewer writes than in the first exploration, or at the very end
        check(told(first.report) == told(whole.report), str(first))
        return 0
    check(first.status == 4 and "no space left on" in first.err.lower(), str(first))
    check_finding_is_true(first)
    failed = 1
    for _ in range(2): # and once more while it is resumed
        again = disk.explore(dice.randint(1, at + 20), stays, resume=True)
        if again.status != 4:
            break
        check("no space left on" in again.err.lower() or "there is no store" in again.err,
              str(again))
        failed += 1
    last = disk.explore(resume=True)
    if last.status == 4: # the disk was full before there was a file
        check("there is no store" in last.err, str(last))
        last = disk.explore()
    check(told(last.report) == told(whole.report), "not the same, full at write %d%s\n%s\n%s" % (
        at, " and after" if stays else "", whole, last))
    return failed


def check_store(disk, everything, dice):
    whole = disk.explore()
    check(whole.status == 1 and whole.report["complete"], str(whole))
    writes = disk.writes()
    check(writes > 10, "only %d writes" % writes)
    places = range(1, writes + 1)
    if not everything:
        places = sorted({1, 2, writes, *dice.sample(places, 6)})
    failed = sum(check_write(disk, whole, at, dice.randint(0, 1) == 1, dice) for at in places)
    check(failed >= len(places) // 2, "only %d of %d writes failed" % (failed, len(places)))
    print("%d of %d writes tried, %d explorations cut off by a full disk" % (
        len(places), writes, failed))


def limit(size):
    """Limits the size of files to that many bytes."""
    def apply():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    return apply


def check_reports(tool, store):
    target = os.path.join(tool.directory, "a report")
    for name in FORMATS:
        option = "--%s=%s" % (name, target)
        run = tool.run("report", store, "-q", option)
        check(run.status == 0, str(run))
        size = os.path.getsize(target)
        for room in sorted({0, 100, 4096, 5000, size - 1, size}):
            if room > size:
                continue
            os.unlink(target)
            done = subprocess.run([tool.matchpoint, "report", store, "-q", option],
                                  preexec_fn=limit(room), capture_output=True, check=False,
                                  text=True)
            if room == size:
                check(done.returncode == 0 and os.path.getsize(target) == size, str(done))
                continue
            check(done.returncode == 4 and "cannot be written: File too large" in done.stderr,
                  "%d of %d bytes: %s" % (room, size, done))
            check(not os.path.exists(target), "%s is there, cut off" % name)
            open(target, "w").close()
        for arguments in (["-q", "--%s=/dev/full" % name], ["--%s=-" % name]):
            with open("/dev/full", "w") as full:
                done = subprocess.run([tool.matchpoint, "report", store, *arguments], text=True,
                                      stdout=full, stderr=subprocess.PIPE, check=False)
            check(done.returncode == 4 and "No space left" in done.stderr, str(done))
    helps = [[command, "--help"] for command in COMMANDS] + [["help", "explore"]]
    for arguments in (["report", store], ["--help"], ["--version"], *helps):
        with open("/dev/full", "w") as full:
            done = subprocess.run([tool.matchpoint, *arguments], stdout=full, text=True,
                                  stderr=subprocess.PIPE, check=False)
        check(done.returncode == 4 and "No space left" in done.stderr, str(done))


def check_trace(tool, store):
    """An archive of several files."""
    target = os.path.join(tool.directory, "a trace")
    run = tool.run("report", store, "-q", "--otf2", target)
    if "without OTF2" in run.err:
        return
    check(run.status == 0, str(run))
    for room in (0, 100, 1000): # less than the definitions need
        shutil.rmtree(target)
        done = subprocess.run([tool.matchpoint, "report", store, "-q", "--otf2", target],
                              preexec_fn=limit(room), capture_output=True, check=False, text=True)
        check(done.returncode == 4 and "the trace cannot be written" in done.stderr,
              "%d bytes: %s" % (room, done))
        check(not os.path.exists(os.path.join(target, "traces.otf2")), "a trace that is cut off")


def check_permission(tool, store):
    """A store without read permission is not reported as damaged. For root there is no such
    store."""
    def become_nobody():
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)

    place = os.path.join(tool.directory, "open")
    shutil.copytree(store, place)
    os.chmod(tool.directory, 0o755)
    matchpoint = tool.matchpoint
    probe = subprocess.run(["/bin/sh", "-c", '"$0" --version', matchpoint], check=False,
                           preexec_fn=become_nobody, capture_output=True)
    if probe.returncode != 0: # built where only this user may read, such as root's home
        return
    for what, mode, kept in ((os.path.join(place, "matchpoint.db"), 0, 0o644), (place, 0, 0o755)):
        os.chmod(what, mode)
        done = subprocess.run([matchpoint, "report", place], preexec_fn=become_nobody,
                              capture_output=True, text=True, check=False)
        os.chmod(what, kept)
        check(done.returncode == 4 and "Permission denied" in done.stderr
              and "damaged" not in done.stderr, str(done))


def check_run_beside(tool, disk):
    """A run does not replace the store of an exploration; it replaces that of another run."""
    before = tool.run("report", disk.store, report=True)
    for _ in range(2):
        run = tool.run("run", "-n", "4", "--store", disk.store, "--", disk.program)
        check(run.status == 1 and "holds an exploration" in run.err, str(run))
    after = tool.run("report", disk.store, report=True)
    check(told(before.report) == told(after.report), str(after))
    beside = tool.run("report", os.path.join(disk.store, "run"), report=True)
    check(beside.report["interleavings"] == 1, str(beside))
    alone = os.path.join(tool.directory, "alone")
    for _ in range(2):
        run = tool.run("run", "-n", "4", "--store", alone, "--", disk.program)
        check(run.status == 1 and "holds" not in run.err, str(run))
    check(not os.path.exists(os.path.join(alone, "run")), "stored elsewhere")


def body(tool, options):
    dice = random.Random(options.seed)
    disk = Disk(tool, tool.compile_orders(DEADLOCK="order == 123"))
    check_store(disk, options.all, dice)
    check_run_beside(tool, disk)
    check_reports(tool, disk.store)
    check_trace(tool, disk.store)
    check_permission(tool, disk.store)


def extra(parser):
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--seed", type=int, default=1)


if __name__ == "__main__":
    harness.main(__doc__, body, extra)
