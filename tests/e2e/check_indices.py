#!/usr/bin/env python3
"""Which indices MPI_Waitany, Testany, Waitsome and Testsome return is shown at each such call: in
the report of --html, on the page of debug --web and in --json it is what the program gets, with
null and inactive requests in the array, requests that need no other rank, and generalised ones.
The pages are looked at with headless Chromium, and left out without chromium and chromedriver."""

import json
import os
import re
import sqlite3
import contextlib
import shutil

import browser as browsers
import check_graph
import check_html
import check_web
import live_page
from harness import check
from live_page import STATE, Session, Watched
from otf2_archive import read_archive

# Rank 0 says what each of its calls returns, as the label of the call should say it.
PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { COUNT = 6 };
static int got[COUNT], place, flag, count, places[COUNT], value;
static MPI_Request requests[COUNT];
static void say(const char *name, int many, const int *which)
{
	if (many == 0)
		printf("%s: not yet\n", name);
	else if (many == MPI_UNDEFINED || which[0] == MPI_UNDEFINED)
		printf("%s → undefined\n", name);
	else
		printf("%s → %s", name, many > 1 ? "indices" : "index");
	for (int i = 0; many > 0 && which[0] != MPI_UNDEFINED && i < many; i++)
		printf("%s %d%s", i > 0 ? "," : "", which[i], i == many - 1 ? "\n" : "");
}
static void testany(void)
{
	MPI_Testany(COUNT, requests, &place, &flag, MPI_STATUS_IGNORE);
	say("Testany", flag, &place);
}
static void waitany(void)
{
	MPI_Waitany(COUNT, requests, &place, MPI_STATUS_IGNORE);
	say("Waitany", 1, &place);
}
static void testsome(void)
{
	MPI_Testsome(COUNT, requests, &count, places, MPI_STATUSES_IGNORE);
	say("Testsome", count, places);
}
static void waitsome(void)
{
	MPI_Waitsome(COUNT, requests, &count, places, MPI_STATUSES_IGNORE);
	say("Waitsome", count, places);
}
static void receive(int i, int source)
{
	MPI_Irecv(&got[i], 1, MPI_INT, source, 0, MPI_COMM_WORLD, &requests[i]);
}
static int query(void *state, MPI_Status *status)
{
	MPI_Status_set_elements(status, MPI_INT, state == NULL);
	MPI_Status_set_cancelled(status, 0);
	status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
	return MPI_SUCCESS;
}
static int nothing(void *state)
{
	return state == NULL ? MPI_SUCCESS : MPI_ERR_OTHER;
}
static int no_cancel(void *state, int complete)
{
	return state == NULL || complete ? MPI_SUCCESS : MPI_ERR_OTHER;
}
static void generalised(int i)
{
	MPI_Grequest_start(query, nothing, no_cancel, NULL, &requests[i]);
}
/* With null requests before, between and behind. */
static void nulls(void)
{
	receive(1, 1);
	receive(3, 2);
	receive(4, 1);
	testany();
	testsome();
	waitany();
	waitsome();
}
/* In an array without gaps. */
static void whole(void)
{
	for (int i = 0; i < COUNT; i++)
		receive(i, 1 + i % 2);
	waitsome();
	waitany();
	testany();
}
static void inactive(void)
{
	for (int i = 0; i < COUNT; i += 2)
		MPI_Recv_init(&got[i], 1, MPI_INT, 1 + i / 2 % 2, 0, MPI_COMM_WORLD, &requests[i]);
	waitany();
	testany();
	waitsome();
	testsome();
	MPI_Start(&requests[2]);
	MPI_Start(&requests[4]);
	waitany();
	testsome();
	MPI_Start(&requests[place]);
	testany();
	waitany();
	for (int i = 0; i < COUNT; i += 2)
		MPI_Request_free(&requests[i]);
}
/* Some need no other rank: they complete first. */
static void local(void)
{
	receive(1, 1);
	receive(2, MPI_PROC_NULL);
	receive(4, 2);
	receive(5, MPI_PROC_NULL);
	testany();
	testsome();
	waitsome();
	receive(3, MPI_PROC_NULL);
	waitany();
	waitany();
}
/* Some are completed by the program. */
static void completed_here(void)
{
	generalised(1);
	receive(2, 1);
	generalised(4);
	MPI_Grequest_complete(requests[4]);
	waitany();
	MPI_Grequest_complete(requests[1]);
	testsome();
	generalised(5);
	testany();
	MPI_Grequest_complete(requests[5]);
	waitsome();
	testsome();
}
static void none(void)
{
	waitany();
	testany();
	waitsome();
	testsome();
	MPI_Waitany(0, requests, &place, MPI_STATUS_IGNORE);
	say("Waitany", 1, &place);
	requests[0] = MPI_REQUEST_NULL;
}
int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < COUNT; i++)
		requests[i] = MPI_REQUEST_NULL;
	if (rank == 0 && argc > 1) {
		switch (argv[1][0]) {
		case 'n': nulls(); break;
		case 'w': whole(); break;
		case 'i': inactive(); break;
		case 'l': local(); break;
		case 'c': completed_here(); break;
		default: none(); break;
		}
		if (argv[1][0] != 'i')
			MPI_Waitall(COUNT, requests, MPI_STATUSES_IGNORE);
	} else {
		for (int i = 0; argc > 2 && i < argv[2][rank] - '0'; i++)
			MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
"""
# How many messages ranks 1 and 2 send, in the place of each rank.
KINDS = {"nulls": "021", "whole": "033", "inactive": "022", "local": "011", "completed": "010",
         "empty": "000"}

FORTRAN = """
program indices
  use mpi
  implicit none
  integer :: rank, error, place, got(3), requests(3)
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  requests = MPI_REQUEST_NULL
  if (rank == 0) then
    call MPI_Irecv(got, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, requests(2), error)
    call MPI_Waitany(3, requests, place, MPI_STATUS_IGNORE, error)
    print *, "place", place
  else
    call MPI_Send(rank, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, error)
  end if
  call MPI_Finalize(error)
end program
"""
# A program that ends in a crash, just behind the call.
CRASH = r"""
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	int rank, place, value = 0;
	MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		for (int i = 1; i < 3; i++)
			MPI_Irecv(&value, 0, MPI_INT, i, 0, MPI_COMM_WORLD, &requests[i]);
		MPI_Waitany(3, requests, &place, MPI_STATUS_IGNORE);
		if (place == 2)
			abort();
		MPI_Waitany(3, requests, &place, MPI_STATUS_IGNORE);
	} else {
		MPI_Send(&value, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
"""
# Two threads of rank 0 wait for requests of their own, which others or they themselves complete.
THREADS = r"""
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
static int query(void *state, MPI_Status *status)
{
	MPI_Status_set_elements(status, MPI_INT, state != NULL);
	MPI_Status_set_cancelled(status, 0);
	status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
	return MPI_SUCCESS;
}
static int nothing(void *state)
{
	return state ? MPI_SUCCESS : MPI_ERR_OTHER;
}
static int no_cancel(void *state, int complete)
{
	return state || complete ? MPI_SUCCESS : MPI_ERR_OTHER;
}
static void *run(void *number)
{
	int which = *(int *)number, place, got[2], count, places[4];
	MPI_Request requests[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL,
	                           MPI_REQUEST_NULL};
	for (int i = 0; i < 2; i++)
		MPI_Irecv(&got[i], 1, MPI_INT, which, i, MPI_COMM_WORLD, &requests[i + which]);
	MPI_Waitany(4, requests, &place, MPI_STATUS_IGNORE);
	printf("Waitany → index %d\n", place);
	MPI_Wait(&requests[which + (place == which)], MPI_STATUS_IGNORE);
	MPI_Grequest_start(query, nothing, no_cancel, number, &requests[3 - which]);
	MPI_Grequest_complete(requests[3 - which]);
	MPI_Waitsome(4, requests, &count, places, MPI_STATUSES_IGNORE);
	printf("Waitsome → index %d\n", count == 1 ? places[0] : -1);
	MPI_Waitany(4, requests, &place, MPI_STATUS_IGNORE);
	printf("Waitany → %s\n", place == MPI_UNDEFINED ? "undefined" : "index");
	return number;
}
int main(int argc, char **argv)
{
	int level, rank, numbers[2] = {1, 2};
	pthread_t threads[2];
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; rank == 0 && i < 2; i++)
		pthread_create(&threads[i], NULL, run, &numbers[i]);
	for (int i = 0; rank == 0 && i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; rank > 0 && i < 2; i++)
		MPI_Send(&rank, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
"""
CALL = re.compile(r"(?:Test|Wait)(?:any|some)(?::| →) .*")
TIP = re.compile(r"^returns .*$", re.M)


def said(text):
    """Of rank 0's output, as replay and debug show it."""
    return re.findall(r"^(?:\[0\]|   ) (%s)$" % CALL.pattern, text, re.M)


def shown(browser):
    browser.run("window.matchpoint.figures[0].view.zoomTo(1)")
    labels = sorted((number, text) for number, text in browser.run(check_graph.LABELS, 0)
                    if CALL.match(text))
    return [text for _, text in labels]


def listed(report):
    """Of the first interleaving in a JSON report, as labels; without those answered "not yet"."""
    texts = []
    for one in report["executions"][0]["indices"]:
        check(one["rank"] == 0 and one["call"] > 1, "who returned it: %s" % one)
        name, returned = one["function"][len("MPI_"):], one["returned"]
        texts.append("%s → %s" % (name, "undefined" if returned is None else "%s %s" % (
            "indices" if len(returned) > 1 else "index", ", ".join(map(str, returned)))))
    return texts


def paths_of(tool, program, kind):
    """A few interleavings that differ in what rank 0 gets."""
    store = os.path.join(tool.directory, kind + ".store")
    run = tool.run("explore", "-n", "3", "--buffering", "infinite", "--max-interleavings", "60",
                   "--store", store, "--", program, kind, KINDS[kind])
    check(run.status in (0, 1, 3), str(run))  # outcomes differ; or not all is explored
    with contextlib.closing(sqlite3.connect(os.path.join(store, "matchpoint.db"))) as database:
        paths = [path for path, in database.execute("SELECT path FROM execution ORDER BY id")]
    check(paths, str(run))
    return list(dict.fromkeys([paths[0], paths[len(paths) // 3], paths[2 * len(paths) // 3],
                               paths[-1]]))


def check_kind(tool, browser, program, kind):
    texts = set()
    for path in paths_of(tool, program, kind):
        page = os.path.join(tool.directory, kind + ".html")
        run = tool.run("replay", "--store", os.path.join(tool.directory, kind + ".one"), "--html",
                       page, path, "--", program, kind, KINDS[kind], report=True)
        words = said(run.out)
        check(run.status in (0, 1) and len(words) >= 3, str(run))  # a message may be left over
        texts.update(words)
        check(listed(run.report) == [text for text in words if "not yet" not in text],
              "%s: in JSON: %s\nsaid:\n%s" % (path, run.report["executions"][0]["indices"], run))
        if browser:
            browser.open(page)
            check(shown(browser) == words, "%s: shown: %s\n%s" % (path, shown(browser), run))
    return texts


def check_all(tool, browser, program):
    texts = {kind: check_kind(tool, browser, program, kind) for kind in KINDS}
    for kind, some in (("nulls", ("Testany: not yet", "Testany → index 3", "Waitany → index 1")),
                       ("whole", ("Waitany → index 1",)),
                       ("inactive", ("Waitany → undefined", "Testsome → undefined",
                                     "Waitany → index 2")),
                       ("local", ("Testany → index 2", "Waitany → index 3")),
                       ("completed", ("Waitany → index 4",)),
                       ("empty", ("Testany → undefined", "Waitsome → undefined"))):
        check(texts[kind].issuperset(some), "%s: not tried: %s" % (kind, sorted(texts[kind])))


def check_tip(tool, browser, program):
    """The details name the indices, and the calls that started the requests."""
    page = os.path.join(tool.directory, "tip.html")
    run = tool.run("replay", "--store", os.path.join(tool.directory, "tip.store"), "--html", page,
                   "mp1:n3:infinite:0.6=#0+1", "--", program, "nulls", KINDS["nulls"])
    check(run.status == 0, str(run))
    browser.open(page)
    tips = []
    for call in 5, 6, 7:
        browser.click(*browser.run(check_html.MARK, 0, call))
        tips.append("".join(TIP.findall(check_html.tip(browser))))
        browser.press("\ue00c")  # escape
    check(tips == ["", "returns indices 1, 3 (counted from 0): the requests of calls 2, 3",
                   "returns index 4 (counted from 0): the request of call 4"],
          "tips: %s\n%s" % (tips, run))


def check_without(tool, browser):
    """Of a store without indices, as of an earlier version, the page names the requests."""
    store = os.path.join(tool.directory, "tip.store", "replay")
    page = os.path.join(tool.directory, "tip.html")
    with contextlib.closing(sqlite3.connect(os.path.join(store, "matchpoint.db"))) as database:
        gone = database.execute("DELETE FROM common").rowcount
        database.commit()
    check(gone == 1, "the store has no indices")
    run = tool.run("report", "--html", page, "--json", page + ".json", store)
    check(run.status == 0, str(run))
    browser.open(page)
    texts = [text for _, text in sorted(map(tuple, browser.run(check_graph.LABELS, 0)))
             if "call" in text]
    check(texts == ["Testsome: requests of calls 2, 3", "Waitany: request of call 4"],
          "shown: %s" % texts)
    with open(page + ".json", encoding="utf-8") as file:
        check("indices" not in json.load(file)["executions"][0], "indices from nowhere")


def check_traces(tool, program):
    """In traces it is an argument, or an attribute of the end of the call."""
    trace = os.path.join(tool.directory, "trace.json")
    archive = os.path.join(tool.directory, "archive")
    has_otf2 = shutil.which("otf2-print") and "built without OTF2" not in tool.run("--version").out
    for kind, expected in (("nulls", [None, "1,3", "4", "undefined"]),
                           ("empty", ["undefined"] * 5)):
        run = tool.run("replay", "--store", os.path.join(tool.directory, "traces.store"),
                       "--perfetto", trace, *(["--otf2", archive] if has_otf2 else []),
                       "mp1:n3:infinite:%s" % ("0.6=#0+1" if kind == "nulls" else ""), "--",
                       program, kind, KINDS[kind])
        check(run.status == 0, str(run))
        with open(trace, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        found = [event["args"].get("indices") for event in events
                 if re.match("MPI_(Wait|Test)(any|some)", event["name"])]
        check(found == expected, "in Perfetto's trace: %s" % found)
        if has_otf2:
            events = read_archive(os.path.join(archive, "traces.otf2"), 3).events
            found = [event.attributes["indices"].split('"')[1] for event in events
                     if "indices" in event.attributes]
            check(found == [one for one in expected if one], "in the archive: %s" % found)
            shutil.rmtree(archive)


def check_fortran(tool, browser):
    """Fortran counts from 1, the report from 0."""
    if not shutil.which(tool.mpicc.replace("mpicc", "mpif90")) or not shutil.which("gfortran"):
        return
    program = tool.compile(tool.write("fortran.f90", FORTRAN))
    page = os.path.join(tool.directory, "fortran.html")
    run = tool.run("explore", "-n", "2", "--store", os.path.join(tool.directory, "fortran.store"),
                   "--html", page, "--", program, report=True)
    returned = [one["returned"] for one in run.report["executions"][0]["indices"]]
    check(run.status == 0 and returned == [[1]], "%s: %s" % (returned, run))
    if browser:
        browser.open(page)
        check(shown(browser) == ["Waitany → index 1"], "shown: %s" % shown(browser))


def check_crash(tool):
    """What a rank got last is known, though it makes no further call."""
    program = tool.compile(tool.write("crash.c", CRASH))
    store = os.path.join(tool.directory, "crash.store")
    run = tool.run("explore", "-n", "3", "--buffering", "infinite", "--store", store, "--", program,
                   report=True)
    check(run.status == 1, str(run))
    crashed = [one for one in run.report["executions"] if one["findings"]]
    check(crashed and crashed[0]["indices"] == [
        {"rank": 0, "call": 4, "function": "MPI_Waitany", "file": "crash.c",
         "line": crashed[0]["indices"][0]["line"], "returned": [2]}],
          "of the crash: %s" % json.dumps(crashed))
    check([one["returned"] for one in run.report["executions"][0]["indices"]] in (
        [[1], [2]], [[2]]), "of the first: %s" % run.report["executions"][0])


def check_merged(tool):
    """Stores that are merged keep them."""
    program = tool.compile(tool.write("crash.c", CRASH))
    stores = [os.path.join(tool.directory, "shard%d.store" % shard) for shard in (1, 2)]
    for shard, store in enumerate(stores, 1):
        tool.run("explore", "-n", "3", "--buffering", "infinite", "--shard", "%d/2" % shard,
                 "--store", store, "--", program)
    merged = os.path.join(tool.directory, "merged.json")
    run = tool.run("report", "--json", merged, "--json-all", *stores)
    check(run.status == 0, str(run))
    with open(merged, encoding="utf-8") as file:
        executions = json.load(file)["executions"]
    crashed = [one for one in executions if one["findings"]]
    check(crashed and [one["returned"] for one in crashed[0]["indices"]] == [[2]],
          "of the crash: %s" % crashed)


def check_threads(tool, browser):
    """Each thread's calls have what the thread gets. Their output is in no order."""
    program = tool.compile(tool.write("threads.c", THREADS), "-pthread")
    store = os.path.join(tool.directory, "threads.store")
    run = tool.run("explore", "-n", "3", "--buffering", "infinite", "--max-interleavings", "20",
                   "--store", store, "--", program)
    with contextlib.closing(sqlite3.connect(os.path.join(store, "matchpoint.db"))) as database:
        paths = [path for path, in database.execute("SELECT path FROM execution ORDER BY id")]
    page = os.path.join(tool.directory, "threads.html")
    for path in paths[0], paths[len(paths) // 2], paths[-1]:
        run = tool.run("replay", "--store", store + ".one", "--html", page, path, "--", program,
                       report=True)
        words = sorted(said(run.out))
        check(run.status == 0 and len(words) == 6 and sorted(listed(run.report)) == words,
              "in JSON: %s\n%s" % (run.report["executions"][0]["indices"], run))
        if browser:
            browser.open(page)
            check(sorted(shown(browser)) == words, "shown: %s\n%s" % (shown(browser), run))


def check_live(tool, browser, program, kind):
    """What is chosen in the browser is shown at once."""
    session = Session(tool, "-n", "3", "--buffering", "infinite", program, kind,
                      KINDS[kind])
    page = Watched(browser, session)
    page.until(lambda state, writes, *_: state == "nowhere" and writes, "that it may write")
    line = "run"
    for turn in range(30):
        stops = browser.run("return window.matchpoint.live.stop.number || 0")
        browser.run(check_web.SAY, line)
        page.until(lambda state, *_, stops=stops: state in ("choice", "over") and browser.run(
            "return window.matchpoint.live.stop.number || 0") > stops, "a stop")
        if browser.run(STATE)[0] == "over":
            break
        line = str(browser.run("const [[, , , offers]] = window.matchpoint.live.stop.points;"
                               "return offers.at(arguments[0])[0]", turn % 2 - 1))
    words = said(session.text)
    page.until(lambda *_: len(shown(browser)) == len(words), "all labels")
    check(shown(browser) == words and len(words) >= 3,
          "shown: %s\nsaid: %s" % (shown(browser), session.text))
    browser.run(check_web.SAY, "quit")
    session.wait(1 if "finding leak" in session.text else 0)


def body(tool, _):
    browser = None
    program = tool.compile(tool.write("indices.c", PROGRAM))
    if shutil.which("chromedriver") and shutil.which("chromium"):
        browser = browsers.Browser(os.path.join(tool.directory, "browser"))
    try:
        check_all(tool, browser, program)
        check_traces(tool, program)
        check_fortran(tool, browser)
        check_crash(tool)
        check_merged(tool)
        check_threads(tool, browser)
        if browser:
            check_tip(tool, browser, program)
            check_without(tool, browser)
            if check_web.is_there(tool):
                for kind in "nulls", "inactive", "completed":
                    check_live(tool, browser, program, kind)
            live_page.check_complaints(browser)
    finally:
        if browser:
            browser.close()


if __name__ == "__main__":
    live_page.main(__doc__, body)
