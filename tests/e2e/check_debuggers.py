"""replay with ranks under gdb or valgrind: the matches stay forced, the others wait."""

import os
import select
import shutil
import subprocess
import sys
import threading
import time

import harness
from harness import check

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLE = os.path.join(HERE, "..", "..", "examples", "result_order.c")
PATH = "mp1:n4:0.3=3"
SLOWER = 11  # seconds that a stopped rank is looked at: longer than a livelock or a stall takes


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
    check(done.status == 1 and "killed by SIGABRT" in done.out, "%s\nis to crash" % done)
    check(done.out.count("under Valgrind") + done.err.count("under Valgrind") > 0
          or "==" in done.out + done.err, "%s\nis to run under valgrind" % done)
    check("Invalid" not in done.out + done.err, "%s\nis to have no errors of ours" % done)


def talk(master, steps):
    """Says each thing once what comes before it has been seen; collects what was said."""
    heard = b""
    for wanted, say, pause in steps:
        deadline = time.monotonic() + 60
        begin = len(heard)
        while wanted not in heard[begin:]:
            check(time.monotonic() < deadline, "no %r in %r" % (wanted, heard))
            if select.select([master], [], [], 1)[0]:
                heard += os.read(master, 65536)
        time.sleep(pause)
        os.write(master, say)
    return heard


def drain(master, stop):
    while not stop.is_set():
        if select.select([master], [], [], 0.1)[0]:
            try:
                os.read(master, 65536)
            except OSError:
                return


def check_gdb(tool, program):
    master, slave = os.openpty()
    process = subprocess.Popen(
        [tool.matchpoint, "replay", PATH, "--gdb", "0", "--", program], stdin=slave,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tool.directory,
        env=dict(os.environ, TERM="dumb"))
    os.close(slave)
    try:
        heard = talk(master, [
            (b"(gdb)", b"set pagination off\n", 0),
            (b"(gdb)", b"set breakpoint pending on\n", 0),
            (b"(gdb)", b"tbreak result_order.c:21\n", 0),
            (b"(gdb)", b"run\n", 0),
            (b"reakpoint 1, ", b"next\n", SLOWER),
            (b"(gdb)", b"continue\n", 0),
            (b"SIGABRT", b"bt\n", 0),
            (b"in main", b"continue\n", 0),
            (b"(gdb)", b"quit\n", 0.5)])
        stop = threading.Event()
        thread = threading.Thread(target=drain, args=(master, stop))
        thread.start()
        out, err = process.communicate(timeout=60)
        stop.set()
        thread.join()
    finally:
        process.kill()
        os.close(master)
    check(process.returncode == 1 and "killed by SIGABRT" in out,
          "%s\n%s\n%s\nis to crash" % (heard.decode(errors="replace"), out, err))


def check_refused(tool, program):
    for words, says in ((["--gdb", "0"], "needs a terminal"), (["--gdb", "4"], "no such rank"),
                        (["--wrap-rank", "1"], "needs --wrap"),
                        (["--wrap", "nothing-like-it"], "no program nothing-like-it"),
                        (["--wrap", "'"], "--wrap: "),
                        (["--wrap", "true", "--gdb", "1"], "cannot go with")):
        done = tool.run("replay", PATH, *words, "--", program)
        check(done.status == 2 and says in done.err, "%s\nis to say %s" % (done, says))


def body(tool, _):
    program = tool.compile(EXAMPLE)
    check_refused(tool, program)
    if not shutil.which("gdb"):
        print("no gdb here: not tried")
        sys.exit(77)
    check_wrap(tool, program)
    check_gdb(tool, program)


harness.main(__doc__, body)
