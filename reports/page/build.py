#!/usr/bin/env python3
"""Builds the page from its sources.

  build.py OUT.c           as a C string
  build.py OUT.html        as HTML, to inspect it

The page's Content-Security-Policy has the hash of its script, so that no other script can run.
The marks in {{braces}} are filled in by reports/html_fill.c.
"""

import base64
import hashlib
import os
import sys

SCRIPTS = ["data.js", "layout.js", "fold.js", "words.js", "shapes.js", "paint.js", "view.js",
           "stacks.js", "figure.js", "live.js", "main.js"]
HERE = os.path.dirname(os.path.abspath(__file__))


def read(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return file.read()


def build():
    script = '\n(() => {\n"use strict";\n\n%s})();\n' % "\n".join(map(read, SCRIPTS))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    page = read("page.html")
    for name, text in (("script-hash", digest), ("style", read("style.css")), ("script", script)):
        page = page.replace("@%s@" % name, text, 1)
    return page


def embed(page, out):
    """Writes the page as string literals, one a line: accepted by every compiler, and readable."""
    with open(out, "w", encoding="ascii") as file:
        file.write("/* Made by reports/page/build.py. */\n"
                   '#include "html_page.h"\n\nconst char html_page[] =\n')
        for line in page.splitlines(keepends=True):
            bytes_ = line.encode()
            file.write('\t"')
            for byte in bytes_:
                char = chr(byte)
                if char in '"\\':
                    file.write("\\" + char)
                elif char == "\n":
                    file.write("\\n")
                elif char == "\t":
                    file.write("\\t")
                elif char == "?" or not 32 <= byte < 127:
                    file.write("\\%03o" % byte)
                else:
                    file.write(char)
            file.write('"\n')
        file.write(";\n")


def main():
    if len(sys.argv) != 2 or not sys.argv[1].endswith((".c", ".html")):
        sys.exit(__doc__)
    page, out = build(), sys.argv[1]
    if out.endswith(".c"):
        embed(page, out)
        return
    with open(out, "w", encoding="utf-8") as file:
        file.write(page)


if __name__ == "__main__":
    main()
