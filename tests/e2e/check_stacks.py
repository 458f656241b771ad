"""The ranks of a finding have call stacks: a helper that is called from several places is
distinguished by its callers, in C (inlined or not, stripped or not), C++, Fortran and Python, by
snapshot and by rerun. The stacks have no frames of MPI or of the C library."""

import os
import platform
import shutil
import subprocess

import check_python
import harness
from harness import check

# Rank 0 takes a message in each of three places; one is never sent.
C = """
#include <mpi.h>

static inline __attribute__((always_inline)) void take(int *value, int tag)
{
	MPI_Recv(value, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* A */
}

__attribute__((noinline)) static int exchange(int tag)
{
	int value = 0;

	take(&value, tag); /* B */
	return value + 1;
}

static volatile int levels;

__attribute__((noinline, noclone)) static int deep(int depth, int tag)
{
	if (depth == 0)
		return exchange(tag);
	int value = deep(depth - 1, tag); /* C */
	levels++;
	return value;
}

int main(int argc, char **argv)
{
	int rank, sum = 0, deepness = argc > 1 ? 100 : 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		sum += exchange(1);
		sum += exchange(1);
		sum += deepness ? deep(deepness, 2) : exchange(2); /* D */
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return sum < 0;
}
"""

# The message taken first decides whether a third one is waited for.
RACE = """
#include <mpi.h>

static int exchange(void)
{
	int value;

	MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* A */
	return value;
}

static int phase(int factor)
{
	return exchange() * factor; /* B */
}

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		int one = phase(1); /* C */
		int other = phase(1); /* D */

		if (one > other)
			phase(2); /* E */
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
"""

# The message taken decides whether rank 0 crashes in a function that calls no MPI.
CRASH = """
#include <mpi.h>
#include <stdlib.h>

__attribute__((noinline)) static void fill(int *data)
{
	*data = 1; /* A */
}

__attribute__((noinline)) static void use(int who)
{
	int data;

	fill(who == 1 ? NULL : &data); /* B */
}

int main(int argc, char **argv)
{
	int rank, who;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Recv(&who, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		use(who); /* C */
		MPI_Recv(&who, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (who == 1)
			abort(); /* D */
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
"""

# The function's description of its frame is wrong: an unwinder that trusts it reads at address 0.
ASTRAY = """
#include <mpi.h>

__attribute__((noinline)) static void exchange(int *value)
{
	__asm__ volatile(".cfi_remember_state; .cfi_escape 0x0f, 0x01, 0x38");
	MPI_Recv(value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* A */
	__asm__ volatile(".cfi_restore_state");
}

int main(int argc, char **argv)
{
	int rank, value;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 1; i < 3 + (argc > 1); i++) {
		if (rank == 0)
			exchange(&value);
		else if (rank == i)
			MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
"""

CPLUSPLUS = """
#include <mpi.h>
#include <algorithm>
#include <vector>

namespace solver {
struct Halo {
	__attribute__((noinline)) void receive(int tag)
	{
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, tag, // A
		         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		value++;
	}
	int value = 0;
};

template <typename Exchange> __attribute__((noinline)) int step(Exchange exchange, int tag)
{
	Halo halo;
	exchange(halo, tag); // B
	return halo.value;
}
}

int main(int argc, char **argv)
{
	int rank, sum = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	auto exchange = [](solver::Halo &halo, int tag) { halo.receive(tag); };
	if (rank == 0) {
		sum += solver::step(exchange, 1);
		sum += solver::step(exchange, 1);
		sum += solver::step(exchange, 2); // D
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return sum < 0;
}
"""

FORTRAN = """
module halo
  use %s
  implicit none
contains
  subroutine exchange(tag, total)
    integer, intent(in) :: tag
    integer, intent(inout) :: total
    integer :: value, code
    call MPI_Recv(value, 1, MPI_INTEGER, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &
                  MPI_STATUS_IGNORE, code) ! A
    total = total + value
  end subroutine
end module

program ring
  use %s
  use halo
  implicit none
  integer :: rank, code, total = 0
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  if (rank == 0) then
    call exchange(1, total)
    call exchange(1, total)
    call exchange(2, total) ! D
  else
    call MPI_Send(rank, 1, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, code)
  end if
  call MPI_Finalize(code)
end program
"""

PYTHON = """
import python_extension as mpi

rank, size = mpi.init()
if rank == 0:
    for _ in range(size):
        mpi.receive()
else:
    mpi.send(rank, 0)
mpi.finalize()
"""


# Two findings after a long beginning.
LATE = """
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

static void begin(void)
{
	MPI_Barrier(MPI_COMM_WORLD); /* A */
	clock_t length = getenv("SHORT") ? 0 : CLOCKS_PER_SEC / 3;

	for (clock_t end = clock() + length; clock() < end;)
		;
}

static int take(int source, int tag)
{
	int value;

	MPI_Recv(&value, 1, MPI_INT, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* B */
	return value;
}

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	begin(); /* C */
	if (rank == 0) {
		int first = take(MPI_ANY_SOURCE, 0), second = take(MPI_ANY_SOURCE, 0);

		if (first == 3 && second == 2)
			abort();
		take(MPI_ANY_SOURCE, 0);
		if (first == 3)
			take(1, 1); /* D */
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
"""


def build(tool, name, text, *flags):
    source = tool.write(name, text)
    return tool.compile(source, *flags)


def line_of(text, mark):
    """The number of the line with this comment."""
    return 1 + next(i for i, line in enumerate(text.split("\n"))
                    if line.endswith(("// " + mark, "/* %s */" % mark, "! " + mark)))


def explore(tool, program, *options, verb="explore"):
    run = tool.run(verb, "-n", "3", *(options or ("--", program)), report=True)
    check(run.status == 1 and len(run.report["findings"]) == 1, "one finding\n%s" % run)
    return run, run.report["findings"][0]


def stack_of(finding, rank=0):
    told = [line for line in finding["ranks"] if line["rank"] == rank]
    check(len(told) == 1 and "stack" in told[0], "no stack: %s" % finding)
    return told[0]["stack"]


def expect(tool, program, frames, *options):
    """Frames are pairs of function and line."""
    for how in ("snapshot", "rerun"):
        run, finding = explore(tool, program, "--backtrack", how, "--", program, *options)
        stack = stack_of(finding)
        got = [(frame.get("function"), frame.get("line")) for frame in stack]
        check(got == frames, "%s: %s instead of %s\n%s" % (how, got, frames, run))
        again = tool.run("replay", finding["path"], "--", program, *options, report=True)
        check(stack_of(again.report["findings"][0]) == stack, "another one in replay\n%s" % again)
    return run


def check_c(tool):
    frames = [("take", line_of(C, "A")), ("exchange", line_of(C, "B")), ("main", line_of(C, "D"))]
    program = build(tool, "helper.c", C, "-O2")
    expect(tool, program, frames)
    run, finding = explore(tool, program, "--", program, verb="run")
    check([frame["line"] for frame in stack_of(finding)] == [line for _, line in frames],
          "run has the same stack\n%s" % run)
    # the outermost of a deep stack are missing; the compiler may divide a recursion
    _, finding = explore(tool, program, "--", program, "deep")
    stack = stack_of(finding)
    check(len(stack) == 32 and stack[0]["function"] == "take"
          and all(frame["line"] == line_of(C, "C") for frame in stack[4:]),
          "32 frames of a recursion: %s" % stack)


def check_clang(tool):
    """clang leaves out the table of addresses that gcc writes, and numbers files differently."""
    if not shutil.which("clang"):
        return
    os.environ["MPICH_CC"] = "clang"
    frames = [("take", line_of(C, "A")), ("exchange", line_of(C, "B")), ("main", line_of(C, "D"))]
    for version in ("4", "5"):
        expect(tool, build(tool, "clang.c", C, "-O2", "-gdwarf-" + version), frames)
    del os.environ["MPICH_CC"]


def check_text(tool):
    """The stacks of the choice to blame and of the waiting call; not where the place says
    everything."""
    run, finding = explore(tool, build(tool, "race.c", RACE, "-O0"))
    for text in ("\n          called from phase (race.c:%d), main (race.c:%d)\n" % (
            line_of(RACE, "B"), line_of(RACE, "E")),
                 "\n    called from phase (race.c:%d), main (race.c:%d)\n" % (
            line_of(RACE, "B"), line_of(RACE, "C"))):
        check(run.out.count(text) == 1, "%s in\n%s" % (text.strip(), run))
    check([frame["line"] for frame in finding["blame"]["stack"]]
          == [line_of(RACE, mark) for mark in "ABC"], "the choice's stack: %s" % finding["blame"])
    loop = RACE.replace("phase(1)", "1", 1).replace("phase(1)", "0").replace("if (", "while (")
    run, finding = explore(tool, build(tool, "loop.c", loop.replace("while (rank", "if (rank")))
    check("called from" not in run.out and len(stack_of(finding)) == 3, "one caller\n%s" % run)


def check_crash(tool):
    """The stack is that of the crash, not of the last call; also in a merged store."""
    program = build(tool, "crash.c", CRASH, "-O0")
    stores = [os.path.join(tool.directory, "crash.%d" % i) for i in range(2)]
    for store in stores:
        run = tool.run("explore", "-n", "3", "--store", store, "--", program, report=True)
    merged = tool.run("report", *stores, report=True)
    for told in (run, merged):
        check(told.report, str(told))
        findings = {finding["ranks"][0]["ended"]: finding for finding in told.report["findings"]}
        check(len(findings) == 2, "two crashes\n%s" % told)
        for ended, marks in (("killed by SIGSEGV", "ABC"), ("killed by SIGABRT", "D")):
            stack = stack_of(findings[ended])
            check([frame["line"] for frame in stack] == [line_of(CRASH, mark) for mark in marks],
                  "%s: %s" % (ended, stack))
    check("    called from use (crash.c:%d), main (crash.c:%d)\n" % (
        line_of(CRASH, "B"), line_of(CRASH, "C")) in run.out, "the text\n%s" % run)


def check_astray(tool):
    """Only the place is known then; nothing false is reported."""
    program = build(tool, "astray.c", ASTRAY, "-O0")
    handler = """
#include <signal.h>
#include <unistd.h>
static void leave(int number)
{
	_exit(number);
}
"""
    handles = handler + ASTRAY.replace("MPI_Init(", "signal(SIGSEGV, leave);\n\tMPI_Init(")
    _, finding = explore(tool, build(tool, "handles.c", handles, "-O0"), "--",
                         os.path.join(tool.directory, "handles"), "more")
    check(finding["kind"] == "deadlock" and finding["reproduced"]
          and "stack" not in finding["ranks"][0], "shown again without stacks: %s" % finding)
    for verb in ("explore", "run"):
        right = tool.run(verb, "-n", "3", "--", program, report=True)
        check(right.status == 0, "a right program\n%s" % right)
        _, finding = explore(tool, program, "--", program, "more", verb=verb)
        check(finding["kind"] == "deadlock" and finding["reproduced"]
              and [frame["line"] for frame in stack_of(finding)] == [line_of(ASTRAY, "A")],
              "another finding: %s" % finding)


def check_without_symbols(tool):
    """Only the module and the offset in it can be reported."""
    program = build(tool, "bare.c", C, "-O2", "-g0")
    _, finding = explore(tool, program, "--", program)
    stack = stack_of(finding)
    check([frame.get("function") for frame in stack] == ["exchange", "main"]
          and all(frame["symbol"] == frame["function"] and frame["offset"] > 0
                  for frame in stack), "the symbols: %s" % stack)
    stripped = os.path.join(tool.directory, "stripped")
    shutil.copy(program, stripped)
    subprocess.run(["strip", stripped], check=True)
    _, finding = explore(tool, stripped, "--", stripped)
    stack = stack_of(finding)
    check(len(stack) >= 2 and all("function" not in frame and frame["symbol"] == "stripped"
                                  and frame["offset"] > 0 for frame in stack),
          "the module: %s" % stack)
    check(len({frame["offset"] for frame in stack}) == len(stack), "one place each: %s" % stack)


def check_cplusplus(tool):
    program = build(tool, "templates.cc", CPLUSPLUS, "-O2")
    stack = stack_of(explore(tool, program, "--", program)[1])
    names = [frame.get("function") for frame in stack]
    check(names[0] == "solver::Halo::receive" and stack[0]["line"] == line_of(CPLUSPLUS, "A"),
          "the member function: %s" % stack)
    check(any(name.startswith("solver::step<") for name in names)
          and line_of(CPLUSPLUS, "B") in [frame["line"] for frame in stack],
          "the template: %s" % stack)
    check(names[-1] == "main" and stack[-1]["line"] == line_of(CPLUSPLUS, "D"),
          "the caller: %s" % stack)


def check_fortran(tool):
    """Frames of MPI's Fortran binding and of the main function that the compiler adds are left
    out."""
    if not shutil.which(tool.mpicc.replace("mpicc", "mpif90")):
        return
    for module in ("mpi", "mpi_f08"):
        text = FORTRAN % (module, module)
        program = build(tool, module + "_ring.f90", text, "-O2", "-fno-inline", "-J",
                        tool.directory)
        expect(tool, program, [("exchange", line_of(text, "A")), ("ring", line_of(text, "D"))])


def check_interpreter(tool):
    """The script's line from which the extension calls MPI, not the interpreter's own functions."""
    if not check_python.extension(tool):
        return
    run = check_python.explore(tool, "waits.py", PYTHON)
    check(run.status == 1, "a finding\n%s" % run)
    stack = stack_of(run.report["findings"][0])
    line = 1 + PYTHON.split("\n").index("        mpi.receive()")
    check([(frame["file"], frame["function"], frame["line"]) for frame in stack]
          == [("waits.py", "<module>", line)], "the script: %s" % stack)


def check_late(tool):
    """The long beginning runs once, and once more with stacks, for any number of replayed
    findings. Their stacks are those of separate runs, whose beginning may be short."""
    program, found = build(tool, "revisits.c", LATE), []
    for way in "snapshot", "rerun":
        log = os.path.join(tool.directory, "late.log")
        run = tool.run("explore", "-n", "4", "--buffering", "infinite", "--backtrack", way, program,
                       report=True, environment={"MATCHPOINT_LOG": log + ":snapshots",
                                                 **({"SHORT": "1"} if way == "rerun" else {})})
        found.append(run.report["findings"])
        check([len(one["ranks"][0]["stack"]) for one in found[-1]] == [2, 1], str(run))
        with open(log) as file:
            began = sum("restoring world 0 as" in line for line in file)
        check(began == (2 if way == "snapshot" else 0), "%d times: %s" % (began, run))
    check(found[0] == found[1], "%s\nby rerun:\n%s" % tuple(found))


def body(tool, _options):
    check_late(tool)
    check_c(tool)
    check_clang(tool)
    check_text(tool)
    check_crash(tool)
    if platform.machine() == "x86_64":
        check_astray(tool)
    check_without_symbols(tool)
    check_cplusplus(tool)
    check_fortran(tool)
    check_interpreter(tool)


if __name__ == "__main__":
    harness.main(__doc__, body)
