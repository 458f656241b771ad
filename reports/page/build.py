#!/usr/bin/env python3
"""Makes one page of its sources.

  build.py OUT.c           as a C string
  build.py OUT.html        as it is, to be read

The script's hash stands in the page's Content-Security-Policy: no other script can run in it.
What is left in {{braces}} is filled in by reports/html.c.
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
    """As lines of string literals: any compiler takes them, and the file can be read."""
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
