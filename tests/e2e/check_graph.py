#!/usr/bin/env python3
"""The graph of the pages of --html and of debug --web, in headless Chromium: threads of a rank have
tracks of their own, in which their messages end, and what different threads do is not folded
together. Skipped (77) without chromium and chromedriver."""

import os
import re

import browser as browsers
import check_html
import check_web
import harness
from harness import check
from live_page import Session, Watched

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
        browser.call("POST", "/window/rect", {"width": width, "height": 1000})
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
        if check_web.is_there(tool):
            check_live(tool, browser, two)
        complaints = [line for line in browser.complaints() if "WebSocket" not in line]
        check(not complaints, "the browser complains:\n%s" % "\n".join(complaints))
    finally:
        browser.close()


if __name__ == "__main__":
    try:
        harness.main(__doc__, body)
    finally:
        for left in Session.begun:
            left.end()
