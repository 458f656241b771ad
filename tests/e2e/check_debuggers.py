"""replay with ranks under gdb or valgrind: the matches stay forced and the other ranks wait."""

import functools
import os
import select
import shutil
import signal
import subprocess
import sys
import threading
import time

import harness
from harness import check

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLE = os.path.join(HERE, "..", "..", "examples", "result_order.c")
PATH = "mp1:n4:0.3=3"
SLOWER = 11  # seconds for which a rank stays stopped: longer than a livelock or a stall takes


def check_wrap(tool, program):
    done = tool.run("replay", PATH, "--wrap-rank", "0", "--wrap",
                    "gdb -batch -iex 'set debuginfod enabled off' -ex run -ex bt --args", "--",
                    program)
    check("in main" in done.out + done.err and "result_order.c:21" in done.out + done.err,
          "%s\nis to show the stack" % done)
    if not shutil.which("valgrind"):
        print("no valgrind here: not tried")
        return
    done = tool.run("replay", PATH, "--wrap", "valgrind -q", "--", program)
    check(done.status == 1 and "killed by SIGABRT" in done.out, "%s\nmust crash" % done)
    check(done.out.count("under Valgrind") + done.err.count("under Valgrind") > 0
          or "==" in done.out + done.err, "%s\nis to run under valgrind" % done)
    check("Invalid" not in done.out + done.err, "%s\nis to have no errors of ours" % done)


def talk(master, steps):
    """Sends each line once the text before it has appeared; returns the whole output."""
    heard = b""
    for wanted, say, pause in steps:
        patience = harness.Patience(60)
        begin = len(heard)
        while wanted not in heard[begin:]:
            check(not patience.has_ended(), "no %r in %r" % (wanted, heard))
            if select.select([master], [], [], 1)[0]:
                heard += os.read(master, 65536)
        time.sleep(pause)
        if callable(say):
            say()
        else:
            os.write(master, say)
    return heard


def drain(master, stop):
    while not stop.is_set():
        if select.select([master], [], [], 0.1)[0]:
            try:
                os.read(master, 65536)
            except OSError:
                return


def steps_of(process, steps):
    """The same; a step may send a signal to matchpoint instead of a line."""
    return [(wanted, say if isinstance(say, bytes) else functools.partial(process.send_signal, say),
             pause) for wanted, say, pause in steps]


def gdb_session(tool, path, program, steps):
    """The text of gdb, matchpoint's exit status, its output, its errors."""
    master, slave = os.openpty()
    process = subprocess.Popen(
        [tool.matchpoint, "replay", path, "--gdb", "0", "--", program], stdin=slave,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tool.directory,
        env=dict(os.environ, TERM="dumb"))
    os.close(slave)
    try:
        heard = talk(master, [(b"(gdb)", b"set pagination off\n", 0),
                              (b"(gdb)", b"set confirm off\n", 0),
                              (b"(gdb)", b"set breakpoint pending on\n", 0),
                              *steps_of(process, steps)])
        stop = threading.Event()
        thread = threading.Thread(target=drain, args=(master, stop))
        thread.start()
        out, err = harness.communicate(process, 60)
        stop.set()
        thread.join()
    finally:
        process.kill()
        os.close(master)
    return heard.decode(errors="replace"), process.returncode, out, err


def check_crash(tool, program):
    told = gdb_session(tool, PATH, program, [
        (b"(gdb)", b"tbreak result_order.c:21\n", 0),
        (b"(gdb)", b"run\n", 0),
        (b"reakpoint 1, ", b"next\n", SLOWER),
        (b"(gdb)", b"continue\n", 0),
        (b"SIGABRT", b"bt\n", 0),
        (b"in main", b"continue\n", 0),
        (b"(gdb)", b"quit\n", 0.5)])
    check(told[1] == 1 and "killed by SIGABRT" in told[2], "%s\n%s\n%s\n%s\nmust crash" % told)


def check_deadlock(tool):
    """The rank stops in the call that is blocked, with its frames and variables."""
    program = tool.compile(os.path.join(HERE, "..", "..", "examples", "wildcard_deadlock.c"))
    told = gdb_session(tool, "mp1:n3:0.2=1", program, [
        (b"(gdb)", b"run\n", 0),
        (b"SIGTRAP", b"bt -2\n", 0.5),
        (b"wildcard_deadlock.c:16", b"frame function main\n", 0),
        (b"MPI_Recv", b"print rank + 1000\n", 0.5),
        (b"= 1000", b"quit\n", SLOWER)])
    check(told[1] == 1 and "deadlock #1" in told[2], "%s\n%s\n%s\n%s\nmust deadlock" % told)
    told = gdb_session(tool, "mp1:n3:0.2=1", program, [
        (b"(gdb)", b"tbreak 16\n", 0), (b"(gdb)", b"run\n", 0),
        (b"reakpoint 1,", signal.SIGINT, 0.5),
        (b"Quit", b"quit\n", 0)])
    check(told[1] == 4 and "no verdict" in told[3], "%s\n%s\n%s\n%s\nmust have no verdict" % told)


def check_refused(tool, program):
    for words, says in ((["--gdb", "0"], "needs a terminal"), (["--gdb", "4"], "no such rank"),
                        (["--wrap-rank", "1"], "needs --wrap"),
                        (["--wrap", "nothing-like-it"], "no program nothing-like-it"),
                        (["--wrap", "'"], "--wrap: "),
                        (["--wrap", "true", "--gdb", "1"], "cannot be combined with")):
        done = tool.run("replay", PATH, *words, "--", program)
        check(done.status == 2 and says in done.err, "%s\nis to say %s" % (done, says))


def body(tool, _):
    program = tool.compile(EXAMPLE)
    check_refused(tool, program)
    if not shutil.which("gdb"):
        print("no gdb here: not tried")
        sys.exit(77)
    check_wrap(tool, program)
    check_crash(tool, program)
    check_deadlock(tool)


harness.main(__doc__, body)
