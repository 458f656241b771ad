"""Collectives in which one rank sends something other than another expects. Each case is reported
as a mismatch, in the same words in any order of arrival."""


import harness
from harness import check

SOURCE = harness.program("collective_pairs.c")
RUNS = 8  # for cases in which ranks would see MPI errors, or end, if they were let go

TWO_FOR_ONE = "count (rank 0 sends 1 MPI_INT to rank 1, which expects 2 MPI_INT) of "
CART = "comm 2 (MPI_Cart_create at collective_pairs.c:"
FLOAT_FOR_INT = "type (rank 1 sends 1 MPI_FLOAT to rank 0, which expects 1 MPI_INT) of "
CASES = [
    ("allgather", TWO_FOR_ONE + "MPI_Allgather on"),
    ("allgatherv", TWO_FOR_ONE + "MPI_Allgatherv on"),
    ("alltoall", "type (rank 0 sends 1 MPI_INT to rank 1, which expects 1 MPI_FLOAT) of"),
    ("alltoallv", TWO_FOR_ONE + "MPI_Alltoallv on"),
    ("in place", TWO_FOR_ONE + "MPI_Alltoallv on"),
    ("alltoallw", FLOAT_FOR_INT + "MPI_Alltoallw on"),
    ("gather", "count (rank 0 sends 1 MPI_INT to itself, and expects 2 MPI_INT) of MPI_Gather on"),
    ("gatherv", "count (rank 1 sends 1 MPI_INT to rank 0, which expects 2 MPI_INT) of"),
    ("scatterv", "count (rank 0 sends 2 MPI_INT to rank 1, which expects 1 MPI_INT) of"),
    ("to itself", "count (rank 0 sends 2 MPI_INT to itself, and expects 1 MPI_INT) of MPI_Scatter"),
    ("ialltoallw", FLOAT_FOR_INT + "MPI_Ialltoallw on"),
    ("igatherv", "count (rank 0 sends 1 MPI_INT to itself, and expects 2 MPI_INT) of MPI_Igatherv"),
    ("allgatherv_init", TWO_FOR_ONE + "MPI_Allgatherv_init on"),
    ("alltoallv_init", TWO_FOR_ONE + "MPI_Alltoallv_init on"),
    ("neighbours", "(rank 0 sends 1 MPI_INT to rank 1, which expects nothing of it) of"),
    ("neighbor_alltoallv", TWO_FOR_ONE + "MPI_Neighbor_alltoallv on " + CART),
    ("ineighbor_allgather", TWO_FOR_ONE + "MPI_Ineighbor_allgather on " + CART),
    ("inter bcast", TWO_FOR_ONE + "MPI_Bcast on comm "),
    ("inter alltoall", TWO_FOR_ONE + "MPI_Alltoall on comm "),
    ("neighbor types", "type (rank 0 sends 1 MPI_DOUBLE to rank 1, which expects 1 MPI_INT) of"),
    ("inter allreduce", "count (rank 0: 1 MPI_INT, rank 1: 2 MPI_INT) of MPI_Allreduce on"),
]
OTHER = "0 of the other group"
ROOTS = [
    ("b other", "root (rank 0: MPI_ROOT, rank 3: 1 of the other group) of MPI_Bcast on comm "),
    ("b two", "root (rank 0: MPI_ROOT, rank 1: MPI_ROOT) of MPI_Bcast on"),
    ("b sides", "root (rank 0: %s, rank 2: %s) of MPI_Bcast on" % (OTHER, OTHER)),
    ("r nobody", "root (rank 0: MPI_PROC_NULL, rank 2: %s) of MPI_Reduce on" % OTHER),
    ("i null", "root (rank 0: MPI_ROOT, rank 3: MPI_PROC_NULL) of MPI_Iscatterv on"),
    ("g other", "root (rank 0: MPI_ROOT, rank 3: 1 of the other group) of MPI_Gather_init on"),
    ("i right", None), ("b right", None), ("g right", None), ("r right", None),
]
OFTEN = ("b other", "scatterv", "to itself", "inter bcast")


def story(tool, program, what, ranks="2"):
    """The text of the only finding, without when it was found. None: there is none."""
    run = tool.run("explore", "-q", "-n", ranks, "--", program, what, report=True)
    check(run.report, "%s: no report\n%s" % (what, run))
    left = {limit["limit"] for limit in run.report["not_explored"]}
    check(left <= {"collectives-waited"}, "%s: not all: %s\n%s" % (what, left, run))
    if not run.report["findings"]:
        return None
    check(len(run.report["findings"]) == 1, "%s: not one finding\n%s" % (what, run.report))
    found = run.report["findings"][0]
    ranks = [(rank["rank"], rank.get("function"), rank.get("line"), rank["waits_for"],
              rank.get("ended")) for rank in found["ranks"]]
    return found["kind"], found["message"], found["count"], ranks


def body(tool, _):
    program = tool.compile(SOURCE)
    for what, words in CASES + ROOTS:
        ranks = "4" if (what, words) in ROOTS else "2"
        told = story(tool, program, what, ranks)
        if not words:
            check(told is None, "%s: reported: %s" % (what, told))
            continue
        check(told and told[0] == "collective-mismatch" and words in told[1],
              "%s: expected %s, reported: %s" % (what, words, told))
        for _ in range(RUNS - 1 if what in OFTEN else 0):
            again = story(tool, program, what, ranks)
            check(told == again, "%s: first\n%s\nthen\n%s" % (what, told, again))
    print("%d mismatches" % len(CASES + ROOTS))


if __name__ == "__main__":
    harness.main(__doc__, body)
