"""MATCHPOINT_LOG: it has each kind of line; a recording can be fed into worlds again; a log that
cannot be written has no effect except a message."""

import os
import subprocess

import harness
from harness import check

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = ["worlds", "calls", "matches", "choices", "rests", "stops", "findings", "ends", "session",
         "snapshots", "ranks", "store"]


def log_of(tool, program, what, *options):
    file = os.path.join(tool.directory, "log")
    run = tool.run("explore", "-n", "3", *options, program, report=True,
                   environment={"MATCHPOINT_LOG": "%s:%s" % (file, what)})
    with open(file) as lines:
        return run, lines.read().splitlines()


def check_kinds(tool, program):
    run, lines = log_of(tool, program, "all")
    for kind in KINDS:
        check(any(" %s: " % kind in line for line in lines), "no %s in %s" % (kind, lines))
    check(sum(" ends: " in line for line in lines) == run.report["interleavings"], str(lines))
    _, lines = log_of(tool, program, "ends,findings")
    check(lines and all(" ends: " in line or " findings: " in line for line in lines), str(lines))


def check_recording(tool, program, *options):
    """Also with comments, and for each way of going back."""
    _, lines = log_of(tool, program, "all,wire", *options)
    check(lines[0] == "recording 1" and any(line.startswith("# ") for line in lines), str(lines))
    tests = os.path.join(os.path.dirname(tool.matchpoint), "tests")
    fed = subprocess.run([os.path.join(tests, "test_recording"),
                          os.path.join(tool.directory, "log")],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    check(fed.returncode == 0, fed.stdout[-2000:])


def check_full(tool, program):
    usual = tool.run("explore", "-n", "3", program, report=True)
    for what in "calls", "session", "wire":
        run = tool.run("explore", "-n", "3", program, report=True,
                       environment={"MATCHPOINT_LOG": "/dev/full:" + what})
        check(run.status == usual.status and run.report["complete"]
              and run.report["interleavings"] == usual.report["interleavings"]
              and len(run.report["findings"]) == len(usual.report["findings"]), str(run))
        check("/dev/full cannot be written: No space left on device; the log ends there"
              in run.out + run.err, str(run))


def check_wrong(tool, program):
    for setting in "cals", "calls:debug", "/nonexistent/log:calls":
        run = tool.run("explore", "-n", "3", program, environment={"MATCHPOINT_LOG": setting})
        check(run.status == 2 and "MATCHPOINT_LOG" in run.err, str(run))


def body(tool, _):
    program = tool.compile(os.path.join(HERE, "../../examples/probe_then_receive.c"))
    check_kinds(tool, program)
    for options in (), ("--backtrack", "rerun"), ("-j", "2"), ("--random", "4"):
        check_recording(tool, program, *options)
    check_full(tool, program)
    check_wrong(tool, program)


harness.main(__doc__, body)
