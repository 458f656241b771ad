"""Random programs with random data, point to point and collective, with random types and counts:
each rank gets what it gets from plain MPI, bit for bit. By hand: `--programs 1000`."""

import time

import harness
from harness import check

RANKS = (2, 3, 4)


def compare(tool, program, ranks, first, count):
    """Runs `count` programs in one job, with seeds from `first`."""
    expected = tool.run_plain(ranks, program, str(first), str(count))
    run = tool.run("explore", "-q", "-n", str(ranks), "--", program, str(first), str(count),
                   report=True)
    where = "seeds %d to %d on %d ranks" % (first, first + count - 1, ranks)
    left = {limit["limit"] for limit in run.report["not_explored"]}
    check(not run.report["findings"] and left <= {"collectives-waited"},
          "%s: not well\n%s\n%s" % (where, run, run.report["findings"]))
    for execution in run.report["executions"]:
        for rank, (plain, output) in enumerate(zip(expected, execution["output"])):
            lines = zip(plain.splitlines(), output.splitlines())
            different = [pair for pair in lines if pair[0] != pair[1]]
            check(plain == output, "%s, %s buffering, rank %d: plain %s, here %s" % (
                where, execution["buffering"], rank, *(different or [("?", "?")])[0]))
    return len(run.report["executions"])


def body(tool, options):
    program = tool.compile(harness.program("random_data.c"))
    executions, begin = 0, time.monotonic()
    for first in range(options.seed, options.seed + options.programs, options.together):
        count = min(options.together, options.seed + options.programs - first)
        ranks = RANKS[first // options.together % len(RANKS)]
        executions += compare(tool, program, ranks, first, count)
    print("%d random programs from seed %d: %d executions, all with the data of plain MPI, %.0f s"
          % (options.programs, options.seed, executions, time.monotonic() - begin))


def add_options(parser):
    parser.add_argument("--programs", type=int, default=20)
    parser.add_argument("--together", type=int, default=4, help="programs in one job")
    parser.add_argument("--seed", type=int, default=1)


if __name__ == "__main__":
    harness.main(__doc__, body, add_options)
