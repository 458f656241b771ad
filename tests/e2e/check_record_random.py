"""Random calls of all families, random one-sided communication and random MPI-IO, recorded, and
each rank replayed alone: it prints the same hashes of data, statuses, orders, times and addresses,
and sends the same. Then all in step."""

import harness
from recording import Recording

STEPS = 60
PROGRAMS = ("random_calls.c", "random_windows.c", "random_files.c")


def body(tool, options):
    programs = [tool.compile(harness.program(name)) for name in PROGRAMS]
    for seed in range(options.seed, options.seed + options.programs):
        print("seed %d" % seed, flush=True)
        for program in programs:
            recording = Recording(tool, "random", seed % 4 + 2, program, str(seed), str(STEPS),
                                  preload=tool.yields())
            recording.check_replays()
            recording.check_in_step()


def extra(parser):
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", type=int, default=12)


if __name__ == "__main__":
    harness.main(__doc__, body, extra)
