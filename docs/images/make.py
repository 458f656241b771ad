"""Makes message-graph.png: the message graph on the page of --html, as Chromium shows it.

    docs/images/make.py --matchpoint build/release/matchpoint

Takes Debian's packages chromium and chromium-driver. Standard library only."""

import base64
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests/e2e"))

import browser as browsers
import harness

PICTURE = os.path.join(HERE, "message-graph.png")
WINDOW = {"width": 1080, "height": 1600, "deviceScaleFactor": 1.5, "mobile": False}


def photograph(browser, page):
    """The first graph of a page, with its buttons and its legend, as PNG."""
    browser.call("POST", "/goog/cdp/execute",
                 {"cmd": "Emulation.setDeviceMetricsOverride", "params": WINDOW})
    browser.open(page)
    browser.run("document.querySelector('.graph').scrollIntoView({block: 'center',"
                "                                                   behavior: 'instant'})")
    element = browser.call("POST", "/element", {"using": "css selector", "value": ".graph"})
    picture = browser.call("GET", "/element/%s/screenshot" % next(iter(element.values())))
    return base64.b64decode(picture)


def body(tool, _):
    browsers.need()
    program = tool.compile(os.path.join(ROOT, "examples/mixed_rounds.c"))
    page = os.path.join(tool.directory, "page.html")
    run = tool.run("explore", "-n", "3", "--html", page, program)
    harness.check(run.status == 1, run)
    browser = browsers.Browser(os.path.join(tool.directory, "browser"))
    try:
        picture = photograph(browser, page)
    finally:
        browser.close()
    with open(PICTURE, "wb") as file:
        file.write(picture)
    print("%s: %d KB" % (PICTURE, len(picture) // 1000))


if __name__ == "__main__":
    harness.main(__doc__, body)
