"""gdb on a replayed process, backwards: a program linked to fake_mpi.c, whose MPI_Recv gives a
fixed stream. Scripts for gdb, a random walk, garbage, a gdb that goes away. Skipped without
gdbserver. By hand: --seed SEED --moves MOVES for another walk, DEBUG_REGISTERS=1 in the
environment to use the processor's debug registers."""

import os
import re
import shutil
import socket
import subprocess
import sys
import uuid

import harness
from harness import MARK, Failed, check

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "backwards")
ROOT = os.path.normpath(os.path.join(HERE, "../../.."))
SKIPPED = 77
NO_MORE = r"(No more reverse-execution|Reached end of recorded) history"  # gdb 13, gdb 16

# Each line of gdb's, and a regular expression for what it says.
CRASH = (
    ("continue", r"SIGSEGV.*\n.*in finish "),
    ("monitor mpi", r"after 6 MPI calls"),
    ("watch -l grid->boundary", r"atchpoint"),
    ("reverse-continue", r"store \(.*at=64.*\n.*g->cell\[at\] = value"),
    ("print grid->boundary", r"<wall>"),
    ("monitor mpi", r"after 4 MPI calls"),
    ("bt", r"apply .*is_wrong=1"),
    ("stepi", r"Old value = .*<wall>"),
    ("reverse-stepi 3", r"atchpoint 1(.|\n)*New value = .*<wall>(.|\n)*store \("),
    ("reverse-stepi", r"33\t"),
    ("continue", r"Old value = .*<wall>"),
    ("delete", r""),
    ("reverse-continue", NO_MORE),
    ("monitor mpi", r"after 0 MPI calls"),
    ("continue", r"SIGSEGV"),
    ("continue", NO_MORE),
)
MOTION = (
    ("break finish", r"Breakpoint 1"),
    ("continue", r"Breakpoint 1, finish"),
    ("reverse-step", r"main .*\n.*total \+= finish"),
    ("reverse-next", r"if \(r == number\[3\]\)"),
    ("reverse-next", r"for \(int k = 0"),
    ("reverse-next", r"total \+= relax"),
    ("reverse-step", r"for \(int k = 0"),
    ("reverse-step", r"relax \(.*\n.*}"),
    ("reverse-finish", r"main .*\n.*total \+= relax"),
    ("x/i $pc", r"call +.*<relax>"),
    ("reverse-stepi", r"total \+= relax"),
    ("stepi", r"total \+= relax"),
    ("x/i $pc", r"call +.*<relax>"),
    ("next", r"for \(int k = 0"),
    ("reverse-next", r"total \+= relax"),
    ("tbreak store if at == 62", r"breakpoint 2"),
    ("reverse-continue", r"store \(.*at=62"),
    ("print g->steps", r"= 22\b"),
    ("tbreak store if at == 63", r"breakpoint 3"),
    ("continue", r"store \(.*at=63"),
    ("print g->steps", r"= 23\b"),
    # What the user changes is gone when he goes back. Before version 14, gdb cannot set registers
    # with floating-point arguments on processors with AMX.
    ("set var $before = grid->cell[3]", r""),
    ("print relax(grid, 30000000) > 0", r"= 1"),
    ("print grid->cell[3] == $before", r"= 0"),
    ("set var grid->cell[4] = 99.0", r""),
    ("reverse-stepi", r""),
    ("print grid->cell[3] == $before", r"= 1"),
    ("print grid->cell[4] == 99.0", r"= 0"),
    ("monitor goto 2", r"MPI call 2"),
    ("reverse-stepi", r"SIGINT"),
    ("monitor mpi", r"after 1 MPI calls"),
    ("monitor nonsense", r"monitor goto N"),
)
CORRUPTED = ("7", "1", "3", "5")  # wrong in round 3, used in round 5
RIGHT = ("7", "2", "99", "5")


def compile_all(tool):
    """The library that stands for the replayer, and the program."""
    library = os.path.join(tool.directory, "libfake_mpi.so")
    program = os.path.join(tool.directory, "corruption")
    for command in (
            ["gcc", "-std=gnu11", "-O2", "-fPIC", "-fvisibility=hidden", "-shared", "-I" + ROOT,
             os.path.join(HERE, "fake_mpi.c"), os.path.join(ROOT, "ckpt/agent_marks.c"),
             "-o", library],
            ["gcc", "-std=gnu11", "-O0", "-g", os.path.join(HERE, "corruption.c"), library,
             "-o", program]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        check(done.returncode == 0, "%s\n%s" % (" ".join(command), done.stderr))
    return program


class Served:
    """A server for one gdb, with all its processes marked."""

    def __init__(self, tool, program, arguments, every=0, truth="-", offsets="0,0"):
        server = os.path.join(os.path.dirname(os.path.realpath(tool.matchpoint)),
                              "tests/e2e/backwards_server")
        self.tool, self.mark = tool, uuid.uuid4().hex
        self.process = subprocess.Popen(
            [server, str(every), truth, offsets, program, *arguments],
            env=dict(os.environ, TMPDIR=tool.directory, **{MARK: self.mark}),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.port = self.process.stdout.readline().strip()
        if not self.port.isdigit():
            raise Failed("no port: %s" % self.process.stderr.read())

    def end(self, status=0):
        """The server ends by itself, and nothing is left."""
        try:
            _, err = harness.communicate(self.process, 30)
        except Failed:
            self.tool.end_marked(self.mark)
            raise
        check(self.process.returncode == status, "exit status %d: %s" % (
            self.process.returncode, err))
        self.tool.check_no_processes(self.mark, "the server has ended")


def run_gdb(tool, served, program, arguments, **environment):
    command = ["gdb", "-nx", "-batch", *arguments, program]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True,
                               env=dict(os.environ, PORT=served.port, **environment))
    try:
        return harness.communicate(process, 240)[0]
    except Failed:
        tool.end_marked(served.mark)
        raise


def check_script(tool, program, arguments, script, every):
    """Runs the lines in one gdb. Each answer ends with a line of its own."""
    served = Served(tool, program, arguments, every)
    commands = ["set pagination off", "set confirm off", "set width 0", "set sysroot /",
                "set remotetimeout 30", "target remote 127.0.0.1:" + served.port]
    for line, _ in script:
        commands += [line, "echo \\n--- end ---\\n"]
    out = run_gdb(tool, served, program, [word for line in commands for word in ("-ex", line)])
    served.end()
    answers = out.split("\n--- end ---\n")
    for (line, expected), answer in zip(script, answers):
        check(re.search(expected, answer), "%s: not %s, but: %s\nall:\n%s" % (
            line, expected, answer, out))


def check_walk(tool, program, seed, moves):
    symbols = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    offsets = ",".join(re.search(r"(\w+) \w %s$" % name, symbols, re.M).group(1)
                       for name in ("total", "grid"))
    truth = os.path.join(tool.directory, "truth")
    served = Served(tool, program, ("3", "1", "99", "99"), 2, truth, offsets)
    out = run_gdb(tool, served, program, ["-x", os.path.join(HERE, "walk.py")], TRUTH=truth,
                  SEED=str(seed), MOVES=str(moves))
    served.end()
    check(re.search(r"\b%d moves, 0 wrong$" % moves, out, re.M),
          "walk with --seed %d:\n%s" % (seed, out[-5000:]))


def ask(connection, packet):
    connection.sendall(b"$%s#%02x" % (packet, sum(packet) & 255))


def check_garbage(tool, program):
    """Packets that make no sense are answered or refused; then comes one that does."""
    served = Served(tool, program, RIGHT)
    with socket.create_connection(("127.0.0.1", int(served.port)), timeout=60) as connection:
        connection.sendall(b"\x00\xff-+$no#zz")
        for packet in (b"", b"Z", b"Z0", b"Z0,", b"Z9,1,1", b"Z2,0,1000", b"Z3,8,8", b"z0,1,1",
                       b"m", b"m1", b"m0,ffffffffffffffff", b"m12345678901234567890,1", b"M0,1",
                       b"M0,4:00", b"X0,2:a", b"vCont", b"vCont;", b"vCont;q", b"vFile:", b"qXfer:",
                       b"qRcmd,", b"qRcmd,zz", b"qRcmd,676f746f20", b"P", b"p", b"G", b"bx", b"H",
                       b"T", b"\x7f}\x03"):
            ask(connection, packet)
        ask(connection, b"?")
        received = b""
        while b"thread:1" not in received:
            part = connection.recv(4096)
            check(part, "closed after %r" % received)
            received += part
    served.end()


def check_gone(tool, program):
    """gdb is killed while the process is searched backwards; or never begins to speak."""
    served = Served(tool, program, ("40", "400", "1", "99"))
    with socket.create_connection(("127.0.0.1", int(served.port)), timeout=60) as connection:
        ask(connection, b"vCont;c")
        connection.settimeout(0.5)
        try:
            connection.recv(100)
        except socket.timeout:
            pass
    served.end()
    served = Served(tool, program, RIGHT, 2)
    with socket.create_connection(("127.0.0.1", int(served.port)), timeout=60):
        pass
    served.end()
    served = Served(tool, program, RIGHT, 2)
    served.process.kill()
    tool.check_no_processes(served.mark, "the server was killed")
    served.process.communicate()


def body(tool, options):
    if not shutil.which("gdbserver") or not shutil.which("gdb"):
        print("skipped: gdb or gdbserver is not installed")
        sys.exit(SKIPPED)
    program = compile_all(tool)
    check_script(tool, program, CORRUPTED, CRASH, 0)
    check_script(tool, program, RIGHT, MOTION, 2)
    check_walk(tool, program, options.seed, options.moves)
    check_garbage(tool, program)
    check_gone(tool, program)
    print("crash, motions, a walk of %d moves, garbage, and a gdb that is gone" % options.moves)


def extra(parser):
    parser.add_argument("--seed", type=int, default=1, help="of the walk")
    parser.add_argument("--moves", type=int, default=40, help="of the walk")


if __name__ == "__main__":
    harness.main(__doc__, body, extra)
