"""Campaigns of kill -9 at random moments: of a rank, a keeper, the proxy, mpiexec, and of
matchpoint itself, which then goes on with --resume. The set of interleavings and findings is that
of an exploration that nobody disturbs, and nothing is left behind. By hand: --rounds 100."""

import itertools
import os
import random
import shutil
import signal
import subprocess
import time
import uuid

import harness
from harness import check, told

# A deadlock when rank 1's message comes first and the last rank's last, a crash when rank 1's comes
# last; rank 0 forks a child that outlives it, when told to.
SOURCE = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int rank, ranks, value = 0, first = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	for (int i = 1; rank == 0 && i < ranks; i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		first = i == 1 ? value : first;
		if (i == 1)
			usleep(20000);
	}
	if (rank == 0 && argc > 1 && fork() == 0) {
		sleep(60);
		_exit(0);
	}
	if (rank == 0 && first == 1 && value == ranks - 1)
		MPI_Recv(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == 0 && value == 1)
		abort();
	if (rank == 0)
		printf("%d\n", first);
	MPI_Finalize();
	return 0;
}
"""
VICTIMS = ("rank", "keeper", "proxy", "mpiexec", "matchpoint")


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
    """The pids of that kind among the processes of a run."""
    found = []
    pids = [int(line.split()[0]) for line in harness.marked_processes(mark)]
    parents = {pid: stat(pid)[2] for pid in pids}
    for pid in pids:
        name = stat(pid)[0] or ""
        is_rank = name.startswith("struck")
        if kind == "matchpoint":
            good = pid == scheduler
        elif kind == "proxy":
            good = name.startswith("hydra_pmi_proxy"[:15])
        elif kind == "mpiexec":
            good = name.startswith("mpiexec")
        else: # a keeper has a copy below it
            has_copies = pid in parents.values()
            good = is_rank and has_copies == (kind == "keeper")
        if good:
            found.append(pid)
    return found


class Campaign:
    def __init__(self, tool, program, dice):
        self.tool = tool
        self.program = program
        self.dice = dice
        self.killed = dict.fromkeys(VICTIMS, 0)
        self.store = os.path.join(tool.directory, "store")

    def kill_one(self, kind, process, mark):
        """FALSE: the run came to its end before."""
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
        """One run, in which one process is killed; its end."""
        mark = uuid.uuid4().hex
        process = self.tool.start(arguments, mark)
        self.kill_one(kind, process, mark)
        begin = time.monotonic()
        try:
            out, err = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            raise harness.Failed("no end after a %s was killed" % kind) from None
        done = harness.Run(process.args, process.returncode, out.decode(), err.decode(),
                           time.monotonic() - begin, None)
        self.tool.check_clean(process.pid, mark, done)
        check(process.returncode in (0, 1, 3, -signal.SIGKILL), "%s\n%s" % (kind, done))
        return done

    def round(self, whole, options, kind):
        """Disturbed until it comes to its end, it is told like the undisturbed one."""
        shutil.rmtree(self.store, ignore_errors=True)
        arguments = ["explore", "-n", "4", "--store", self.store, *options]
        resume = []
        for _ in range(self.dice.randint(1, 2)):
            done = self.disturb([*arguments, *resume, "--", *self.program], kind)
            there = os.path.exists(os.path.join(self.store, "matchpoint.db"))
            resume = ["--resume"] if there else []
        run = self.tool.run(*arguments, *resume, "--", *self.program, report=True)
        check(told(run.report) == told(whole.report), "%s was killed, %s\n%s\n%s\n%s\n%s" % (
            kind, options, whole, done, told(whole.report), told(run.report)))


def body(tool, options):
    seed = options.seed if options.seed is not None else random.randrange(1 << 30)
    print("seed %d" % seed)
    dice = random.Random(seed)
    binary = tool.compile(tool.write("struck.c", SOURCE))
    kinds = itertools.cycle(VICTIMS)
    for words in ([binary], [binary, "fork"]):
        whole = tool.run("explore", "-n", "4", "--", *words, report=True)
        check(whole.status == 1 and len(whole.report["findings"]) == 3, str(whole))
        campaign = Campaign(tool, words, dice)
        for _ in range(options.rounds):
            ways = ([], ["--backtrack", "rerun"], ["-j", "2"])
            campaign.round(whole, dice.choice(ways), next(kinds))
        print("killed", campaign.killed)


def extra(parser):
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int)


if __name__ == "__main__":
    harness.main(__doc__, body, extra)
