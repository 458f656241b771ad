"""Under a private Slurm: inside srun, salloc and sbatch matchpoint finds what it finds without, by
snapshots. A job array explores shards, of which one is cancelled, resumed and merged."""

import json
import os
import sys

import harness
from harness import check, told
from private_slurm import PrivateSlurm, obstacle

SKIPPED = 77
ARRAY = """#!/bin/sh
exec '%s' explore -n 5 --shard $SLURM_ARRAY_TASK_ID/3 --store shard-$SLURM_ARRAY_TASK_ID \\
	$RESUME '%s' $SLOW
"""

# Rank 0 takes the others' numbers in the order of arrival. It deadlocks if they come backwards. The
# argument is a file: while there is one, each interleaving takes a second.
SOURCE = r"""
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int rank, ranks, number, order = 0, backwards = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int i = 1; i < ranks; i++)
		backwards = 10 * backwards + ranks - i;
	for (int i = 1; rank == 0 && i < ranks; i++) {
		MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		order = 10 * order + number;
	}
	for (int i = 0; rank == 0 && argc > 1 && i < 100 && access(argv[1], F_OK) == 0; i++)
		usleep(10000);
	if (rank == 0 && order == backwards)
		MPI_Recv(&number, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
"""


class Compared:
    """An exploration without Slurm, with which others are compared."""

    def __init__(self, tool, slurm, program):
        self.tool = tool
        self.slurm = slurm
        self.program = program
        self.plain = tool.run("explore", "-n", "4", program, report=True)
        check(self.plain.status == 1 and self.plain.report["complete"], self.plain)

    def below(self, before, *options):
        """matchpoint as the program of a command of Slurm's."""
        real = self.tool.matchpoint
        script = self.tool.write("below", "#!/bin/sh\nexec %s '%s' \"$@\"\n" % (before, real))
        os.chmod(script, 0o755)
        self.tool.matchpoint = script
        try:
            run = self.tool.run("explore", "-n", "4", *options, self.program, report=True,
                                environment=self.slurm.environment)
        finally:
            self.tool.matchpoint = real
        self.compare(run.report, "%s %s\n%s" % (before, options, run))

    def compare(self, report, text):
        check(report and told(report) == told(self.plain.report), text)
        check(report["backtrack"] == "snapshot", text)

    def batch(self, *options):
        file = os.path.join(self.tool.directory, "batch.json")
        line = "exec '%s' explore -n 4 --json %s --json-all %s '%s'" % (
            self.tool.matchpoint, file, " ".join(options), self.program)
        script = self.tool.write("batch", "#!/bin/sh\n%s\n" % line)
        output = os.path.join(self.tool.directory, "batch.txt")
        self.slurm.ask("sbatch", "--wait", "-D", self.tool.directory, "-o", output, script)
        with open(output) as text:
            told_there = text.read()
        check(os.path.exists(file), "%s\n%s" % (line, told_there))
        with open(file) as text:
            self.compare(json.load(text), "%s\n%s" % (line, told_there))
        os.unlink(file)


def check_inside(compared, mpiexec):
    compared.below("srun --mpi=none -n 1")
    compared.below("srun --mpi=pmi2 -n 1")
    compared.below("srun --mpi=pmi2 -n 1", "--launcher", mpiexec + " -n 4")
    compared.below("salloc -Q -n 4", "--launcher", "srun --mpi=pmi2 -n 4")
    compared.below("salloc -Q -n 4 -N 2", "--launcher", mpiexec + " -n 4")
    compared.batch()
    compared.batch("--launcher", "'%s -n 4'" % mpiexec)


class Array:
    """A job array of shards."""

    def __init__(self, tool, slurm, program):
        self.tool = tool
        self.slurm = slurm
        self.script = tool.write("array", ARRAY % (tool.matchpoint, program))

    def submit(self, tasks, **variables):
        words = ["%s=%s" % pair for pair in variables.items()]
        job = self.slurm.ask("sbatch", "--parsable", "--array=" + tasks, "-D",
                             self.tool.directory, "-o", "task-%a.txt",
                             "--export=" + ",".join(["ALL"] + words), self.script).strip()
        check(job.isdigit(), "sbatch printed %s" % job)
        return job

    def printed(self, task):
        with open(os.path.join(self.tool.directory, "task-%s.txt" % task)) as file:
            return file.read()

    def has_begun(self, task):
        """The shard has interleavings behind it."""
        store = os.path.join(self.tool.directory, "shard-" + task, "matchpoint.db-wal")
        return os.path.exists(store) and os.path.getsize(store) > 0


def check_array(tool, slurm, program, signal):
    """`signal`: options of scancel."""
    array = Array(tool, slurm, program)
    slow = tool.write("slow", "")
    job = array.submit("1-3", RESUME="", SLOW=slow)
    slurm.wait_until(lambda: array.has_begun("2"), "shard 2 does not begin")
    slurm.ask("scancel", *signal, job + "_2")
    slurm.wait_until(lambda: not slurm.ask("squeue", "-h", "-j", job + "_2"),
                     "shard 2 does not end")
    os.unlink(slow)
    slurm.wait_for_job(job)
    check("not all of shard 2/3: interrupted" in array.printed(2), array.printed(2))
    check("crash" not in array.printed(2), array.printed(2))
    run = tool.run("report", "shard-1", "shard-2", "shard-3", "--merge-into", "part",
                   "--exit-code")
    check(run.status in (1, 3) and "not all: shard 2/3: interrupted" in run.out, run)
    job = array.submit("2", RESUME="--resume", SLOW=slow)
    slurm.wait_for_job(job)
    check("all of shard 2/3 explored" in array.printed(2), array.printed(2))
    merged = tool.run("report", "shard-1", "shard-2", "shard-3", "--merge-into", "all",
                      "--exit-code", report=True)
    whole = tool.run("explore", "-n", "5", "--keep-going", program, report=True)
    check(merged.status == 1 and merged.report["complete"], merged)
    check(merged.report["interleavings"] == whole.report["interleavings"] == 48, merged)
    check([(one["kind"], one["count"]) for one in merged.report["findings"]]
          == [(one["kind"], one["count"]) for one in whole.report["findings"]], merged)


def body(tool, _options):
    why = obstacle()
    if why:
        print("not checked: %s" % why)
        sys.exit(SKIPPED)
    program = tool.compile(tool.write("backwards.c", SOURCE))
    slurm = PrivateSlurm(os.path.join(tool.directory, "slurm"), mpi="pmi2")
    try:
        check_inside(Compared(tool, slurm, program), tool.mpicc.replace("mpicc", "mpiexec"))
        check_array(tool, slurm, program, [])
        check_array(tool, slurm, program, ["--batch", "--signal=TERM"])
    finally:
        slurm.end()


if __name__ == "__main__":
    harness.main(__doc__, body)
