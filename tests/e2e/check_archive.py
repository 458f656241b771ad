"""Larger programs from Debian's archive that are linked with MPICH: NetPIPE (package
netpipe-mpich2) and ScaLAPACK's tests (scalapack-mpi-test). matchpoint must find nothing, and their
own checks must pass in every interleaving."""

import glob
import os
import shutil
import sys

import harness
from harness import check

SKIPPED = 77

# ScaLAPACK's LU test on one grid of processes, which has hundreds of receives with MPI_ANY_SOURCE.
# Without its error estimates: there PDLACON branches on a value that PDGERFS has not initialised,
# so the program rarely does something else with the same messages.
LU = """'SCALAPACK, LU factorization input file'
'MPI Machine'
'LU.out'                output file name (if any)
6                       device out
1                       number of problems sizes
%d                      values of M
%d                      values of N
1                       number of NB's
2                       values of NB
1                       number of NRHS's
1                       values of NRHS
1                       Number of NBRHS's
1                       values of NBRHS
1                       number of process grids (ordered pairs of P & Q)
%d                      values of P
%d                      values of Q
1.0                     threshold
F                       (T or F) Test Cond. Est. and Iter. Ref. Routines
"""


def nothing_wrong(run):
    check(run.report, str(run))
    check(not run.report["findings"], str(run))
    check(run.report["wasted"] == 0, str(run))


def netpipe(tool, program):
    for backtrack in ("snapshot", "rerun"):
        run = tool.run("explore", "-n", "2", "--backtrack", backtrack, "--", program,
                       "-l", "1", "-u", "20000", "-n", "5", "-o", "/dev/null", report=True)
        nothing_wrong(run)
        check(run.status == 0 and run.report["interleavings"] == 2, str(run))
        for execution in run.report["executions"]:
            check("16384 bytes" in execution["errors"][0] + execution["output"][0], str(run))
            check(len(execution["matches"]) > 1000, str(run))


def scalapack(tool, program):
    folder = os.path.join(tool.directory, "scalapack")
    os.mkdir(folder)
    for size, rows, columns, interleavings in ((8, 2, 2, 2), (64, 1, 4, 12)):
        with open(os.path.join(folder, "LU.dat"), "w") as file:
            file.write(LU % (size, size, rows, columns))
        for backtrack in ("snapshot", "rerun"):
            run = tool.run("explore", "-n", "4", "--backtrack", backtrack, "--max-interleavings",
                           str(interleavings), "--order", "depth", "--", program,
                           report=True, cwd=folder)
            nothing_wrong(run)
            check(run.report["interleavings"] == interleavings, str(run))
            for execution in run.report["executions"]:
                check("1 tests completed and passed" in execution["output"][0],
                      execution["output"][0])
            print("  LU of %d by %s: %.1f s, %d choices deep" % (
                size, backtrack, run.seconds,
                max(len(e["choices"]) for e in run.report["executions"])))


def body(tool, _):
    tried = 0
    program = shutil.which("NPmpich2")
    if program:
        netpipe(tool, program)
        tried += 1
    for program in glob.glob("/usr/lib/*/scalapack/mpich-tests/xdlu"):
        scalapack(tool, program)
        tried += 1
    if not tried:
        print("neither netpipe-mpich2 nor scalapack-mpi-test is installed")
        sys.exit(SKIPPED)


if __name__ == "__main__":
    harness.main(__doc__, body)
