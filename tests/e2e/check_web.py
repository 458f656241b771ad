#!/usr/bin/env python3
"""matchpoint debug --web: one session at the prompt and in browsers. A request without the token,
or from another page, gets nothing. One page sends lines and the others watch; a page that is
loaded again shows everything; garbage, and pages that disconnect in the middle, change nothing. In
headless Chromium: the graph grows, a click on a dashed edge makes the choice. Nothing is left
behind."""

import os
import random
import re
import socket
import urllib.error
import urllib.parse
import urllib.request

import browser as browsers
import check_prompt
import live_page
from harness import check
from live_page import PATIENCE, Page, Session, Watched

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "examples")


def get(url, host=None):
    request = urllib.request.Request(url, headers={"Host": host} if host else {})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def check_refused(tool, program):
    """403, and nothing told, without the right token, or from elsewhere."""
    session = Session(tool, "-n", "3", program)
    parts = urllib.parse.urlsplit(session.url)
    token = parts.path.strip("/")
    wrong = token[:-1] + ("0" if token[-1] != "0" else "1")
    status, text = get(session.url)
    check(status == 200 and "wildcard_deadlock on 3 ranks" in text, "%d: %s" % (status, text[:200]))
    root = session.url.replace(parts.path, "/")
    for url, host in ((root + wrong + "/", None), (root + "/", None), (root, None),
                      (root + token + "00/", None), (session.url + "session/x", None),
                      (session.url, "evil.example"),
                      (session.url, "evil.example:%d" % parts.port)):
        status, text = get(url, host)
        check(status in (403, 404) and token not in text and "wildcard" not in text,
              "%s from %s: %d\n%s" % (url, host, status, text[:300]))
    for words in ({"origin": "http://evil.example"}, {"origin": ""}, {"origin": "null"},
                  {"origin": "http://127.0.0.1:1"}, {"origin": "https://" + parts.netloc},
                  {"origin": "http://%s.evil.example" % parts.netloc},
                  {"host": "evil.example"}, {"path": "/%s/session" % wrong},
                  {"path": "/session"}, {"path": "/%s/other" % token}):
        page = Page(session.url, **words)
        check(page.status == 403, "%s: status %d" % (words, page.status))
        page.close()
    page = Page(session.url, protocol="other")
    check(page.status != 101, "another protocol is taken")
    page.close()
    page = Page(session.url)
    check(page.status == 101, "the page itself is refused: %d" % page.status)
    page.close()
    session.type("quit")
    session.wait(3)


def check_shared(tool, program):
    """Prompt and pages show one session; one page says lines at a time."""
    session = Session(tool, "-n", "3", program)
    first, second = Page(session.url), Page(session.url)
    first.until_told(lambda told: told.get("writes") is True, "it may write")
    second.until_told(lambda told: told.get("writes") is False and told["pages"] == 2, "it watches")
    first.say("run")
    session.expect(r"\(matchpoint\) run\nstopped: choice 0\.2\n")
    for page in (first, second):
        page.until_told(lambda told: told["stop"]["state"] == "choice", "it stops")
        check(page.told["stop"]["points"][0][:2] == [0, 2]
              and [offer[0:3] for offer in page.told["stop"]["points"][0][3]]
              == [[1, 1, 2], [2, 2, 2]], "not what can be taken: %s" % page.told["stop"])
        check("stopped: choice 0.2" in page.told["text"], page.told["text"])
    second.say("continue")
    second.until_told(lambda told: "read-only" in told.get("refused", ""), "it is refused")
    # What somebody typed is seen by the pages, and a click on what is no more comes too late.
    number = first.told["stop"]["number"]
    session.type("choose 0.2=1")
    for page in (first, second):
        page.until_told(lambda told: "(matchpoint) choose 0.2=1\n" in told["text"], "it is told")
    first.send(b"at %d 2" % number)
    first.until_told(lambda told: "too late" in told.get("refused", ""), "it comes too late")
    first.until_told(lambda told: told["stop"].get("number", 0) > number, "it has gone on")
    first.send(b"at %d 2" % first.told["stop"]["number"])
    session.expect(r"\(matchpoint\) 2\nstopped: ([^\n]*)\n")
    for page in (first, second):
        page.until_told(lambda told: told["stop"]["state"] == "over", "its end")
        check(page.told["matches"][:4] == [0, 2, 2, 2], "taken: %s" % page.told["matches"])
        check([len(page.told["calls"][rank]) for rank in range(3)] == [4, 3, 3],
              "calls: %s" % page.told["calls"])
    first.close()
    second.until_told(lambda told: told["writes"], "it says lines now")
    second.say("back")
    second.until_told(lambda told: told["stop"]["state"] == "choice", "it goes back")
    # Whoever comes later is shown the same.
    third = Page(session.url)
    third.until_told(lambda told: told.get("stop", {}).get("state") == "choice", "all of it")
    for name in ("text", "strings", "places"):
        check(third.told[name] == second.told[name], "%s:\n%s\n%s" % (
            name, third.told[name], second.told[name]))
    check(third.told["calls"] == second.told["calls"] and len(third.told["calls"]) == 3,
          "calls:\n%s\n%s" % (third.told["calls"], second.told["calls"]))
    third.close()
    second.say("quit")
    session.wait(3)
    second.close()


def check_contents(tool, program):
    """What is in a message is told to the page that asks, also one that only watches."""
    session = Session(tool, "-n", "3", program)
    page, other = Page(session.url), Page(session.url)
    page.until_told(lambda told: told.get("writes"), "it may write")
    other.until_told(lambda told: told.get("writes") is False, "it watches")
    other.send(b"look 1.2")
    other.until_told(lambda told: told.get("contents") == [1, 2, ""], "nothing runs")
    page.say("run")
    other.until_told(lambda told: told["stop"]["state"] == "choice", "it stops")
    offers = [offer[3] for offer in other.told["stop"]["points"][0][3]]
    check(all(", tag=7, " in offer for offer in offers), str(offers))
    check("1 MPI_INT: {1}" in offers[0] and "1 MPI_INT: {2}" in offers[1], str(offers))
    for asked, answer in ((b"look 2.2", [2, 2, "1 MPI_INT: {2}"]), (b"look 0.2", [0, 2, ""]),
                          (b"look 7.1", [7, 1, ""]), (b"look 1.999", [1, 999, ""])):
        other.send(asked)
        other.until_told(lambda told, answer=answer: told.get("contents") == answer, str(answer))
    check("contents" not in page.told, "told to who did not ask: %s" % page.told)
    page.say("2")
    other.until_told(lambda told: told["stop"]["state"] == "over", "its end")
    other.send(b"look 0.2")
    other.until_told(lambda told: told.get("contents") == [0, 2, "1 MPI_INT: {2}"], "received")
    page.say("quit")
    session.wait(0)
    page.close()
    other.close()


def check_garbage(tool, program):
    """Whatever comes: the session goes on, and a page that behaves is served."""
    session = Session(tool, "-n", "3", program)
    generator = random.Random(7)
    page = Page(session.url)
    for body in (b"", b"say", b"at 1", b"at x 1", b"at 99999999999 1", b"interrupt now", b"{}",
                 b"say a\nquit", b"say \x1b[2J", b"say \xff\xfe", bytes(range(256))):
        page.send(body)
    page.until_told(lambda told: told.get("refused", "").count("\n") >= 9, "they are refused")
    page.close()
    for _ in range(60):
        page = Page(session.url)
        for _ in range(generator.randrange(1, 5)):
            body = generator.randbytes(generator.choice([0, 1, 5, 125, 126, 4000, 70000]))
            page.send(body, kind=generator.randrange(16), final=generator.random() < 0.7,
                      masked=generator.random() < 0.8)
        if generator.random() < 0.5:
            try:
                page.socket.sendall(generator.randbytes(generator.randrange(1, 200)))
            except ConnectionError:
                pass
        page.close(abruptly=generator.random() < 0.5)
    for _ in range(20):  # no HTTP at all
        raw = socket.create_connection(("127.0.0.1", urllib.parse.urlsplit(session.url).port))
        raw.sendall(generator.randbytes(generator.randrange(1, 2000)))
        raw.close()
    check(session.process.poll() is None, "it has ended: %r" % session.text)
    check("stopped" not in session.text, "garbage was obeyed: %r" % session.text)
    page = Page(session.url)
    page.until_told(lambda told: told.get("writes"), "it may write")
    page.say("run")
    page.until_told(lambda told: told["stop"]["state"] == "choice", "it stops")
    pages = []
    for _ in range(20):
        pages.append(Page(session.url))
    check([one.status for one in pages].count(101) < 20 and pages[-1].status == 503,
          "so many pages: %s" % [one.status for one in pages])
    for one in pages:
        one.close(abruptly=True)
    page.say("quit")
    session.wait(3)


MANY = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
	int rank, value = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 5000; i++)
		if (rank == 0)
			MPI_Recv(&value, 1, MPI_INT, 1, i % 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		else
			MPI_Send(&value, 1, MPI_INT, 0, i % 7, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
"""


def check_many(tool):
    """A page that goes away while it is told, one that reads nothing, and one that comes later."""
    session = Session(tool, "-n", "2", tool.compile(tool.write("many.c", MANY)))
    page, lazy = Page(session.url), Page(session.url)
    page.until_told(lambda told: told.get("writes") is True, "it may write")
    page.say("run")
    page.until_told(lambda told: told["stop"]["state"] != "nowhere", "it runs")
    page.close(abruptly=True)
    session.expect(r"stopped: (end)\n")
    late = Page(session.url)
    late.until_told(lambda told: told.get("stop", {}).get("state") == "over", "its end")
    check([len(late.told["calls"][rank]) for rank in (0, 1)] == [5002, 5002], "calls are missing")
    check(len(late.told["matches"]) == 4 * 5000, "matches are missing")
    check(late.messages < 100, "%d messages" % late.messages)
    session.type("quit")
    session.wait(0)
    lazy.close()
    late.close()


def check_interrupt(tool):
    """A page stops ranks that compute, and says lines meanwhile; the end of standard input is not
    the end of the session."""
    enough = os.path.join(tool.directory, "enough")
    program = tool.compile(tool.write("computes.c", check_prompt.COMPUTES))
    session = Session(tool, "-n", "3", program)
    session.process.stdin.close()
    page = Page(session.url)
    page.until_told(lambda told: told.get("writes"), "it may write")
    page.say("run")
    page.until_told(lambda told: told["stop"]["state"] == "choice", "it stops")
    page.say("1")
    page.until_told(lambda told: told["stop"]["state"] == "runs"
                    and "(matchpoint) 1\n" in told["text"], "it runs")
    # Before the second message is taken the interruption would stop at that choice.
    page.until_told(lambda told: len(told.get("matches", [])) == 2 * 4, "both are received")
    page.send(b"interrupt")
    page.until_told(lambda told: told["stop"]["state"] == "interrupted", "it stops")
    page.say("info path")
    page.until_told(lambda told: "path: mp1:n3" in told["text"], "where it is")
    with open(enough, "w"):
        pass
    page.until_told(lambda told: told["stop"]["state"] == "choice", "what it comes to")
    page.say("quit")
    session.wait(3)
    page.close()


def check_terminal(tool, program):
    """A page says a line while somebody types another: it is there again at the next prompt."""
    terminal = check_prompt.Terminal(tool, "--web", "-n", "3", program)
    url = re.search(r"http://\S+", terminal.expect(r"page: http://[0-9.:]+/[0-9a-f]+/")).group()
    terminal.expect(re.escape(check_prompt.PROMPT))
    page = Page(url)
    page.until_told(lambda told: told.get("writes"), "it may write")
    terminal.type("info pa")
    if check_prompt.has_readline(tool):
        terminal.expect("info pa")
    page.say("run")
    terminal.expect(r"stopped: choice 0\.2\r\n")
    terminal.expect(re.escape(check_prompt.PROMPT) + ".*info pa"
                    if check_prompt.has_readline(tool) else re.escape(check_prompt.PROMPT))
    terminal.type("th\r")
    terminal.expect("path: mp1:n3")
    page.until_told(lambda told: "(matchpoint) info path\npath: mp1" in told["text"], "it is told")
    page.say("quit")
    terminal.wait(3)
    page.close()


def check_ports(tool, program):
    """A port that is taken, and what is none."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        run = tool.run("debug", "--web", str(port), "-n", "3", program)
        check(run.status == 4 and "port %d of 127.0.0.1" % port in run.err
              and "another process listens there" in run.err, str(run))
    run = tool.run("debug", "--web", "70000", "-n", "3", program)
    check(run.status == 2 and "70000" in run.err, str(run))
    script = tool.write("quit.mp", "quit\n")
    run = tool.run("debug", "--web", str(port), "-n", "3", "-x", script, "--batch", program)
    check(run.status == 3 and "page: http://127.0.0.1:%d/" % port in run.out, str(run))


def is_there(tool):
    run = tool.run("--version")
    check("debug --web:" in run.out, str(run))
    return "built without libwebsockets" not in run.out


# --- in a browser ---------------------------------------------------------------------------------

EDGE = """
const view = window.matchpoint.figures[0].view;
view.drawNow();
const points = view.edge(view.graph.offers[arguments[0]]);
return points[points.length / 2 - 0.5]"""
MARK = """
const view = window.matchpoint.figures[0].view;
const node = view.graph.node(arguments[0], arguments[1]);
return [view.nodeX(node), view.markY(node)]"""
STACKS = """
const g = window.matchpoint.figures[0].view.graph;
return [[0, 2], [1, 2], [2, 2]].map(([rank, call]) => g.stack(g.node(rank, call)).map((f) =>
    `${f.name} ${f.text}`).join('; '))"""
LIT = """
const live = window.matchpoint.live, view = window.matchpoint.figures[0].view;
live.tellText("rollback: 0.2 1.1\\n");
const lit = [...view.graph.lit], asked = [[0, 2], [1, 1]].map((call) => view.graph.node(...call));
live.light = null;
live.lightUp();
return [lit, asked, view.graph.lit.size]"""
HELD = "return [...window.matchpoint.figures[0].view.graph.held]"
SAY = """
const live = window.matchpoint.live;
live.line.value = arguments[0];
live.form.requestSubmit()"""


def check_browser(tool, browser, program):
    session = Session(tool, "-n", "3", program)
    page = Watched(browser, session)
    page.until(lambda state, writes, *_: state == "nowhere" and writes, "that it may write")
    page.press("run")
    page.until(lambda state, _, calls, offers, text: state == "choice" and calls == 6
               and offers == 2 and "stopped: choice 0.2" in text, "the choice")
    # the second dashed edge: rank 2's message
    browser.click(*browser.run(EDGE, 1))
    session.expect(r"\(matchpoint\) 2\nstopped: ([^\n]*)\n")
    # the graph is drawn in its own time, a little after the words
    page.until(lambda state, _, calls, offers, text: state == "over" and calls == 10
               and offers == 0, "the calls of the end")
    page.press("back")
    page.until(lambda state, _, calls, offers, text: state == "choice" and offers == 2,
               "the choice again")
    before = page.until(lambda *_: True, "")
    # also of calls before the snapshot that it went back to
    stacks = browser.run(STACKS)
    check(stacks == ["main wildcard_deadlock.c:15"] + 2 * ["main wildcard_deadlock.c:20"],
          "stacks: %s" % stacks)
    browser.open(session.url)  # loaded again
    page.until(lambda *state: list(state) == before, "everything again: %s" % before)
    lit, asked, then = browser.run(LIT)  # at once, whenever it is drawn again
    check(lit == asked and then == 0, "lit up: %s" % lit)
    browser.click(*browser.run(MARK, 1, 2))
    page.until(lambda *_: "1 MPI_INT: {1}" in browser.run(
        "return document.querySelector('.tip').innerText"), "what is in the message")
    browser.click(*browser.run(MARK, 0, 2))  # what can be done about a call
    for button, line, held in (
            ("Hold rank 0", "hold 0", [0]), ("Release rank 0", "release 0", []),
            ("Break at wildcard_deadlock.c:15", "break wildcard_deadlock.c:15", []),
            ("Roll back to 0.2", "rollback 0.2", [])):
        browser.run("[...document.querySelectorAll('.words button')]"
                    ".find((one) => one.textContent === arguments[0]).click()", button)
        session.expect(r"(\(matchpoint\) %s)\n" % re.escape(line))
        page.until(lambda *_, held=held: browser.run(HELD) == held, "who is held")
    session.type("info path")
    page.until(lambda *state: "info path\npath: mp1:n3" in state[4], "what is typed")
    browser.run(SAY, "choose 0.2=1")
    page.until(lambda *_: "chosen" in browser.run(
        "return document.querySelector('.offers li').innerText"), "what is chosen")
    browser.run("document.querySelector('.offers button').click()")
    session.expect(r"stopped: ([^\n]*)\n", 4)
    page.until(lambda state, *_: state == "over", "another end")
    browser.run(SAY, "<img src=x onerror=\"document.title='owned'\">")
    page.until(lambda *state: "onerror" in state[4], "what was said")
    check(browser.run("return document.images.length") == 0, "text became an element")
    check("owned" not in browser.run("return document.title"), "a script of the text's has run")
    browser.run(SAY, "quit")
    session.wait(1)


ENDS = r"""
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
	int rank, value = 0, wrong;
	MPI_Status status;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank > 0)
		MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	for (int i = 0; i < 2 && rank == 0; i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
		wrong = i == 0 && status.MPI_SOURCE == 2;
		if (wrong && strcmp(argv[1], "crash") == 0)
			*(volatile int *)NULL = 1;
		if (wrong && strcmp(argv[1], "abort") == 0)
			MPI_Abort(MPI_COMM_WORLD, 5);
		if (wrong && strcmp(argv[1], "deadlock") == 0)
			MPI_Recv(&value, 1, MPI_INT, 2, 9, MPI_COMM_WORLD, &status);
		if (wrong && strcmp(argv[1], "mpi-error") == 0)
			MPI_Send(&value, -1, MPI_INT, 1, 0, MPI_COMM_WORLD);
		if (wrong && strcmp(argv[1], "leak") == 0)
			MPI_Comm_dup(MPI_COMM_SELF, &(MPI_Comm){0});
	}
	MPI_Finalize();
	return 0;
}
"""
END = """
const { where } = window.matchpoint.live;
return [where.textContent, where.classList.contains("bad")]"""


def check_ends(tool, browser):
    """The page states how an interleaving ended: what is wrong, and "ended well" only if nothing
    is, also when the session comes to the same end again."""
    program = tool.compile(tool.write("ends.c", ENDS))
    for kind in "deadlock", "crash", "abort", "mpi-error", "leak":
        session = Session(tool, "-n", "3", program, kind)
        page = Watched(browser, session)
        page.until(lambda state, writes, *_: state == "nowhere" and writes, "that it may write")
        for line, wanted in (("run", "choice"), ("2", "over"), ("back", "choice"), ("2", "over"),
                             ("back", "choice"), ("1", "over")):
            browser.run(SAY, line)
            page.until(lambda state, *rest, wanted=wanted: state == wanted, wanted)
            if wanted == "choice":
                continue
            words, bad = browser.run(END)
            if line == "2":
                check(words.startswith(kind + ": ") and bad and "ended well" not in words,
                      "the end by %s is: %s" % (kind, words))
            else:
                check("every rank ended well" in words and not bad, "a good end is: %s" % words)
        browser.run(SAY, "quit")
        session.wait(0)


PLACES = """
const view = window.matchpoint.figures[0].view, c = view.canvas.getBoundingClientRect();
view.drawNow();
return [c.left, c.top, c.width, c.height, view.x, view.y, view.zoom].map(Math.round)"""
WINDOW = """
const root = document.documentElement, box = (e) => e.getBoundingClientRect();
const { text, offers, form, graphHolder } = window.matchpoint.live;
return { wide: root.scrollWidth <= innerWidth, high: root.scrollHeight <= innerHeight,
    graph: box(graphHolder).height / innerHeight, below: box(form).bottom <= innerHeight,
    beside: [text, offers].every((one) => box(one).left >= box(graphHolder).right) }"""
BUTTONS = "return [...document.querySelectorAll('.of-call button')].map((one) => one.textContent)"
ASKED = """
const { confirm, ofCall } = window.matchpoint.live;
return [confirm.hidden, confirm.innerText, confirm.previousElementSibling === ofCall]"""


def check_docked(tool, browser, program):
    """Graph, choices and prompt fill the window together. Selecting a call does not move the graph;
    what can be done with it is offered, and a question about that is asked there."""
    terminal = check_prompt.Terminal(tool, "--web", "-n", "3", program)
    url = re.search(r"http://\S+", terminal.expect(r"page: http://[0-9.:]+/[0-9a-f]+/")).group()
    browser.open(url)
    terminal.expect(re.escape(check_prompt.PROMPT))
    page = Watched.__new__(Watched)
    page.browser = browser
    page.until(lambda state, writes, *_: state == "nowhere" and writes, "that it may write")
    page.press("run")
    page.until(lambda state, _, calls, offers, text: state == "choice" and offers == 2, "a choice")
    for wide, high in (1200, 900), (1600, 700):
        browser.resize(wide, high)
        page.until(lambda *_: browser.run(WINDOW)["below"], "all in the window")
        told = browser.run(WINDOW)
        check(told["wide"] and told["high"] and told["graph"] > 0.7 and told["beside"],
              "in %d x %d: %s" % (wide, high, told))
    before = browser.run(PLACES)
    browser.click(*browser.run(MARK, 0, 2))
    page.until(lambda *_: browser.run(BUTTONS), "what can be done with the call")
    check(browser.run(PLACES) == before, "the graph has moved: %s, %s" % (
        before, browser.run(PLACES)))
    names = browser.run(BUTTONS)
    check("Hold rank 0" in names and "Release rank 0" not in names, "offered: %s" % names)
    browser.run(SAY, "2")
    page.until(lambda state, *_: state == "over", "the end")
    page.until(lambda state, _, calls, *rest: calls == 10, "the calls of the end")
    before = browser.run(PLACES)
    browser.run("[...document.querySelectorAll('.of-call button')][0].click()")
    page.until(lambda *_: browser.run(ASKED)[0] is False, "the question")
    _, words, there = browser.run(ASKED)
    check(there and "go back?" in words and "Yes" in words, "asked: %s" % words)
    browser.run("document.querySelector('.confirm [data-line=n]').click()")
    page.until(lambda *_: browser.run(ASKED)[0], "no question any more")
    check(browser.run(PLACES) == before, "the graph has moved: %s" % browser.run(PLACES))
    browser.resize(520, 900)
    page.until(lambda *_: browser.run(WINDOW)["wide"], "a narrow window")
    browser.resize(1200, 1000)
    browser.run(SAY, "quit")
    terminal.wait(0)


SENDERS = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
	int rank, size, value = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 1; i < size; i++)
		if (rank == 0)
			MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
	if (rank > 0)
		MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
"""
# A communicator is called otherwise before its second message.
RENAMES = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
	int rank, value = 0;
	MPI_Comm comm;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	for (int i = 0; i < 2; i++) {
		MPI_Comm_set_name(comm, i == 0 ? "rows" : "lines");
		for (int k = 1; k < 3; k++)
			if (rank == k)
				MPI_Send(&value, 1, MPI_INT, 0, i, comm);
			else if (rank == 0)
				MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, i, comm,
				         MPI_STATUS_IGNORE);
	}
	MPI_Comm_free(&comm);
	MPI_Finalize();
	return 0;
}
"""
TABS = "return [...document.querySelectorAll('.tabs button')].map((one) => one.innerText)"


ON_LINES = """
const view = window.matchpoint.figures[0].view, calls = [];
view.drawNow();
for (const offer of view.graph.offers) {
    const points = view.edge(offer), [x] = points[points.length / 2 - 0.5];
    calls.push(view.awayFromLine(x));
}
return [calls, view.offerAt(view.nodeX(view.graph.node(1, 1)), view.height / 2) === null]"""


def check_offers_apart(tool, browser):
    """The numbers of dashed edges stand beside the calls of the ranks that these pass, and a click
    on a call is no choice."""
    session = Session(tool, "-n", "5", tool.compile(tool.write("senders.c", SENDERS)))
    page = Watched(browser, session)
    page.until(lambda state, writes, *_: state == "nowhere" and writes, "that it may write")
    page.press("run")
    page.until(lambda state, _, calls, offers, text: state == "choice" and offers == 4, "edges")
    apart, calls_first = browser.run(ON_LINES)
    check(len(apart) == 4 and min(apart) > 12 and calls_first, "on calls: %s" % apart)
    browser.run(SAY, "quit")
    session.wait(3)


def check_names(tool, browser):
    """A communicator has one tab, with the name that it has where the session stands."""
    session = Session(tool, "-n", "3", tool.compile(tool.write("renames.c", RENAMES)))
    page = Watched(browser, session)
    page.until(lambda state, writes, *_: state == "nowhere" and writes, "that it may write")
    for line, name in ("run", "rows"), ("1", "lines"):
        browser.run(SAY, line)
        page.until(lambda *_: browser.run(TABS) == [
            "All communicators", "MPI_COMM_WORLD",
            'comm 2 "%s": MPI_Comm_dup at renames.c:9' % name], "one tab, " + name)
    browser.run(SAY, "back")  # to before it was called so
    page.until(lambda *_: browser.run(TABS)[-1].startswith('comm 2 "rows"'),
               "the name that it had then")
    browser.run(SAY, "quit")
    session.wait(3)


def body(tool, _):
    program = tool.compile(os.path.join(EXAMPLES, "wildcard_deadlock.c"))
    if not is_there(tool):
        run = tool.run("debug", "--web", "-n", "3", program)
        check(run.status == 4 and "built without libwebsockets" in run.err, str(run))
        return
    check_refused(tool, program)
    check_shared(tool, program)
    check_contents(tool, program)
    check_garbage(tool, program)
    check_many(tool)
    check_interrupt(tool)
    check_terminal(tool, program)
    check_ports(tool, program)
    browsers.need()
    browser = browsers.Browser(os.path.join(tool.directory, "browser"))
    try:
        check_browser(tool, browser, program)
        check_docked(tool, browser, program)
        check_ends(tool, browser)
        check_offers_apart(tool, browser)
        check_names(tool, browser)
        live_page.check_complaints(browser)
    finally:
        browser.close()


if __name__ == "__main__":
    live_page.main(__doc__, body)
