"""Stores that earlier versions have written (tests/old_stores) are reported and merged, and not
changed by that, and gone on with where that is possible; else it is told why not."""

import glob
import hashlib
import os
import re
import shutil
import sqlite3

import harness
from harness import check

STORES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../old_stores")
GOES_ON = ("19",)  # whose search is still understood; stopped before its end
ENDINGS = {  # how what is told of an end stands in the fields
    r"ended": (1, 0),
    r"exited with status (\d+)": (2, None),
    r"exited with status (\d+) without MPI_Finalize": (3, None),
    r"killed by SIGSEGV": (4, 11),
    r"called MPI_Abort\((\d+)\)": (5, None),
}


def restore(tool, version, copy=""):
    store = os.path.join(tool.directory, "store-%s%s" % (version, copy))
    os.mkdir(store)
    with open(os.path.join(STORES, version + ".sql")) as file, \
            sqlite3.connect(os.path.join(store, "matchpoint.db")) as database:
        database.executescript(file.read())
    database.close()
    return store


def rows(store, query):
    database = sqlite3.connect(os.path.join(store, "matchpoint.db"))
    found = database.execute(query).fetchall()
    database.close()
    return found


def content(store):
    with open(os.path.join(store, "matchpoint.db"), "rb") as file:
        return file.read()


def set_version(store, version):
    with sqlite3.connect(os.path.join(store, "matchpoint.db")) as database:
        database.execute("PRAGMA user_version = %d" % version)
    database.close()


def check_reported(tool, store):
    before = content(store)
    run = tool.run("report", store, report=True)
    wanted = rows(store, "SELECT kind, count, message FROM finding ORDER BY id")
    told = [(one["kind"], one["count"], one["message"]) for one in run.report["findings"]]
    check(run.status == 0 and told == wanted, "%s\n%s" % (wanted, run))
    paths = [path for path, in rows(store, "SELECT path FROM execution ORDER BY id")]
    check([one["path"] for one in run.report["executions"]] == paths, str(run))
    page = os.path.join(tool.directory, "page.html")
    run = tool.run("report", store, "--html", page, "--sarif", page + ".sarif")
    check(run.status == 0 and os.path.getsize(page) > 0, str(run))
    check(content(store) == before and os.listdir(store) == ["matchpoint.db"],
          "reading has changed " + store)


def check_merged(tool, version, store):
    other = restore(tool, version, "-too")
    count, = rows(store, "SELECT count(*) FROM execution")[0]
    run = tool.run("report", store, other, report=True)
    check(run.status == 0 and run.report["interleavings"] == count, str(run))


def of_this_program(tool, store, program):
    """As if the same program had been explored here."""
    version = tool.run("--version").out.split()[1]
    with open(program, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    with sqlite3.connect(os.path.join(store, "matchpoint.db")) as database:
        for name, value in (("matchpoint", version), ("the program's SHA-256", digest),
                            ("the directory", os.path.realpath(tool.directory))):
            database.execute("UPDATE identity SET value = ? WHERE name = ?", (value, name))
    database.close()


def found(run):
    return (run.report["complete"], run.report["interleavings"],
            sorted((one["kind"], one["count"]) for one in run.report["findings"]),
            sorted(one["path"] for one in run.report["executions"]))


def check_endings(store):
    for ended, ending, code in rows(store, "SELECT ended, ending, code FROM roll_call"):
        if ended is None:
            check((ending, code) == (0, 0), (ended, ending, code))
            continue
        said, = [(re.fullmatch(words, ended), fields) for words, fields in ENDINGS.items()
                 if re.fullmatch(words, ended)]
        number = int(said[0].group(1)) if said[1][1] is None else said[1][1]
        check((ending, code) == (said[1][0], number), (ended, ending, code))


def check_resumed(tool, store, program, whole):
    of_this_program(tool, store, program)
    old, = rows(store, "PRAGMA user_version")[0]
    ends = rows(store, "SELECT count(*) FROM roll_call WHERE execution > 0")
    run = tool.run("explore", "-n", "4", "--store", store, "--resume", "--", "./ends",
                   report=True)
    check(found(run) == found(whole), "%s\n%s\n%s" % (found(whole), found(run), run))
    check(rows(store, "PRAGMA user_version")[0][0] > old, "still of version %d" % old)
    check(ends[0][0] > 0, "nothing was taken over")
    check_endings(store)
    check(os.listdir(store) == ["matchpoint.db"], os.listdir(store))


def check_not_resumed(tool, store, program):
    of_this_program(tool, store, program)
    before = content(store)
    run = tool.run("explore", "-n", "4", "--store", store, "--resume", "--", "./ends")
    old, = rows(store, "PRAGMA user_version")[0]
    check(run.status == 4 and "version %d" % old in run.err and "report" in run.err, str(run))
    check(content(store) == before, "it was changed")
    run = tool.run("explore", "-n", "4", "--store", store, "--", "./ends")
    check(run.status == 1, "it cannot be replaced by a new exploration: %s" % run)


def check_unknown(tool, store):
    """Versions that are too old, or later, and tables that are not of the version."""
    for version in (3, 99):
        other = shutil.copytree(store, "%s-%d" % (store, version))
        set_version(other, version)
        before = content(other)
        for run in (tool.run("report", other),
                    tool.run("explore", "-n", "4", "--store", other, "--resume", "--", "./ends")):
            check(run.status == 4 and "version %d" % version in run.err
                  and len(re.findall(r"\d+", run.err.split("version", 1)[1])) >= 2, str(run))
        check(content(other) == before, "it was changed")
    with sqlite3.connect(os.path.join(store, "matchpoint.db")) as database:
        database.execute("CREATE VIEW more AS SELECT 1")
    database.close()
    run = tool.run("report", store)
    check(run.status == 4 and "tables" in run.err, str(run))


def body(tool, _options):
    program = tool.compile(os.path.join(STORES, "ends.c"))
    whole = tool.run("explore", "-n", "4", "--store", os.path.join(tool.directory, "whole"), "--",
                     "./ends", report=True)
    check(whole.status == 1 and whole.report["complete"], str(whole))
    versions = sorted(os.path.basename(name)[:-4] for name in glob.glob(STORES + "/*.sql"))
    check(len(versions) > 1, STORES)
    for version in versions:
        store = restore(tool, version)
        check_reported(tool, store)
        check_merged(tool, version, store)
        if version in GOES_ON:
            check_resumed(tool, store, program, whole)
        else:
            check_not_resumed(tool, store, program)
    check_unknown(tool, restore(tool, versions[-1], "-unknown"))


if __name__ == "__main__":
    harness.main(__doc__, body)
