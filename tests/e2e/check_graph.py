#!/usr/bin/env python3
"""The graph of the pages of --html and of debug --web, in headless Chromium: threads of a rank have
tracks of their own, in which their messages end, and what different threads do is not folded
together. The label of a poll, and of Waitany and Waitsome, shows what it was answered: what the
program says, too. Skipped (77) without chromium and chromedriver."""

import contextlib
import os
import re
import sqlite3

import browser as browsers
import check_html
import check_web
import live_page
from harness import check
from live_page import STATE, Session, Watched

HERE = os.path.dirname(os.path.abspath(__file__))

# Threads 1 and 2 of rank 0 receive from ranks 1 and 2, so many times; of two ranks both receive
# from rank 1. All calls are at the same places, and the main thread makes the others.
TWO = r"""
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
static int times, size, got[2];
static void *receive(void *place)
{
	int tag = 1 + (int)((int *)place - got), source = size > 2 ? tag : 1;
	for (int i = 0; i < times; i++) {
		MPI_Recv(place, 1, MPI_INT, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(place, 1, MPI_INT, source, 9, MPI_COMM_WORLD);
	}
	return place;
}
int main(int argc, char **argv)
{
	pthread_t threads[2];
	int level, rank, value;
	times = atoi(argv[1]);
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; rank == 0 && i < 2; i++)
		pthread_create(&threads[i], NULL, receive, &got[i]);
	for (int i = 0; rank == 0 && i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; rank > 0 && i < (size > 2 ? times : 2 * times); i++) {
		MPI_Send(&rank, 1, MPI_INT, 0, size > 2 ? rank : 1 + i / times, MPI_COMM_WORLD);
		MPI_Recv(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
"""
TWO_TRACKS = [[0, 0], [0, 1], [0, 2], [1, 0], [2, 0]]

# The tracks as rank and thread, from left to right; of each message, the tracks that its arrow
# connects; of each call that waits its track.
TRACKS = """
const v = window.matchpoint.figures[0].view, g = v.graph;
v.drawNow();
const track = (n) => v.columns.findIndex((_, i) => Math.abs(v.columnX(i) - v.nodeX(n)) < 1);
const waiting = [];
for (let n = 0; n < g.count; n++)
    if (g.open(n)) waiting.push(track(n));
return [v.columns.map((one) => [g.tracks[one].rank, g.tracks[one].thread]),
    [...g.from].map((from, i) => [track(from), track(g.to[i])]), waiting]"""

# Texts that are drawn over other texts, as far as they are in sight; and all texts of the heads.
TEXTS = """
const v = window.matchpoint.figures[0].view, p = CanvasRenderingContext2D.prototype;
const seen = [], wrong = [];
const write = p.fillText;
p.fillText = function (text, x, y, room) {
    const { width } = this.measureText(text);
    const from = this.textAlign === 'center' ? x - width / 2 : x;
    seen.push({ text, from, to: from + Math.min(width, room || width), y });
    return write.apply(this, arguments);
};
v.drawNow();
p.fillText = write;
seen.forEach((one, i) => seen.slice(0, i).forEach((other) => {
    if (one.from < other.to - 0.5 && other.from < one.to - 0.5 && Math.abs(one.y - other.y) < 10)
        wrong.push([one.text, other.text]);
}));
return [wrong.slice(0, 5), seen.filter(({ y }) => y < 34).map(({ text }) => text)]"""

# What is written beside the calls of a rank, by number, without places.
LABELS = """
const v = window.matchpoint.figures[0].view, g = v.graph, labels = [];
const p = CanvasRenderingContext2D.prototype, write = p.fillText;
const rank = arguments[0];
p.fillText = function (text, x, y) {
    for (let n = 0; n < g.count; n++)
        if (g.rank[n] === rank && Math.hypot(v.nodeX(n) + 19 - x, v.markY(n) - y) < 1)
            labels.push([g.number(n), text]);
    return write.apply(this, arguments);
};
v.drawNow();
p.fillText = write;
return labels"""

# Blocks that repeat calls of other tracks than those that they show.
FOLDED = """
const v = window.matchpoint.figures[0].view, g = v.graph, wrong = [];
const tracks = Array.from({ length: g.rows + 1 }, () => []);
for (let n = 0; n < g.count; n++)
    tracks[g.start[n]].push(g.track[n]);
for (const { row, once, times } of v.folding.blocks)
    for (let at = row + once; at < row + once * times; at++)
        if (tracks[at].join() !== tracks[at - once].join()) wrong.push(at);
return [v.folding.blocks.length, wrong.slice(0, 5)]"""


# Rank 0 says what its polls, Waitany and Waitsome were answered: the number of the call, and what
# the page should show.
ANSWERS = r"""
#include <mpi.h>
#include <stdio.h>
enum { COUNT = 4 };
static int calls = 1, got[COUNT], flag, place, count, places[COUNT], value;
static MPI_Request requests[COUNT];
static MPI_Status status, statuses[COUNT];
static MPI_Message message;
static void say(const char *name, int yes, int from)
{
	printf("%d %s: %s", ++calls, name, yes ? "yes" : "not yet");
	if (yes && from >= 0)
		printf(", from %d", from);
	printf("\n");
}
static void say_indices(const char *name, int many, const int *which)
{
	calls++;
	if (many == 0) {
		printf("%d %s: not yet\n", calls, name);
		return;
	}
	printf("%d %s → %s", calls, name, many > 1 ? "indices" : "index");
	for (int i = 0; i < many; i++)
		printf("%s %d", i > 0 ? "," : "", which[i]);
	printf("\n");
}
static void rank_0(void)
{
	for (flag = 0; !flag;) {
		MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, &status);
		say("Iprobe", flag, status.MPI_SOURCE);
	}
	MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &status);
	calls++;
	MPI_Improbe(2, 1, MPI_COMM_WORLD, &flag, &message, &status);
	say("Improbe", flag, 2);
	if (flag)
		MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
	else
		MPI_Recv(&value, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, &status);
	calls++;
	for (int i = 0; i < COUNT; i++) {
		MPI_Irecv(&got[i], 1, MPI_INT, 1 + i % 2, 2 + i, MPI_COMM_WORLD, &requests[i]);
		calls++;
	}
	MPI_Test(&requests[0], &flag, &status);
	say("Test", flag, -1);
	MPI_Testany(COUNT, requests, &place, &flag, &status);
	say_indices("Testany", flag, &place);
	MPI_Testsome(COUNT, requests, &count, places, statuses);
	say_indices("Testsome", count == MPI_UNDEFINED ? 0 : count, places);
	MPI_Waitany(COUNT, requests, &place, &status);
	say_indices("Waitany", 1, &place);
	for (int i = count = 0; i < COUNT; i++)
		count += requests[i] != MPI_REQUEST_NULL;
	MPI_Testall(COUNT, requests, &flag, statuses);
	if (count > 0) /* else it was not asked about anything */
		say("Testall", flag, -1);
	if (!flag) {
		MPI_Waitsome(COUNT, requests, &count, places, statuses);
		say_indices("Waitsome", count, places);
	}
	MPI_Waitall(COUNT, requests, statuses);
}
int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		rank_0();
	else
		MPI_Send(&value, 1, MPI_INT, 0, rank - 1, MPI_COMM_WORLD);
	for (int i = 0; rank > 0 && i < COUNT; i++)
		if (rank == 1 + i % 2)
			MPI_Send(&value, 1, MPI_INT, 0, 2 + i, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
"""
# Rank 0 polls for either of two messages, the one or the other first. It is in the same state each
# time: the polls are a loop.
LOOP = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
	int rank, value = 0, flag = 0, done = 0, got = 0;
	MPI_Request request;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Irecv(&got, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, &request);
		while (!flag && !done) {
			if (argc > 1)
				MPI_Test(&request, &done, MPI_STATUS_IGNORE);
			if (!done)
				MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag,
				           MPI_STATUS_IGNORE);
			if (!flag && argc == 1)
				MPI_Test(&request, &done, MPI_STATUS_IGNORE);
		}
		MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (!done)
			MPI_Wait(&request, MPI_STATUS_IGNORE);
	} else {
		MPI_Send(&value, 1, MPI_INT, 0, rank - 1, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
"""
# Rank 0 counts its polls, so that they are no loop.
COUNTED = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
	int rank, value = 0, flag = 0;
	volatile int count = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (; rank == 0 && !flag; count++)
		MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	if (rank == 0)
		MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	else
		MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
"""
ANSWER = re.compile(r"(Im?probe|Test.*|Waitany|Waitsome)(:| →) ")


def report(tool, browser, name, ranks, program, *arguments):
    page = os.path.join(tool.directory, name + ".html")
    store = os.path.join(tool.directory, name + ".store")
    run = tool.run("explore", "-n", str(ranks), "--store", store, "--html", page, "--", program,
                   *arguments)
    browser.open(page)
    return run


WIDE = ["rank 0", "main", "thread 1", "thread 2", "rank 1", "rank 2"]
NARROW = ["0", "m", "t1", "t2", "1", "2"]


def check_texts(browser):
    """No text is drawn over another one, however narrow the window is."""
    for width, names in ((1200, WIDE), (700, WIDE), (420, NARROW), (1200, WIDE)):
        browser.resize(width, 1000)
        wrong, heads = browser.run(TEXTS)
        check(not wrong, "%d pixels: texts overlap: %s" % (width, wrong))
        check(sorted(heads) == sorted(names), "%d pixels: tracks: %s" % (width, heads))


def check_tracks(tool, browser, program):
    run = report(tool, browser, "two", 3, program, "2")
    check(run.status == 3, str(run))  # not all orders of threads
    tracks, messages, waiting = browser.run(TRACKS)
    check(tracks == TWO_TRACKS, "tracks: %s" % tracks)
    check(sorted(messages) == sorted([[3, 1], [1, 3], [4, 2], [2, 4]] * 2),
          "messages: %s" % messages)
    check(waiting == [], "waits: %s" % waiting)
    check_html.check_layout(browser)
    check_texts(browser)
    browser.click(*browser.run(check_html.MARK, 0, 2))
    check("rank 0, thread 1, call 2" in check_html.tip(browser), check_html.tip(browser))
    browser.press("\ue014")  # right: the track beside it
    check("rank 0, thread 2, call" in check_html.tip(browser), check_html.tip(browser))
    browser.press("\ue00c")  # escape


def check_waiting(tool, browser):
    """Two threads of a rank wait to the end, its main thread does not."""
    program = tool.compile(os.path.join(HERE, "programs", "threads", "waits_of_threads.c"),
                           "-pthread")
    run = report(tool, browser, "waiting", 4, program)
    check(run.status == 1, str(run))
    tracks, _, waiting = browser.run(TRACKS)
    check(tracks == [[0, 0], [1, 0], [1, 1], [1, 2], [2, 0], [3, 0]], "tracks: %s" % tracks)
    check(sorted(waiting) == [2, 3, 4], "waiting: %s" % waiting)
    check_html.check_layout(browser)


def check_folding(tool, browser, program):
    """Loops of two threads at the same places, one after the other, are two blocks."""
    for ranks in 3, 2:
        run = report(tool, browser, "folded", ranks, program, "60")
        check(run.status == 3, str(run))
        blocks, wrong = browser.run(FOLDED)
        check(blocks > 0 and not wrong, "%d blocks; wrong rows: %s" % (blocks, wrong))
        check_html.check_layout(browser)
    dot = os.path.join(tool.directory, "folded.dot")
    run = tool.run("report", "--dot", dot, os.path.join(tool.directory, "folded.store"))
    with open(dot, encoding="utf-8") as file:
        times = re.findall(r'label="(\d+) times"', file.read())
    check(len(times) == 2 and max(map(int, times)) <= 60, "%s\nfolded: %s" % (run, times))


SAY = check_web.SAY


def answers_shown(browser):
    browser.run("window.matchpoint.figures[0].view.zoomTo(1)")
    return ["%d %s" % (number, text) for number, text in browser.run(LABELS, 0)
            if ANSWER.match(text)]


def answers_said(text):
    """Of rank 0's output, as replay and debug show it."""
    return re.findall(r"^(?:\[0\]|   ) (\d+ [A-Z]\w+(?::| →) .*\w)", text, re.M)


def check_answers(tool, browser, program):
    """Whatever is chosen, the page shows what the program was told."""
    page = os.path.join(tool.directory, "answers.html")
    store = os.path.join(tool.directory, "answers.store")
    for path in ("zero:0.2=no,0.3=no,0.4=1,0.6=2,0.12=yes,0.13=#1,0.14=#1,0.15=#0",
                 "zero:0.2=1,0.4=no,0.10=no,0.11=no,0.12=no,0.13=#2",
                 "infinite:0.2=no,0.3=1,0.5=no,0.11=no,0.12=#2,0.13=#0+1,0.14=#0",
                 "infinite:0.2=1,0.4=2,0.10=yes,0.11=#2,0.12=no,0.13=#1",
                 "infinite:0.2=1,0.4=2,0.10=no,0.11=#3,0.12=no,0.13=#0,0.14=no,0.15=#0+1"):
        run = tool.run("replay", "--store", store, "--html", page, "mp1:n3:" + path, "--", program)
        browser.open(page)
        shown, said = answers_shown(browser), answers_said(run.out)
        check(run.status == 0 and shown == said and len(said) >= 7,
              "%s: shown:\n%s\nsaid:\n%s\n%s" % (path, shown, said, run))


def check_loop(tool, browser, *arguments):
    """A choice that answers a later poll of a loop is not shown as the answer of the first one."""
    program = [tool.compile(tool.write("loop.c", LOOP)), *arguments]
    page = os.path.join(tool.directory, "loop.html")
    store = os.path.join(tool.directory, "loop%d.store" % len(arguments))
    run = tool.run("explore", "-n", "3", "--store", store, "--", *program)
    check(run.status == 0, str(run))
    with contextlib.closing(sqlite3.connect(os.path.join(store, "matchpoint.db"))) as database:
        paths = [path for path, in database.execute("SELECT path FROM execution")]
    path = next((path for path in paths if "=+" in path), "")
    check(path, "no loop: %s" % paths)
    run = tool.run("replay", "--store", store + ".one", "--html", page, path, "--", *program)
    check(run.status == 0, str(run))
    browser.open(page)
    first, count, answer = re.search(r"0\.(\d+)=\+(\d+):(\w+)", path).groups()
    check(answer == ("1" if arguments else "yes"), path)
    last = int(first) + int(count)
    shown = dict(one.split(" ", 1) for one in answers_shown(browser))
    check(shown.pop(str(last)) == ("Iprobe: yes, from 1" if arguments else "Test: yes")
          and len(shown) == last - 3
          and all(text.endswith(": not yet") for text in shown.values()),
          "%s: shown: %s" % (path, shown))
    browser.click(*browser.run(check_html.MARK, 0, int(first)))
    told = re.search("chosen: (.*) in call %d$" % last, check_html.tip(browser), re.M)
    check(told and told.group(1).startswith("rank 1's message (loop.c:" if arguments
                                            else "the request of call 2 (loop.c:"),
          check_html.tip(browser))


def check_counted(tool, browser):
    """A loop that is folded says what its polls were answered, and what came then. It is folded
    from its second poll on, as another rank sends beside the first one."""
    program = tool.compile(tool.write("counted.c", COUNTED))
    page = os.path.join(tool.directory, "counted.html")
    noes = ",".join("0.%d=no" % call for call in range(2, 132))
    run = tool.run("replay", "--not-yet", "150", "--html", page, "--store",
                   os.path.join(tool.directory, "counted.store"), "mp1:n2:%s,0.132=1" % noes, "--",
                   program)
    check(run.status == 0, str(run))
    browser.open(page)
    _, texts = browser.run(TEXTS.replace("y < 34", "y > 34"))
    folded = [text for text in texts if "unfold" in text]
    check(len(folded) == 1
          and folded[0].startswith("Iprobe: 129 × not yet, then yes, from 1 ("),
          "folded: %s" % texts)
    check("Iprobe: not yet" in texts and "Iprobe: yes, from 1" in texts, "shown: %s" % texts)


def check_live_answers(tool, browser, program):
    session = Session(tool, "-n", "3", program)
    page = Watched(browser, session)
    page.until(lambda state, writes, *_: state == "nowhere" and writes, "that it may write")
    line = "run"
    for turn in range(30):
        stops = browser.run("return window.matchpoint.live.stop.number || 0")
        browser.run(SAY, line)
        page.until(lambda state, *_, stops=stops: state in ("choice", "over") and browser.run(
            "return window.matchpoint.live.stop.number || 0") > stops, "a stop")
        if browser.run(STATE)[0] == "over":
            break
        line = str(browser.run("const [[, , , offers]] = window.matchpoint.live.stop.points;"
                               "return offers.at(arguments[0])[0]", turn % 2 - 1))
    said = answers_said(session.text)
    page.until(lambda *_: len(answers_shown(browser)) == len(said), "all answers")
    shown = answers_shown(browser)
    check(shown == said and len(said) >= 6, "shown:\n%s\nsaid:\n%s" % (shown, said))
    browser.run(SAY, "quit")
    session.wait(0)


def check_live(tool, browser, program):
    session = Session(tool, "-n", "3", program, "2")
    page = Watched(browser, session)
    page.until(lambda state, writes, *_: state == "nowhere" and writes, "that it may write")
    browser.run(SAY, "run")
    page.until(lambda state, *_: state != "nowhere" and state != "runs", "a stop")
    browser.run(SAY, "finish")
    page.until(lambda state, *_: state == "over", "the end")
    page.until(lambda *_: len(browser.run(TRACKS)[1]) == 8, "all messages")
    tracks, messages, waiting = browser.run(TRACKS)
    check(tracks == TWO_TRACKS, "tracks: %s" % tracks)
    check(sorted(messages) == sorted([[3, 1], [1, 3], [4, 2], [2, 4]] * 2),
          "messages: %s" % messages)
    check(waiting == [], "waiting: %s" % waiting)
    wrong, _ = browser.run(TEXTS)
    check(not wrong, "texts overlap: %s" % wrong)
    browser.run(SAY, "quit")
    session.wait(0)


def body(tool, _):
    browsers.need()
    browser = browsers.Browser(os.path.join(tool.directory, "browser"))
    try:
        two = tool.compile(tool.write("two.c", TWO), "-pthread")
        check_tracks(tool, browser, two)
        check_waiting(tool, browser)
        check_folding(tool, browser, two)
        answers = tool.compile(tool.write("answers.c", ANSWERS))
        check_answers(tool, browser, answers)
        check_loop(tool, browser)
        check_loop(tool, browser, "test first")
        check_counted(tool, browser)
        if check_web.is_there(tool):
            check_live_answers(tool, browser, answers)
            check_live(tool, browser, two)
        live_page.check_complaints(browser)
    finally:
        browser.close()


if __name__ == "__main__":
    live_page.main(__doc__, body)
