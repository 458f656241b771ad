"""Writes the man pages: matchpoint.1 and one for each command. Standard library only.

    python3 generate.py MATCHPOINT VERSION DIRECTORY COMMAND...

Usage, options and examples are what `matchpoint COMMAND --help` says; what it does not say stands
in COMMAND.man beside this script, and goes between options and example."""

import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def escape(text):
    """Text as roff takes it literally."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def help_of(*command):
    done = subprocess.run([*command, "--help"], capture_output=True, text=True, check=True,
                          encoding="utf-8")
    return done.stdout


def blocks(text):
    """The blocks of a help text by their heading; what stands above all is under ""."""
    found = {"": []}
    heading = ""
    for line in text.splitlines():
        match = re.fullmatch(r"(\w[\w ]*):", line)
        if match:
            heading = match.group(1)
            found[heading] = []
        elif line.strip():
            heading = heading if line.startswith(" ") else ""
            found[heading].append(line)
    return found


def entries(lines, what):
    """`  name  explanation` as tagged paragraphs."""
    page = []
    for line in lines:
        match = re.fullmatch(r"\s+(\S+(?: \S+)*?)\s{2,}(.+)", line)
        if not match:
            sys.exit("%s: what is this line of the help text? %s" % (what, line))
        page += [".TP", "\\fB%s\\fR" % escape(match.group(1)), escape(match.group(2))]
    return page


def part(name):
    path = os.path.join(HERE, name + ".man")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def page_of(program, version, command):
    found = blocks(help_of(program, command))
    usage = found["Usage"][0].strip()
    synopsis, _, summary = usage.partition(" - ")
    name = "matchpoint-" + command
    page = ['.TH %s 1 "" "matchpoint %s" "User Commands"' % (name.upper(), version), ".SH NAME",
            "%s \\- %s" % (escape(name), escape(summary)), ".SH SYNOPSIS",
            "\\fB%s\\fR %s" % (escape("matchpoint " + command),
                               escape(synopsis.split(" ", 2)[2]))]
    more = part(command)
    split = next((i for i, line in enumerate(more) if line.startswith(".SH EXIT")), len(more))
    page += more[:split]
    page += [".SH OPTIONS", *entries(found.get("Help Options", [])
                                     + found.get("Application Options", []), name)]
    page += more[split:]
    if "Example" in found:
        page += [".SH EXAMPLE", ".nf", *(escape(line.strip()) for line in found["Example"]), ".fi"]
    return name, page + [".SH SEE ALSO", ".BR matchpoint (1)"]


def main_page(program, version, commands):
    text = help_of(program)
    summary = text.split("\n\n")[1].strip().rstrip(".")
    found = blocks(text)
    page = ['.TH MATCHPOINT 1 "" "matchpoint %s" "User Commands"' % version, ".SH NAME",
            "matchpoint \\- %s" % escape(summary[0].lower() + summary[1:]), ".SH SYNOPSIS",
            "\\fBmatchpoint\\fR COMMAND [options] [\\-\\-] PROGRAM [ARG...]"]
    more = part("matchpoint")
    split = next((i for i, line in enumerate(more) if line.startswith(".SH EXIT")), len(more))
    page += more[:split] + [".SH COMMANDS"]
    told = [line for line in found[""] if re.match(r"  \w+\s+\S", line)]
    missing = {line.split()[0] for line in told} ^ set(commands)
    if missing:
        sys.exit("commands without a page, or pages without a command: %s"
                 % ", ".join(sorted(missing)))
    for line in told:
        command, _, what = line.strip().partition(" ")
        page += [".TP", ".BR matchpoint\\-%s (1)" % command, escape(what.strip())]
    page += [".SH OPTIONS", *entries(found["Options"], "matchpoint")]
    page += [".SH ENVIRONMENT", *entries(found["Environment"], "matchpoint"), *more[split:]]
    page += [".SH SEE ALSO"]
    page += [".BR matchpoint\\-%s (1)%s" % (command, "" if command == commands[-1] else ",")
             for command in commands]
    return "matchpoint", page


def main():
    program, version, directory, *commands = sys.argv[1:]
    os.makedirs(directory, exist_ok=True)
    pages = [main_page(program, version, commands)]
    pages += [page_of(program, version, command) for command in commands]
    for name, lines in pages:
        with open(os.path.join(directory, name + ".1"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
