"""matchpoint debug, inspection: contents of messages, and variables of ranks by gdb."""

import copy
import glob
import os
import re
import shutil
import signal

import forbidding
import harness
from check_prompt import PROMPT, Terminal
from harness import check

# Rank 1 sends one message of each kind, in calls 2, 3, ...; rank 0 receives them late.
CONTENTS = r"""
#include <mpi.h>
#include <stddef.h>
#include <string.h>
struct particle { int id; double place[2]; char name[8]; };
static int numbers[2000];
int main(int argc, char **argv)
{
	int rank, grid[6] = {1, 2, 3, 4, 5, 6}, swapped = 41, packed[2] = {7, 8}, position = 0;
	char text[16] = "hello", buffer[4096], bytes[3] = {1, 2, 'x'}, room[64];
	struct particle two[2] = {{1, {0.5, -1}, "one"}, {2, {1e9, 0.1}, "two"}};
	int lengths[3] = {1, 2, 8};
	MPI_Aint places[3] = {offsetof(struct particle, id), offsetof(struct particle, place),
	                      offsetof(struct particle, name)}, address;
	MPI_Datatype parts[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR}, made, particle, column, absolute;
	MPI_Request requests[2];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Type_create_struct(3, lengths, places, parts, &made);
	MPI_Type_create_resized(made, 0, sizeof(struct particle), &particle);
	MPI_Type_commit(&particle);
	MPI_Type_vector(3, 1, 2, MPI_INT, &column);
	MPI_Type_commit(&column);
	MPI_Get_address(grid + 4, &address);
	MPI_Type_create_hindexed(1, lengths, &address, MPI_INT, &absolute);
	MPI_Type_commit(&absolute);
	for (int i = 0; i < 2000; i++)
		numbers[i] = i;
	if (rank == 1) {
		MPI_Send(two, 2, particle, 0, 0, MPI_COMM_WORLD);             /* 2 */
		memset(two, 0, sizeof(two));
		MPI_Send(grid, 1, column, 0, 0, MPI_COMM_WORLD);              /* 3 */
		MPI_Send(text, 16, MPI_CHAR, 0, 0, MPI_COMM_WORLD);           /* 4 */
		MPI_Send(bytes, 3, MPI_BYTE, 0, 0, MPI_COMM_WORLD);           /* 5 */
		MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);             /* 6 */
		MPI_Send(numbers, 2000, MPI_INT, 0, 0, MPI_COMM_WORLD);       /* 7 */
		MPI_Send(MPI_BOTTOM, 1, absolute, 0, 0, MPI_COMM_WORLD);      /* 8 */
		MPI_Pack(packed, 2, MPI_INT, room, 64, &position, MPI_COMM_WORLD);
		MPI_Send(room, position, MPI_PACKED, 0, 0, MPI_COMM_WORLD);   /* 9 */
		MPI_Buffer_attach(buffer, sizeof(buffer));
		MPI_Bsend(packed, 2, MPI_INT, 0, 0, MPI_COMM_WORLD);          /* 10 */
		packed[0] = 99;
		MPI_Isend(packed, 1, MPI_2INT, 0, 0, MPI_COMM_WORLD, &requests[0]); /* 11 */
		MPI_Send_init(grid, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[1]);
		MPI_Start(&requests[1]);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
		MPI_Request_free(&requests[1]);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
	if (rank == 0) {
		for (int i = 0; i < 2; i++)
			MPI_Recv(grid, 6, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
		for (int i = 0; i < 11; i++)
			MPI_Recv(numbers, 2000 * sizeof(int), MPI_BYTE, 1, 0, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
	}
	swapped += rank;
	if (rank < 2)
		MPI_Sendrecv_replace(&swapped, 1, MPI_INT, 1 - rank, 1, 1 - rank, 1, MPI_COMM_WORLD,
		                     MPI_STATUS_IGNORE);
	if (rank == 1)
		MPI_Buffer_detach(room, &position);
	MPI_Type_free(&made);
	MPI_Type_free(&particle);
	MPI_Type_free(&column);
	MPI_Type_free(&absolute);
	MPI_Finalize();
	return 0;
}
"""

# A function with arguments, called from main through others, makes the call.
VARIABLES = r"""
#pragma GCC optimize("O0")
#include <mpi.h>
struct point { int x; double y[2]; const char *name; };
static int receive(struct point *point, int *table, int length)
{
	int value = table[length - 1];

	MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return point->x + value;
}
int main(int argc, char **argv)
{
	int rank, table[3] = {7, 8, 9}, sum = 0;
	struct point point = {4, {0.5, 2}, "here"};

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	point.x += rank;
	for (int i = 0; i < 2 && rank == 0; i++)
		sum += receive(&point, table, 3);
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return sum == -1;
}
"""

# If rank 1's message is taken first, it crashes in a function that calls no MPI. If rank 2's, a
# message is missing.
CRASH = r"""
#pragma GCC optimize("O0")
#include <mpi.h>
static int *look_up(int which) { static int one = 5; return which == 1 ? 0 : &one; }
static int take(int from, int *what)
{
	int twice = 2 * from;
	return *what + twice;
}
int main(int argc, char **argv)
{
	int rank, value = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (take(value, look_up(value)) > 0)
			MPI_Recv(&rank, 1, MPI_INT, 3, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else if (rank < 3)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
"""

FORTRAN = r"""
program variables
  use mpi
  implicit none
  type point
    integer :: x
    real(8) :: y(2)
  end type
  type(point) :: p
  integer :: rank, value, ierror, i, table(2, 2)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  p%x = 4
  p%y = (/ 0.5d0, 2d0 /)
  table = reshape((/ 1, 2, 3, 4 /), (/ 2, 2 /))
  if (rank == 0) then
    do i = 1, 2
      call MPI_Recv(value, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, ierror)
    end do
  else
    call MPI_Send(rank, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, ierror)
  end if
  if (p%x + table(1, 1) == 0) print *, p%y
  call MPI_Finalize(ierror)
end program
"""

CXX = r"""
#include <mpi.h>
#include <string>
#include <vector>
namespace mesh {
template <class T> struct cell { T size; std::string name; };
static int receive(const std::vector<int> &all, const cell<double> &one)
{
	int value = 0;
	MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return value + all[0] + (int)one.size;
}
}
int main(int argc, char **argv)
{
	int rank, sum = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	std::vector<int> all{7, 8, 9};
	mesh::cell<double> one{0.5, "left"};
	for (int i = 0; i < 2 && rank == 0; i++)
		sum += mesh::receive(all, one);
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return sum == -1;
}
"""

# Pickles, as mpi4py sends them: one with data, one that would execute a command.
PICKLES = r"""
#include <mpi.h>
static const char plain[] = "\x80\x05\x95\x1b\0\0\0\0\0\0\0}\x94(\x8c\x04step\x94K\x03\x8c\x01x"
                            "\x94G?\xe0\0\0\0\0\0\0u.";
static const char wild[] = "\x80\x02" "cos\nsystem\nX\x0d\0\0\0touch carried\x85R.";
static void receive(MPI_Request *request)
{
	char bytes[100];
	MPI_Recv(bytes, 100, MPI_BYTE, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Wait(request, MPI_STATUS_IGNORE);
}
int main(int argc, char **argv)
{
	int rank, value;
	MPI_Request request;
	MPI_Win window;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_create(&value, sizeof(value), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
	for (int i = 1; i < 3 && rank == 0; i++) {
		MPI_Irecv(&value, 1, MPI_INT, i, 8, MPI_COMM_WORLD, &request);
		receive(&request);
	}
	if (rank == 1)
		MPI_Send(plain, sizeof(plain) - 1, MPI_BYTE, 0, 7, MPI_COMM_WORLD);
	if (rank == 2)
		MPI_Send(wild, sizeof(wild) - 1, MPI_BYTE, 0, 7, MPI_COMM_WORLD);
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
	MPI_Win_free(&window);
	MPI_Finalize();
	return 0;
}
"""

# A pickle of 70,000 bytes: a list of a text and bytes.
LONG_PICKLE = r"""
#include <mpi.h>
#include <string.h>
static const char begin[] = "\x80\x05]\x94(\x8c\x04text\x94" "B\x00\x11\x01\x00";
static const char end[] = "\x94" "e.";
static char bytes[100000];
int main(int argc, char **argv)
{
	int rank, length = sizeof(begin) - 1 + 0x11100 + sizeof(end) - 1;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	memcpy(bytes, begin, sizeof(begin) - 1);
	memset(bytes + sizeof(begin) - 1, 'b', 0x11100);
	memcpy(bytes + length - sizeof(end) + 1, end, sizeof(end) - 1);
	if (rank == 1)
		MPI_Send(bytes, length, MPI_BYTE, 0, 7, MPI_COMM_WORLD);
	if (rank == 0)
		MPI_Recv(bytes, length, MPI_BYTE, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD,
		         MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
	for (int i = 1; i < 3 && rank == 0; i++)
		MPI_Recv(&length, 1, MPI_INT, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD,
		         MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
"""

# The output of `info messages` for each, in this order, where sends need not wait.
TOLD = [
    '2 {1 MPI_INT, 2 MPI_DOUBLE, 8 MPI_CHAR}: {{1, 0.5, -1, "one" and 5 \\0}, '
    '{2, 1000000000, ...}, ...}',
    "3 MPI_INT: {1, 3, 5}",
    '16 MPI_CHAR: "hello" and 11 \\0',
    '3 MPI_BYTE: 01 02 78 "\\001\\002x"',
    "0 MPI_INT",
    "2000 MPI_INT: {0, 1, 2, 3, 4, 5, ...}",
    "1 MPI_INT: {5}",
    '8 bytes: 07 00 00 00 08 00 00 00 "\\007\\0\\0\\0\\010" and 3 \\0',
    "2 MPI_INT: {7, 8}",
    "2 MPI_INT: {99, 8}",
    "2 MPI_INT: {1, 2}",
]

DERIVED = r"""
     0: {1, 0.5, -1, "one" and 5 \0}
     1: {2, 1000000000, 0.1, "two" and 5 \0}
"""


def debug(tool, lines, *arguments, **more):
    """A batch session with these lines as its script."""
    script = tool.write("script.mp", "".join(line + "\n" for line in lines))
    return tool.run("debug", *arguments[:-1], "-x", script, "--batch", arguments[-1], **more)


# Rank 0 receives from anybody, three calls deep.
NESTED = r"""
#include <mpi.h>
static void descend(int depth)
{
	int value;
	if (depth < 2)
		descend(depth + 1);
	else
		for (int i = 1; i < 4; i++)
			MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
}
int main(int argc, char **argv)
{
	int rank, total = 7;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		descend(0);
	else
		MPI_Send(&total, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
"""


def answers(run):
    """The answer to each line."""
    return [one.split("\n", 1)[1] if "\n" in one else ""
            for one in run.out.split("(matchpoint) ")[1:]]


def check_contents(tool):
    """Each kind of send, with the contents at its start; also after the receive has taken it, and
    after going back."""
    program = tool.compile(tool.write("contents.c", CONTENTS))
    run = debug(tool, ["run", "info messages", "x 1.2", "x 1.7", "x 2", "x 0.3", "2", "x 0.3",
                       "back", "x 0.3", "x 1.10", "2", "1", "x 0.5", "x 0.16", "x 0.16.1"],
                "-n", "3", "--buffering", "infinite", program)
    told = answers(run)
    check(run.status == 0, str(run))
    messages = re.findall(r"^  rank 1  MPI_\S+\(dest=0, tag=0\) +contents\.c:\d+ +(.*)$", told[1],
                          flags=re.M)
    check(messages == TOLD, "%s\n%s" % (messages, run))
    check("2)  rank 2's message, tag=2, 1 MPI_INT: {2}" in told[0], str(run))
    derived, large, offered = (one.split("\n", 1)[1] for one in told[2:5])
    check(derived == DERIVED[1:], str(run))
    check(re.match(r"     0: 0 1 2 3 4 5 6 7\n     8: 8 9 ", large), str(run))
    check(large.endswith("   ... the first 1024 of 8000 bytes\n"), str(run))
    check(offered == "     0: 2\n", str(run))
    check("rank 0's call 3 neither sends nor has received a message" in told[5], str(run))
    check(told[7] == told[4], "what was received is not what was sent\n%s" % run)
    check(told[9].split(": ")[1] == told[5].split(": ")[1],
          "what was undone is still received\n%s" % run)
    check("MPI_Bsend(dest=0, tag=0)" in told[10] and told[10].endswith("     0: 7 8\n"), str(run))
    check(told[13].endswith(DERIVED), str(run))
    both = told[14].split("\n")
    check(both[1::2] == ["     0: 41", "     0: 42"], str(run))
    check(told[15] == "\n".join(both[2:]), str(run))


def check_refused(tool):
    program = tool.compile(tool.write("contents.c", CONTENTS))
    run = debug(tool, ["x 1", "run", "x", "x 3", "x 1.99", "x 3.1", "x 1.2.9", "x -1.2", "x 1.2.x",
                       "x 0.1"], "-n", "3", program)
    told = answers(run)
    for line, refusal in zip(told[:1] + told[2:], [
            "nothing runs", "that is not a message", "3 is not a message",
            "rank 1 has made no call 99",
            "there is no rank 3", "rank 1's call 2 neither sends", "-1.2 is not a message",
            "1.2.x is not a message", "rank 0's call 1 neither sends"]):
        check(refusal in line, "%s\n%s" % (refusal, run))


def check_print(tool):
    """Variables in the function that called MPI, of any rank; gdb's errors are shown. After going
    back the process is another one."""
    program = tool.compile(tool.write("variables.c", VARIABLES))
    run = debug(tool, ["print 1", "run", "print *point", "print 0 table[0]@length", "p 1 rank + 40",
                       "print 2 point", "print 0 nothing", "print 0 value = 5",
                       "print 0 receive(0, 0, 0)",
                       "print", "print 9 value", "print 0 \"two\\\\words\"", "print /x 255",
                       "print value", "print 0 point->x", "2", "back", "print 0 length", "1",
                       "print 0 value", "back", "print 0 $3 + $1.x", "print 1 $5 + 1",
                       "print 0 $99", "print 1 $3 + 1", "finish"],
                "-n", "3", program)
    told = answers(run)
    for index, line in ((0, "nothing runs"), (4, "$3 = 41\n"), (6, 'No symbol "nothing"'),
                        (7, "Writing to memory is not allowed"), (8, "may-call-functions"),
                        (9, "no expression given"), (10, "there is no rank 9"),
                        (11, '"two\\\\words"'),
                        (12, "= 0xff\n"),
                        (13, "= 9\n"), (14, "= 4\n"), (17, "= 3\n"), (19, "has ended"),
                        (21, "$3 is a value of rank 1: use print 1 ..."),
                        (22, "$5 is a value of rank 0: use print 0 ..."),
                        (23, "there is no value $99"), (24, "$10 = 42\n")):
        check(line in told[index], "%d: %s\n%s" % (index, line, run))
    check(re.match(r'\$1 = \{x = 4, y = \{0.5, 2\}, name = 0x[0-9a-f]+ "here"\}\n', told[2]),
          str(run))
    check(told[3] == "$2 = {7, 8, 9}\n", str(run))
    check(re.search(r"^\$4 = \{x = 6, ", told[5], flags=re.M), str(run))
    check(run.status == 0, "the program continued differently\n%s" % run)


def check_frames(tool):
    """up and down select callers of the function that called MPI; a new stop begins with it."""
    program = tool.compile(tool.write("nested.c", NESTED), "-O0")
    run = debug(tool, ["run", "print depth", "up", "print depth", "up 2", "print total", "up",
                       "down", "print depth", "down 9", "up x", "1", "print depth", "finish"],
                "-n", "4", program)
    told = answers(run)
    for index, line in ((1, "= 2\n"), (2, " in descend ("), (3, "= 1\n"), (4, " in main ("),
                        (5, "= 7\n"), (6, "Initial frame selected"), (7, " in descend ("),
                        (8, "= 0\n"), (9, "this is the function that has made the MPI call"),
                        (10, "x is not a number"), (12, "= 2\n")):
        check(line in told[index], "%d: %s\n%s" % (index, line, run))
    check(run.status == 0, str(run))


def check_languages(tool):
    """Fortran and C++, as gdb shows them."""
    lines = ["run", "print 0 p", "print 0 table", "print 0 p%y(2)", "1", "print 0 value"]
    told = answers(debug(tool, lines, "-n", "3", tool.compile(
        tool.write("fortran.f90", FORTRAN), "-O0")))
    for index, line in ((1, "= ( x = 4, y = (0.5, 2) )"), (2, "= ((1, 2) (3, 4))"), (3, "= 2")):
        check(line in told[index], "%s\n%s" % (line, told))
    lines = ["run", "print 0 all", "print 0 one", "print 0 one.size * 2", "print 0 all.nothing"]
    told = answers(debug(tool, lines, "-n", "3", tool.compile(
        tool.write("cxx.cc", CXX), "-O0")))
    for index, line in ((1, "{7, 8, 9}" if PRINTERS else "std::vector"),
                        (2, '"left"'), (3, "= 1\n"), (4, "no member or method named nothing")):
        check(line in told[index], "%s\n%s" % (line, told))


def check_decoders(tool):
    """Decoders of contents, built in and the user's own; no contents are executed."""
    program = tool.compile(tool.write("pickles.c", PICKLES))
    run = debug(tool, ["info comms", "run", "x 1", "x 2", "set decoder tag 7 hex", "x 1",
                       "set decoder tag 7 echo '{\"of\":[1]}'", "x 1", "set decoder tag 7 false",
                       "x 1", "set decoder comm other cat", "set decoder", "set decoder off", "x 1",
                       "info requests", "info comms", "info windows", "where 0"],
                "-n", "3", program)
    told = answers(run)
    plain = "38 MPI_BYTE\n    {'step': 3, 'x': 0.5}\n"
    for index, line in ((0, "nothing runs"), (1, "38 MPI_BYTE: {'step': 3, 'x': 0.5} "), (2, plain),
                        (3, "    os.system('touch carried')\n"), (5, "     0: 80 05 95"),
                        (7, '    {\n      "of": [\n        1\n      ]\n    }\n'),
                        (9, "  false exits with 1\n     0: 80 05"), (11, "no command given"),
                        (13, plain), (14, "  rank 0  3.0  MPI_Irecv(source=1, tag=8)"),
                        (14, "not matched yet\n"), (15, "  1  MPI_COMM_WORLD  ranks 0,1,2\n"),
                        (16, "  1  MPI_Win_create on MPI_COMM_WORLD at pickles.c:19  ranks "),
                        (17, "  #0  receive (pickles.c:9)\n  #1  main (pickles.c:")):
        check(line in told[index], "%d: %s\n%s" % (index, line, run))
    check("\n  2  " not in told[15] and "MPI_Recv" not in told[14], str(run))
    check(not os.path.exists(os.path.join(tool.directory, "carried")), "a pickle was carried out")


def without(tool, program):
    """A folder with everything in PATH except this program."""
    folder = os.path.join(tool.directory, "without-" + program)
    os.mkdir(folder)
    for one in os.environ["PATH"].split(":"):
        for name in os.listdir(one) if os.path.isdir(one) else ():
            if name != program and not os.path.lexists(os.path.join(folder, name)):
                os.symlink(os.path.join(one, name), os.path.join(folder, name))
    return folder


def check_pickles(tool):
    """Of a long pickle the beginning is shown. The python3 that shows it is isolated from modules
    around it. Without python3 the bytes are shown, with a note."""
    for module in "pickletools.py", "io.py", "sitecustomize.py":
        tool.write(module, "open('carried', 'w')\n")
    long = tool.compile(tool.write("long_pickle.c", LONG_PICKLE))
    run = debug(tool, ["run", "x 1.2"], "-n", "3", long)
    told = answers(run)[1]
    check("69908 MPI_BYTE\n    ['text', b'bbb" in told and told.endswith("bbb...\n"), str(run))
    check(20000 < len(told) < 20200, str(run))
    program = tool.compile(tool.write("pickles.c", PICKLES))
    run = debug(tool, ["run", "x 1"], "-n", "3", program, environment={"PYTHONPATH": "."})
    check("{'step': 3, 'x': 0.5}" in answers(run)[1], str(run))
    check(not os.path.exists(os.path.join(tool.directory, "carried")), "it was not isolated")
    run = debug(tool, ["run", "choices", "x 1", "1"], "-n", "3", program,
                environment={"PATH": without(tool, "python3")})
    told = answers(run)
    check([one.count("pickles are shown as bytes: ") for one in told] == [1, 0, 1, 0], str(run))
    check("python3" in told[0] and "38 MPI_BYTE: 80 05 95" in told[1], str(run))
    check("38 MPI_BYTE\n     0: 80 05 95" in told[2] and run.status == 0, str(run))


# Each collective gets its rank's own data; one send has three partitions.
COLLECTIVES = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
	int rank, size, value[6], got[6], counts[3] = {1, 2, 1}, places[3] = {0, 1, 3};
	double sum[2], column[2];
	char text[] = "hello";
	MPI_Datatype two;
	MPI_Request request;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < 6; i++)
		value[i] = 10 * rank + i;
	column[0] = rank + 0.5, column[1] = -rank;
	MPI_Alltoall(value, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD);
	MPI_Scatter(value, 2, MPI_INT, got, 2, MPI_INT, 2, MPI_COMM_WORLD);
	MPI_Scatterv(value, counts, places, MPI_INT, got, counts[rank], MPI_INT, 0,
	             MPI_COMM_WORLD);
	places[2] = 4;
	MPI_Scatterv(value, counts, places, MPI_INT, got, counts[rank], MPI_INT, 0,
	             MPI_COMM_WORLD);
	MPI_Gather(rank == 0 ? MPI_IN_PLACE : value, 2, MPI_INT, got, 2, MPI_INT, 0,
	           MPI_COMM_WORLD);
	MPI_Allreduce(column, sum, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	MPI_Allreduce(MPI_IN_PLACE, column, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	MPI_Reduce_scatter_block(value, got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Iallgather(value, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Bcast(text, 5, MPI_CHAR, 0, MPI_COMM_WORLD);
	MPI_Type_vector(2, 1, 2, MPI_INT, &two);
	MPI_Type_commit(&two);
	if (rank == 1) {
		MPI_Psend_init(value, 2, 1, two, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
		MPI_Type_free(&two);
		MPI_Start(&request);
		MPI_Pready(1, request);
		value[0] = 77;
		MPI_Pready(0, request);
	} else if (rank == 0) {
		MPI_Type_free(&two);
		MPI_Precv_init(got, 2, 2, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
		MPI_Start(&request);
	} else {
		MPI_Type_free(&two);
	}
	if (rank < 2) {
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		MPI_Request_free(&request);
	}
	MPI_Finalize();
	return 0;
}
"""


def check_collectives(tool):
    """The call of each member shows the contributions of all; a partitioned message shows the
    contents of the partition that was ready last."""
    program = tool.compile(tool.write("collectives.c", COLLECTIVES))
    run = debug(tool, ["run"] + ["x 0.%d" % call for call in range(2, 14)] + [
        "x 2.13", "x 1.17", "x 0.15"], "-n", "3", program)
    told = [re.findall(r"rank (\d)'s MPI_(\w+)\(.*: (\d+ \w+)\n +0: (.*)", one)
            for one in answers(run)[1:]]
    hello = "68 65 6c 6c 6f" + 35 * " " + "hello"
    each = [("3 MPI_INT", "0 1 2"), ("3 MPI_INT", "10 11 12"), ("3 MPI_INT", "20 21 22")]
    wanted = [[(str(rank), "Alltoall", *each[rank]) for rank in range(3)],
              [("2", "Scatter", "6 MPI_INT", "20 21 22 23 24 25")],
              [("0", "Scatterv", "4 MPI_INT", "0 1 2 3")],
              [],  # with a gap
              [("1", "Gather", "2 MPI_INT", "10 11"), ("2", "Gather", "2 MPI_INT", "20 21")]]
    wanted += 2 * [[(str(rank), "Allreduce", "2 MPI_DOUBLE", "%g %g" % (rank + 0.5, -rank))
                    for rank in range(3)]]
    wanted += [[(str(rank), "Reduce_scatter_block", *each[rank]) for rank in range(3)],
               [(str(rank), "Iallgather", "1 MPI_INT", str(10 * rank)) for rank in range(3)],
               [], [],  # MPI_Wait, MPI_Barrier
               [("0", "Bcast", "5 MPI_CHAR", hello)],
               [("0", "Bcast", "5 MPI_CHAR", hello)],
               [("1", "Pready", "4 MPI_INT", "77 12 13 15")],
               [("1", "Pready", "4 MPI_INT", "77 12 13 15")]]
    for index, one in enumerate(wanted):
        check(told[index] == one, "%s\n%s\n%s" % (told[index], one, run))


# gdb's display of the C++ library, if installed with what it needs.
PRINTERS = glob.glob("/usr/share/gdb/auto-load/usr/lib/*/libstdc++*-gdb.py")

# Replacements of gdb, and the message for each.
FAKES = [
    ("exit 0", "gdb has ended"),
    ("while read line; do case $line in *attach*) "
     "echo '^error,msg=\"ptrace: Operation not permitted.\"';; *) echo '^done';; esac; done",
     "ptrace_scope"),
    (None, "cannot start gdb"),
]


def check_without_gdb(tool):
    """gdb is missing or has no permission: that is reported, and the session continues."""
    program = tool.compile(tool.write("variables.c", VARIABLES))
    for index, (script, says) in enumerate(FAKES):
        folder = os.path.join(tool.directory, "fake%d" % index)
        os.mkdir(folder)
        path = folder + ":" + os.environ["PATH"]
        if script:
            with open(os.path.join(folder, "gdb"), "w") as file:
                file.write("#!/bin/sh\n%s\n" % script)
            os.chmod(os.path.join(folder, "gdb"), 0o755)
        else:
            path = without(tool, "gdb")
        lines = tool.write("script.mp", "run\nprint 0 value\nprint 1 rank\n1\n")
        run = tool.run("debug", "-n", "3", "-x", lines, "--batch", program,
                       environment={"PATH": path})
        check(answers(run)[1].count(says) == 1 and answers(run)[2].count(says) == 1, str(run))
        check(run.status == 0, str(run))


def check_without_ptrace(tool):
    """The kernel forbids access to other processes: print, where and gdb report it, and the
    session continues."""
    program = tool.compile(tool.write("variables.c", VARIABLES))
    script = tool.write("script.mp", "set debugger gdb -q -batch\nrun\nprint 0 value\nwhere 0\n"
                                     "gdb 0\nprint 1 rank\n1\nback\n1\n")
    bound = copy.copy(tool)
    bound.matchpoint = forbidding.forbidding(tool, "ptrace")
    run = bound.run("debug", "-n", "3", "-x", script, "--batch", program)
    told = answers(run)
    for index in 2, 5:
        check("ptrace: Operation not permitted. (inspecting a process" in told[index], str(run))
    check("  its call stack is not available (inspecting a process needs ptrace" in told[3],
          str(run))
    check("  #0" not in told[3] and "ptrace: Operation not permitted" in run.err, str(run))
    check(told[6] == told[8] and run.status == 0, str(run))


def check_gdb(tool):
    """gdb shows the rank in its call while that is undecided; after the decision, right after it.
    In its next call gdb shows that it waits there."""
    program = tool.compile(tool.write("variables.c", VARIABLES))
    tool.write("user.gdb", "print value\nnext\nbt 1\ncontinue\n")
    with open(os.path.join(tool.directory, "batch"), "w") as file:
        file.write("#!/bin/sh\nexec gdb -batch \"$@\" -x %s/user.gdb\n" % tool.directory)
    os.chmod(file.name, 0o755)
    for backtrack in ("auto", "rerun"):
        run = debug(tool, ["set debugger " + file.name, "run", "gdb", "choose 0.2=2", "gdb 0",
                           "print value", "set debugger not-there", "gdb 1", "set debugger",
                           "gdb 9", "finish", "gdb 0"],
                    "--backtrack", backtrack, "-n", "3", program)
        told = answers(run)
        waits = "rank 0 waits in an MPI call until matchpoint continues it"
        check("rank 0 is in MPI_Recv\n" in told[2] and "$1 = 9\n" in told[2] and waits in told[2],
              str(run))
        check("rank 0 has returned from MPI_Recv\n" in told[4] and waits in told[4], str(run))
        check(told[4].index("$1 = 2\n") < told[4].index(waits), str(run))
        check("stopped: held" in told[4] and "take" in told[4], str(run))
        check("= 9\n" in told[5] and "cannot start not-there" in told[7], str(run))
        check("there is no rank 9" in told[9] and "stopped: end" in told[10], str(run))
        check("rank 0 has ended" in told[11] and run.status == 0, str(run))


def check_threads(tool):
    """Each waiting thread of a rank has its line and its stack; gdb shows the first one's call."""
    program = tool.compile(harness.program("waits_of_threads.c"), "-pthread")
    with open(os.path.join(tool.directory, "batch"), "w") as file:
        file.write("#!/bin/sh\nexec gdb -batch \"$@\"\n")
    os.chmod(file.name, 0o755)
    run = debug(tool, ["set debugger " + file.name, "run", "where 1", "gdb 1", "2"], "-n", "4",
                program)
    told = answers(run)
    rows = [line.split("  ") for line in told[2].split("\n") if line.startswith("  rank 1")]
    check([(row[1], row[2].split("(")[0], row[-1]) for row in rows]
          == [("rank 1, thread 1", "MPI_Ssend", "waits for rank 2"),
              ("rank 1, thread 2", "MPI_Recv", "waits for rank 0")], str(run))
    frames = re.findall(r"^  #.*$", told[2], re.M)
    check([frame.split(" (")[0] for frame in frames] == ["  #0  sender", "  #0  receiver"],
          str(run))
    check("rank 1 is in MPI_Ssend\n" in told[3] and "in sender (" in told[3]
          and "Error" not in run.err and run.status == 0, str(run))


def check_at_the_end(tool):
    """Ranks of an interleaving that went wrong can be inspected; a crashed one also in the
    function that crashed."""
    program = tool.compile(tool.write("crash.c", CRASH))
    lines = ["run", "1", "print 0 what", "print 0 from", "print 1 rank", "where 0", "x 0.2",
             "print 0 rank", "back", "print 0 value", "2", "print 0 value", "back", "2",
             "print 1 rank"]
    for backtrack in ("auto", "rerun"):
        told = answers(debug(tool, lines, "--backtrack", backtrack, "-n", "4", program))
        for index, line in ((1, "stopped: finding crash"), (2, "= (int *) 0x0\n"), (3, "= 1\n"),
                            (4, "$3 = 1\n"), (5, "#0  take (crash.c:8)\n"), (6, "     0: 1\n"),
                            (8, "stopped: choice 0.2\n"), (9, "= 0\n"),
                            (10, "stopped: finding deadlock"), (11, "= 2\n"),
                            (12, "stopped: choice 0.2\n"), (14, "= 1\n")):
            check(line in told[index], "%d: %s\n%s" % (index, line, "".join(told)))
        check("gate.c" not in told[5] and "No symbol" in told[7], "".join(told))


def check_gdb_on_a_terminal(tool):
    """gdb gets the input until it exits."""
    program = tool.compile(tool.write("variables.c", VARIABLES))
    terminal = Terminal(tool, "-n", "3", program)
    terminal.expect(re.escape(PROMPT))
    terminal.say("run", "stopped: choice 0.2\r?\n")
    terminal.say("choose 0.2=1", "is chosen")
    terminal.type("gdb 0\r")
    terminal.expect(r"rank 0 has returned from MPI_Recv(.|\r|\n)*\(gdb\) ")
    terminal.type("print value + 100\r")
    terminal.expect(r"= 101(.|\r|\n)*\(gdb\) ")
    terminal.type("continue\r")
    terminal.expect(r"rank 0 waits in an MPI call(.|\r|\n)*\(gdb\) ")
    for word in ("next", "step", "n"):  # the innermost function has no lines
        terminal.type(word + "\r")
        told = terminal.expect(r"rank 0 waits in an MPI call"
                               r"(.|\r|\n)* has not returned\r?\n.*\(gdb\) ")
        check("Cannot find bounds" not in told and "Traceback" not in told, told)
    terminal.say("quit", "stopped: held\r?\n")
    terminal.say("print 0 length", "= 3\r?\n")
    terminal.say("finish", "stopped: end\r?\n")
    terminal.type("quit\r")
    terminal.wait(0)


# Rank 1 computes until gdb ends its loop; rank 0 takes a message of any rank then. The file tells
# that it computes.
SPINS = r"""
#include <fcntl.h>
#include <mpi.h>
volatile long turns;
static void compute(void)
{
	volatile int enough = 0;
	open(COMPUTES, O_CREAT | O_WRONLY, 0600);
	while (!enough)
		turns++;
}
int main(int argc, char **argv)
{
	int rank, value = 7;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 1)
		compute();
	if (rank > 0)
		MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	for (int i = 1; rank == 0 && i < 3; i++)
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
"""


def check_gdb_on_a_computing_rank(tool):
    """After Ctrl-C gdb stops it where it computes. What the ranks reach meanwhile is told when gdb
    has left; until they reach something, the prompt comes back."""
    computes = os.path.join(tool.directory, "computes")
    program = tool.compile(tool.write("spins.c", SPINS), "-O0", '-DCOMPUTES="%s"' % computes)
    for ends in ("computing", "waiting", "killed"):
        terminal = Terminal(tool, "-n", "3", program)
        terminal.expect(re.escape(PROMPT))
        terminal.type("run\r")
        harness.wait_for(lambda: os.path.exists(computes), terminal.process, "rank 1 computes")
        os.unlink(computes)
        terminal.type("\x03")
        terminal.expect(r"rank.* MPI_Init.*runs, and has made no call since")
        terminal.expect(re.escape(PROMPT))
        terminal.type("gdb 1\r")
        terminal.expect(r"rank 1 was computing, and is stopped here\r?\n"
                        r"(.|\r|\n)*compute\S* \((.|\r|\n)*\(gdb\) ")
        terminal.type("bt\r")
        terminal.expect(r"#1 .* in \S*main\S* \((.|\r|\n)*\(gdb\) ")
        terminal.type("print enough + 100\r")
        terminal.expect(r"= 100(.|\r|\n)*\(gdb\) ")
        if ends == "killed":
            terminal.process.send_signal(signal.SIGTERM)
            terminal.wait(3)
            continue
        terminal.type("continue\r")
        terminal.expect(r"Continuing\.")
        harness.wait_until_debugged_computes(terminal.process, terminal.mark)
        terminal.type("\x03")  # is for gdb alone
        terminal.expect(r"SIGINT(.|\r|\n)*\(gdb\) ")
        if ends == "computing":
            terminal.say("quit", "stopped: interrupted\r?\n")
            terminal.type("gdb 0\r")  # one that waits is shown in its call
            terminal.expect(r"rank 0 is in MPI_Recv(.|\r|\n)*spins.c\S*:22\r?\n(.|\r|\n)*\(gdb\) ")
            terminal.say("quit", "stopped: interrupted\r?\n")
            terminal.type("gdb 1\r")
            terminal.expect(r"rank 1 was computing, and is stopped here(.|\r|\n)*\(gdb\) ")
        terminal.type("set var enough = 1\r")
        terminal.expect(r"\(gdb\) ")
        if ends == "waiting":
            terminal.type("continue\r")
            terminal.expect(r"rank 1 waits in an MPI call(.|\r|\n)*\(gdb\) ")
        terminal.say("quit", "stopped: choice 0.2\r?\n")
        terminal.say("print 1 value", "= 7\r?\n")
        terminal.say("finish", "stopped: end\r?\n")
        terminal.type("quit\r")
        terminal.wait(0)


def body(tool, options):
    check_contents(tool)
    check_refused(tool)
    check_collectives(tool)
    check_decoders(tool)
    check_pickles(tool)
    check_without_gdb(tool)
    check_without_ptrace(tool)
    if not shutil.which("gdb"):
        print("no gdb here: values are not tried")
        return
    check_print(tool)
    check_frames(tool)
    check_languages(tool)
    check_gdb(tool)
    check_threads(tool)
    check_at_the_end(tool)
    check_gdb_on_a_terminal(tool)
    check_gdb_on_a_computing_rank(tool)


if __name__ == "__main__":
    harness.main(__doc__, body)
