"""--otf2: archives of real programs' interleavings, read with otf2-print. Skipped if otf2-print,
or OTF2 in matchpoint, is missing."""

import collections
import os
import re
import shutil
import sqlite3
import sys

import harness
from harness import check
from otf2_archive import location, read_archive, region

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "../../examples")
SKIPPED = 77

# name, ranks, sends, receives, completed collectives in a run of the program
WELL = [
    ("nonblocking", 3, 14, 14, 12),
    ("communicators", 3, 8, 8, 40),
    ("all_collectives", 3, 0, 0, 225),
    ("early_collectives", 5, 5, 5, 105),
    ("mprobe", 3, 2, 2, 0),
    ("all_intercommunicators", 3, 0, 0, 129),
    ("threads_exchange", 2, 2, 2, 0),
]


def archive_of(tool, name, ranks, *arguments):
    """The archive that a command writes, checked."""
    directory = os.path.join(tool.directory, name)
    run = tool.run(arguments[0], "--otf2", directory, *arguments[1:])
    check(os.path.exists(os.path.join(directory, "traces.otf2")), run)
    return run, read_archive(os.path.join(directory, "traces.otf2"), ranks)


def check_well(tool):
    for name, ranks, sends, receives, collectives in WELL:
        program = tool.compile(harness.program(name + ".c"), "-pthread")
        for buffering in ("zero", "infinite"):
            store = os.path.join(tool.directory, "store-%s-%s" % (name, buffering))
            run, archive = archive_of(tool, "%s-%s" % (name, buffering), ranks, "run", "-n",
                                      str(ranks), "--buffering", buffering, "--store", store,
                                      program)
            check(run.status == 0, run)
            found = (archive.count("MPI_SEND", "MPI_ISEND"),
                     archive.count("MPI_RECV", "MPI_IRECV"),
                     archive.count("MPI_COLLECTIVE_END", "NON_BLOCKING_COLLECTIVE_COMPLETE"))
            check(found == (sends, receives, collectives), "%s: %s" % (name, found))
            check(archive.lost == 0, "%s: %d messages are not received" % (name, archive.lost))
            check_calls(archive, store)
            check_members(archive)
            threads = len(archive.definitions["LOCATION"])
            check(threads == (2 * ranks if name == "threads_exchange" else ranks),
                  "%s: %d locations" % (name, threads))
            check(all("Exit status: 0" in event.text for event in archive.events
                      if event.name == "PROGRAM_END"), name)


def check_calls(archive, store):
    """Every call of the store is entered once, in its rank's order, and in the location of its
    thread."""
    calls = collections.defaultdict(list)
    with sqlite3.connect(os.path.join(store, "matchpoint.db")) as database:
        for rank, call, function, thread in database.execute(
                "SELECT rank, call, function, thread FROM call ORDER BY rank, call"):
            calls[rank].append((call, function, thread_name(thread)))
    for rank, called in calls.items():
        entered = [(int(event.attributes["call"]), region(event), name_of(archive, event.location))
                   for event in archive.of_rank(rank) if event.name == "ENTER"]
        check(entered == called, "rank %d enters %s, not %s" % (rank, entered, called))


def thread_name(thread):
    """Of the number in the store; 0: no thread but the main one calls MPI."""
    return "main thread" if thread <= 1 else "thread %d" % (thread - 1)


def name_of(archive, number):
    return re.match('Name: "([^"]*)"', archive.definitions["LOCATION"][number]).group(1)


def check_members(archive):
    """The members of a communicator have ended the same collectives."""
    counts = collections.defaultdict(list)
    between_groups = " ".join(archive.definitions["INTER_COMM"].values())
    for (communicator, _), calls in archive.collectives.items():
        if communicator not in between_groups:
            counts[communicator].append(collections.Counter(calls))
    for communicator, members in counts.items():
        check(all(member == members[0] for member in members),
              "members of %s differ: %s" % (communicator, members))


def check_deadlock(tool):
    program = tool.compile(os.path.join(EXAMPLES, "wildcard_deadlock.c"))
    store = os.path.join(tool.directory, "deadlock-store")
    run, archive = archive_of(tool, "deadlock", 3, "explore", "-n", "3", "--store", store,
                              "--source-root", EXAMPLES, program)
    check(run.status == 1, run)
    check(archive.lost == 1, "one message is never received")
    check(archive.properties["MATCHPOINT::STATUS"] == "deadlock", archive.properties)
    check(archive.properties["MATCHPOINT::PATH"].startswith("mp1:n3:"), archive.properties)
    check(archive.properties["MATCHPOINT::AGAIN"].startswith("matchpoint replay mp1:n3:"),
          archive.properties)
    waits = {event.location: event.attributes["waits"] for event in archive.events
             if "waits" in event.attributes}
    check(sorted(waits) == [0, 2], waits)
    check(waits[0].startswith('"waits for rank 1, which has ended" <'), waits)
    check(waits[2].startswith('"waits for rank 0" <'), waits)
    last = max(event.time for event in archive.events)
    check(all(event.time == last for event in archive.events if "waits" in event.attributes), waits)
    choice, = [event for event in archive.events if "choice" in event.attributes]
    check(choice.location == 0 and "takes rank 1's message" in choice.attributes["choice"], choice)
    check(choice.attributes["source"].startswith('"wildcard_deadlock.c:'), choice)
    received, = [event for event in archive.events if event.name == "MPI_RECV"]
    check(location(received, "Sender") == 1 and received.location == 0, received)
    check_again(tool, store)


def check_again(tool, store):
    """Over an existing archive; another interleaving; one without calls."""
    directory = os.path.join(tool.directory, "deadlock")
    keep = os.path.join(directory, "notes.txt")
    with open(keep, "w") as file:
        file.write("mine\n")
    run = tool.run("report", store, "--otf2", directory)
    check(run.status == 0, run)
    read_archive(os.path.join(directory, "traces.otf2"), 3)
    check(os.path.exists(keep), "a file that is no part of the archive is gone")
    senders = tool.compile(os.path.join(EXAMPLES, "senders.c"))
    many = os.path.join(tool.directory, "many")
    tool.run("explore", "-n", "4", "--store", many, senders)
    run = tool.run("report", many, "--otf2", "none", "--execution", "3")
    check(run.status == 4 and "the calls of interleaving 3 were not kept; to keep them: "
          "matchpoint replay mp1:" in run.err, run)
    check(not os.path.exists(os.path.join(tool.directory, "none")), "an archive without events")
    _, archive = archive_of(tool, "first", 4, "report", many, "--execution", "1")
    check(archive.properties["MATCHPOINT::STATUS"] == "ok", archive.properties)


def check_refusals(tool):
    store = os.path.join(tool.directory, "many")
    run = tool.run("report", store, "--otf2", "-")
    check(run.status == 2 and "--otf2 takes a directory" in run.err, run)
    file = os.path.join(tool.directory, "file")
    with open(file, "w"):
        pass
    run = tool.run("report", store, "--otf2", os.path.join(file, "below"))
    check(run.status == 4 and "the trace cannot be written: Not a directory" in run.err, run)
    run = tool.run("report", store, "--otf2", file)
    check(run.status == 4 and "the trace cannot be written" in run.err, run)


def check_awkward(tool):
    """A store with invalid contents is written or refused."""
    store = os.path.join(tool.directory, "deadlock-store")
    for number, change in enumerate((
            "UPDATE communicator SET members = '7,x|', name = NULL",
            "UPDATE communicator SET members = '0,99999999999'",
            "UPDATE communicator SET members = '0||1'",
            "UPDATE communicator SET members = NULL, name = 'MPI_COMM_SELF'",
            "UPDATE call SET communicator = rank, kind = 1 + call % 5, completed = 1",
            "UPDATE call SET function = NULL, waits = 4, collective = 1",
            "UPDATE match SET rank = 9, source = 9",
            "UPDATE match SET call = send_call, send_call = call, source = rank",
            "UPDATE exploration SET machine = NULL, version = NULL",
            "UPDATE call SET thread = 4294967295 - call",
            "UPDATE exploration SET ranks = 60000")):
        spoilt = os.path.join(tool.directory, "spoilt%d" % number)
        shutil.copytree(store, spoilt)
        with sqlite3.connect(os.path.join(spoilt, "matchpoint.db")) as database:
            database.execute(change)
        run = tool.run("report", spoilt, "--otf2", spoilt + "-trace")
        expected = 4 if "60000" in change else 0
        check(run.status == expected, "%s\n%s" % (change, run))


def body(tool, _options):
    version = tool.run("--version")
    check("--otf2: " in version.out, version)
    if "built without OTF2" in version.out:
        run = tool.run("report", "--otf2", "nowhere")
        check(run.status == 2 and "install libotf2-trace-dev and rebuild" in run.err, run)
        print("skipped: matchpoint was built without OTF2")
        sys.exit(SKIPPED)
    if not shutil.which("otf2-print"):
        print("skipped: no otf2-print (install otf2-tools)")
        sys.exit(SKIPPED)
    check_well(tool)
    check_deadlock(tool)
    check_refusals(tool)
    check_awkward(tool)


if __name__ == "__main__":
    harness.main(__doc__, body)
