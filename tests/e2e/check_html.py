#!/usr/bin/env python3
"""The page that --html writes, in headless Chromium: it draws, reacts to mouse and keyboard,
escapes all text of the program, and stays fast with 100,000 calls. Skipped (77) without chromium
and chromedriver."""

import os
import random
import re
import sqlite3
import time

import browser as browsers
import harness
from harness import check

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
HOSTILE = ("</script><script>document.title='owned'</script>"
           "<img src=x onerror=\"document.title='owned'\">")
CALLS = 100000
FOLDED_CALLS = 50000
STACKS = 1000
RANKS = 8
SIZE_MOST = 20e6    # bytes of the page for so many calls
# Seconds of processor time, in all processes of the browser: other programs do not matter.
PICTURE_MOST = 2.0  # to its first picture
FRAME_MOST = 0.2    # for a frame of a pan
FRAME_COUNT = 30


COLOURS = """
const canvas = document.querySelectorAll('.graph canvas')[0];
const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
const seen = new Map();
for (let i = 0; i < pixels.length; i += 4) {
    const key = pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2];
    seen.set(key, (seen.get(key) || 0) + 1);
}
return [...seen.values()].filter((count) => count > 20).length"""

MARK = """
const view = window.matchpoint.figures[0].view, node = view.graph.node(arguments[0], arguments[1]);
return [view.nodeX(node), view.markY(node)]"""

# Every call has its rows, no message arrives before it was sent, and who leaves a collective leaves
# it with the others.
LAYOUT = """
const g = window.matchpoint.figures[0].view.graph, wrong = [];
for (let n = 0; n < g.count; n++) {
    if (!(g.start[n] > 0 && g.end[n] >= g.start[n] && g.end[n] <= g.rows))
        wrong.push(['call', n]);
    if (g.slot[n] > g.tracks[g.track[n]].begin && !(g.start[n] > g.end[g.order[g.slot[n] - 1]]))
        wrong.push(['order', n]);
    if (n > g.first[g.rank[n]] && !(g.start[n] > g.start[n - 1]))
        wrong.push(['threads', n]);
}
for (let i = 0; i < g.to.length; i++) {
    if (g.completed[g.to[i]] >= 0 && !(g.end[g.completed[g.to[i]]] > g.start[g.from[i]]))
        wrong.push(['message', i]);
}
for (let k = 1; k <= g.collectives; k++) {
    const rows = new Set();
    for (const n of g.members.subarray(g.membersBegin[k], g.membersBegin[k + 1]))
        rows.add(g.completed[n] < 0 ? 0 : g.end[g.completed[n]]);
    rows.delete(0);
    if (rows.size > 1)
        wrong.push(['collective', k]);
}
return wrong.slice(0, 5)"""

FRAMES = """
const view = window.matchpoint.figures[0].view;
view.zoomTo(arguments[0]);
for (let i = 0; i < arguments[1]; i++) {
    view.moveBy(0, 37 * 26 * (i % 10));
    view.drawNow();
    view.canvas.getContext('2d').getImageData(0, 0, 1, 1);
}"""


def explore(tool, *arguments):
    program = tool.compile(os.path.join(ROOT, "examples", "wildcard_deadlock.c"))
    page = os.path.join(tool.directory, "page.html")
    run = tool.run("explore", "-n", "3", "--store", os.path.join(tool.directory, "store"),
                   "--html", page, "--", program, *arguments)
    check(run.status == 1, str(run))
    with open(page, encoding="utf-8") as file:
        return page, file.read()


def check_layout(browser):
    wrong = browser.run(LAYOUT)
    check(not wrong, "the graph is laid out wrong: %s" % wrong)


# Every way to meet: nonblocking neighbours, both at once, collectives of parts and of all.
HALO = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
	int rank, size, in[2], out, sum;
	MPI_Comm part;
	MPI_Request requests[4];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int left = (rank + size - 1) % size, right = (rank + 1) % size;
	out = rank;
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
	for (int i = 0; i < 10; i++) {
		MPI_Irecv(&in[0], 1, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]);
		MPI_Irecv(&in[1], 1, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[1]);
		MPI_Isend(&out, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[2]);
		MPI_Issend(&out, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &requests[3]);
		MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
		MPI_Sendrecv(&out, 1, MPI_INT, left, 3, in, 1, MPI_INT, right, 3, MPI_COMM_WORLD,
		             MPI_STATUS_IGNORE);
		MPI_Allreduce(&in[0], &sum, 1, MPI_INT, MPI_SUM, part);
		MPI_Bcast(&sum, 1, MPI_INT, i % size, MPI_COMM_WORLD);
		MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
		MPI_Sendrecv(&out, 1, MPI_INT, right, 4, in, 1, MPI_INT, left, 4, MPI_COMM_WORLD,
		             MPI_STATUS_IGNORE);
		MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	}
	MPI_Comm_free(&part);
	MPI_Finalize();
	return 0;
}
"""


# A helper that is called from two places, the second time in vain; the recursion is too deep to be
# shown whole.
HELPER = r"""
#include <mpi.h>
static volatile int levels;
__attribute__((noinline)) static int exchange(void)
{
	int value;
	MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return value;
}
__attribute__((noinline, noclone)) static int deep(int depth)
{
	int value = depth > 0 ? deep(depth - 1) : exchange();
	levels++;
	return value;
}
int main(int argc, char **argv)
{
	int rank, value = 7;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		value = exchange() + deep(20);
	else
		MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return value < 0;
}
"""


def check_stacks(tool, browser):
    source = tool.write("helper.c", HELPER)
    page = os.path.join(tool.directory, "helper.html")
    run = tool.run("explore", "-n", "2", "--store", os.path.join(tool.directory, "helper.store"),
                   "--html", page, "--", tool.compile(source, "-O2"))
    check(run.status == 1, str(run))
    browser.open(page)
    for call, wanted, unwanted in ((2, ["exchange, helper.c:7", "called from main, helper.c:22"],
                                    "called from deep"),
                                   (3, ["exchange, helper.c:7", "called from deep, helper.c:12",
                                        "… 16 more", "called from main, helper.c:22"],
                                    "exchange, helper.c:22")):
        browser.click(*browser.run(MARK, 0, call))
        told = tip(browser)
        for text in wanted:
            check(text in told, "%s is not in the tooltip of call %d:\n%s" % (text, call, told))
        check(unwanted not in told, "%s is in the tooltip:\n%s" % (unwanted, told))
    browser.press("\ue00c")  # escape
    check_places(browser)


def check_halo(tool, browser):
    """A run without a finding has its graph too."""
    source = tool.write("halo.c", HALO)
    page = os.path.join(tool.directory, "halo.html")
    run = tool.run("run", "-n", "5", "--store", os.path.join(tool.directory, "halo.store"),
                   "--html", page, "--", tool.compile(source, "-Wno-stringop-overflow"))
    check(run.status == 0, str(run))
    browser.open(page)
    check("nothing wrong" in browser.run("return document.querySelector('header').innerText"),
          "the page does not say that nothing is wrong")
    count, messages = browser.run("const g = window.matchpoint.figures[0].view.graph;"
                                  "return [g.count, g.from.length]")
    check(count > 5 * 100 and messages == 5 * 40, "%d calls, %d messages" % (count, messages))
    check_layout(browser)
    check_communicators(browser)


SHOWN = """
const v = window.matchpoint.figures[0].view, lit = [], shown = new Set();
for (let n = 0; n < v.graph.count; n++) {
    if (v.shows(n)) shown.add(v.graph.communicator(n));
    if (v.isLit(n)) lit.push(v.graph.rank[n] + '.' + v.graph.number(n));
}
return [[...shown].sort(), lit];"""


def press(browser, kind, text):
    """A button of a tab, or of a place, whose text begins so."""
    check(browser.run("""
const button = [...document.querySelectorAll(`.graph .${arguments[0]} button`)]
    .find((one) => one.textContent.startsWith(arguments[1]));
if (button) button.click();
return Boolean(button)""", kind, text), "there is no %s in %s" % (text, browser.run(
    "return [...document.querySelectorAll(`.graph .${arguments[0]} button`)]"
    ".map((one) => one.textContent)", kind)))


def check_communicators(browser):
    """A tab each, also for those that were made by the same call."""
    world, split = "MPI_COMM_WORLD", "comm 2: MPI_Comm_split at halo.c:13"
    other = "comm 1.2: MPI_Comm_split at halo.c:13"
    check(browser.run(SHOWN)[0] == ["", world, other, split], "shown: %s" % browser.run(SHOWN)[0])
    for one in split, other:
        press(browser, "tabs", one)
        check(browser.run(SHOWN)[0] == [one], "shown: %s" % browser.run(SHOWN)[0])
    press(browser, "tabs", world)
    check(browser.run(SHOWN)[0] == [world], "shown: %s" % browser.run(SHOWN)[0])
    press(browser, "tabs", "All")
    check(len(browser.run(SHOWN)[0]) == 4, "not all is shown again")


UNFOLD = """
for (let closed; (closed = document.querySelector('.places details:not([open])'));) {
    closed.open = true;
    closed.dispatchEvent(new Event('toggle'));
}"""


def check_places(browser):
    """Choosing a function, or a place in it, lights up the calls that are made below."""
    check(browser.run(SHOWN)[1] == [], "something is lit")
    press(browser, "bar", "Places")
    for text, calls in (("main, helper.c:22", ["0.2", "0.3"]), ("exchange, helper.c:7", ["0.2"]),
                        ("MPI_Recv", ["0.2"]), ("main, helper.c:24", ["1.2"])):
        browser.run(UNFOLD)
        press(browser, "places", text)
        lit = browser.run(SHOWN)[1]
        check(lit == calls, "%s lights up %s" % (text, lit))
    press(browser, "places", "main, helper.c:24")
    check(browser.run(SHOWN)[1] == [], "it stays lit")
    press(browser, "bar", "Places")


def check_static(text):
    """What is there without any script."""
    plain = re.sub(r"<(script|style)\b.*?</\1>", "", text, flags=re.S)
    for wanted in ("4 interleavings of", "1 deadlock in 2 interleavings", "deadlock #1",
                   "waits for rank 1, which has ended", "It needs: rank 0",
                   "wildcard_deadlock.c:15", "MPI_ANY_SOURCE", "mp1:n3:0.2=1"):
        check(wanted in plain, "not in the page without its script: " + wanted)
    first, then = (plain.index(words, plain.index('id="finding-1"'))
                   for words in ("It needs: ", "waits for rank 1"))
    check(first < then, "what a finding needs does not come first")
    check(not re.search(r"(src|href)=[\"']?(https?:)?//", text), "the page asks for a file")
    check(text.count("<script") == 2, "there should be two scripts, data and code")


def check_page(browser, page):
    browser.open(page)
    check(browser.run("return document.title").endswith("matchpoint"),
          "the title is " + browser.run("return document.title"))
    check(browser.run("return document.images.length") == 0, "text became an element")
    check(browser.run(COLOURS) >= 6, "the canvas is empty")
    check(browser.run("const g = window.matchpoint.figures[0].view.graph;"
                      "return [g.count, g.ranks, g.choices.size, g.blamed === g.node(0, 2),"
                      "g.faults.get(g.node(0, 3))]")
          == [8, 3, 1, True, "waits for rank 1, which has ended"],
          "the graph is not that of the finding")


def tip(browser):
    return browser.run("const t = document.querySelector('.tip');"
                       "return t.hidden ? '' : t.innerText")


def check_mouse(browser):
    browser.click(*browser.run(MARK, 0, 2))
    told = tip(browser)
    for wanted in ("MPI_Recv", "source=ANY", "takes rank 1's MPI_Send", "chosen: rank 1's message",
                   "instead: rank 2's message", "wildcard_deadlock.c:15", "MPI_ANY_SOURCE"):
        check(wanted in told, "%s is not in the tooltip:\n%s" % (wanted, told))
    check(told.count("wildcard_deadlock.c:20), tag=7") == 2, "no tags in the tooltip:\n" + told)


def check_keyboard(browser):
    browser.press("\ue015")  # down
    check("rank 0, call 3" in tip(browser), "the arrow key led to " + tip(browser))
    check("waits for rank 1, which has ended" in tip(browser),
          "a call that waits is not told: " + tip(browser))
    check("MPI_Recv" in browser.run("return document.querySelector('[aria-live]').textContent"),
          "a reader is not told of what is selected")
    browser.press("\ue00c")  # escape
    check(tip(browser) == "", "the tooltip stays")


COVERED = """
const f = window.matchpoint.figures[0], v = f.view, n = v.told(), t = f.tip.getBoundingClientRect();
if (f.tip.hidden) return 'hidden';
const c = f.canvas.getBoundingClientRect();
const x = c.left + v.nodeX(n), y = c.top + v.markY(n);
if (t.left < x + 9 && t.right > x - 9 && t.top < y + 9 && t.bottom > y - 9)
    return `covers call ${n}`;
return t.top < 0 || t.bottom > innerHeight || t.right > innerWidth ? `call ${n}: outside` : '';"""


def check_tips(browser):
    """Whichever call is told of, wherever the graph stands in the window: the mark is seen."""
    count = browser.run("return window.matchpoint.figures[0].view.graph.count")
    for block in ("start", "center", "end"):
        browser.run("document.querySelector('.graph').scrollIntoView("
                    "{block: arguments[0], behavior: 'instant'})", block)
        for node in range(count):
            browser.run("const v = window.matchpoint.figures[0].view; v.selected = -1;"
                        "v.select(arguments[0]); v.reveal(arguments[0]); v.drawNow()", node)
            said = browser.run(COVERED)
            check(said == "", "the graph at the window's %s: the tooltip %s" % (block, said))
    browser.run("const v = window.matchpoint.figures[0].view; v.select(-1); v.drawNow()")


TABS = """
const pre = document.createElement('pre');
for (const text of ['\\tx', '    x', '        x', '\\t\\tx']) {
    const line = document.createElement('span');
    line.className = 'l';
    line.dataset.n = 7;
    line.textContent = text;
    pre.append(line);
}
document.querySelector('.sources figure').append(pre);
pre.classList.toggle('mixed', arguments[0]);
const at = [...pre.children].map((line) => {
    const range = document.createRange();
    range.setStart(line.firstChild, line.textContent.length - 1);
    range.setEnd(line.firstChild, line.textContent.length);
    return Math.round(range.getBoundingClientRect().left);
});
pre.remove();
return at;"""


def check_tabs(browser):
    """A tab is as wide as so many blanks, the number of the line before it or not."""
    tab, four, eight, two = browser.run(TABS, False)
    check(tab == four and two == eight, "tabs of four: %s" % [tab, four, eight, two])
    tab, four, eight, two = browser.run(TABS, True)
    check(tab == eight and two > eight, "tabs of eight: %s" % [tab, four, eight, two])


LONG = """
const pre = document.createElement('pre'), line = document.createElement('span');
line.className = 'l';
line.textContent = 'f(' + 'argument, '.repeat(60) + ')';
pre.append(line);
document.querySelector('.sources figure').append(pre);
const told = [pre.scrollWidth <= pre.clientWidth, line.getBoundingClientRect().height];
pre.remove();
return told"""


def check_long_lines(browser):
    """A long line of source is wrapped."""
    fits, high = browser.run(LONG)
    check(fits and high > 40, "a long line: fits %s, %d pixels high" % (fits, high))


def check_finding(browser):
    """Who waits for whom is drawn, and the command is copied, or marked to be."""
    check(browser.run("return [...document.querySelectorAll('svg.waits path title')]"
                      ".map((title) => title.textContent)")
          == ["rank 0 waits for rank 1", "rank 2 waits for rank 0"], "other waits are drawn")
    browser.run("document.querySelector('button.copy').click()")
    check(browser.run("return getSelection().toString()").startswith("matchpoint replay mp1:"),
          "the command is not marked")


def check_filters(browser):
    browser.run("document.querySelector('[aria-controls]').click();"
                "document.querySelectorAll('[data-kind=ranks] input')[1].click();"
                "[...document.querySelectorAll('[data-kind=functions] label')]"
                ".find((l) => l.innerText.startsWith('MPI_Send')).click()")
    check(browser.run("const v = window.matchpoint.figures[0].view; return [v.columns.join(),"
                      "v.shows(v.graph.node(2, 1)), v.shows(v.graph.node(2, 2))]")
          == ["0,2", True, False], "a hidden rank or function is shown")
    browser.run("for (const k of ['ranks', 'functions'])"
                "document.querySelector(`[data-kind=${k}] legend button`).click()")
    browser.run("document.querySelectorAll('.choice-of input')[1].click()")
    check(browser.run("const v = window.matchpoint.figures[0].view;"
                      "return [v.columns.join(), v.graph.blamed, v.marked === v.graph.node(0, 2),"
                      "v.graph.waits.includes(1), v.graph.stack(v.marked).length]")
          == ["0,1,2", -1, True, False, 1],
          "the interleaving that ends well is not shown")
    check(browser.run(COLOURS) >= 5, "the canvas is empty")


def enlarge(store, wanted, in_a_ring=False):
    """Gives the finding's interleaving so many calls: random neighbours exchange messages, from
    many places; or a message goes round and round, from two."""
    random.seed(1)
    database = sqlite3.connect(os.path.join(store, "matchpoint.db"))
    columns = [row[1] for row in database.execute("PRAGMA table_info(call)")][1:]
    execution, = database.execute("SELECT min(execution) FROM shows").fetchone()
    next_call = [1] * RANKS
    calls, matches = [], []

    def call(rank, kind, function, peer, tag):
        number = next_call[rank]
        next_call[rank] += 1
        values = {"execution": execution, "rank": rank, "call": number, "kind": kind,
                  "operations": 1, "function": function,
                  "place": kind if in_a_ring else random.randint(1, 3),
                  "communicator": 1, "peer": peer, "peer_given": peer, "tag": tag,
                  "bytes": random.randint(0, 10**9), "collective": 0, "completed": number,
                  "thread": 0,
                  "waits": 0, "asked": None}
        calls.append([values[name] for name in columns])
        return number

    while len(calls) < wanted:
        source = len(matches) % RANKS if in_a_ring else random.randrange(RANKS)
        dest = (source + (1 if in_a_ring else random.randint(1, RANKS - 1))) % RANKS
        tag = random.randrange(1 << 20)
        sent = call(source, 1, "MPI_Send", dest, tag)
        matches.append((execution, dest, call(dest, 2, "MPI_Recv", source, tag), 0,
                        source, sent, 0, tag))
    database.execute("UPDATE exploration SET ranks = ?", (RANKS,))
    database.execute("DELETE FROM frame")
    database.executemany("INSERT INTO frame VALUES (?,?,?,?,0)",
                         [(stack, depth, "function_%d" % random.randrange(100),
                           stack % 3 + 1 if depth == 0 else random.randint(1, 3))
                          for stack in range(1, STACKS + 1) for depth in range(10)])
    for table in ("call", "match", "stands"):
        database.execute("DELETE FROM %s WHERE execution = ?" % table, (execution,))
    for table, first, count, rows in (("call", "first_call", "calls", sorted(calls)),
                                      ("match", "first_match", "matches", matches)):
        last, = database.execute("SELECT coalesce(max(id), 0) FROM %s" % table).fetchone()
        database.executemany(
            "INSERT INTO %s VALUES (%s)" % (table, ",".join("?" * (1 + len(rows[0])))),
            [(last + 1 + i, *row) for i, row in enumerate(rows)])
        database.execute("UPDATE execution SET %s = ?, %s = ? WHERE id = ?" % (first, count),
                         (last + 1, len(rows), execution))
    database.executemany("INSERT INTO stands VALUES (?,?,?,?)",
                         [(execution, *made[1:3],
                           random.randrange(made[columns.index("place")] + 2, STACKS, 3))
                          for made in calls])
    database.commit()
    database.close()


SEEN = """
const v = window.matchpoint.figures[0].view, seen = [];
for (let n = 0; n < v.graph.count; n++)
    if (v.stands(n)) seen.push(n);
return [v.graph.count, seen.length, v.folding.rows, v.folding.blocks.length];"""
FOLDED = """
const v = window.matchpoint.figures[0].view, f = v.folding;
const s = f.segments.find((segment) => segment.block);
v.y = v.lineY(s.shown) + v.y - 300; v.clamp(); v.drawNow();
return [s.block.times, 500, v.lineY(s.shown)];"""
FIND = """
const field = document.querySelector('input[type=search]');
field.value = arguments[0];
field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
const v = window.matchpoint.figures[0].view;
return [v.selected >= 0 ? v.graph.rank[v.selected] : -1,
    v.selected >= 0 ? v.graph.number(v.selected) : -1, v.selected >= 0 && v.stands(v.selected)];"""


def check_folded(tool, browser):
    """What repeats is drawn once; a click, a key, or going to a call in it unfolds it."""
    page, store = os.path.join(tool.directory, "folded.html"), os.path.join(tool.directory, "store")
    enlarge(store, FOLDED_CALLS, in_a_ring=True)
    run = tool.run("report", "--html", page, store)
    check(run.status == 0, str(run))
    check_folding(browser, page)


def check_folding(browser, page):
    browser.open(page)
    picture = browser.run("return Number(document.documentElement.dataset.firstPicture)")
    print("folded: first picture after %.2f s" % (picture / 1000))
    browser.run("document.querySelector('.graph')"
                ".scrollIntoView({block: 'start', behavior: 'instant'})")
    count, seen, rows, _ = browser.run(SEEN)
    check(count == FOLDED_CALLS, "%d calls" % count)
    check(seen < 200 and rows < 200, "%d calls are seen in %d rows" % (seen, rows))
    times, x, y = browser.run(FOLDED)
    check(times > FOLDED_CALLS / RANKS / 2 - 10, "folded %d times" % times)
    browser.click(x, y)
    check(browser.run(SEEN)[1] == count, "a click does not unfold it: %s" % browser.run(SEEN))
    browser.press("f")
    check(browser.run(SEEN)[1] == seen, "the key does not fold it: %s" % browser.run(SEEN))
    browser.press("f")
    check(browser.run(SEEN)[1] == count, "the key does not unfold it: %s" % browser.run(SEEN))
    browser.run("window.matchpoint.figures[0].foldAll()")
    check(browser.run(SEEN)[1] == seen, "it is not folded again")
    check(browser.run(FIND, "3.2000") == [3, 2000, True], "a call in the middle is not shown")
    check("rank 3, call 2000" in tip(browser), "it is not told of: " + tip(browser))
    check(browser.run(FIND, "recv")[2], "a function is not found")
    check(browser.run(FIND, "3.999999") == [3, 2001, True], "a call that is not there is found")


def check_large(tool, browser):
    page = os.path.join(tool.directory, "large.html")
    store = os.path.join(tool.directory, "store")
    enlarge(store, CALLS)
    begin = time.monotonic()
    run = tool.run("report", "--html", page, store)
    written = time.monotonic() - begin
    check(run.status == 0, str(run))
    size = os.path.getsize(page)
    check(size < SIZE_MOST, "%d bytes" % size)
    begin = browser.processor_time()
    browser.open(page)
    count, drawn = browser.run("return [window.matchpoint.figures[0].view.graph.count,"
                               "Number(document.documentElement.dataset.firstPicture) > 0]")
    picture = browser.processor_time() - begin
    check(drawn, "there is no picture")
    check(count == CALLS, "%d calls are shown" % count)
    check(browser.run("const g = window.matchpoint.figures[0].view.graph;"
                      "for (let n = 0; n < g.count; n++) if (g.stack(n).length !== 10) return n;"
                      "return -1") == -1, "a call has lost its stack")
    check_layout(browser)
    check(picture < PICTURE_MOST, "the first picture takes %.2f s" % picture)
    check(browser.run(COLOURS) >= 5, "the canvas is empty")
    for zoom in (1, 0.1, 0):
        begin = browser.processor_time()
        browser.run(FRAMES, zoom, FRAME_COUNT)
        frame = (browser.processor_time() - begin) / FRAME_COUNT
        print("a frame at zoom %g: %.1f ms" % (zoom, 1000 * frame))
        check(0 < frame < FRAME_MOST, "a frame takes %.0f ms at zoom %g" % (1000 * frame, zoom))
    print("%d calls: %.1f MB, written in %.2f s, first picture after %.2f s" % (
        count, size / 1e6, written, picture))


def body(tool, _):
    browsers.need()
    browser = None
    page, text = explore(tool, HOSTILE)
    check_static(text)
    try:
        browser = browsers.Browser(os.path.join(tool.directory, "browser"))
        check_page(browser, page)
        check_finding(browser)
        check_mouse(browser)
        check_keyboard(browser)
        check_tips(browser)
        check_tabs(browser)
        check_long_lines(browser)
        check_filters(browser)
        check_stacks(tool, browser)
        check_halo(tool, browser)
        check_large(tool, browser)
        check_folded(tool, browser)
        complaints = browser.complaints()
        check(not complaints, "the browser complains:\n%s" % "\n".join(complaints))
    finally:
        if browser:
            browser.close()


if __name__ == "__main__":
    harness.main(__doc__, body)
