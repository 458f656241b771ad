"""Campaigns of kill -9 at random moments: on a rank, a keeper, the process that ranks are forked
from, mpiexec and its proxy, the process that supervises them, and matchpoint itself, which is then
resumed. The interleavings and findings must be those of an undisturbed exploration, and nothing may
be left behind, not even a daemon that hides. Each is killed once; by hand: --rounds 100."""

import itertools
import os
import random
import shutil
import signal
import time
import uuid

import harness
from harness import Left, check, told

# A rank is killed once inside MPI_Init, where MPICH unlinks a file; or the proxy that started it.
# MPICH 4.2 may crash after that, and is made to here.
START = r"""
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
int unlink(const char *path)
{
	if (strstr(path, "/mpich_") /* not by open(): the file would be put back */
	    && syscall(SYS_openat, AT_FDCWD, ONCE, O_CREAT | O_EXCL, 0600) >= 0) {
		kill(VICTIM, SIGKILL);
		usleep(100000);
		raise(SIGSEGV);
	}
	return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Finalize();
	return 0;
}
"""
VICTIMS = ("rank", "keeper", "starter", "proxy", "mpiexec", "supervisor", "matchpoint")
# Without it, the ranks are forked from one process.
BY_LAUNCHER = ("--launcher", "mpiexec.mpich -n 4")


def stat(pid):
    """Its name, its state and its parent."""
    try:
        with open("/proc/%d/stat" % pid) as file:
            head, _, rest = file.read().rpartition(")")
    except OSError:
        return None, "X", 0
    fields = rest.split()
    return head.partition("(")[2], fields[0], int(fields[1])


def victims(mark, kind, scheduler):
    """The pids of processes of that kind in a run."""
    found = []
    pids = [int(line.split()[0]) for line in harness.marked_processes(mark)]
    parents = {pid: stat(pid)[2] for pid in pids}
    for pid in pids:
        name = stat(pid)[0] or ""
        is_rank = name.startswith("orders")
        if kind == "matchpoint":
            good = pid == scheduler
        elif kind == "proxy":
            good = name.startswith("hydra_pmi_proxy"[:15])
        elif kind == "mpiexec":
            good = name.startswith("mpiexec")
        elif kind == "starter":
            good = name == "mp-starter"
        elif kind == "supervisor":
            good = name == "mp-supervisor"
        else: # a keeper has a copy as its child
            has_copies = pid in parents.values()
            good = is_rank and has_copies == (kind == "keeper")
        if good:
            found.append(pid)
    return found


class Campaign:
    def __init__(self, tool, program, dice, left):
        self.tool = tool
        self.program = program
        self.left = left  # its daemons are found by this
        self.dice = dice
        self.killed = dict.fromkeys(VICTIMS, 0)
        self.store = os.path.join(tool.directory, "store")

    def kill_one(self, kind, process, mark):
        """False: the run ended before."""
        deadline = time.monotonic() + self.dice.uniform(0.05, 1.0)
        while time.monotonic() < deadline:
            if process.poll() is not None:
                return False
            time.sleep(0.005)
        found = victims(mark, kind, process.pid)
        if not found or process.poll() is not None:
            return False
        try:
            os.kill(self.dice.choice(found), signal.SIGKILL)
        except OSError:
            return False
        self.killed[kind] += 1
        return True

    def disturb(self, arguments, kind):
        """One run in which one process is killed. Returns how it ended."""
        mark = uuid.uuid4().hex
        process = self.tool.start(arguments, mark)
        self.kill_one(kind, process, mark)
        begin = time.monotonic()
        out, err = harness.communicate(process, 60, "a %s was killed" % kind)
        done = harness.Run(process.args, process.returncode, out.decode(), err.decode(),
                           time.monotonic() - begin, None)
        self.tool.check_clean(process.pid, mark, done)
        self.left.check("%s was killed\n%s" % (kind, done))
        check(process.returncode in (0, 1, 3, -signal.SIGKILL), "%s\n%s" % (kind, done))
        return done

    def round(self, whole, options, kind):
        """Disturbed and resumed until it ends, it reports the same as the undisturbed one."""
        shutil.rmtree(self.store, ignore_errors=True)
        arguments = ["explore", "-n", "4", "--store", self.store, *options,
                     *(BY_LAUNCHER if kind in ("proxy", "mpiexec") else ())]
        resume = []
        for _ in range(self.dice.randint(1, 2)):
            done = self.disturb([*arguments, *resume, "--", *self.program], kind)
            begun = os.path.exists(os.path.join(self.store, "matchpoint.db"))
            resume = ["--resume"] if begun else []
        run = self.tool.run(*arguments, *resume, "--", *self.program, report=True)
        check(told(run.report) == told(whole.report), "%s was killed, %s\n%s\n%s\n%s\n%s\n%s" % (
            kind, options, whole, done, run, told(whole.report), told(run.report)))


def check_start(tool):
    """A rank is killed inside MPI_Init and the launcher does not end; or its proxy is killed, and
    ranks crash after that."""
    once = os.path.join(tool.directory, "once")
    stays = tool.write("stays", "#!/bin/sh\nmpiexec.mpich \"$@\"\nsleep 60\n")
    os.chmod(stays, 0o755)
    for victim, way in itertools.product(("getpid()", "getppid()"), ("snapshot", "rerun")):
        program = tool.compile(tool.write("start.c", START), '-DONCE="%s"' % once,
                               "-DVICTIM=" + victim)
        run = tool.run("explore", "-n", "2", "--backtrack", way, "--launcher", stays + " -n 2",
                       "--", program, report=True)
        check(run.status == 0 and run.report["complete"] and os.path.exists(once), str(run))
        check(any("explored again" in note for note in run.report["notes"]), str(run))
        os.unlink(once)


def body(tool, options):
    seed = options.seed if options.seed is not None else random.randrange(1 << 30)
    print("seed %d" % seed)
    dice = random.Random(seed)
    check_start(tool)
    binary = tool.compile_orders(DEADLOCK="first == 1 && last == ranks - 1", CRASH="last == 1",
                                 PRINTED="first", PAUSE_US=20000)
    kinds = itertools.cycle(VICTIMS)
    left = Left()
    for words in ([binary], [binary, "fork"], [binary, "daemon", left.mark]):
        whole = tool.run("explore", "-n", "4", "--", *words, report=True)
        check(whole.status == 1 and len(whole.report["findings"]) == 3, str(whole))
        campaign = Campaign(tool, words, dice, left)
        for _ in range(options.rounds):
            ways = ([], ["--backtrack", "rerun"], ["-j", "2"])
            campaign.round(whole, dice.choice(ways), next(kinds))
        print("killed", campaign.killed)


def extra(parser):
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seed", type=int)


if __name__ == "__main__":
    harness.main(__doc__, body, extra)
