"""What it costs that processes are spawned, and that shards are jobs of Slurm's."""

import os
import statistics
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROUNDS = "7"
SHARDS = 4
ARRAY = """#!/bin/sh
exec '%s' explore -n 4 --buffering infinite --shard $SLURM_ARRAY_TASK_ID/%d \\
	--store shard-$SLURM_ARRAY_TASK_ID -- '%s' rounds 4
"""


def spawn(bench):
    program = bench.compile(bench.mpicc, os.path.join(HERE, "spawning.c"))

    def each(ranks, how):
        """Seconds for an interleaving, without the first one."""
        alone, _ = bench.explore(ranks, program, how, ROUNDS, verb="run", buffering="infinite")
        seconds, report = bench.explore(ranks, program, how, ROUNDS, buffering="infinite")
        assert report["interleavings"] == 2 ** int(ROUNDS), report
        return (seconds - alone) / (report["interleavings"] - 1)

    pairs = [(each(1, "spawn"), each(3, "plain")) for _ in range(bench.repeat)]
    ratio = statistics.median(spawned / plain for spawned, plain in pairs)
    bench.row("an interleaving with 2 spawned / with 3 ranks", "<= 1.5", "%.2f (%.1f ms)" % (
        ratio, 1000 * min(spawned for spawned, _ in pairs)), ratio <= 1.5)


def shards(bench):
    private_slurm = bench.borrow("private_slurm", "shards")
    if not private_slurm:
        return
    slurm = private_slurm.PrivateSlurm(os.path.join(bench.directory, "slurm"))
    script = os.path.join(bench.directory, "array")
    with open(script, "w") as file:
        file.write(ARRAY % (bench.matchpoint, SHARDS, bench.workload))

    def by_slurm():
        begin = time.monotonic()
        job = slurm.ask("sbatch", "--parsable", "--array=1-%d%%2" % SHARDS, "-D", bench.directory,
                        "-o", "task-%a.txt", script).strip()
        while slurm.ask("squeue", "-h", "-j", job):
            time.sleep(0.05)
        seconds = time.monotonic() - begin
        stores = ["shard-%d" % (i + 1) for i in range(SHARDS)]
        _, done = bench.time([bench.matchpoint, "report", "--exit-code", *stores])
        return seconds, done.stdout.split(" interleavings")[0]

    def at_once():
        seconds, report = bench.explore(4, bench.workload, "rounds", "4", buffering="infinite",
                                        options=("-j", "2"))
        return seconds, "matchpoint: %d" % report["interleavings"]

    try:
        pairs = [(by_slurm(), at_once()) for _ in range(bench.repeat)]
    finally:
        slurm.end()
    assert all(one[1] == other[1] for one, other in pairs), pairs
    ratio = statistics.median(one[0] / other[0] for one, other in pairs)
    bench.row("%d shards under Slurm / -j 2" % SHARDS, "<= 1.3", "%.2f (%.1f s)" % (
        ratio, min(one[0] for one, _ in pairs)), ratio <= 1.3)
