"""Writes the man pages: matchpoint.1 and one for each command. Standard library only.

    python3 generate.py MATCHPOINT VERSION DIRECTORY COMMAND...

Usage, options and examples are what `matchpoint --describe` prints; everything else stands in
COMMAND.man beside this script, and goes between options and example."""

import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def escape(text):
    """Text as roff takes it literally."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def described(program):
    done = subprocess.run([program, "--describe"], capture_output=True, check=True)
    return json.loads(done.stdout.decode("utf-8"))


def option_name(option):
    letter = "-%s, " % option["letter"] if "letter" in option else ""
    value = "=%s" % option["value"] if "value" in option else ""
    return "%s--%s%s" % (letter, option["name"], value)


def entries(pairs):
    """Names with their explanations as tagged paragraphs."""
    page = []
    for name, explanation in pairs:
        page += [".TP", "\\fB%s\\fR" % escape(name), escape(explanation)]
    return page


def options(described_options):
    return [".SH OPTIONS",
            *entries((option_name(option), option["help"]) for option in described_options)]


def part(name):
    """What stands above and below the options."""
    path = os.path.join(HERE, name + ".man")
    if not os.path.exists(path):
        return [], []
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    split = next((i for i, line in enumerate(lines) if line.startswith(".SH EXIT")), len(lines))
    return lines[:split], lines[split:]


def page_of(version, command):
    name = "matchpoint-" + command["name"]
    above, below = part(command["name"])
    asked = {"name": "help", "letter": "h", "help": "Show help options"}
    return name, [
        '.TH %s 1 "" "matchpoint %s" "User Commands"' % (name.upper(), version),
        ".SH NAME", "%s \\- %s" % (escape(name), escape(command["summary"])),
        ".SH SYNOPSIS", "\\fB%s\\fR %s" % (escape("matchpoint " + command["name"]),
                                           escape("[OPTION...] " + command["synopsis"])),
        *above, *options([asked, *command["options"]]), *below,
        ".SH EXAMPLE", ".nf", escape(command["example"]), ".fi",
        ".SH SEE ALSO", ".BR matchpoint (1)"]


def main_page(version, tables):
    summary = tables["summary"].rstrip(".")
    above, below = part("matchpoint")
    page = ['.TH MATCHPOINT 1 "" "matchpoint %s" "User Commands"' % version, ".SH NAME",
            "matchpoint \\- %s" % escape(summary[0].lower() + summary[1:]), ".SH SYNOPSIS",
            "\\fBmatchpoint\\fR COMMAND [options] [\\-\\-] PROGRAM [ARG...]", *above,
            ".SH COMMANDS"]
    for command in tables["commands"]:
        page += [".TP", ".BR matchpoint\\-%s (1)" % command["name"], escape(command["summary"])]
    page += options(tables["options"])
    page += [".SH ENVIRONMENT", *entries((variable["name"], variable["help"])
                                         for variable in tables["environment"]
                                         if variable["role"] == "read"), *below, ".SH SEE ALSO"]
    names = [".BR matchpoint\\-%s (1)" % command["name"] for command in tables["commands"]]
    return "matchpoint", page + [name + "," for name in names[:-1]] + names[-1:]


def main():
    program, version, directory, *commands = sys.argv[1:]
    tables = described(program)
    missing = {command["name"] for command in tables["commands"]} ^ set(commands)
    if missing:
        sys.exit("commands without a page, or pages without a command: %s"
                 % ", ".join(sorted(missing)))
    os.makedirs(directory, exist_ok=True)
    for name, lines in [main_page(version, tables),
                        *(page_of(version, command) for command in tables["commands"])]:
        with open(os.path.join(directory, name + ".1"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
