"""Run by gdb: acquires the ranks of a job in the manner of TotalView. It knows matchpoint only by
the MPIR Process Acquisition Interface, and its symbols without their types.

usage: gdb -batch -ex "python import sys; sys.argv = ['', HOW]" -x mpir_tool.py --args STARTER ...
HOW: detach: lets the ranks go at once. stay: rank 1 of the first job is followed to MPI_Finalize by
a gdb of its own, as by the servers of such tools. attach PID: as detach, of a starter that is there
already. nested: the processes in the table are starters themselves, each for a tool of its own.
Prints lines that begin with `tool:`."""

import os
import struct
import subprocess
import sys
import time

import gdb

NEEDED = ("MPIR_Breakpoint", "MPIR_being_debugged", "MPIR_debug_state", "MPIR_proctable",
          "MPIR_proctable_size")
SPAWNED, ABORTING = 1, 2
SHOWN = ("MPI_Init", "main", "__libc_start_main", "_dl_start_user")
ENTRY = "=QQi4x"  # char *host_name, char *executable_name, int pid


def tell(*words):
    print("tool:", *words, flush=True)


def run(command):
    return gdb.execute(command, to_string=True)


def address(name):
    try:
        return int(gdb.parse_and_eval("(long)&" + name))
    except gdb.error:
        return 0


def number(name):
    return int(gdb.parse_and_eval("*(int *)%d" % address(name)))


def text(pointer):
    if pointer == 0:
        return ""
    return gdb.Value(pointer).cast(gdb.lookup_type("char").pointer()).string()


def read_table():
    table = int(gdb.parse_and_eval("*(long *)%d" % address("MPIR_proctable")))
    size = struct.calcsize(ENTRY)
    memory = gdb.inferiors()[0]
    entries = []
    for rank in range(number("MPIR_proctable_size")):
        entry = memory.read_memory(table + size * rank, size).tobytes()
        host, program, pid = struct.unpack(ENTRY, entry)
        entries.append((text(host), text(program), pid))
    return entries


def follow(pid):
    ready = "ready.%d" % pid
    commands = ["set pagination off", "set confirm off", "set debuginfod enabled off",
                "attach %d" % pid, "tbreak main", "shell touch " + ready, "continue", "bt",
                "tbreak PMPI_Finalize", "continue", "bt", "detach"]
    return start_gdb([word for command in commands for word in ("-ex", command)], ready)


def start_gdb(words, ready):
    """Returns the process when it has made a file of that name."""
    process = subprocess.Popen(["gdb", "-q", "-batch", *words], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    while process.poll() is None and not os.path.exists(ready):
        time.sleep(0.01)
    return process


def nest(pid):
    """A tool of its own for that starter."""
    return start_gdb(["-ex", "python import sys; sys.argv = ['', 'attach', '%d']" % pid,
                      "-x", __file__], "asked.%d" % pid)


def look_at(rank, pid):
    """Attaches to a rank, and shows in which functions it is."""
    run("add-inferior -no-connection")
    run("inferior %d" % max(one.num for one in gdb.inferiors()))
    run("attach %d" % pid)
    names = []
    frame = gdb.newest_frame()
    while frame:
        names.append(frame.name() or "?")
        frame = frame.older()
    tell("rank", rank, "is in", *[name for name in names if name in SHOWN])
    run("detach")
    run("inferior 1")


def acquire(how):
    """Returns the process that follows one of the acquired, if that is wanted."""
    state = number("MPIR_debug_state")
    tell("state", state)
    if state == ABORTING:
        pointer = int(gdb.parse_and_eval("*(long *)%d" % address("MPIR_debug_abort_string")))
        tell("abort", text(pointer))
    if state != SPAWNED:
        return None
    for rank, (host, program, pid) in enumerate(read_table()):
        tell("process", rank, host, program, pid)
        if how == "nested":
            return nest(pid)
        look_at(rank, pid)
    return follow(read_table()[1][2]) if how == "stay" else None


def main(how, pid=None):
    for setting in ("pagination off", "confirm off", "breakpoint pending off",
                    "debuginfod enabled off", "startup-with-shell off"):
        run("set " + setting)
    run("attach " + pid if pid else "starti")
    missing = [name for name in NEEDED if not address(name)]
    tell("missing", *missing)
    if missing:
        run("detach" if pid else "kill")
        return
    tell("starter", bool(address("MPIR_i_am_starter")), "partial",
         bool(address("MPIR_partial_attach_ok")), "to main", bool(address("MPIR_force_to_main")),
         "before main", bool(address("MPIR_acquired_pre_main")))
    run("set var *(int *)%d = 1" % address("MPIR_being_debugged"))
    run("break *%d" % address("MPIR_Breakpoint"))
    run("handle SIGCHLD SIGPIPE SIGCONT nostop noprint pass")
    if pid:
        run("shell touch asked." + pid)
    acquired, follower = 0, None
    while True:
        run("continue")
        if not gdb.inferiors()[0].pid:
            break
        follower = acquire(how if acquired == 0 else "detach") or follower
        acquired += 1
    tell("acquired", acquired)
    if follower:
        for line in follower.communicate()[0].decode(errors="replace").splitlines():
            tell("follower:", line)


main(*sys.argv[1:])
