"""Reports of recordings. Each message that they draw is one that the program tells of itself, and
none is missing. Hangs, damaged and missing logs, refused reports; the page in a browser and the
archive with otf2-print, where there are such."""

import json
import os
import re
import shutil

import browser as browsers
import harness
from harness import check
from otf2_archive import read_archive
from recording import Recording, kill_ranks, start_recording

RANKS = 4
STANDS = ("MPI_Recv", "MPI_Barrier", "MPI_Barrier", "MPI_Barrier")
WAITS = ([1], [0], [0], [0])
NOTHING = "nothing was checked"


def truth_of(printed):
    """(rank, call, sender, its call) of each receive; number of calls by rank."""
    matches, calls = [], []
    for rank, text in enumerate(printed):
        matches += [(rank, *map(int, found))
                    for found in re.findall(r"^match (\d+) (\d+) (\d+)$", text, re.M)]
        calls += [int(number) for number in re.findall(r"^calls (\d+)$", text, re.M)]
    return sorted(matches), calls


def report(tool, folder, *options):
    return tool.run("report", folder, "-q", *options, cwd=tool.directory)


def json_of(tool, folder, status=0):
    run = report(tool, folder, "--json", "-")
    check(run.status == status and (status or not run.err), str(run))
    return json.loads(run.out)


def matches_of(found):
    return sorted((m["rank"], m["call"], m["source"], m["send_call"])
                  for m in found["executions"][0]["matches"])


def check_json(tool, folder, truth):
    found = json_of(tool, folder)
    check(matches_of(found) == truth, "%s\n%s" % (matches_of(found), truth))
    execution, = found["executions"]
    check(not found["complete"] and NOTHING in found["incomplete_reason"], str(found))
    check(execution["status"] == "recorded" and execution["recording"] == folder, str(execution))
    check([rank["ended"] for rank in execution["ranks"]] == ["ended"] * RANKS, str(execution))
    check(not found["notes"] and "buffering" not in found, str(found))


def slice_at(slices, event):
    """The number of the call in whose slice an arrow's end lies."""
    inside, = [s for s in slices if s["tid"] == event["tid"]
               and s["ts"] <= event["ts"] < s["ts"] + s["dur"]]
    return event["tid"] - 1, inside["args"]["call"]


def check_perfetto(tool, folder, truth, calls):
    file = os.path.join(tool.directory, "trace.json")
    run = report(tool, folder, "--perfetto", file)
    check(run.status == 0, str(run))
    with open(file) as text:
        events = json.load(text)["traceEvents"]
    slices = [event for event in events if event["ph"] == "X"]
    for rank, count in enumerate(calls):
        numbers = [s["args"]["call"] for s in slices if s["tid"] == rank + 1]
        check(numbers == list(range(1, count + 1)), "rank %d: %s" % (rank, numbers))
    begins = {event["id"]: slice_at(slices, event) for event in events if event["ph"] == "s"}
    ends = {event["id"]: slice_at(slices, event) for event in events if event["ph"] == "f"}
    check(len(begins) == len(truth) and begins.keys() == ends.keys(), "%s %s" % (begins, ends))
    check(sorted(begins.values()) == sorted((sender, call) for _, _, sender, call in truth),
          "%s\n%s" % (begins, truth))
    check(sorted(rank for rank, _ in ends.values()) == sorted(match[0] for match in truth), ends)
    names = [event["args"]["name"] for event in events if event["ph"] == "M"]
    check(any("recorded run: " + NOTHING in name for name in names), names)
    places = {s["args"]["place"] for s in slices if s["name"] == "MPI_Sendrecv"}
    check(len(places) == 1 and places.pop().startswith("tells_matches.c:"), places)


def page_of(tool, folder, status=0):
    """The page's text and the data of its graph."""
    file = os.path.join(tool.directory, "page.html")
    run = report(tool, folder, "--html", file)
    check(run.status == status, str(run))
    with open(file) as text:
        page = text.read()
    data = re.search(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.S)
    return page, json.loads(data.group(1))["graphs"]


def check_page(tool, folder, truth):
    page, graphs = page_of(tool, folder)
    numbers = graphs[0]["matches"]
    drawn = sorted(tuple(numbers[i:i + 4]) for i in range(0, len(numbers), 4))
    check(len(graphs) == 1 and drawn == truth, "%s\n%s" % (drawn, truth))
    check(graphs[0]["waiting"] == [], graphs[0]["waiting"])
    check("a recorded run of " in page and NOTHING in page and "nothing wrong" not in page
          and "all explored" not in page, page[:3000])
    check("matchpoint replay " + folder in page, page[-3000:])


def check_archive(tool, folder, truth):
    if "built without OTF2" in tool.run("--version").out or not shutil.which("otf2-print"):
        return
    directory = os.path.join(tool.directory, "archive")
    run = report(tool, folder, "--otf2", directory)
    check(run.status == 0, str(run))
    archive = read_archive(os.path.join(directory, "traces.otf2"), RANKS)
    check(archive.count("MPI_SEND", "MPI_ISEND") == len(truth), str(len(truth)))
    check(archive.count("MPI_RECV", "MPI_IRECV") == len(truth) and archive.lost == 0, "")
    check(archive.properties["MATCHPOINT::STATUS"] == "recorded", archive.properties)
    check(archive.properties["MATCHPOINT::AGAIN"] == "matchpoint replay " + folder,
          archive.properties)
    groups = " ".join(archive.definitions["GROUP"].values())
    check("MPI_Comm_split at tells_matches.c:" in
          " ".join(archive.definitions["STRING"].values()), groups)


def check_drawn(tool, folder, truth):
    """The diagrams in text have an arrow for each message, too."""
    run = report(tool, folder, "--mermaid", "-")
    check(run.status == 0 and run.out.startswith("sequenceDiagram"), str(run))
    check(len(re.findall(r"^    +r\d->>r\d: ", run.out, re.M)) == len(truth), str(run))
    check("received" not in run.out, str(run))
    run = report(tool, folder, "--dot", "-")
    check(run.status == 0 and "recorded run: " + NOTHING in run.out, str(run))


def start_hanging(tool, program):
    folder = os.path.join(tool.directory, "hanging")
    process = start_recording(tool, folder, RANKS, program, "hangs")
    ranks = []

    def stand():
        """All of them, where nothing moves any more. The others pass through earlier barriers."""
        if all(os.path.exists(os.path.join(folder, "rank.%d.tail" % rank))
               for rank in range(RANKS)):
            run = report(tool, folder, "--json", "-")
            ranks[:] = json.loads(run.out)["executions"][0]["ranks"] if run.out else []
        return stand_still(ranks)

    harness.wait_for(stand, process, lambda: "all ranks stand: %s" % ranks, pause=0.05)
    kill_ranks(folder, process)
    return folder


def stand_still(ranks):
    return ([(rank.get("function"), rank.get("waits_for")) for rank in ranks]
            == list(zip(STANDS, WAITS)) and ranks[0]["arguments"] == "source=1, tag=77")


def check_hang(tool, program):
    folder = start_hanging(tool, program)
    found = json_of(tool, folder)
    ranks = found["executions"][0]["ranks"]
    check([rank["function"] for rank in ranks] == list(STANDS)
          and not any("ended" in rank for rank in ranks), str(ranks))
    check(ranks[0]["arguments"] == "source=1, tag=77", str(ranks[0]))
    check([rank["waits_for"] for rank in ranks] == list(WAITS), str(ranks))
    page, graphs = page_of(tool, folder)
    check(graphs[0]["waiting"][::2] == [0, 1, 2, 3] and "waits for rank 1" in page
          and "deadlock" not in page.split("<script")[0], page[:3000])
    told = tool.run("report", folder, "--json", os.path.join(tool.directory, "hang.json"))
    check(told.status == 0 and "rank 0: stands in call" in told.out, str(told))
    return folder


def check_damage(tool, folder, truth):
    """What is there is drawn; what is not is told. The exit status tells it, too."""
    spoilt = os.path.join(tool.directory, "spoilt")
    shutil.copytree(folder, spoilt)
    log = os.path.join(spoilt, "rank.2.log")
    with open(log, "r+b") as file:
        file.seek(-1, os.SEEK_END)
        last = file.read(1)
        file.seek(-1, os.SEEK_END)
        file.write(bytes([last[0] ^ 1]))
    check_lost(tool, spoilt, truth, 2, "rank 2: ", "damaged behind call")
    os.unlink(log)
    check_lost(tool, spoilt, truth, 2, "rank 2 left no log", "none of its calls are shown")
    for rank in range(RANKS):
        os.rename(os.path.join(spoilt, "rank.%d.start" % rank),
                  os.path.join(spoilt, "rank.%d.hidden" % rank))
    run = report(tool, spoilt, "--json", os.path.join(tool.directory, "none.json"))
    check(run.status == 4 and "left no log" in run.err, str(run))
    check(not os.path.exists(os.path.join(tool.directory, "none.json")), "a report of nothing")


def check_lost(tool, folder, truth, rank, *words):
    found = json_of(tool, folder, 4)
    check(all(word in " ".join(found["notes"]) for word in words), str(found["notes"]))
    drawn = matches_of(found)
    check(set(drawn) <= set(truth), str(set(drawn) - set(truth)))
    check({match for match in truth if rank not in (match[0], match[2])} <= set(drawn),
          "%s\n%s" % (drawn, truth))
    page, _ = page_of(tool, folder, 4)
    check(words[1] in page, page[:3000])


def check_refusals(tool, folder):
    for options, words in (
            (["--junit", "-"], "--junit: in a recorded run nothing was checked; of a recording "
                               "there are --json, --html"),
            (["--sarif", "-"], "--sarif: in a recorded run"),
            (["--github", "-"], "--github: in a recorded run"),
            (["--markdown", "-"], "--markdown: in a recorded run"),
            (["--json", "-", "--exit-code"], "--exit-code: %s is a recording" % folder),
            (["--json", "-", "--execution", "2"], "a recording is of one run"),
            (["--merge-into", "x"], "is a recording: it cannot be merged"),
            ([folder], "is a recording: it cannot be merged")):
        run = report(tool, folder, *options)
        check(run.status == 2 and words in run.err and not run.out, str(run))
    run = report(tool, folder, "--json", "nowhere/file.json")
    check(run.status == 4 and "there is no directory nowhere" in run.err, str(run))


def check_program(tool, folder, program):
    """Another program in its place: nothing is drawn of it."""
    with open(program, "rb") as file:
        own = file.read()
    shutil.copy("/bin/true", program)
    run = report(tool, folder, "--json", "-")
    check(run.status == 4 and not run.out and run.err, str(run))
    with open(program, "wb") as file:
        file.write(own)


def check_in_browser(tool, folder):
    page_of(tool, folder)
    if not shutil.which("chromedriver") or not shutil.which("chromium"):
        return
    browser = browsers.Browser(os.path.join(tool.directory, "browser"))
    try:
        browser.open(os.path.join(tool.directory, "page.html"))
        ranks, calls = browser.run(
            "const g = window.matchpoint.figures[0].view.graph; return [g.ranks, g.count]")
        check(ranks == RANKS and calls > 100, "%s %s" % (ranks, calls))
        complaints = browser.complaints()
        check(not complaints, "the browser complains:\n%s" % "\n".join(complaints))
    finally:
        browser.close()


def body(tool, _):
    program = tool.compile(harness.program("tells_matches.c"))
    recording = Recording(tool, "run", RANKS, program)
    truth, calls = truth_of([recording.printed(rank) for rank in range(RANKS)])
    check(len(truth) == 37 and len(calls) == RANKS, str(truth))
    for test in (check_json, check_page, check_archive, check_drawn):
        test(tool, recording.folder, truth)
    check_perfetto(tool, recording.folder, truth, calls)
    check_in_browser(tool, check_hang(tool, program))
    check_damage(tool, recording.folder, truth)
    check_refusals(tool, recording.folder)
    check_program(tool, recording.folder, program)


if __name__ == "__main__":
    harness.main(__doc__, body)
