"""An exploration is killed repeatedly and resumed each time, with one world or several: it ends
with the same outcomes as an undisturbed one. A store of another exploration is refused."""

import contextlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import uuid

import harness
from harness import check, told


def kill_after(tool, arguments, seconds, number):
    """True: it had not ended yet."""
    mark = uuid.uuid4().hex
    process = tool.start(arguments, mark)
    try:
        process.communicate(timeout=seconds)
        killed = False
    except subprocess.TimeoutExpired:
        os.kill(process.pid, number)
        process.communicate()
        killed = True
    tool.check_clean(process.pid, mark, arguments)
    return killed


def check_kills(tool, program, kills, dice):
    arguments = ["explore", "-n", "6", "--store"]
    whole = tool.run(*arguments, os.path.join(tool.directory, "whole"), "--", program, report=True)
    check(whole.status == 1, str(whole))
    store = os.path.join(tool.directory, "store")
    killed, rounds = 0, 0
    while killed < kills:
        resume = []
        shutil.rmtree(store, ignore_errors=True)
        rounds += 1
        while killed < kills:
            number = dice.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGINT))
            jobs = ["-j", str(dice.choice((1, 1, 2, 4)))]
            if not kill_after(tool, arguments + [store] + resume + jobs + ["--", program],
                              dice.uniform(0.1, 0.6), number):
                break
            killed += 1
            resume = ["--resume"] if os.path.exists(os.path.join(store, "matchpoint.db")) else []
        run = tool.run(*arguments, store, *resume, "--", program, report=True)
        check(run.status == 1, str(run))
        check(told(run.report) == told(whole.report), "not the same after %d kills\n%s\n%s" % (
            killed, whole, run))
    print("%d kills in %d explorations" % (killed, rounds))
    return store


def check_refused(tool, program, other, store):
    def refused(words, *arguments):
        run = tool.run("explore", "--store", store, "--resume", *arguments)
        check(run.status in (2, 4) and words in run.err, "not refused: %s\n%s" % (words, run))

    refused("the number of ranks was '6', and is now '5'", "-n", "5", "--", program)
    refused("--buffering", "-n", "6", "--buffering", "zero", "--", program)
    refused("--collectives", "-n", "6", "--collectives", "sync", "--", program)
    refused("--not-yet", "-n", "6", "--not-yet", "7", "--", program)
    refused("--deviations", "-n", "6", "--deviations", "1", "--", program)
    refused("--bound-rank", "-n", "6", "--bound-rank", "0=1", "--", program)
    refused("--pcontrol", "-n", "6", "--pcontrol", "--", program)
    refused("the command", "-n", "6", "--", program, "more")
    refused("--compare", "-n", "6", "--compare", "none", "--", program)
    refused("--compare FILE", "-n", "6", "--compare", "some.txt", "--", program)
    shutil.copy(other, program)
    refused("the program's SHA-256", "-n", "6", "--", program)
    refused("there is no store", "-n", "6", "--store", store + "-none", "--", program)


def check_empty(tool, program, store):
    """Killed before anything was stored, it begins anew; a removed store does not."""
    whole = tool.run("explore", "-n", "3", "--", program, report=True)
    for tables in (False, True):
        empty = os.path.join(tool.directory, "empty")
        shutil.rmtree(empty, ignore_errors=True)
        os.mkdir(empty)
        file = os.path.join(empty, "matchpoint.db")
        if not tables:
            open(file, "w").close()
        else:
            shutil.copy(os.path.join(store, "matchpoint.db"), file)
            with contextlib.closing(sqlite3.connect(file)) as database:
                names = database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
                for (name,) in names.fetchall():
                    database.execute("DELETE FROM %s" % name)
                database.commit()
        run = tool.run("explore", "-n", "3", "--store", empty, "--resume", "--", program,
                       report=True)
        check(told(run.report) == told(whole.report), str(run))
        check("%s was empty, so --resume began" % empty in run.out, str(run))
        run = tool.run("explore", "-n", "3", "--store", empty, "--resume", "--", program)
        check(run.status == whole.status and "was empty" not in run.out, str(run))
    gone = tool.run("explore", "-n", "3", "--store", empty + "-none", "--resume", "--", program)
    check(gone.status == 4 and "explore without --resume" in gone.err, str(gone))


def check_bounds(tool, program):
    """A bounded exploration is resumed, and again with the next bound."""
    store = os.path.join(tool.directory, "bounded-store")
    arguments = ["explore", "-n", "4", "--store", store]
    whole = tool.run("explore", "-n", "4", "--", program, report=True)
    first = tool.run(*arguments, "--max-interleavings", "3", "--", program, report=True)
    check(not first.report["complete"] and first.report["interleavings"] == 3, str(first))
    second = tool.run(*arguments, "--resume", "--max-interleavings", "5", "--", program,
                      report=True)
    check(not second.report["complete"] and second.report["interleavings"] == 5, str(second))
    for _ in range(2): # the second time nothing is left to do
        third = tool.run(*arguments, "--resume", "--", program, report=True)
        check(told(third.report) == told(whole.report), "%s\n%s" % (whole, third))


def check_left_out(tool):
    """What an earlier bound left out is still known."""
    program = tool.compile(harness.program("bounded.c"))
    store = os.path.join(tool.directory, "left-out")
    arguments = ["explore", "-n", "4", "--buffering", "infinite", "--bound-rank", "0=0",
                 "--store", store]
    tool.run(*arguments, "--max-interleavings", "1", "--", program)
    run = tool.run(*arguments, "--resume", "--", program, report=True)
    check(run.status == 3 and run.report["interleavings"] == 2, str(run))
    check("of rank 0" in run.report["incomplete_reason"], str(run))
    shutil.rmtree(store)
    arguments = ["explore", "-n", "3", "--buffering", "infinite", "--pcontrol", "--store", store]
    program = tool.compile(harness.program("marked_region.c"))
    tool.run(*arguments, "--max-interleavings", "1", "--", program)
    run = tool.run(*arguments, "--resume", "--", program, report=True)
    check(run.report["complete"] and run.report["interleavings"] == 2, str(run))
    check(any("1 other alternative was left out" in note for note in run.report["notes"]), str(run))


def check_files(tool):
    """Files that earlier sessions' interleavings left are compared with later ones."""
    program = tool.compile(harness.program("order_in_a_file.c"))
    for way, kinds in (("right", []), ("wrong", ["outcome-differs"])):
        store = os.path.join(tool.directory, "files-" + way)
        arguments = ["explore", "-n", "4", "--store", store]
        tool.run(*arguments, "--max-interleavings", "3", "--", program, way, "stdio")
        for most in ("7", "12", "12"):
            run = tool.run(*arguments, "--resume", "--max-interleavings", most, "--", program, way,
                           "stdio", report=True)
        found = run.report["findings"]
        check([finding["kind"] for finding in found] == kinds, str(run))
        check(run.report["interleavings"] == 12, str(run))
        check(not found or sorted(one["count"] for one in found[0]["outcomes"]) == [2] * 6,
              str(run))
        check(not found or {one["instead_of"] for one in found[0]["outcomes"][1:]}
              <= {"from 1", "from 2", "from 3"}, str(run))


def body(tool, options):
    dice = random.Random(options.seed)
    other = os.path.join(tool.directory, "other")
    os.rename(tool.compile_orders(DEADLOCK="last == 2", PRINTED="order % 100"), other)
    program = tool.compile_orders(DEADLOCK="last == 1", PRINTED="order % 100")
    check_bounds(tool, program)
    check_left_out(tool)
    check_files(tool)
    store = check_kills(tool, program, options.kills, dice)
    check_empty(tool, program, store)
    check_refused(tool, program, other, store)


def extra(parser):
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)


if __name__ == "__main__":
    harness.main(__doc__, body, extra)
